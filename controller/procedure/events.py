"""Domain events: what happened at our table.

Responsible for: the closed set of happenings the procedure judges, in the table's own words.
Not responsible for: what a vendor's shoe calls them (controller.core.device_intake turns one into
the other).
Source: package README, "Domain events".
"""

from enum import StrEnum
from typing import TypeAlias

from controller.custody.findings import Finding
from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import Resolution
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.settlement.wagers import Wager
from drivers.shuffler_events import ShufflerEvent
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class GamingDayTurned:
    """The gaming day that the next shoe will belong to, as YYYY-MM-DD."""

    day: str


@dataclass(frozen=True, slots=True)
class ShoeDeviceStarted:
    """The dealing shoe booted or was reset."""


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A card left the shoe for the first time; `card` is None where it could not be read.

    `back` is the back colour of its batch where the shoe can tell; `again`: this very card is known
    to have left the shoe before.
    """

    card: Card | None
    claimed: Place
    back: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class CardRepeated:
    """The shoe says again what it has said of a card."""

    card: Card | None
    claimed: Place


@dataclass(frozen=True, slots=True)
class CutCardDrawn:
    """A cut card left the shoe."""


@dataclass(frozen=True, slots=True)
class ResultDeclared:
    """The dealer declared the result."""

    outcome: Outcome
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class CoupForcedOut:
    """The dealer left the coup by the shoe's forced exit."""


@dataclass(frozen=True, slots=True)
class ShoeStandsBy:
    """The shoe waits between coups."""


class Loss(StrEnum):
    """Why reports may be missing."""

    GAP = "gap"
    UNPROVEN = "unproven"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class ReportsMissing:
    """Reports of the shoe may be missing before the next event."""

    loss: Loss
    count_min: int


@dataclass(frozen=True, slots=True)
class NoMoreBetsCalled:
    """The dealer called "no more bets"."""


@dataclass(frozen=True, slots=True)
class ShoeClosedByPerson:
    """A named person closes the shoe before its end (dead table, early change)."""

    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class IrregularityResolved:
    """A floorperson decided what becomes of the irregularities that are open."""

    person: str
    reason: str
    resolution: Resolution


@dataclass(frozen=True, slots=True)
class ProgramReplaced:
    """Another software version takes over while a shoe is open; the coup is closed as partial."""

    software: str


@dataclass(frozen=True, slots=True)
class CustodyFound:
    """Custody proves that the cards are not as they must be."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class FoundFaceUp:
    """A person saw that the card drawn last lay face up in the shoe (a boxed card)."""

    person: str


class TurnedCards(StrEnum):
    """What was turned up on the layout, so that people have seen it."""

    PLAYER_HAND = "player_hand"
    BANKER_HAND = "banker_hand"
    PLAYER_THIRD = "player_third"
    BANKER_THIRD = "banker_third"
    ERROR_CARD = "error_card"  # a card drawn in error


@dataclass(frozen=True, slots=True)
class CardsTurned:
    """Cards were turned up; sensed, or told by a person."""

    what: TurnedCards


@dataclass(frozen=True, slots=True)
class RevealGivenUp:
    """A patron gave up turning a hand, of the own will or by order of dealer or floorperson."""

    hand: HandName
    person: str
    by_order: bool
    reason: str


@dataclass(frozen=True, slots=True)
class GhostHandAsked:
    """The next coup is to be dealt as a ghost hand: face up, without wagers."""

    person: str


@dataclass(frozen=True, slots=True)
class ActRecorded:
    """A named person did something the rules ask for, or saw something they forbid.

    `batch` is a back colour where the act concerns a batch, `seat` a seat (0 for none), `amount` a
    number the act is about (cards counted, depth of the cut), `second` who confirmed it.
    """

    kind: ActKind
    person: str
    role: str
    reason: str = ""
    batch: str = ""
    seat: int = 0
    amount: int = 0
    reference: str = ""
    second: str = ""


@dataclass(frozen=True, slots=True)
class WagersStated:
    """Every wager on the layout as it stands now, in place of what was stated before."""

    wagers: tuple[Wager, ...]
    person: str


@dataclass(frozen=True, slots=True)
class VigorishCollected:
    """The vigorish marked for a seat was collected."""

    seat: int
    person: str


@dataclass(frozen=True, slots=True)
class VigorishDocumented:
    """Vigorish that will not be collected was written down on its form (S42-c-3-iii).

    `patron_signed` False needs a `reason`. `void`: the form was voided and nothing is waived.
    """

    seat: int
    form_number: int
    patron: str
    dealer: str
    pit_boss: str
    pit_clerk: str
    patron_signed: bool
    reason: str
    void: bool = False


@dataclass(frozen=True, slots=True)
class SeatVacated:
    """The patron of a seat left the table."""

    seat: int
    person: str


@dataclass(frozen=True, slots=True)
class NoticeRecorded:
    """Notice of a coming change of a setting was given; the change may follow when due."""

    setting: str
    value: str
    to: str
    person: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class SettingChangeAsked:
    """A named person changes a setting of the profile for this table."""

    setting: str
    value: str
    person: str
    reason: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class ShufflerTold:
    """The shuffler told something of the batches, at that moment (UTC)."""

    event: ShufflerEvent
    at_ns: int


@dataclass(frozen=True, slots=True)
class ShufflerEventsLost:
    """Events of the shuffler are missing for ever; `count` 0 where it cannot be told how many."""

    count: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class ShufflerGone:
    """The port of the shuffler is lost."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class WarningCleared:
    """A named person clears a warning of the shuffler, with a reason."""

    number: int
    person: str
    reason: str
    at_ns: int


# Judged by the same rules whether the table is suspended or not.
FollowedEvent: TypeAlias = (
    ShoeDeviceStarted
    | CardDrawn
    | CardRepeated
    | CutCardDrawn
    | ResultDeclared
    | CoupForcedOut
    | ShoeStandsBy
    | ReportsMissing
    | NoMoreBetsCalled
    | ProgramReplaced
    | CustodyFound
    | FoundFaceUp
    | CardsTurned
)
# What people do beside the cards: taken as it comes, suspended or not.
PersonsEvent: TypeAlias = (
    RevealGivenUp
    | GhostHandAsked
    | ActRecorded
    | WagersStated
    | VigorishCollected
    | VigorishDocumented
    | SeatVacated
    | NoticeRecorded
    | SettingChangeAsked
)
# What the shuffler tells, and who clears its warnings: taken as it comes, suspended or not.
ShufflersEvent: TypeAlias = ShufflerTold | ShufflerEventsLost | ShufflerGone | WarningCleared
DomainEvent: TypeAlias = (
    FollowedEvent
    | PersonsEvent
    | ShufflersEvent
    | GamingDayTurned
    | ShoeClosedByPerson
    | IrregularityResolved
)
