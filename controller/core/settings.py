"""The settings of one table as the core takes them: checked, frozen, encodable.

Responsible for: the shape. It goes into the first input of every run as canonical bytes.
Not responsible for: reading and checking table.toml (controller.config.load) and for settings that
only the rim needs (paths, listeners).
Source: package README, "Settings have one home".
"""

from controller.procedure.rulebook import DEFAULT_BACKS, Fact
from firmware_bridge.attestation import NO_TRUST, Trust
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class ShoeDeviceSettings:
    """The dealing shoe: model and what its driver needs. Times in milliseconds.

    From `reader` on only shoes that read tags need them: the reader's buffer layout, how records
    come, the input of the gate sensor (0: none) and the antenna at the exit (0: any). A tag read
    again within `double_read_ms` is the same card; one read while no card passes the gate for
    `gate_ms_max` went back; a card in the gate for `slow_card_ms` is slow; tags less than
    `together_ms` apart are in the field together. `trust` is for a shoe with an identity.
    """

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


@dataclass(frozen=True, slots=True)
class ReaderDeviceSettings:
    """A reader beside the shoe. `seat` is "discard_rack" or "layout"; antennas of a layout."""

    port: str
    seat: str
    reader: str = "isc.mr102"
    delivery: str = "notify"
    player_antenna: int = 1
    banker_antenna: int = 2


@dataclass(frozen=True, slots=True)
class ScannerDeviceSettings:
    """A bar code scanner for packs and batches."""

    port: str
    model: str


@dataclass(frozen=True, slots=True)
class ShufflerDeviceSettings:
    """The shuffler. `orders`: who may give which order, as (order, roles); others are refused."""

    port: str
    model: str
    allow_commands: bool = False
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    trust: Trust = NO_TRUST


@dataclass(frozen=True, slots=True)
class Settings:
    """One table. `gaming_day_start_s` counts seconds after local midnight.

    `seats` of the layout are empty where it is not told; `backs` are the colours of two batches.
    `readers`, `scanners` and the `shuffler` (None: the table has none that tells) are the devices
    beside the shoe.
    """

    table: str
    pit: str
    decks: int
    gaming_day_start_s: int
    observed: tuple[Fact, ...]
    shoe: ShoeDeviceSettings
    seats: tuple[int, ...] = ()
    backs: tuple[str, str] = DEFAULT_BACKS
    readers: tuple[ReaderDeviceSettings, ...] = ()
    scanners: tuple[ScannerDeviceSettings, ...] = ()
    shuffler: ShufflerDeviceSettings | None = None
