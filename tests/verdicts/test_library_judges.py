"""The library judges: what happens at a table fires its triggers, and without them none is said."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
import scripts_file
from transitions import Event
from verdict_answers import rule_book

from controller.core.script import player
from controller.core.script.parser import parse
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
from controller.procedure.phases import Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import MACHINE, Step
from controller.rules.actions.actions import CallNoMoreBets, DeclareResult, OperatorAction

SCRIPTS = scripts_file.read()
PARTS = 20
HAPPENINGS = (
    *(CardDrawn, CutCardDrawn, ResultDeclared, CoupForcedOut, ShoeStandsBy),
    *(ShoeDeviceStarted, ReportsMissing, ProgramReplaced),
)
CALLED = (CallNoMoreBets, DeclareResult)
# The happening itself, and the move that follows from it.
OWN_MOST = 2
# What happens besides, each by a trigger of its own: a shoe is opened and its burn is ready, which
# its device's start or its first card says, a card left the shoe under a warning or while the table
# is suspended, and an irregularity suspends the table.
BESIDE = (
    *(Trigger.SHOE_OPENED, Trigger.FIRST_CARD_READY, Trigger.SUSPEND),
    *(Trigger.DRAWN_UNDER_WARNING, Trigger.DEALT_WHILE_SUSPENDED),
)
# The coup that held cards begin, or that waits for a burn, is between the happening and its place:
# seldom, and never for anything else.
LONGER = (Trigger.COUP_BEGINS, Trigger.BURN_OWED, Trigger.RESUME)
LONGER_SHARE_MAX = 0.005


class Judged(NamedTuple):
    """Something that happened in a script, the triggers fired for it, and what came of it."""

    item: StepInput
    triggers: tuple[Trigger, ...]
    begun: int
    before: TableState
    after: Step


def is_happening(item: StepInput) -> bool:
    if isinstance(item, OperatorAction):
        return isinstance(item.action, CALLED)
    return isinstance(item, HAPPENINGS)


@contextmanager
def recording(patch: pytest.MonkeyPatch) -> Iterator[tuple[list[Trigger], list[object]]]:
    """The triggers of play fired while it is open, and an entry for each that the machine began."""
    named: list[Trigger] = []
    begun: list[object] = []
    fire = Event.trigger

    def trigger(self: Event, model: object, *given: object) -> bool:
        if self.machine is MACHINE:
            named.append(Trigger(self.name))
        return fire(self, model, *given)

    patch.setattr(Event, "trigger", trigger)
    patch.setattr(MACHINE, "prepare_event", [begun.append])
    yield named, begun


def judged_in(number: int, monkeypatch: pytest.MonkeyPatch) -> list[Judged]:
    """Everything that is judged while a script of the net is played."""
    judged: list[Judged] = []
    judge = player.step
    with monkeypatch.context() as patch, recording(patch) as (fired, begun):

        def step(book: RuleBook, state: TableState, item: StepInput) -> Step:
            fired.clear()
            begun.clear()
            after = judge(book, state, item)
            judged.append(Judged(item, tuple(fired), len(begun), state, after))
            return after

        patch.setattr(player, "step", step)
        one = SCRIPTS[number]
        player.play(
            rule_book(one.profile, one.decks, one.observed), parse("\n".join(one.statements))
        )
    return judged


def own(triggers: tuple[Trigger, ...]) -> tuple[Trigger, ...]:
    """Those of the happening itself, which may be asked again in the phase that follows."""
    first, *after = (one for one in triggers if one not in BESIDE)
    return first, *(one for one in after if one is not first)


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_happens_fires_one_or_two_triggers_of_its_own(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    happenings = [
        one
        for number in range(part, len(SCRIPTS), PARTS)
        for one in judged_in(number, monkeypatch)
        if is_happening(one.item)
    ]
    assert all(one.begun == len(one.triggers) for one in happenings)
    longer = [one for one in map(own, (one.triggers for one in happenings)) if len(one) > OWN_MOST]
    assert all(set(one) & set(LONGER) for one in longer), longer
    assert len(longer) <= LONGER_SHARE_MAX * len(happenings), longer


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
