"""Everything the core concludes from an input: the entries of the journal.

Responsible for: the closed set of entries, and the shape of what one input gave.
Not responsible for: reaching conclusions (core, procedure) and for storing them (journal).
Source: package README, "Evidence".
"""

from dataclasses import dataclass
from typing import TypeAlias

from controller.inputs import Input
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupPaid,
    Prompted,
    Recorded,
    Refused,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.events import DomainEvent
from controller.procedure.verdicts import Verdict
from drivers.events import DeviceEvent


@dataclass(frozen=True, slots=True)
class Judged:
    """A domain event and the verdicts on it."""

    event: DomainEvent
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class DeviceNoted:
    """Something about a device that the procedure has no part in: stage, fault, lock, error."""

    port: str
    event: DeviceEvent


@dataclass(frozen=True, slots=True)
class RunBegan:
    """What this run goes by: table, rule profile, values only assumed, and the house's own."""

    table: str
    software: str
    profile: str
    decks: int
    observed: tuple[str, ...]
    assumed: tuple[str, ...]
    same_boot: bool
    house: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandGiven:
    """A command went to a device, and why."""

    port: str
    command: str
    why: str


@dataclass(frozen=True, slots=True)
class StateDigest:
    """SHA-256 of the whole state after a coup: a replay must arrive at the same one."""

    digest: bytes


Entry: TypeAlias = (
    Judged
    | DeviceNoted
    | RunBegan
    | CommandGiven
    | StateDigest
    | CoupClosed
    | CoupPaid
    | ShoeOpened
    | BurnDone
    | ShoeEnded
    | Prompted
    | ResolutionRecorded
    | Refused
    | Recorded
    | SettingChanged
)


@dataclass(frozen=True, slots=True)
class CoreOutput:
    """What one input gave: entries to store first, then bytes to write, by port.

    `checkpoint` is the encoded state where a coup or a shoe came to its end, else empty.
    """

    entries: tuple[Entry, ...] = ()
    writes: tuple[tuple[str, bytes], ...] = ()
    checkpoint: bytes = b""


Stored: TypeAlias = Input | Entry
