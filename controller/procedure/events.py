"""Domain events: what devices made happen at the table, independent of any vendor's device."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from controller.custody.findings import Finding
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.advisory import AdvisoryKind
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from drivers.shuffler_events import ShufflerEvent
from foundation.message import Message
from foundation.recorded_text import Identifier


class GamingDayChanged(Struct, frozen=True, tag="gaming-day-changed"):
    """The gaming day that the next shoe will belong to, as YYYY-MM-DD."""

    day: Identifier


class ClockJumped(Struct, frozen=True, tag="clock-jumped"):
    """The machine's clock moved by more than a day; both times are UTC.

    `before_ns` is the newest time on record before it, or before an earlier jump that still waits.
    """

    before_ns: int
    utc_ns: int


class ShoeDeviceStarted(Struct, frozen=True, tag="shoe-device-started"):
    """The dealing shoe booted or was reset."""


class CardDrawn(Struct, frozen=True, tag="card-drawn"):
    """A card left the shoe for the first time; `card` is None where it could not be read.

    `back` is the back colour of its batch, empty where the shoe cannot report it; `again`: this
    card is known to have left the shoe before.
    """

    card: Card | None
    claimed: Place
    back: Identifier = ""
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
    NOT_JUDGED = "not_judged"  # an internal error


class ReportsMissing(Struct, frozen=True, tag="reports-missing", omit_defaults=True):
    """Reports of the shoe may be missing before the next event.

    `why`: what was not understood of a report that came whole.
    """

    loss: Loss
    count_min: int
    why: Message | None = None


class ProgramReplaced(Struct, frozen=True, tag="program-replaced"):
    """Another software version took over; an open coup is closed as partial."""

    software: Identifier


class CustodyFindingRaised(Struct, frozen=True, tag="custody-finding-raised"):
    """Custody proved that a card is not where, or not what, it must be."""

    finding: Finding


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


class AdvisoryRaised(Struct, frozen=True, tag="advisory-raised"):
    """A monitor raised an advisory of a kind that the profile lets suspend the table."""

    kind: AdvisoryKind
    detail: Message


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
    | ProgramReplaced
    | CustodyFindingRaised
)
# Events of the shuffler: applied suspended or not.
ShufflerDomainEvent: TypeAlias = ShufflerReported | ShufflerEventsLost | ShufflerDisconnected
DomainEvent: TypeAlias = (
    PlayEvent | ShufflerDomainEvent | GamingDayChanged | ClockJumped | AdvisoryRaised
)
# What the procedure judges: what devices made happen, and what people did. `PlayItem` is judged
# provisionally while the table is suspended.
PlayItem: TypeAlias = PlayEvent | OperatorAction[Action]
StepInput: TypeAlias = DomainEvent | OperatorAction[Action]
