"""Domain events: what happened at the table, independent of any vendor's device.

Source: controller/procedure/README.md, "Domain events".
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from controller.custody.findings import Finding
from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import Resolution
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.settlement.wagers import Wager
from drivers.shuffler_events import ShufflerEvent


class GamingDayChanged(Struct, frozen=True, tag="gaming-day-changed"):
    """The gaming day that the next shoe will belong to, as YYYY-MM-DD."""

    day: str


class ShoeDeviceStarted(Struct, frozen=True, tag="shoe-device-started"):
    """The dealing shoe booted or was reset."""


class CardDrawn(Struct, frozen=True, tag="card-drawn"):
    """A card left the shoe for the first time; `card` is None where it could not be read.

    `back` is the back colour of its batch, empty where the shoe cannot report it; `again`: this
    card is known to have left the shoe before.
    """

    card: Card | None
    claimed: Place
    back: str = ""
    again: bool = False


class CardRepeated(Struct, frozen=True, tag="card-repeated"):
    """The shoe repeated its report of a card."""

    card: Card | None
    claimed: Place


class CutCardDrawn(Struct, frozen=True, tag="cut-card-drawn"):
    """A cut card left the shoe."""


class ResultDeclared(Struct, frozen=True, tag="result-declared"):
    """The dealer declared the result."""

    outcome: Outcome
    player_pair: bool
    banker_pair: bool


class CoupForcedOut(Struct, frozen=True, tag="coup-forced-out"):
    """The dealer left the coup by the shoe's forced exit."""


class ShoeStandsBy(Struct, frozen=True, tag="shoe-stands-by"):
    """The shoe entered stand-by between coups."""


class Loss(StrEnum):
    """Why reports may be missing."""

    GAP = "gap"
    UNPROVEN = "unproven"
    UNREADABLE = "unreadable"


class ReportsMissing(Struct, frozen=True, tag="reports-missing"):
    """Reports of the shoe may be missing before the next event."""

    loss: Loss
    count_min: int


class NoMoreBetsCalled(Struct, frozen=True, tag="no-more-bets-called"):
    """The dealer called "no more bets"."""


class ShoeClosedByPerson(Struct, frozen=True, tag="shoe-closed-by-person"):
    """A named person closes the shoe before its end (dead table, early change)."""

    person: str
    reason: str


class IrregularityResolved(Struct, frozen=True, tag="irregularity-resolved"):
    """A floorperson resolved the open irregularities."""

    person: str
    reason: str
    resolution: Resolution


class ProgramReplaced(Struct, frozen=True, tag="program-replaced"):
    """Another software version took over; an open coup is closed as partial."""

    software: str


class CustodyFindingRaised(Struct, frozen=True, tag="custody-finding-raised"):
    """Custody proved that a card is not where, or not what, it must be."""

    finding: Finding


class BoxedCardFound(Struct, frozen=True, tag="boxed-card-found"):
    """A person reported that the card drawn last lay face up in the shoe (a boxed card)."""

    person: str


class LayoutPart(StrEnum):
    """A part of the layout that can be turned face up."""

    PLAYER_HAND = "player_hand"
    BANKER_HAND = "banker_hand"
    PLAYER_THIRD = "player_third"
    BANKER_THIRD = "banker_third"
    ERROR_CARD = "error_card"  # a card drawn in error


class CardsTurned(Struct, frozen=True, tag="cards-turned"):
    """Cards were turned face up, as sensed or as reported by a person."""

    what: LayoutPart


class RevealGivenUp(Struct, frozen=True, tag="reveal-given-up"):
    """A patron gave up turning a hand, voluntarily or by order of dealer or floorperson."""

    hand: HandName
    person: str
    by_order: bool
    reason: str


class GhostHandRequested(Struct, frozen=True, tag="ghost-hand-requested"):
    """A person requested that the next coup be a ghost hand: face up, without wagers."""

    person: str


class ActReported(Struct, frozen=True, tag="act-reported"):
    """A named person did something the rules require, or saw something they forbid.

    `batch` is a back colour where the act concerns a batch, `seat` a seat (0 for none), `amount` a
    number of cards or cents, `second` the person who confirmed it.
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


class WagersStated(Struct, frozen=True, tag="wagers-stated"):
    """Every wager now on the layout; replaces the statement before."""

    wagers: tuple[Wager, ...]
    person: str


class VigorishCollected(Struct, frozen=True, tag="vigorish-collected"):
    """The vigorish marked for a seat was collected."""

    seat: int
    person: str


class VigorishDocumented(Struct, frozen=True, tag="vigorish-documented"):
    """Vigorish that will not be collected was documented on its form (S42-c-3-iii).

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


class SeatVacated(Struct, frozen=True, tag="seat-vacated"):
    """The patron of a seat left the table."""

    seat: int
    person: str


class NoticeRecorded(Struct, frozen=True, tag="notice-recorded"):
    """Notice of a coming change of a setting was given; the change may follow when due."""

    setting: str
    value: str
    to: str
    person: str
    at_ns: int


class SettingChangeRequested(Struct, frozen=True, tag="setting-change-requested"):
    """A named person requested a change of a setting for this table."""

    setting: str
    value: str
    person: str
    reason: str
    at_ns: int


class CoupCorrectionRequested(Struct, frozen=True, tag="coup-correction-requested"):
    """A floorperson and a second person correct the outcome of a counted coup (D-42).

    `shoe` is the number of its shoe on this gaming day, 0 for the shoe at the table.
    """

    coup: int
    outcome: Outcome
    person: str
    second: str
    reason: str
    shoe: int = 0


class ShufflerReported(Struct, frozen=True, tag="shuffler-reported"):
    """The shuffler reported an event; `at_ns` is UTC."""

    event: ShufflerEvent
    at_ns: int


class ShufflerEventsLost(Struct, frozen=True, tag="shuffler-events-lost"):
    """Events of the shuffler are lost; `count` 0 where the number is unknown."""

    count: int
    at_ns: int


class ShufflerDisconnected(Struct, frozen=True, tag="shuffler-disconnected"):
    """The shuffler's port was lost."""

    at_ns: int


class WarningCleared(Struct, frozen=True, tag="warning-cleared"):
    """A named person cleared a warning of the shuffler, with a reason."""

    number: int
    person: str
    reason: str
    at_ns: int


# Judged by the same rules whether the table is suspended or not.
PlayEvent: TypeAlias = (
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
    | CustodyFindingRaised
    | BoxedCardFound
    | CardsTurned
)
# Acts of people other than dealing: applied as they arrive, suspended or not.
PersonEvent: TypeAlias = (
    RevealGivenUp
    | GhostHandRequested
    | ActReported
    | WagersStated
    | VigorishCollected
    | VigorishDocumented
    | SeatVacated
    | NoticeRecorded
    | SettingChangeRequested
    | CoupCorrectionRequested
)
# Events of the shuffler and the clearing of its warnings: applied suspended or not.
ShufflerDomainEvent: TypeAlias = (
    ShufflerReported | ShufflerEventsLost | ShufflerDisconnected | WarningCleared
)
DomainEvent: TypeAlias = (
    PlayEvent
    | PersonEvent
    | ShufflerDomainEvent
    | GamingDayChanged
    | ShoeClosedByPerson
    | IrregularityResolved
)
