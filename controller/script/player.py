"""Plays a dealing script at a new table, statement by statement, without devices or a clock.

Source: controller/script/README.md, "Playing".
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.effects import Effect
from controller.procedure.events import (
    DomainEvent,
    GamingDayChanged,
    ShoeDeviceStarted,
    ShufflerDisconnected,
    ShufflerEventsLost,
)
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.procedure.verdicts import Verdict
from controller.script.events import ShoeCount, domain_events, due_place
from controller.script.statements import Burn, ShufflerStatement, Statement

# No script depends on the real date: it begins at noon UTC of this gaming day.
DAY: Final = "2026-11-21"
BEGINS_AT_NS: Final = 1_795_262_400 * 1_000_000_000
_SHUFFLER_BODIES: Final = (ShufflerStatement, ShufflerEventsLost, ShufflerDisconnected)


class PlayedStatement(Struct, frozen=True):
    """One statement, its domain events, their verdicts and effects, and the state after it."""

    statement: Statement
    events: tuple[DomainEvent, ...]
    verdicts: tuple[Verdict, ...]
    effects: tuple[Effect, ...]
    state: TableState


def play(book: RuleBook, statements: tuple[Statement, ...]) -> tuple[PlayedStatement, ...]:
    """Play every statement in order. A script that begins with a burn starts the shoe first.

    A script with shuffler statements is played at a table that has a shuffler.
    """
    if any(isinstance(one.body, _SHUFFLER_BODIES) for one in statements):
        book = replace(book, shuffler=True)
    state = step(book, TableState(), GamingDayChanged(DAY)).state
    if statements and isinstance(statements[0].body, Burn):
        state = step(book, state, ShoeDeviceStarted()).state
    count = ShoeCount()
    played: list[PlayedStatement] = []
    for statement in statements:
        events, count = domain_events(statement.body, count, due_place(state), BEGINS_AT_NS)
        verdicts: tuple[Verdict, ...] = ()
        effects: tuple[Effect, ...] = ()
        for event in events:
            result = step(effective_book(book, state), state, event)
            state = result.state
            verdicts += result.verdicts
            effects += result.effects
        played.append(PlayedStatement(statement, events, verdicts, effects, state))
    return tuple(played)
