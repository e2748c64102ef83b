"""Builds what the procedure judges from a statement: events and actions.

A card without a number is numbered as a shoe would; a card without a claim takes the place that is
due.
"""

from msgspec import Struct
from msgspec.structs import replace

from controller.core.script.shuffler_statements import shuffler_event
from controller.core.script.statements import (
    Burn,
    DueCard,
    HandCard,
    ShufflerStatement,
    StatementBody,
)
from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerDisconnected,
    ShufflerEventsLost,
    StepInput,
)
from controller.procedure.phases import BURN_PHASES, Phase
from controller.procedure.places import DUE_PLACE
from controller.procedure.state import TableState
from controller.rules.actions.actions import OperatorAction
from controller.rules.coup import Place
from controller.rules.hands import HandName
from foundation.timestamp import Timestamp


class ShoeCount(Struct, frozen=True):
    """Cards of each hand as the shoe counts them, from the coup's start to its result."""

    player: int = 0
    banker: int = 0


_NO_CARDS = ShoeCount()


def due_place(state: TableState) -> Place:
    """The place of a card without a claim; between coups Player's first."""
    phase = state.due_phase
    if phase is Phase.BURN_FIRST:
        return Place.BURN_FIRST
    if phase in BURN_PHASES:
        return Place.BURN
    return DUE_PLACE.get(phase, Place.PLAYER_1)


def step_inputs(
    body: StatementBody, count: ShoeCount, due: Place, begins_at_ns: int = 0
) -> tuple[tuple[StepInput, ...], ShoeCount]:
    """What one statement gives to judge, and the shoe's count after it.

    `due` is the place of a card without a claim; `begins_at_ns` is when the script began, in
    nanoseconds since 1970 UTC.
    """
    match body:
        case Burn():
            first = CardDrawn(body.first, Place.BURN_FIRST)
            return (first, *(CardDrawn(card, Place.BURN) for card in body.further)), count
        case HandCard():
            count, place = _claimed_card(body, count)
            return (CardDrawn(body.card, place),), count
        case DueCard():
            return (CardDrawn(body.card, due),), _after_due(count, due)
        case ShufflerStatement():
            return (shuffler_event(body, begins_at_ns),), count
        case ShufflerEventsLost() | ShufflerDisconnected():
            return (replace(body, at_ns=begins_at_ns + body.at_ns),), count
        case OperatorAction():
            return (replace(body, at=Timestamp(0, begins_at_ns + body.at.utc_ns)),), count
        case ResultDeclared() | CoupForcedOut() | ShoeStandsBy() | ShoeDeviceStarted():
            return (body,), _NO_CARDS
        case _:
            return (body,), count


def _claimed_card(body: HandCard, count: ShoeCount) -> tuple[ShoeCount, Place]:
    player = body.hand is HandName.PLAYER
    if player and body.number == 1:
        count = _NO_CARDS
    index = body.number or (count.player if player else count.banker) + 1
    place = Place(f"{body.hand.value}_{index if index <= 3 else 'more'}")
    return (replace(count, player=index) if player else replace(count, banker=index)), place


def _after_due(count: ShoeCount, due: Place) -> ShoeCount:
    """The count after a card without a claim: the shoe counts these cards too."""
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
