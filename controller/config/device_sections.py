"""The device sections of table.toml, with types, bounds and defaults: shoe, shuffler, readers, USB.

Source: controller/config/README.md, "Configuration", "Devices of a table".
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, model_validator

from controller.actions.declaration import PEOPLE_AT_THE_TABLE, SUPERVISORS, Role
from controller.config.sections import FileName, Line, Section
from controller.config.trust import TrustSection
from controller.core.manifest_binding import is_batch_name
from controller.core.settings import (
    ReaderDeviceSettings,
    ShoeDeviceSettings,
    ShufflerDeviceSettings,
)
from drivers.catalogue import (
    ANGEL_EYE_II_EX,
    BCC_READINGS,
    DELIVERIES,
    READER_LAYOUTS,
    READER_SEATS,
    SCANNER_MODELS,
    SEQ_CYCLES,
    SHOE_MODELS,
    SHUFFLER_MODELS,
    TABLELINK,
    ShoeSettings,
)
from drivers.commands import ShufflerOrder
from firmware_bridge.attestation import Trust
from firmware_bridge.transport.allow_list import parse_allow_entry
from firmware_bridge.transport.port_url import parse_port_url

WIRE_LOG_LEVELS: Final = ("off", "bytes", "frames", "events")

_DEFAULTS: Final = ShoeSettings()
DEFAULT_ORDER_ROLES: Final[Mapping[ShufflerOrder, tuple[Role, ...]]] = MappingProxyType(
    {
        ShufflerOrder.LOAD: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.COUNT: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.SHUFFLE: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.STORE: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.RELEASE: SUPERVISORS,
        ShufflerOrder.STATUS: tuple(Role),
        ShufflerOrder.SELF_TEST: SUPERVISORS,
        ShufflerOrder.ABORT: SUPERVISORS,
        ShufflerOrder.SERVICE: (),
        ShufflerOrder.SORT: (),
        # For supervisors, so that they can return the device from another mode set at its panel.
        ShufflerOrder.PLAY: SUPERVISORS,
    }
)


def one_of(words: tuple[str, ...], word: str) -> str:
    """Return the word. Raises ValueError if it is not one of `words`."""
    if word not in words:
        allowed = ", ".join(words)
        raise ValueError(f"{word!r} is not allowed. Allowed: {allowed}. Remedy: use one of them")
    return word


def _shoe_model(name: str) -> str:
    return one_of(tuple(SHOE_MODELS), name)


def _scanner_model(name: str) -> str:
    return one_of(tuple(SCANNER_MODELS), name)


def _seat(name: str) -> str:
    return one_of(READER_SEATS, name)


def _reader(name: str) -> str:
    return one_of(READER_LAYOUTS, name)


def _delivery(word: str) -> str:
    return one_of(DELIVERIES, word)


def _seq_cycle(word: str) -> str:
    return one_of(SEQ_CYCLES, word)


def _bcc_reading(word: str) -> str:
    return one_of(BCC_READINGS, word)


def _wire_log_level(word: str) -> str:
    return one_of(WIRE_LOG_LEVELS, word)


def _port(url: str) -> str:
    parse_port_url(url)
    return url


def _batch_name(name: str) -> str:
    if not is_batch_name(name):
        raise ValueError(
            f'{name!r} is not a batch name. Allowed: letters, digits, "-", "_" and ".". Remedy:'
            " name"
            " a batch that `smartshoe batch list` shows"
        )
    return name


def _batch_names(names: list[str]) -> list[str]:
    for name in names:
        _batch_name(name)
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is listed more than once. Remedy: list it once")
    return names


def _allowed(entries: list[str]) -> list[str]:
    for entry in entries:
        parse_allow_entry(entry)
    return entries


Port = Annotated[str, AfterValidator(_port)]
Baud = Annotated[int, Field(ge=300, le=4_000_000)]
Milliseconds = Annotated[int, Field(ge=1, le=60_000)]
Antenna = Annotated[int, Field(ge=1, le=255)]


class ShoeSection(TrustSection):
    port: Port
    model: Annotated[str, AfterValidator(_shoe_model)] = ANGEL_EYE_II_EX
    baud: Baud | None = None
    allow_commands: bool = _DEFAULTS.allow_commands
    seq_cycle: Annotated[str, AfterValidator(_seq_cycle)] = _DEFAULTS.seq_cycle
    bcc_reading: Annotated[str, AfterValidator(_bcc_reading)] = _DEFAULTS.bcc_reading
    report_interval_ms_min: Milliseconds = _DEFAULTS.report_interval_ms_min
    log_level_wire: Annotated[str, AfterValidator(_wire_log_level)] = "off"
    reader: Annotated[str, AfterValidator(_reader)] = _DEFAULTS.reader
    delivery: Annotated[str, AfterValidator(_delivery)] = _DEFAULTS.delivery
    gate_input: Annotated[int, Field(ge=0, le=8)] = _DEFAULTS.gate_input
    antenna: Annotated[int, Field(ge=0, le=255)] = _DEFAULTS.antenna
    double_read_ms: Milliseconds = _DEFAULTS.double_read_ms
    gate_ms_max: Milliseconds = _DEFAULTS.gate_ms_max
    slow_card_ms: Milliseconds = _DEFAULTS.slow_card_ms
    together_ms: Milliseconds = _DEFAULTS.together_ms

    def settings(self, trust: Trust) -> ShoeDeviceSettings:
        """The core's settings of this device."""
        values = self.model_dump(include=set(ShoeDeviceSettings.__struct_fields__))
        return ShoeDeviceSettings(**values, trust=trust)


class ReaderSection(Section):
    port: Port
    seat: Annotated[str, AfterValidator(_seat)]
    baud: Baud | None = None
    reader: Annotated[str, AfterValidator(_reader)] = _DEFAULTS.reader
    delivery: Annotated[str, AfterValidator(_delivery)] = _DEFAULTS.delivery
    player_antenna: Antenna = 1
    banker_antenna: Antenna = 2

    @model_validator(mode="after")
    def _check_antennas(self) -> Self:
        if self.seat == "layout" and self.player_antenna == self.banker_antenna:
            raise ValueError(
                f"player_antenna and banker_antenna are both {self.player_antenna}. Allowed: two"
                " different antennas. Remedy: set each as the reader's cables are connected"
            )
        return self

    def settings(self) -> ReaderDeviceSettings:
        """The core's settings of this device."""
        return ReaderDeviceSettings(
            **self.model_dump(include=set(ReaderDeviceSettings.__struct_fields__))
        )


class ScannerSection(Section):
    port: Port
    model: Annotated[str, AfterValidator(_scanner_model)]
    baud: Baud | None = None


class BatchesSection(Section):
    folder: FileName = "batches"
    keys: list[FileName] = Field(default_factory=lambda: ["table.key.pub"])
    bound: Annotated[list[Line], AfterValidator(_batch_names)] = Field(default_factory=list)


class UsbSection(Section):
    allow: Annotated[list[Line], AfterValidator(_allowed)] = Field(default_factory=list)


def _shuffler_model(name: str) -> str:
    return one_of(tuple(SHUFFLER_MODELS), name)


def _order(word: str) -> str:
    return one_of(tuple(ShufflerOrder), word)


def _role(word: str) -> str:
    return one_of(tuple(Role), word)


def _no_duplicates(roles: list[str]) -> list[str]:
    for role in roles:
        if roles.count(role) > 1:
            raise ValueError(f"{role!r} is listed more than once. Remedy: list it once")
    return roles


_Order = Annotated[str, AfterValidator(_order)]
_Roles = Annotated[list[Annotated[str, AfterValidator(_role)]], AfterValidator(_no_duplicates)]


class ShufflerSection(TrustSection):
    port: Port
    model: Annotated[str, AfterValidator(_shuffler_model)] = TABLELINK
    baud: Baud | None = None
    allow_commands: bool = False
    orders: dict[_Order, _Roles] = Field(default_factory=dict)

    def settings(self, trust: Trust) -> ShufflerDeviceSettings:
        """The core's settings. Orders that the file does not name have their default roles."""
        return ShufflerDeviceSettings(
            port=self.port,
            model=self.model,
            allow_commands=self.allow_commands,
            orders=tuple(
                (order.value, roles) for order in ShufflerOrder if (roles := self._roles_for(order))
            ),
            trust=trust,
        )

    def _roles_for(self, order: ShufflerOrder) -> tuple[str, ...]:
        names = self.orders.get(order.value, list(DEFAULT_ORDER_ROLES[order]))
        return tuple(role.value for role in Role if role in names)
