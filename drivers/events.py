"""Device events: what a device says, in words that fit any vendor's shoe.

Responsible for: the closed set of facts a driver can report. What a device *claims* (which hand
a card is for, what the result was) is passed on as a claim and never judged here.
Not responsible for: wire codes (firmware_bridge) and for the rules of baccarat (controller).
Source: package README, "Device events".
"""

from enum import StrEnum
from typing import TypeAlias

from drivers.faults import DeviceFault
from drivers.shuffler_events import DeviceMemoryFilling, ShufflerEvent
from firmware_bridge.values import dataclass


class FaceSuit(StrEnum):
    DIAMOND = "D"
    CLUB = "C"
    SPADE = "S"
    HEART = "H"


@dataclass(frozen=True, slots=True)
class Face:
    """What is printed on a card: rank 1 (ace) to 13 (king), and suit."""

    rank: int
    suit: FaceSuit


class ClaimedUse(StrEnum):
    """What the device believes a card is for."""

    PLAYER = "player"
    BANKER = "banker"
    BURN_FIRST = "burn_first"
    BURN_COUNTED = "burn_counted"
    BURN_EXTRA = "burn_extra"
    UNCLAIMED = "unclaimed"  # the device reads faces and says nothing of what they are for


class Spot(StrEnum):
    """Which part of the table a reader that is not the shoe's watches, by its seating."""

    DISCARD_RACK = "discard_rack"
    PLAYER = "player"
    BANKER = "banker"


class OutsideReason(StrEnum):
    """Why the device says a card was drawn outside the game."""

    LOCKED = "locked"
    ERROR = "error"
    SETTING = "setting"


class DeclaredWinner(StrEnum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class LossReason(StrEnum):
    """Why reports may be missing."""

    GAP = "gap"  # the device's numbering proves that reports are missing
    UNPROVEN = "unproven"  # after a reconnect the numbering cannot prove that none is missing
    UNREADABLE = "unreadable"  # a report came whole but its content made no sense


class Stage(StrEnum):
    """Life cycle of a device as its driver sees it."""

    CLOSED = "closed"
    OPENED = "opened"
    IDENTIFIED = "identified"
    ONLINE = "online"
    LOST = "lost"


class CommandOutcome(StrEnum):
    DONE = "done"
    REFUSED = "refused"
    NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True)
class CardRead:
    """A card left the shoe. `index` counts from 1 in a hand, 0 where the device gives none.

    `face` is None when the device could not read it. `repeated` marks a retransmission on the
    device's own account: it never starts a coup and never overwrites a known card.
    """

    use: ClaimedUse
    index: int
    face: Face | None
    repeated: bool


@dataclass(frozen=True, slots=True)
class CardOutsidePlay:
    """A card left the shoe while the device held play to be stopped."""

    reason: OutsideReason
    face: Face | None


@dataclass(frozen=True, slots=True)
class CutCardSeen:
    """The cut card left the shoe."""


@dataclass(frozen=True, slots=True)
class StandBy:
    """The device waits between coups."""


@dataclass(frozen=True, slots=True)
class DeviceStarted:
    """The device booted or was reset; after a cut card this also marks a new shoe."""


@dataclass(frozen=True, slots=True)
class ResultDeclared:
    """The dealer pressed the result: what the device says the result is."""

    winner: DeclaredWinner
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class CoupForcedOut:
    """The dealer left the coup by the forced-exit button."""


@dataclass(frozen=True, slots=True)
class LockChanged:
    locked: bool


@dataclass(frozen=True, slots=True)
class DeviceErrorRaised:
    """The device reports an error of its own; `code` is the device's, `meaning` its manual's."""

    code: int
    meaning: str
    blocking: bool


@dataclass(frozen=True, slots=True)
class DeviceErrorCleared:
    code: int
    meaning: str


@dataclass(frozen=True, slots=True)
class DeviceSettingChanged:
    address: int
    value: int


@dataclass(frozen=True, slots=True)
class ReportsLost:
    """Reports may be missing before the next event; `missing_min` is 0 where it cannot be told."""

    reason: LossReason
    missing_min: int


@dataclass(frozen=True, slots=True)
class StageChanged:
    stage: Stage
    detail: str


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """What became of a command; `command` is its name as in drivers.commands."""

    command: str
    outcome: CommandOutcome
    detail: str


# --- cards with an identity of their own --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CardPassed:
    """A card left the shoe by its exit; nothing is claimed of what it is for.

    `tag` is its identity in upper-case hex, None where no tag was read as it passed. `sure` False:
    several tags were in the field, and which of them left is not known.
    """

    tag: str | None
    sure: bool = True


@dataclass(frozen=True, slots=True)
class TagReadAgain:
    """A card that left just before was read once more: a double read of one card."""

    tag: str


@dataclass(frozen=True, slots=True)
class TagsTogether:
    """Several tags were in the field of the exit at once."""

    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TagPulledBack:
    """A tag came into the field of the exit and went again, and no card passed the gate."""

    tag: str


@dataclass(frozen=True, slots=True)
class SlowCard:
    """A card stood in the exit for so many milliseconds; it may stand there still."""

    stood_ms: int


@dataclass(frozen=True, slots=True)
class OtherTransponder:
    """A transponder that is not of the kind in the cards; `kind` is the reader's word for it."""

    kind: str


@dataclass(frozen=True, slots=True)
class TagSeen:
    """A tag was read by a reader that watches another part of the table.

    `late`: the reader kept it while it was not heard; the card may lie elsewhere by now.
    """

    spot: Spot
    tag: str
    late: bool = False


@dataclass(frozen=True, slots=True)
class TagListed:
    """One tag of a pile on a reader, with what its chip holds of the card (empty: not read)."""

    tag: str
    memory: bytes


@dataclass(frozen=True, slots=True)
class ListingDone:
    """The pile was read once through; `count` tags answered."""

    count: int


@dataclass(frozen=True, slots=True)
class BarCodeRead:
    """A scanner read a bar code. `text` is untrusted: printable ASCII, bounded by the driver."""

    text: str
    symbology: str


DeviceEvent: TypeAlias = (
    CardRead
    | CardOutsidePlay
    | CutCardSeen
    | StandBy
    | DeviceStarted
    | ResultDeclared
    | CoupForcedOut
    | LockChanged
    | DeviceErrorRaised
    | DeviceErrorCleared
    | DeviceSettingChanged
    | ReportsLost
    | StageChanged
    | CommandAnswered
    | CardPassed
    | TagReadAgain
    | TagsTogether
    | TagPulledBack
    | SlowCard
    | OtherTransponder
    | TagSeen
    | TagListed
    | ListingDone
    | BarCodeRead
    | ShufflerEvent
    | DeviceMemoryFilling
    | DeviceFault
)
