"""The sections and keys of table.toml, with types, bounds and defaults."""

import ipaddress
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from controller.archive.signer import SigningSettings
from controller.archive.witness import WitnessSettings, parse_witness_key
from controller.journal.evidence_log.note import is_key_name
from controller.monitors.stall import STALL_MINUTES
from controller.procedure.rulebook import DEFAULT_BACKS, ObservableFact
from controller.rules.profiles.deck_bounds import decks_refusal
from controller.rules.profiles.load import load_profile, profile_names
from controller.rules.profiles.profile import Profile, ProfileError
from controller.rules.setting_values import PayProcedure, ShuffleFinish, VigorishMode
from controller.rules.settlement.pit import PitSettings
from controller.service.config.document import CONTROL_SOCKET, JOURNAL_FOLDER, file_path
from controller.service.config.layout_rules import (
    LayoutProblem,
    TableLayout,
    layout_problems,
    pit_problems,
)
from controller.service.config.table_config import ApprovalSettings
from controller.service.config.time_zone import zone_data
from controller.system.tls import ServerTlsFiles
from controller.table.disk_space import MIB, DiskLimits
from foundation.recorded_text import IDENTIFIER_PATTERN

DEFAULT_KEY: Final = "table.key"
_WORDS_MAX: Final = 64
_WITNESSES_MAX: Final = 16
# 16 TiB: a greater number is probably in bytes.
_MIB_MAX: Final = 1 << 24
# A unit's name is that of its file, and a file's name is the table's.
_UNIT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_CLOCK: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")


def _person_name(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError(
            f"{text!r} is not allowed. Allowed: one printable line. Remedy: write the person's name"
        )
    return text


def _table_name(text: str) -> str:
    """The name of a table is the origin of its evidence log (C2SP tlog-checkpoint)."""
    if not is_key_name(text) or "://" in text or not text.isprintable():
        raise ValueError(
            f"{text!r} is not allowed. Allowed: printable text without spaces, plus signs and"
            " scheme, because it names the table's evidence log. Remedy: write BAC-12, or"
            " casino.example/pit-3/bac-12"
        )
    return text


def unit_name_problem(name: str) -> str:
    """Why a table's name can be neither that of its file nor of its unit; empty if it can."""
    if _UNIT_NAME.fullmatch(name):
        return ""
    return (
        f"{name!r} names no file and no unit. Allowed: letters, digits, - and _, at most 32, such"
        ' as "M-12". Remedy: choose another name'
    )


def _one_word(text: str) -> str:
    if not IDENTIFIER_PATTERN.fullmatch(text):
        raise ValueError(f"{text!r} is not allowed. Allowed: one word. Remedy: write dark-red")
    return text


def _clock(text: str) -> str:
    if not _CLOCK.fullmatch(text):
        raise ValueError(
            f"{text!r} is not a time of day. Allowed: hours and minutes. Remedy: write it as"
            ' "06:00"'
        )
    return text


def _zone(name: str) -> str:
    zone_data(name)
    return name


def _facts(words: list[str]) -> list[str]:
    allowed = ", ".join(fact.value for fact in ObservableFact)
    for word in words:
        if word not in tuple(ObservableFact):
            raise ValueError(
                f"{word!r} is not a fact that a table can observe. Allowed: {allowed}. Remedy: use"
                " one of them"
            )
        if words.count(word) > 1:
            raise ValueError(f"{word!r} is listed more than once. Remedy: list it once")
    return words


def _profile(name: str, read: ValidationInfo) -> str:
    if name not in profile_names() and not name.endswith(".toml"):
        names = ", ".join(profile_names())
        raise ValueError(
            f"{name!r} is not allowed. Allowed: {names}, or a .toml file. Remedy: use one of them"
        )
    try:
        load_profile(name, _folder(read))
    except ProfileError as error:
        lines = (line.removesuffix(".") for line in str(error).splitlines())
        raise ValueError("\n".join(lines)) from error
    except OSError as error:
        raise ValueError(
            f"{name} cannot be read: {error.strerror or error}. Remedy: name a profile's file that"
            " this account may read"
        ) from error
    return name


def _folder(read: ValidationInfo) -> Path | None:
    """The folder of table.toml, given to the validation as `folder`."""
    return read.context["folder"] if read.context else None


def _address(text: str) -> str:
    if text == "localhost":
        return text
    try:
        ipaddress.ip_address(text)
    except ValueError as error:
        raise ValueError(
            f'{text!r} is not an IP address. Remedy: write "127.0.0.1" for this machine alone'
        ) from error
    return text


Line = Annotated[str, Field(max_length=64)]
FileName = Annotated[str, AfterValidator(file_path)]
IpAddress = Annotated[str, AfterValidator(_address)]


def is_loopback(address: str) -> bool:
    """Whether an address is that of this machine alone."""
    return address == "localhost" or ipaddress.ip_address(address).is_loopback


class Section(BaseModel):
    """Unknown keys are refused, and types are strict: "8" is not a number, 1 is not true."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TableSection(Section):
    name: Annotated[Line, AfterValidator(_table_name)]
    pit: Line = ""
    gaming_day_start: Annotated[str, AfterValidator(_clock)] = "06:00"
    time_zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    trial: bool = False


class RulesSection(Section):
    profile: Annotated[str, AfterValidator(_profile)] = "s42-mini"
    decks: int | None = None
    observed: Annotated[list[str], AfterValidator(_facts)] = []

    @field_validator("decks")
    @classmethod
    def _decks(cls, decks: int | None, read: ValidationInfo) -> int | None:
        """Check the number of decks against the profile, if the profile is valid."""
        if decks is None or "profile" not in read.data:
            return decks
        refusal = decks_refusal(decks, load_profile(read.data["profile"], _folder(read)))
        if refusal is not None:
            raise ValueError(
                f"{decks} is not allowed. Allowed: {refusal.allowed}. Remedy: {refusal.remedy}"
            )
        return decks


class JournalSection(Section):
    folder: FileName = JOURNAL_FOLDER
    warn_free_mib: Annotated[int, Field(ge=1, le=_MIB_MAX)] = 1024
    warn_free_percent: Annotated[int, Field(ge=0, le=90)] = 5
    stop_free_mib: Annotated[int, Field(ge=2, le=_MIB_MAX)] = 64

    @field_validator("stop_free_mib")
    @classmethod
    def _stop_free_mib(cls, mib: int, read: ValidationInfo) -> int:
        """The stop limit must not exceed the warning limit."""
        warn = read.data.get("warn_free_mib", mib)
        if mib > warn:
            raise ValueError(
                f"{mib} is not allowed. Allowed: at most warn_free_mib, which is {warn}. Remedy:"
                " set it lower: people are warned before the table stops"
            )
        return mib

    @property
    def limits(self) -> DiskLimits:
        return DiskLimits(
            self.warn_free_mib * MIB, self.warn_free_percent, self.stop_free_mib * MIB
        )


class ServerSection(Section):
    """What every section of a server has: whether it is enabled, and its files of TLS."""

    enabled: bool = True
    certificate: FileName | None = None
    key: FileName | None = None
    client_ca: FileName | None = None

    @model_validator(mode="after")
    def _check_files(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError(
                "certificate and key belong together, and one is missing. Remedy: name both"
            )
        if self.client_ca is not None and self.certificate is None:
            raise ValueError(
                "client_ca checks the clients of TLS, and there is no certificate. Remedy: name"
                " certificate and key, too"
            )
        return self

    def tls_files(self, folder: Path) -> ServerTlsFiles | None:
        """The files of TLS; paths are relative to `folder`, that of table.toml."""
        if self.certificate is None or self.key is None:
            return None
        ca = None if self.client_ca is None else folder / self.client_ca
        return ServerTlsFiles(folder / self.certificate, folder / self.key, ca)


class MetricsSection(ServerSection):
    address: IpAddress = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 9309
    password_file: FileName | None = None

    @model_validator(mode="after")
    def _check_access(self) -> Self:
        known = self.client_ca is not None or self.password_file is not None
        if self.enabled and not (
            is_loopback(self.address) or (self.certificate is not None and known)
        ):
            raise ValueError(
                f"address: {self.address} can be reached from other machines. Allowed: TLS with"
                " certificates of clients or with passwords, or this machine alone. Remedy: name"
                " certificate, key, and client_ca or password_file; or write address ="
                ' "127.0.0.1"'
            )
        return self

    def passwords(self, folder: Path) -> Path | None:
        """The file of names and hashes."""
        return None if self.password_file is None else folder / self.password_file


class ControlSection(Section):
    socket: FileName = CONTROL_SOCKET
    group: Line = ""


class PeopleSection(Section):
    unix: dict[Line, Annotated[Line, AfterValidator(_person_name)]] = Field(default_factory=dict)


class WitnessSection(Section):
    url: str
    key: str

    @field_validator("url")
    @classmethod
    def _url(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise ValueError(
                f"{url!r} is not the address of a witness. Allowed: http or https and a host."
                ' Remedy: write it as "https://witness.example/table-7"'
            )
        return url

    @field_validator("key")
    @classmethod
    def _key(cls, key: str) -> str:
        parse_witness_key(key)
        return key


class EvidenceSection(Section):
    key: FileName | None = None
    sign: bool = True
    signer: Annotated[list[str], Field(max_length=_WORDS_MAX)] = Field(default_factory=list)
    public_key: FileName | None = None
    witnesses: Annotated[list[WitnessSection], Field(max_length=_WITNESSES_MAX)] = Field(
        default_factory=list
    )

    @model_validator(mode="after")
    def _check_signer(self) -> Self:
        if self.signer and self.public_key is None:
            raise ValueError(
                "signer makes another program sign, and its signatures must be checked. Remedy:"
                ' write public_key = "FILE.pub" beside it'
            )
        if self.public_key is not None and not self.signer:
            raise ValueError(
                "public_key belongs to a signer, and none is given. Remedy: remove it, or write"
                ' signer = ["/path/of/the/program"]'
            )
        if self.signer and self.key is not None:
            raise ValueError(
                "key and signer are both given. Allowed: one of them. Remedy: keep the one that"
                " signs"
            )
        if self.signer and not self.signer[0].startswith("/"):
            raise ValueError(
                f"signer: {self.signer[0]!r} is not an absolute path. Remedy: write the full path"
                " of the program, then its arguments"
            )
        if any("\0" in word for word in self.signer):
            raise ValueError("signer: an argument contains a null character. Remedy: remove it")
        return self

    def settings(self, folder: Path, journal: Path) -> SigningSettings:
        """How seals are signed; `folder` is that of table.toml, `journal` the journal's."""
        return SigningSettings(
            key=journal / DEFAULT_KEY if self.key is None else folder / self.key,
            make=self.key is None,
            sign=self.sign,
            program=tuple(self.signer),
            public_key=None if self.public_key is None else folder / self.public_key,
        )

    def witness_settings(self) -> tuple[WitnessSettings, ...]:
        """The witnesses to which heads of the evidence log are offered."""
        return tuple(WitnessSettings(one.url, parse_witness_key(one.key)) for one in self.witnesses)


class MonitorsSection(Section):
    stall_minutes: Annotated[int, Field(ge=2, le=240)] = STALL_MINUTES


class ApprovalSection(Section):
    file: FileName
    keys: Annotated[list[FileName], Field(min_length=1, max_length=_WORDS_MAX)]
    required: list[Literal["profile", "configuration"]] = Field(default_factory=list)

    def settings(self, folder: Path) -> ApprovalSettings:
        """Paths are relative to the folder of table.toml."""
        keys = tuple(folder / one for one in self.keys)
        return ApprovalSettings(folder / self.file, keys, tuple(self.required))


def _member_or_empty(kind: type[StrEnum], word: str) -> str:
    if word and word not in tuple(kind):
        allowed = ", ".join(kind)
        raise ValueError(
            f"{word!r} is not allowed. Allowed: {allowed}, or nothing. Remedy: use one of them"
        )
    return word


def _shuffle_finish(word: str) -> str:
    return _member_or_empty(ShuffleFinish, word)


def _pay_procedure(word: str) -> str:
    return _member_or_empty(PayProcedure, word)


def _vig_mode(word: str) -> str:
    return _member_or_empty(VigorishMode, word)


class LayoutSection(Section):
    seats: list[int] = Field(default_factory=list)
    spots: list[Line] = Field(default_factory=list)
    vigorish_boxes: list[int] = Field(default_factory=list)
    hand_areas: list[Line] = Field(default_factory=list)
    cut_card_colour: Line = ""
    backs: list[Annotated[Line, AfterValidator(_one_word)]] = Field(
        default_factory=lambda: list(DEFAULT_BACKS)
    )
    discard_rack: bool = True
    odds_posted: Line = ""
    approval: Line = ""

    def layout(self) -> TableLayout:
        return TableLayout(
            seats=tuple(self.seats),
            spots=tuple(self.spots),
            vigorish_boxes=tuple(self.vigorish_boxes),
            hand_areas=tuple(self.hand_areas),
            cut_card_colour=self.cut_card_colour,
            backs=tuple(self.backs),
            discard_rack=self.discard_rack,
            odds_posted=self.odds_posted,
            approval=self.approval,
        )


class PitSection(Section):
    shuffle_finish: Annotated[str, AfterValidator(_shuffle_finish)] = ""
    pay_procedure: Annotated[str, AfterValidator(_pay_procedure)] = ""
    baccarat_pay_procedure: Annotated[str, AfterValidator(_pay_procedure)] = ""
    vig_mode: Annotated[str, AfterValidator(_vig_mode)] = ""
    vig_rate: Annotated[int, Field(ge=-1, le=5)] = -1

    def pit(self) -> PitSettings:
        return PitSettings(
            shuffle_finish=self.shuffle_finish,
            pay_procedure=self.pay_procedure,
            baccarat_pay_procedure=self.baccarat_pay_procedure,
            vig_mode=self.vig_mode,
            vig_rate=self.vig_rate,
        )


def check_layout(
    layout: LayoutSection, pit: PitSection, profile: Profile
) -> tuple[LayoutProblem, ...]:
    """All problems of the layout and the pit under a profile."""
    table_layout = layout.layout()
    if not table_layout.seats and table_layout != TableLayout(backs=table_layout.backs):
        problem, allowed = "it is missing", "every seat once, from 1"
        remedy = "Write seats = [1, 2, 3] with all seats, or only backs in this section"
        return (LayoutProblem("layout.seats", problem, allowed, remedy, (), ""),)
    return (*layout_problems(table_layout, profile), *pit_problems(pit.pit(), profile))
