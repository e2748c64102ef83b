"""Defines the closed set of device events, in terms that fit any vendor's shoe.

What a device *claims* (which hand a card is for, what the result was) is passed on as a claim.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from drivers.faults import DeviceFault
from drivers.shuffler_events import DeviceMemoryFilling, ShufflerEvent
from foundation.message import Message
from foundation.recorded_text import ForeignText, Identifier


class FaceSuit(StrEnum):
    DIAMOND = "D"
    CLUB = "C"
    SPADE = "S"
    HEART = "H"


class Face(Struct, frozen=True):
    """What is printed on a card: rank 1 (ace) to 13 (king), and suit."""

    rank: int
    suit: FaceSuit


class ClaimedUse(StrEnum):
    """What the device claims a card is for."""

    PLAYER = "player"
    BANKER = "banker"
    BURN_FIRST = "burn_first"
    BURN_COUNTED = "burn_counted"
    BURN_EXTRA = "burn_extra"
    UNCLAIMED = "unclaimed"  # the device reads faces and claims nothing about their use


class Spot(StrEnum):
    """Which part of the table a reader other than the shoe's covers, by its seating."""

    DISCARD_RACK = "discard_rack"
    PLAYER = "player"
    BANKER = "banker"


class OutsideReason(StrEnum):
    """Why the device reports a card as drawn outside play."""

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
    UNPROVEN = "unproven"  # after a reconnect the numbering cannot prove completeness
    UNREADABLE = "unreadable"  # a report arrived whole but its content is invalid


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


class CardRead(Struct, frozen=True, tag="card-read"):
    """A card left the shoe. `index` counts from 1 in a hand, 0 where the device gives none.

    `face` is None when the device could not read it. `repeated` marks a retransmission on the
    device's own account: it never starts a coup and never overwrites a known card.
    """

    use: ClaimedUse
    index: int
    face: Face | None
    repeated: bool


class CardOutsidePlay(Struct, frozen=True, tag="card-outside-play"):
    """A card left the shoe while the device regarded play as stopped."""

    reason: OutsideReason
    face: Face | None


class CutCardSeen(Struct, frozen=True, tag="cut-card-seen"):
    """The cut card left the shoe."""


class StandByEntered(Struct, frozen=True, tag="stand-by-entered"):
    """The device is in stand-by, between coups."""


class DeviceStarted(Struct, frozen=True, tag="device-started"):
    """The device booted or was reset; after a cut card this also marks a new shoe."""


class ResultButtonPressed(Struct, frozen=True, tag="result-button-pressed"):
    """The dealer pressed a result button: the result as the device reports it."""

    winner: DeclaredWinner
    player_pair: bool
    banker_pair: bool


class ForcedExitUsed(Struct, frozen=True, tag="forced-exit-used"):
    """The dealer left the coup with the forced-exit button."""


class LockChanged(Struct, frozen=True, tag="lock-changed"):
    locked: bool


class DeviceErrorRaised(Struct, frozen=True, tag="device-error-raised"):
    """The device reports an error of its own; `code` is the device's, `meaning` its manual's."""

    code: int
    meaning: Message
    blocking: bool


class DeviceErrorCleared(Struct, frozen=True, tag="device-error-cleared"):
    code: int
    meaning: Message


class DeviceSettingChanged(Struct, frozen=True, tag="device-setting-changed"):
    address: int
    value: int


class ReportsLost(Struct, frozen=True, tag="reports-lost", omit_defaults=True):
    """Reports may be missing before the next event; `missing_min` is 0 where that is not known.

    `why`: what was not understood of a report that came whole.
    """

    reason: LossReason
    missing_min: int
    why: Message | None = None


class StageChanged(Struct, frozen=True, tag="stage-changed"):
    stage: Stage
    detail: Message


class CommandAnswered(Struct, frozen=True, tag="command-answered"):
    """The result of a command; `command` is its name as in drivers.commands."""

    command: Identifier
    outcome: CommandOutcome
    detail: Message


# --- cards with an identity of their own --------------------------------------------------------


class CardPassed(Struct, frozen=True, tag="card-passed"):
    """A card left the shoe by its exit; nothing is claimed about its use.

    `tag` is its identity in upper-case hex, None where no tag was read as it passed. `sure` False:
    several tags were in the field, and it is not known which of them left.
    """

    tag: Identifier | None
    sure: bool = True


class TagReadAgain(Struct, frozen=True, tag="tag-read-again"):
    """A card that had just left was read again: a double read of one card."""

    tag: Identifier


class TagsTogether(Struct, frozen=True, tag="tags-together"):
    """Several tags were in the field of the exit at once."""

    tags: tuple[Identifier, ...]


class TagPulledBack(Struct, frozen=True, tag="tag-pulled-back"):
    """A tag entered and left the field of the exit, and no card passed the gate."""

    tag: Identifier


class SlowCard(Struct, frozen=True, tag="slow-card"):
    """A card stayed in the exit for `stood_ms` milliseconds; it may still be there."""

    stood_ms: int


class OtherTransponder(Struct, frozen=True, tag="other-transponder"):
    """A transponder of another kind than those in the cards; `kind` as the reader reports it."""

    kind: ForeignText


class TagSeen(Struct, frozen=True, tag="tag-seen"):
    """A tag was read by a reader that covers another part of the table.

    `late`: the reader stored it while it was not connected; the card may be elsewhere by now.
    """

    spot: Spot
    tag: Identifier
    late: bool = False


class TagListed(Struct, frozen=True, tag="tag-listed"):
    """One tag of a pile on a reader, with the memory of its chip (empty: not read)."""

    tag: Identifier
    memory: bytes


class ListingDone(Struct, frozen=True, tag="listing-done"):
    """The pile was listed to its end; `count` tags answered."""

    count: int


class BarCodeRead(Struct, frozen=True, tag="bar-code-read"):
    """A scanner read a bar code. `text` is untrusted: printable ASCII, bounded by the driver."""

    text: ForeignText
    symbology: Identifier


DeviceEvent: TypeAlias = (
    CardRead
    | CardOutsidePlay
    | CutCardSeen
    | StandByEntered
    | DeviceStarted
    | ResultButtonPressed
    | ForcedExitUsed
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
