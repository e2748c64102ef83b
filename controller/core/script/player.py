"""Plays a dealing script at a new table, statement by statement, without devices or a clock.

Custody follows the cards by their faces, as at a table whose shoe reads no tags.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.core.card_tracking import track_event
from controller.core.script.events import ShoeCount, due_place, step_inputs
from controller.core.script.statements import Burn, DealingStatement, ShufflerStatement
from controller.custody.state import CustodyState
from controller.procedure.effects import Effect
from controller.procedure.events import (
    CustodyFindingRaised,
    GamingDayChanged,
    ShoeDeviceStarted,
    ShufflerDisconnected,
    ShufflerEventsLost,
    StepInput,
)
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.procedure.step_result import Step, hold_back_calls
from controller.procedure.verdicts import Verdict

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
