"""Describes a device model: its settings, its driver, what its states are, what it can do."""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, TypeAlias, TypeVar

from msgspec import Meta, Struct, ValidationError, inspect, msgpack, structs

from drivers.framing import Framing
from drivers.interface import Driver
from firmware_bridge.attestation import NO_TRUST, Trust
from foundation.message import Message
from foundation.typed_reading import binary_decoder, convert

if TYPE_CHECKING:
    from drivers.monitor import Monitor, Words

SettingsT = TypeVar("SettingsT", bound=Struct)
Milliseconds: TypeAlias = Annotated[int, Meta(ge=1, le=60_000)]


class DeviceKind(StrEnum):
    """Which part a device plays at a table: the section of its settings."""

    SHOE = "shoe"
    SHUFFLER = "shuffler"
    READER = "reader"
    SCANNER = "scanner"


class ReaderSeat(StrEnum):
    """Where a reader is installed."""

    DISCARD_RACK = "discard_rack"
    LAYOUT = "layout"
    ENROLMENT = "enrolment"  # beside the table: it lists the tags of a pile


class CardReading(StrEnum):
    """What a shoe reads of a card."""

    NONE = "none"  # this device reads no cards
    FACE = "face"
    TAG = "tag"
    ANY = "any"  # by its equipment: a tag, a face, or nothing but that a card left


class Installation(Struct, frozen=True):
    """What the table decides about a device, whatever its model.

    `seat`: that of a reader. `trust`: which device is admitted, if its model proves an identity.
    """

    allow_commands: bool = False
    trust: Trust = NO_TRUST
    seat: ReaderSeat = ReaderSeat.DISCARD_RACK


# A device to which no command may be sent.
LISTENING: Final = Installation()


class NoSettings(Struct, frozen=True):
    """Of a device that is set up at the device itself, or by its maker's means."""


class BadDeviceSettings(ValueError):
    """A model or a setting of a device that does not exist; the message names what does."""


class SettingField(Struct, frozen=True):
    """One setting of a model, as table.toml, its example and the documentation have it."""

    name: str
    type: Any
    default: object

    def check(self, value: object, *, strict: bool = True) -> None:
        """Check a value. Raises ValueError, which says what is allowed."""
        try:
            convert(value, self.type, strict=strict)
        except ValidationError as error:
            raise ValueError(
                f"{toml_text(value)} is not allowed. Allowed: {self.allowed}. Remedy: correct it"
            ) from error

    @property
    def description(self) -> str:
        info = inspect.type_info(self.type)
        schema = info.extra_json_schema if isinstance(info, inspect.Metadata) else None
        return str((schema or {}).get("description", ""))

    @property
    def allowed(self) -> str:
        """What a person may write."""
        info = inspect.type_info(self.type)
        extra = (info.extra or {}) if isinstance(info, inspect.Metadata) else {}
        match info.type if isinstance(info, inspect.Metadata) else info:
            case inspect.EnumType(cls=cls):
                return ", ".join(toml_text(one.value) for one in cls)
            case inspect.IntType(ge=least, le=most):
                return f"{least} to {most}"
            case inspect.BoolType():
                return "true, false"
            case _:
                return ", ".join(map(toml_text, extra.get("one_of", ()))) or "text in quotes"


class MissingDriver(BadDeviceSettings):
    """The model that a record names is not installed, or in another version."""


class DeviceModel(Struct, Generic[SettingsT], frozen=True, kw_only=True):
    """One model of a device: all that the rest of the program knows of it.

    `settings` is a struct whose every field has a default and a description; the fields are the
    keys in table.toml. `state` is the type of its driver's states, which are stored. `framing`: how
    frames are distinguished from noise, None where they are not. `monitor`: None shows bytes and
    events alone. `baud` and `parity` (N, E, O) are its line's; 0 and empty for a USB interface.
    `monitor_remark`: what a technician has to know who only listens. `plug_in`: the distribution of
    a model that is not part of the program, and its version. `emulator`: the device on the bench,
    as "module:name". `report_limit`: the setting that says how many new reports a second there
    may be, 0 for any number; empty where it does not report card by card.

    What it can do: `cards` is what it reads of them; `claims_places`: it says which hand a card is
    for; `result_buttons`: what the dealer declared; `has_lock`: its exit can be locked;
    `states_continuity`: a report that was lost is noticed; `proves_identity`: it has its own key;
    `contacts_only`: a shuffler of which people enter what goes in, how many, and its release;
    `listens`: it is understood by listening alone, without acknowledgement, request or poll.
    """

    name: str
    title: str
    kind: DeviceKind
    settings: type[SettingsT]
    driver: Callable[[SettingsT, Installation], Driver[Any]]
    state: object
    framing: Framing | None = None
    monitor: "Callable[[SettingsT, Driver[Any], Words, bool], Monitor[Any]] | None" = None
    baud: int
    parity: str
    monitor_remark: Message | None = None
    plug_in: str = ""
    emulator: str = ""
    report_limit: str = ""
    cards: CardReading = CardReading.NONE
    claims_places: bool = False
    result_buttons: bool = False
    has_lock: bool = False
    states_continuity: bool = False
    proves_identity: bool = False
    contacts_only: bool = False
    listens: bool = False

    def read_settings(self, data: bytes) -> SettingsT:
        """The settings that a record holds; what is not there has its default.

        Raises BadDeviceSettings.
        """
        if not data:
            return self.settings()
        try:
            names = set(binary_decoder(dict[str, Any]).decode(data))
            value = binary_decoder(self.settings).decode(data)
        except ValueError as error:
            raise self._unreadable(str(error)) from error
        if unknown := names - {one.name for one in self.setting_fields}:
            raise self._unreadable(f"it has no {min(unknown)}")
        return value

    def reports_s_of(self, stored: bytes) -> int | None:
        """How many new reports a second settings allow, as a record holds them; None: no limit."""
        if not self.report_limit:
            return None
        return int(getattr(self.read_settings(stored), self.report_limit))

    def _unreadable(self, why: str) -> BadDeviceSettings:
        return BadDeviceSettings(
            f"{self.kind}.model: the stored settings of {self.name} cannot be read: {why}. Remedy:"
            " use the version that stored them"
        )

    def to_store(self, settings: SettingsT) -> bytes:
        """All settings as a record holds them, so that a later default changes no record."""
        return msgpack.encode(settings)

    def with_values(self, values: Mapping[str, object]) -> SettingsT:
        """The settings with these values, texts for numbers too. Raises BadDeviceSettings."""
        known = {one.name: one for one in self.setting_fields}
        for key, value in values.items():
            if key not in known:
                raise BadDeviceSettings(
                    f"{key}: there is no such setting of {self.name}. Allowed:"
                    f" {', '.join(known) or 'none'}. Remedy: correct it"
                )
            try:
                known[key].check(value, strict=False)
            except ValueError as error:
                raise BadDeviceSettings(f"{key}: {error}") from error
        try:
            return convert(dict(values), self.settings, strict=False)
        except ValidationError as error:
            raise BadDeviceSettings(str(error)) from error

    @property
    def setting_fields(self) -> tuple["SettingField", ...]:
        """Its keys in table.toml, in the order of the struct."""
        return tuple(
            SettingField(one.name, one.type, one.default) for one in structs.fields(self.settings)
        )

    def build(self, stored: bytes = b"", installed: Installation = LISTENING) -> Driver[Any]:
        """The driver, from settings as a record holds them. Raises BadDeviceSettings."""
        return self.driver(self.read_settings(stored), installed)

    def build_monitor(
        self,
        words: "Words",
        stored: bytes = b"",
        installed: Installation = LISTENING,
        *,
        masked: bool = True,
    ) -> "Monitor[Any]":
        """The monitor of its port; unmasked only in maintenance. Raises BadDeviceSettings."""
        settings = self.read_settings(stored)
        driver = self.driver(settings, installed)
        if self.monitor is None:
            # What a technician sees; a table that runs shows nothing of it.
            from drivers.monitor import DeviceMonitor  # noqa: PLC0415

            return DeviceMonitor(words, driver, masked=masked)
        return self.monitor(settings, driver, words, masked)


def toml_text(value: object) -> str:
    """A value as one writes it in table.toml."""
    return str(value).lower() if isinstance(value, bool | int) else f'"{value}"'


def one_of(allowed: tuple[str, ...], description: str) -> Meta:
    """The bounds of a text setting that has one of these values."""
    pattern = "|".join(map(re.escape, allowed))
    return Meta(pattern=f"^({pattern})$", description=description, extra={"one_of": allowed})
