"""Everything the core concludes from an input: the entries of the journal.

Responsible for: the closed set of entries, and the shape of what one input gave.
Not responsible for: reaching conclusions (core, procedure) and for storing them (journal).
Source: package README, "Evidence".
"""

from enum import StrEnum
from typing import TypeAlias

from controller.procedure.effects import (
    BatchMoved,
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
    ShuffleRecorded,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import DomainEvent
from controller.procedure.verdicts import Verdict
from controller.tape.inputs import DiskLevel, Input
from drivers.events import DeviceEvent
from firmware_bridge.values import dataclass


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
class ManifestWanted:
    """A batch was named, by a bar code or a person: its manifest is to be found and given."""

    batch: str
    named_by: str


@dataclass(frozen=True, slots=True)
class BatchBound:
    """From now on the cards of this batch are followed; `digest` is SHA-256 of its manifest.

    `changed` False: it was bound already, and every card stays where it is.
    """

    batch: str
    back: str
    decks: int
    cards: int
    digest: bytes
    maker: str
    operator: str
    signed_by: str
    changed: bool


@dataclass(frozen=True, slots=True)
class CardSetApart:
    """A named person set a card apart; its batch is blocked until it is bound anew."""

    back: str
    tag: str
    person: str
    reason: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostNoted:
    """A USB device appeared and is let in, was refused, or is gone (`what` says which)."""

    what: str
    usb_id: str
    serial_number: str
    path: str
    why: str


@dataclass(frozen=True, slots=True)
class DiskNoted:
    """The room left on the disk of the journal, and the limit that was crossed, in bytes."""

    level: DiskLevel
    free_bytes: int
    limit_bytes: int


class ClockEvidence(StrEnum):
    """What shows that the clock was set."""

    SAME_BOOT = "same_boot"  # the machine's other clock went on evenly meanwhile
    OTHER_BOOT = "other_boot"  # it is earlier than when the machine was last on: at least by that


@dataclass(frozen=True, slots=True)
class ClockStepped:
    """The machine's clock was set, forward by `by_ns` or, where that is negative, back.

    `utc_ns` is what it says since. A machine that slept shows a step forward, too.
    """

    by_ns: int
    utc_ns: int
    evidence: ClockEvidence


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
    | ManifestWanted
    | BatchBound
    | CardSetApart
    | HostNoted
    | DiskNoted
    | ClockStepped
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
    | BatchMoved
    | ShuffleRecorded
    | WarningOpened
    | WarningClosed
)


@dataclass(frozen=True, slots=True)
class CoreOutput:
    """What one input gave: entries to store first, then bytes to write, by port.

    `at_once` are bytes that say nothing about the table and need not wait for the store.

    `checkpoint` is the encoded state where a coup or a shoe came to its end, else empty.
    """

    entries: tuple[Entry, ...] = ()
    writes: tuple[tuple[str, bytes], ...] = ()
    checkpoint: bytes = b""
    at_once: tuple[tuple[str, bytes], ...] = ()


Stored: TypeAlias = Input | Entry
