"""The sections and keys of table.toml, each with its type, bounds and default.

Responsible for: the shape of the file, and checks that need no other section.
Not responsible for: paths, which need the place of the file (config), and the words of a problem
(config_problems).
Source: package README, "Configuration".
"""

import ipaddress
import re
from pathlib import Path
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

from controller.config_zone import zone_data
from controller.disk_watch import MIB, DiskLimits
from controller.procedure.rulebook import Fact
from controller.rule_data import load_profile, profile_names
from controller.rules.profile import Profile, ProfileError
from controller.rules.words import ShuffleMode

# 16 TiB: whoever writes more has written bytes.
_MIB_MAX: Final = 1 << 24
_CLOCK: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")


def _printable(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError(f"{text!r} is not allowed; write one printable line")
    return text


def _clock(text: str) -> str:
    if not _CLOCK.fullmatch(text):
        raise ValueError(f'{text!r} is no time of day; write hours and minutes such as "06:00"')
    return text


def _zone(name: str) -> str:
    zone_data(name)
    return name


def _facts(words: list[str]) -> list[str]:
    allowed = ", ".join(fact.value for fact in Fact)
    for word in words:
        if word not in tuple(Fact):
            raise ValueError(f"{word!r} is no fact a table can observe; allowed: {allowed}")
        if words.count(word) > 1:
            raise ValueError(f"{word!r} stands there more than once; write it once")
    return words


def _profile(name: str, read: ValidationInfo) -> str:
    if name not in profile_names() and not name.endswith(".toml"):
        names = ", ".join(profile_names())
        raise ValueError(f"{name!r} is not allowed; allowed: {names}, or a .toml file")
    try:
        load_profile(name, _folder(read))
    except ProfileError as error:
        raise ValueError(str(error).removesuffix(".")) from error
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error.strerror or error}") from error
    return name


def _folder(read: ValidationInfo) -> Path | None:
    """The folder of table.toml, given to the validation as `folder`."""
    return read.context["folder"] if read.context else None


def _allowed_decks(decks: int, profile: Profile) -> None:
    rules = profile.rules
    dual = rules.shuffle_mode is ShuffleMode.DUAL_BATCH
    batch = (rules.batch_min_decks_each or 0) if dual else 0
    if decks < rules.decks_min:
        name, bound = "decks_min", f"at least {rules.decks_min}"
        remedy = f"Set decks = {rules.decks_min} or more"
    elif rules.decks_max is not None and decks > rules.decks_max:
        name, bound = "decks_max", f"at most {rules.decks_max}"
        remedy = f"Set decks = {rules.decks_max} or fewer"
    elif decks < batch:
        name, bound = "batch_min_decks_each", f"at least {batch} in each batch of a shuffler"
        remedy = f"Set decks = {batch} or more, or another shuffle_mode in a profile of the house"
    else:
        return
    value = profile.value(name)
    kind = "house rule" if value.house else "assumed"
    grounds = ", ".join(value.basis) or f"{profile.name}, {kind}: {value.reason}"
    raise ValueError(f"{decks} is not allowed; {bound} ({grounds}). {remedy}")


def _address(text: str) -> str:
    if text == "localhost":
        return text
    try:
        ipaddress.ip_address(text)
    except ValueError as error:
        raise ValueError(
            f'{text!r} is no IP address; write "127.0.0.1" for this machine alone'
        ) from error
    return text


def file_path(text: str) -> str:
    """The path a key names. Raises ValueError where it is none."""
    if not text.strip() or "\0" in text or text.startswith("~"):
        raise ValueError(f'{text!r} is no path; write it out, "~" is not expanded')
    return text


Line = Annotated[str, Field(max_length=64)]
FileName = Annotated[str, AfterValidator(file_path)]


class Section(BaseModel):
    """Keys that are not listed are refused; "8" is no number and 1 is not true."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TableSection(Section):
    name: Annotated[Line, AfterValidator(_printable)]
    pit: Line = ""
    gaming_day_start: Annotated[str, AfterValidator(_clock)] = "06:00"
    time_zone: Annotated[str, AfterValidator(_zone)] = "UTC"


class RulesSection(Section):
    profile: Annotated[str, AfterValidator(_profile)] = "s42-mini"
    decks: int | None = None
    observed: Annotated[list[str], AfterValidator(_facts)] = []

    @field_validator("decks")
    @classmethod
    def _decks(cls, decks: int | None, read: ValidationInfo) -> int | None:
        """Whether the profile, where that is one, allows so many decks."""
        if decks is not None and "profile" in read.data:
            _allowed_decks(decks, load_profile(read.data["profile"], _folder(read)))
        return decks


class JournalSection(Section):
    folder: FileName = "journal"
    warn_free_mib: Annotated[int, Field(ge=1, le=_MIB_MAX)] = 1024
    warn_free_percent: Annotated[int, Field(ge=0, le=90)] = 5
    stop_free_mib: Annotated[int, Field(ge=2, le=_MIB_MAX)] = 64

    @field_validator("stop_free_mib")
    @classmethod
    def _stop_free_mib(cls, mib: int, read: ValidationInfo) -> int:
        """Whether people are warned before the table stops."""
        warn = read.data.get("warn_free_mib", mib)
        if mib > warn:
            raise ValueError(
                f"{mib} is not allowed; at most warn_free_mib, which is {warn}: people are warned"
                " before the table stops"
            )
        return mib

    @property
    def limits(self) -> DiskLimits:
        return DiskLimits(
            self.warn_free_mib * MIB, self.warn_free_percent, self.stop_free_mib * MIB
        )


class MetricsSection(Section):
    enabled: bool = True
    address: Annotated[str, AfterValidator(_address)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 9309


class ControlSection(Section):
    socket: FileName = "control.sock"
