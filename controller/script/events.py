"""From a statement to what happens at the table.

Responsible for: the domain events a statement says. Cards without a number are counted as a shoe
counts them; cards without a belief take the place that is due.
Not responsible for: judging them (controller.procedure).
Source: package README, "Cards".
"""

from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    DomainEvent,
    NoticeRecorded,
    ResultDeclared,
    SettingChangeAsked,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerEventsLost,
    ShufflerGone,
    WarningCleared,
)
from controller.procedure.phases import Phase
from controller.procedure.places import DUE_PLACE
from controller.procedure.state import TableState
from controller.rules.coup import Place
from controller.rules.hands import HandName
from controller.script.shuffler_statements import event_of
from controller.script.statements import Burn, DueCard, HandCard, Said, ShufflerSaid
from firmware_bridge.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class ShoeCount:
    """The shoe's own belief: it numbers the cards of each hand until the coup has its result."""

    player: int = 0
    banker: int = 0


_NO_CARDS = ShoeCount()


def place_due(state: TableState) -> Place:
    """The place a card takes that comes without a belief; between coups Player's first."""
    phase = state.suspension.resume_to if state.suspension is not None else state.phase
    if phase is Phase.BURN_FIRST:
        return Place.BURN_FIRST
    if phase is Phase.BURN_REST:
        return Place.BURN
    return DUE_PLACE.get(phase, Place.PLAYER_1)


def happenings(
    said: Said, count: ShoeCount, due: Place, begins_at_ns: int = 0
) -> tuple[tuple[DomainEvent, ...], ShoeCount]:
    """The events of one statement and the shoe's count after it.

    `due` is what a card without a belief is taken for; `begins_at_ns` when the script began.
    """
    match said:
        case Burn():
            first = CardDrawn(said.first, Place.BURN_FIRST)
            return (first, *(CardDrawn(card, Place.BURN) for card in said.further)), count
        case HandCard():
            count, place = _believed(said, count)
            return (CardDrawn(said.card, place),), count
        case DueCard():
            return (CardDrawn(said.card, due),), _after_due(count, due)
        case ShufflerSaid():
            return (event_of(said, begins_at_ns),), count
        case (
            NoticeRecorded()
            | SettingChangeAsked()
            | ShufflerEventsLost()
            | ShufflerGone()
            | WarningCleared()
        ):
            return (replace(said, at_ns=begins_at_ns + said.at_ns),), count
        case ResultDeclared() | CoupForcedOut() | ShoeStandsBy() | ShoeDeviceStarted():
            return (said,), _NO_CARDS
        case _:
            return (said,), count


def _believed(said: HandCard, count: ShoeCount) -> tuple[ShoeCount, Place]:
    player = said.hand is HandName.PLAYER
    if player and said.number == 1:
        count = _NO_CARDS
    index = said.number or (count.player if player else count.banker) + 1
    place = Place(f"{said.hand.value}_{index if index <= 3 else 'more'}")
    return (replace(count, player=index) if player else replace(count, banker=index)), place


def _after_due(count: ShoeCount, due: Place) -> ShoeCount:
    """The shoe counts these cards too."""
    match due:
        case Place.PLAYER_1:
            return ShoeCount(player=1)
        case Place.PLAYER_2 | Place.PLAYER_3:
            return replace(count, player=2 if due is Place.PLAYER_2 else 3)
        case Place.BANKER_1:
            return replace(count, banker=1)
        case Place.BANKER_2 | Place.BANKER_3:
            return replace(count, banker=2 if due is Place.BANKER_2 else 3)
        case _:
            return count
