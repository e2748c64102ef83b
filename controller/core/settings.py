"""The checked settings of one table as the core takes them; stored in the first input of every run.

Not: settings that only input and output need (paths, listeners): controller.service.config.load.
"""

from msgspec import UNSET, Struct, UnsetType

from controller.monitors.stall import STALL_MINUTES
from controller.procedure.rulebook import DEFAULT_BACKS, ObservableFact
from controller.rules.settlement.pit import PitSettings
from drivers.catalogue import AnyModel, find_model
from drivers.model import DeviceKind, Installation, ReaderSeat
from firmware_bridge.attestation import NO_TRUST, Trust


class DeviceSettings(Struct, frozen=True, omit_defaults=True):
    """One device. `driver`: all settings of its model, encoded; empty for the defaults.

    `trust` is for a device with an identity. `plug_in`: the distribution that its model is of, and
    its version; empty for a model of the program.
    """

    port: str
    model: str
    driver: bytes = b""
    allow_commands: bool = False
    trust: Trust = NO_TRUST
    plug_in: str = ""


class ReaderDeviceSettings(DeviceSettings, frozen=True, omit_defaults=True, kw_only=True):
    """A reader, and where it is installed."""

    seat: ReaderSeat


class ShufflerDeviceSettings(DeviceSettings, frozen=True, omit_defaults=True):
    """The shuffler. `orders`: (order, roles that may give it); other orders are refused.

    `by_contacts`: it shows only contacts, and people enter the steps that those cannot show.
    """

    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    by_contacts: bool = False


class Settings(Struct, frozen=True, tag="settings"):
    """The settings of one table. `gaming_day_start_s` counts seconds after local midnight.

    `seats` is empty if the layout is not configured; `backs` are the colours of the two batches.
    `readers`, `scanners` and `shuffler` (None: not connected) are the auxiliary devices.
    `shared` are the settings of its pit, left out where [pit] has none. `stall_minutes` is how long
    a pause after the cut card may be, left out where it is the default.
    """

    table: str
    pit: str
    decks: int
    gaming_day_start_s: int
    observed: tuple[ObservableFact, ...]
    shoe: DeviceSettings
    seats: tuple[int, ...] = ()
    backs: tuple[str, str] = DEFAULT_BACKS
    readers: tuple[ReaderDeviceSettings, ...] = ()
    scanners: tuple[DeviceSettings, ...] = ()
    shuffler: ShufflerDeviceSettings | None = None
    shared: PitSettings | UnsetType = UNSET
    stall_minutes: int | UnsetType = UNSET

    @property
    def devices(self) -> tuple[tuple[DeviceKind, DeviceSettings], ...]:
        """All devices: the shoe, the readers, the scanners, the shuffler."""
        return (
            (DeviceKind.SHOE, self.shoe),
            *((DeviceKind.READER, one) for one in self.readers),
            *((DeviceKind.SCANNER, one) for one in self.scanners),
            *((DeviceKind.SHUFFLER, one) for one in (self.shuffler,) if one is not None),
        )

    @property
    def pause_minutes_max(self) -> int:
        """How long a coup may be awaited after the cut card was put in, and after it came out."""
        return STALL_MINUTES if self.stall_minutes is UNSET else self.stall_minutes

    @property
    def shoe_model(self) -> AnyModel:
        """The model of the shoe. Raises BadDeviceSettings."""
        return find_model(DeviceKind.SHOE, self.shoe.model)


def installation(device: DeviceSettings) -> Installation:
    """What the table decides about a device, as its driver takes it."""
    seat = device.seat if isinstance(device, ReaderDeviceSettings) else ReaderSeat.DISCARD_RACK
    return Installation(device.allow_commands, device.trust, seat)
