"""The checked settings of one table as the core takes them; stored in the first input of every run.

Not: settings that only input and output need (paths, listeners): controller.config.load.
Source: controller/config/README.md, "Settings have one home".
"""

from msgspec import Struct

from controller.procedure.rulebook import DEFAULT_BACKS, ObservableFact
from firmware_bridge.attestation import NO_TRUST, Trust


class ShoeDeviceSettings(Struct, frozen=True):
    """The dealing shoe: model and what its driver needs. Times in milliseconds.

    From `reader` to `together_ms` the settings are for shoes that read tags: the reader's buffer
    layout, how records are delivered, the input of the gate sensor (0: none) and the antenna at the
    exit (0: any). A tag read again within `double_read_ms` is the same card; a tag read while no
    card passes the gate for `gate_ms_max` went back; a card in the gate for `slow_card_ms` is slow;
    tags less than `together_ms` apart are in the field together. `trust` is for a shoe with an
    identity.
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


class ReaderDeviceSettings(Struct, frozen=True):
    """A reader at the `seat` "discard_rack" or "layout"; the antennas are those of a layout."""

    port: str
    seat: str
    reader: str = "isc.mr102"
    delivery: str = "notify"
    player_antenna: int = 1
    banker_antenna: int = 2


class ScannerDeviceSettings(Struct, frozen=True):
    """A bar code scanner for decks and batches."""

    port: str
    model: str


class ShufflerDeviceSettings(Struct, frozen=True):
    """The shuffler. `orders`: (order, roles that may give it); other orders are refused."""

    port: str
    model: str
    allow_commands: bool = False
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()
    trust: Trust = NO_TRUST


class Settings(Struct, frozen=True):
    """The settings of one table. `gaming_day_start_s` counts seconds after local midnight.

    `seats` is empty if the layout is not configured; `backs` are the colours of the two batches.
    `readers`, `scanners` and `shuffler` (None: not connected) are the auxiliary devices.
    """

    table: str
    pit: str
    decks: int
    gaming_day_start_s: int
    observed: tuple[ObservableFact, ...]
    shoe: ShoeDeviceSettings
    seats: tuple[int, ...] = ()
    backs: tuple[str, str] = DEFAULT_BACKS
    readers: tuple[ReaderDeviceSettings, ...] = ()
    scanners: tuple[ScannerDeviceSettings, ...] = ()
    shuffler: ShufflerDeviceSettings | None = None
