"""The settings of one table as the core takes them: checked, frozen, encodable.

Responsible for: the shape. It goes into the first input of every run as canonical bytes.
Not responsible for: reading and checking table.toml (controller.config) and for settings that
only the rim needs (paths, listeners).
Source: package README, "Settings have one home".
"""

from dataclasses import dataclass

from controller.procedure.rulebook import DEFAULT_BACKS, Fact


@dataclass(frozen=True, slots=True)
class ShoeDeviceSettings:
    """The dealing shoe: model and what its driver needs. Times in milliseconds."""

    port: str
    model: str
    allow_commands: bool
    seq_cycle: str
    bcc_reading: str
    report_interval_ms_min: int


@dataclass(frozen=True, slots=True)
class Settings:
    """One table. `gaming_day_start_s` counts seconds after local midnight.

    `seats` of the layout are empty where it is not told; `backs` are the colours of two batches.
    """

    table: str
    pit: str
    decks: int
    gaming_day_start_s: int
    observed: tuple[Fact, ...]
    shoe: ShoeDeviceSettings
    seats: tuple[int, ...] = ()
    backs: tuple[str, str] = DEFAULT_BACKS
