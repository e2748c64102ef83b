"""Plays a dealing script at a new table, statement by statement, without devices or a clock.

A card without a number is numbered as a shoe would; a card without a claim takes the place that is
due. Custody follows the cards by their faces, as at a table whose shoe reads no tags.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.core.device_intake import track_event
from controller.core.script.shuffler_statements import shuffler_event
from controller.core.script.statements import (
    Burn,
    DealingStatement,
    DueCard,
    HandCard,
    ShufflerStatement,
    StatementBody,
)
from controller.custody.state import CustodyState
from controller.procedure.effects import Effect
from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    CustodyFindingRaised,
    GamingDayChanged,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerDisconnected,
    ShufflerEventsLost,
    StepInput,
)
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import BURN_PHASES, Phase
from controller.procedure.places import DUE_PLACE
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.procedure.step_result import Step, hold_back_calls
from controller.procedure.verdicts import Verdict
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


# No script depends on the real date: it begins at noon UTC of this gaming day.
DAY: Final = "2026-11-21"
BEGINS_AT_NS: Final = 1_795_262_400 * 1_000_000_000
_SHUFFLER_BODIES: Final = (ShufflerStatement, ShufflerEventsLost, ShufflerDisconnected)


class PlayedStatement(Struct, frozen=True):
    """One statement, its events or action, their verdicts and effects, and the state after it."""

    statement: DealingStatement
    events: tuple[StepInput, ...]
    verdicts: tuple[Verdict, ...]
    effects: tuple[Effect, ...]
    state: TableState


def play(book: RuleBook, statements: tuple[DealingStatement, ...]) -> tuple[PlayedStatement, ...]:
    """Play every statement in order. A script that begins with a burn starts the shoe first.

    A script with shuffler statements is played at a table that has a shuffler.
    """
    if any(isinstance(one.body, _SHUFFLER_BODIES) for one in statements):
        book = replace(book, shuffler=True)
    table, _ = _apply(book, _ScriptTable(), GamingDayChanged(DAY))
    if statements and isinstance(statements[0].body, Burn):
        table, _ = _apply(book, table, ShoeDeviceStarted())
    count = ShoeCount()
    played: list[PlayedStatement] = []
    for statement in statements:
        events, count = step_inputs(statement.body, count, due_place(table.state), BEGINS_AT_NS)
        verdicts: tuple[Verdict, ...] = ()
        effects: tuple[Effect, ...] = ()
        for event in events:
            table, steps = _apply(book, table, event)
            for one in steps:
                verdicts += one.verdicts
                effects += one.effects
        played.append(PlayedStatement(statement, events, verdicts, effects, table.state))
    return tuple(played)


class _ScriptTable(Struct, frozen=True):
    """The table of a script, and custody of the cards on it."""

    state: TableState = TableState()
    custody: CustodyState = CustodyState()


def _apply(
    book: RuleBook, table: _ScriptTable, event: StepInput
) -> tuple[_ScriptTable, tuple[Step, ...]]:
    """Judge the event, then what custody finds because of it."""
    result = step(effective_book(book, table.state), table.state, event)
    custody, findings = track_event(
        table.custody,
        event,
        table.state,
        result,
        decks=book.decks,
        rack_read=False,
    )
    result = hold_back_calls(result, findings)
    table = _ScriptTable(result.state, custody)
    steps: tuple[Step, ...] = (result,)
    for finding in findings:
        table, further = _apply(book, table, CustodyFindingRaised(finding))
        steps += further
    return table, steps
