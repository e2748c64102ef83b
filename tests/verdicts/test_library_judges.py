"""The library judges: what happens at a table fires its triggers, and without them nothing is said.

Source: controller/procedure/README.md, "The procedure".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
import scripts_file
from transitions import Event
from verdict_answers import rule_book

from controller.actions.actions import CallNoMoreBets, DeclareResult, OperatorAction
from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    CutCardDrawn,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
    StepInput,
)
from controller.procedure.play import MACHINE
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step
from controller.script import player
from controller.script.parser import parse

SCRIPTS = scripts_file.read()
PARTS = 20
HAPPENINGS = (
    *(CardDrawn, CutCardDrawn, ResultDeclared, CoupForcedOut, ShoeStandsBy),
    *(ShoeDeviceStarted, ReportsMissing, ProgramReplaced),
)
CALLED = (CallNoMoreBets, DeclareResult)
# The happening, and the move that follows from it.
USUAL_MOST = 2
USUAL_SHARE_MIN = 0.7
# More only where it suspends the table, opens a shoe (which passes its opening at once), loses what
# is in progress, or ends what was before it and is asked again in the phase that follows.
MOST = 9


class Judged(NamedTuple):
    """Something that happened in a script, the triggers fired for it, and what came of it."""

    item: StepInput
    triggers: int
    before: TableState
    after: Step


def is_happening(item: StepInput) -> bool:
    if isinstance(item, OperatorAction):
        return isinstance(item.action, CALLED)
    return isinstance(item, HAPPENINGS)


@contextmanager
def counting() -> Iterator[list[object]]:
    """One entry for each trigger that the machine of play begins while it is open."""
    fired: list[object] = []
    before = MACHINE.prepare_event
    MACHINE.prepare_event = [fired.append]
    try:
        yield fired
    finally:
        MACHINE.prepare_event = before


def judged_in(number: int, monkeypatch: pytest.MonkeyPatch) -> list[Judged]:
    """Everything that is judged while a script of the net is played."""
    found: list[Judged] = []
    judge = player.step
    with monkeypatch.context() as patch, counting() as fired:

        def step(book: RuleBook, state: TableState, item: StepInput) -> Step:
            fired.clear()
            after = judge(book, state, item)
            found.append(Judged(item, len(fired), state, after))
            return after

        patch.setattr(player, "step", step)
        one = SCRIPTS[number]
        player.play(
            rule_book(one.profile, one.decks, one.observed), parse("\n".join(one.statements))
        )
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_happens_fires_a_trigger_and_most_of_it_one_or_two(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = [
        one.triggers
        for number in range(part, len(SCRIPTS), PARTS)
        for one in judged_in(number, monkeypatch)
        if is_happening(one.item)
    ]
    assert min(counts) >= 1
    assert max(counts) <= MOST
    assert sum(count <= USUAL_MOST for count in counts) / len(counts) >= USUAL_SHARE_MIN


@pytest.mark.parametrize("part", range(PARTS))
def test_without_the_library_nothing_is_judged_and_no_phase_moves(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Event, "trigger", lambda self, model, *given: True)
    for number in range(part, len(SCRIPTS), PARTS):
        for one in judged_in(number, monkeypatch):
            assert one.after.state.play_phase is one.before.play_phase, (number, one.item)
            if is_happening(one.item):
                assert one.after.verdicts == (), (number, one.item)
