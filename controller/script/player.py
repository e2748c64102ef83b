"""A dealing script played at a fresh table.

Responsible for: the same script, statement by statement, as the procedure judges it.
Not responsible for: showing it (cli_try) and for devices: no shoe is asked, no clock is read.
Source: package README, "Playing".
"""

from typing import Final

from controller.procedure.effects import Effect
from controller.procedure.events import (
    DomainEvent,
    GamingDayTurned,
    ShoeDeviceStarted,
    ShufflerEventsLost,
    ShufflerGone,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.procedure.verdicts import Verdict
from controller.script.events import ShoeCount, happenings, place_due
from controller.script.statements import Burn, ShufflerSaid, Statement
from firmware_bridge.values import dataclass, replace

# No script depends on the day it is played: it begins at noon of this gaming day, UTC.
DAY: Final = "2026-11-21"
BEGINS_AT_NS: Final = 1_795_262_400 * 1_000_000_000
_OF_SHUFFLER: Final = (ShufflerSaid, ShufflerEventsLost, ShufflerGone)


@dataclass(frozen=True, slots=True)
class Played:
    """One statement, what it was taken for, and all that was concluded; the state after it."""

    statement: Statement
    events: tuple[DomainEvent, ...]
    verdicts: tuple[Verdict, ...]
    effects: tuple[Effect, ...]
    state: TableState


def play(book: RuleBook, statements: tuple[Statement, ...]) -> tuple[Played, ...]:
    """Every statement in order. A script that begins with a burn starts the shoe first.

    One that tells of a shuffler is played at a table that has one.
    """
    if any(isinstance(one.said, _OF_SHUFFLER) for one in statements):
        book = replace(book, shuffler=True)
    state = step(book, TableState(), GamingDayTurned(DAY)).state
    if statements and isinstance(statements[0].said, Burn):
        state = step(book, state, ShoeDeviceStarted()).state
    count = ShoeCount()
    played: list[Played] = []
    for statement in statements:
        events, count = happenings(statement.said, count, place_due(state), BEGINS_AT_NS)
        verdicts: tuple[Verdict, ...] = ()
        effects: tuple[Effect, ...] = ()
        for event in events:
            taken = step(book, state, event)
            state = taken.state
            verdicts += taken.verdicts
            effects += taken.effects
        played.append(Played(statement, events, verdicts, effects, state))
    return tuple(played)
