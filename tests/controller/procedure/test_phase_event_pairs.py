"""Every phase and every kind of event: the table's answer, and what is due then.

The answers are in phase_event_pairs.txt. The table plays by Section 42, observes results, turning
and wagers, and allows two ghost hands a shoe. An event is a statement of a dealing script. A result
that differs (`de`), a coup that was left with a card due (`ab`) or with complete hands (`ac`), and
a partial coup (`pa`) wait under a suspension: each is met as the phase beneath. An answer reads:

    ok            in order: only accepted                 no      refused
    done          recorded                                 SHORT   an irregularity, by CODES below
    SHORT!        ... and play stops for a floorperson     ok~     play continues after a decision
    ok>br         ... and another card or call is due, by PHASES below; while play is stopped, it
                  is what will be due
"""

from typing import get_args

import pytest
from msgspec import Struct
from phase_events import ANSWERS, OBSERVED, PHASES, WAYS, answer, parse_events

from controller.procedure.events import AdvisoryRaised, ClockJumped, DomainEvent, Loss
from controller.procedure.phases import Phase
from controller.procedure.step import ACT_JUDGES, PLAY_ACT_JUDGES
from controller.rules.actions.actions import DeclareResult, OperatorAction
from controller.rules.actions.choices import FloorDecision, LayoutPart
from controller.rules.coup import Place


@pytest.fixture
def table_in_phase(new_table):
    """A factory of tables that were dealt into a phase."""

    def at(phase: str):
        table = new_table(observed=OBSERVED, ghost_hands_max=2)
        for event in parse_events(WAYS[phase], table.state):
            table.apply(event)
        assert PHASES[phase] in (table.phase, table.state.play_phase)
        return table

    return at


@pytest.mark.parametrize("phase", WAYS)
def test_every_event_has_its_answer(table_in_phase, phase) -> None:
    table = table_in_phase(phase)
    start, answers = table.state, {}
    for words in ANSWERS:
        table.state, table.effects, table.verdicts = start, [], []
        (event,) = parse_events(words, start)
        answers[words] = answer(start, table.apply(event))
    assert answers == {words: row[phase] for words, row in ANSWERS.items()}


def kinds(union: object) -> set[type]:
    return {one for part in get_args(union) for one in (kinds(part) or {part})}


def test_no_phase_and_no_kind_of_event_is_without_an_answer(table_in_phase) -> None:
    """The opening is no phase to be met in: it passes with the event that leads there."""
    assert set(Phase) - {Phase.OPENING} == set(PHASES.values())
    assert all(set(row) == set(PHASES) for row in ANSWERS.values())
    state = table_in_phase("bc").state
    events = [parse_events(words, state)[0] for words in ANSWERS]
    judged = [event.action if isinstance(event, OperatorAction) else event for event in events]
    # A declaration in words is judged as that by the shoe's buttons.
    acts = {*ACT_JUDGES, *PLAY_ACT_JUDGES}
    # Two have one answer in every phase: tests/controller/core/test_core.py for a jump of the
    # clock, test_advisories.py.
    events = kinds(DomainEvent) - {ClockJumped, AdvisoryRaised}
    assert {type(one) for one in judged} == events | acts - {DeclareResult}
    met = {value for one in judged for value in field_values(one)}
    for closed_set in (Place, Loss, LayoutPart, FloorDecision):
        assert set(closed_set) <= met, "every sub-kind of an event is there"


def field_values(value: object) -> list[object]:
    if not isinstance(value, Struct):
        return []
    return [getattr(value, name) for name in value.__struct_fields__ if name != "wagers"]
