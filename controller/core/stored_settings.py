"""Reads the settings of a run as any version stored them, and writes them in the newest form."""

from typing import Final, TypeVar

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from controller.core.settings import (
    DeviceSettings,
    ReaderDeviceSettings,
    Settings,
    ShufflerDeviceSettings,
)
from controller.journal.encoding import Codec, tag_of
from controller.procedure.rulebook import DEFAULT_BACKS, ObservableFact
from drivers.catalogue import DEFAULT_MODELS, find_model
from drivers.model import DeviceKind
from firmware_bridge.attestation import NO_TRUST, Trust
from foundation.typed_reading import convert

DeviceT = TypeVar("DeviceT", bound=DeviceSettings)


class ShoeSettings1(Struct, frozen=True):
    """The dealing shoe, with the settings of every model there was."""

    port: str
    model: str
    allow_commands: bool
    seq_cycle: str
    bcc_reading: str
    report_interval_ms_min: int
    reader: str = "isc.mr102"
    delivery: str = "notify"
    gate_input: int = 0
    antenna: int = 0
    double_read_ms: int = 1000
    gate_ms_max: int = 1500
    slow_card_ms: int = 1000
    together_ms: int = 20
    trust: Trust = NO_TRUST


class ReaderSettings1(Struct, frozen=True):
    """A reader at the `seat` "discard_rack" or "layout"; the antennas are those of a layout."""

    port: str
    seat: str
    reader: str = "isc.mr102"
    delivery: str = "notify"
    player_antenna: int = 1
    banker_antenna: int = 2


class ScannerSettings1(Struct, frozen=True):
    """A bar code scanner for decks and batches."""

    port: str
    model: str


class ShufflerSettings1(Struct, frozen=True):
    """The shuffler. `orders`: (order, roles that may give it); other orders are refused."""

    port: str
    model: str
    allow_commands: bool = False
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    trust: Trust = NO_TRUST


class Settings1(Struct, frozen=True):
    """The settings of one table as versions up to 0.7 stored them."""

    table: str
    pit: str
    decks: int
    gaming_day_start_s: int
    observed: tuple[ObservableFact, ...]
    shoe: ShoeSettings1
    seats: tuple[int, ...] = ()
    backs: tuple[str, str] = DEFAULT_BACKS
    readers: tuple[ReaderSettings1, ...] = ()
    scanners: tuple[ScannerSettings1, ...] = ()
    shuffler: ShufflerSettings1 | None = None


SETTINGS: Final[Codec[Settings]] = Codec(Settings)
_SETTINGS_1: Final[Codec[Settings1]] = Codec(Settings1)


def read_settings(data: bytes) -> Settings:
    """The settings in the first input of a run. Raises EncodingError, BadDeviceSettings."""
    if tag_of(data):
        return SETTINGS.decode(data)
    old = _SETTINGS_1.decode(data)
    reader = DEFAULT_MODELS[DeviceKind.READER]
    readers = (_device(DeviceKind.READER, one, reader, ReaderDeviceSettings) for one in old.readers)
    return Settings(
        *(old.table, old.pit, old.decks, old.gaming_day_start_s, old.observed),
        shoe=_device(DeviceKind.SHOE, old.shoe, old.shoe.model, DeviceSettings),
        seats=old.seats,
        backs=old.backs,
        readers=tuple(readers),
        scanners=tuple(DeviceSettings(one.port, one.model) for one in old.scanners),
        shuffler=None if old.shuffler is None else ShufflerDeviceSettings(**asdict(old.shuffler)),
    )


def _device(kind: DeviceKind, old: Struct, model: str, form: type[DeviceT]) -> DeviceT:
    """A device: what is not the table's to know is a setting of its driver."""
    values = to_builtins(old, builtin_types=(bytes,)) | {"model": model}
    found = find_model(kind, model)
    # A setting that is newer than this form has its default.
    driver = {one.name: values.get(one.name, one.default) for one in found.setting_fields}
    table = {name: values[name] for name in form.__struct_fields__ if name in values}
    return convert(table | {"driver": found.to_store(found.with_values(driver))}, form)
