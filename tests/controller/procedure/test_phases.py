"""The state table of the procedure: every order of play, and the edges that must not exist."""

import pytest

from controller.procedure.phases import (
    BURN_PHASES,
    BURN_RESUMES,
    BURN_STOPS,
    CLOSABLE_PHASES,
    COUP_PHASES,
    EDGES,
    RESUMABLE_PHASES,
    Phase,
    Trigger,
    resume_trigger,
)
from controller.state_table import NoEdge, StateTable

TABLE = StateTable(EDGES)


def walk(start: Phase, *triggers: Trigger) -> tuple[Phase, ...]:
    """The phases passed through; stops the test at the first missing edge."""
    passed = []
    phase = start
    for trigger in triggers:
        after = TABLE.next(phase, trigger)
        assert not isinstance(after, NoEdge), after
        phase = after
        passed.append(phase)
    return tuple(passed)


def has_no_edge(phase: Phase, trigger: Trigger) -> bool:
    return isinstance(TABLE.next(phase, trigger), NoEdge)


def test_a_shoe_is_opened_and_burned_before_play() -> None:
    assert walk(
        Phase.CLOSED,
        Trigger.SHOE_OPENED,
        Trigger.FIRST_CARD_READY,
        Trigger.BURN_OWED,
        Trigger.CARD,
        Trigger.BURN_DONE,
        Trigger.COUP_BEGINS,
    ) == (
        Phase.OPENING,
        Phase.BURN_FIRST,
        Phase.BURN_REST,
        Phase.BURN_REST,
        Phase.BETWEEN_COUPS,
        Phase.PLAYER_1,
    )
    assert has_no_edge(Phase.OPENING, Trigger.COUP_BEGINS)
    assert has_no_edge(Phase.BURN_FIRST, Trigger.COUP_BEGINS)
    assert has_no_edge(Phase.BURN_REST, Trigger.COUP_BEGINS)


FIRST_FOUR = (Phase.BANKER_1, Phase.PLAYER_2, Phase.BANKER_2)


@pytest.mark.parametrize(
    ("after_four", "phases"),
    [
        ((Trigger.NATURAL,), (Phase.RESULT,)),
        ((Trigger.BOTH_STAND,), (Phase.RESULT,)),
        (
            (Trigger.PLAYER_STANDS_BANKER_DRAWS, Trigger.CARD),
            (Phase.BANKER_3, Phase.RESULT),
        ),
        ((Trigger.PLAYER_DRAWS, Trigger.BANKER_STANDS), (Phase.PLAYER_3, Phase.RESULT)),
        (
            (Trigger.PLAYER_DRAWS, Trigger.BANKER_DRAWS, Trigger.CARD),
            (Phase.PLAYER_3, Phase.BANKER_3, Phase.RESULT),
        ),
    ],
)
def test_a_coup_goes_one_of_five_ways(
    after_four: tuple[Trigger, ...], phases: tuple[Phase, ...]
) -> None:
    dealt = (Trigger.CARD, Trigger.CARD, Trigger.CARD)
    assert walk(Phase.PLAYER_1, *dealt, *after_four) == (*FIRST_FOUR, *phases)


def test_a_declared_result_waits_for_the_next_coup_and_the_last_ends_the_shoe() -> None:
    assert walk(Phase.RESULT, Trigger.RESULT_DECLARED) == (Phase.BETWEEN_COUPS,)
    assert walk(Phase.RESULT, Trigger.LAST_COUP_DONE) == (Phase.SHOE_OVER,)
    assert walk(Phase.SHOE_OVER, Trigger.SHOE_OPENED) == (Phase.OPENING,)


@pytest.mark.parametrize(
    "phase",
    [Phase.CLOSED, Phase.OPENING, Phase.BETWEEN_COUPS, Phase.RESULT, Phase.SUSPENDED],
)
def test_no_card_is_due(phase: Phase) -> None:
    assert has_no_edge(phase, Trigger.CARD)


def test_after_the_last_hand_only_another_shoe_or_a_suspension_can_come() -> None:
    assert TABLE.legal(Phase.SHOE_OVER) == (
        Trigger.SHOE_OPENED,
        Trigger.NEXT_SHOE_UNSEEN,
        Trigger.SUSPEND,
    )
    assert has_no_edge(Phase.SHOE_OVER, Trigger.CARD)
    assert has_no_edge(Phase.SHOE_OVER, Trigger.COUP_BEGINS)


@pytest.mark.parametrize("phase", [Phase.BETWEEN_COUPS, *COUP_PHASES])
def test_a_cut_card_in_play_does_not_shift_what_is_due(phase: Phase) -> None:
    assert walk(phase, Trigger.CUT_CARD) == (phase,)


@pytest.mark.parametrize(
    "phase",
    [
        Phase.CLOSED,
        Phase.OPENING,
        Phase.BURN_FIRST,
        Phase.BURN_REST,
        Phase.SHOE_OVER,
        Phase.SUSPENDED,
    ],
)
def test_a_cut_card_has_no_place_outside_play(phase: Phase) -> None:
    assert has_no_edge(phase, Trigger.CUT_CARD)


@pytest.mark.parametrize("phase", Phase)
def test_only_a_coup_can_be_voided(phase: Phase) -> None:
    expected = Phase.BETWEEN_COUPS if phase in COUP_PHASES else None
    after = TABLE.next(phase, Trigger.COUP_VOIDED)
    assert (None if isinstance(after, NoEdge) else after) == expected


@pytest.mark.parametrize("phase", Phase)
def test_only_an_open_shoe_without_a_coup_can_be_closed(phase: Phase) -> None:
    expected = Phase.SHOE_OVER if phase in CLOSABLE_PHASES else None
    after = TABLE.next(phase, Trigger.SHOE_CLOSED)
    assert (None if isinstance(after, NoEdge) else after) == expected


@pytest.mark.parametrize("phase", RESUMABLE_PHASES)
def test_a_suspension_ends_where_it_began(phase: Phase) -> None:
    assert walk(phase, Trigger.SUSPEND, resume_trigger(phase)) == (Phase.SUSPENDED, phase)


@pytest.mark.parametrize("phase", [Phase.CLOSED, Phase.OPENING, Phase.SUSPENDED])
def test_closed_opening_and_suspended_cannot_be_suspended(phase: Phase) -> None:
    assert has_no_edge(phase, Trigger.SUSPEND)
    assert phase not in RESUMABLE_PHASES


def test_a_suspended_table_takes_no_play() -> None:
    resumes = {resume_trigger(phase) for phase in RESUMABLE_PHASES}
    assert set(TABLE.legal(Phase.SUSPENDED)) == resumes


def test_every_trigger_and_every_phase_is_used() -> None:
    assert {trigger for _, trigger, _ in EDGES} == set(Trigger)
    assert {source for source, _, _ in EDGES} == set(Phase)
    assert {to for _, _, to in EDGES} == set(Phase)


def test_a_shoe_met_in_play_is_joined_between_coups() -> None:
    assert walk(Phase.CLOSED, Trigger.SHOE_JOINED) == (Phase.BETWEEN_COUPS,)
    assert walk(Phase.SHOE_OVER, Trigger.NEXT_SHOE_UNSEEN) == (Phase.CLOSED,)


@pytest.mark.parametrize("phase", Phase)
def test_only_a_coup_can_become_partial_and_then_waits_for_its_end(phase: Phase) -> None:
    expected = Phase.RESULT if phase in COUP_PHASES else None
    after = TABLE.next(phase, Trigger.COUP_PARTIAL)
    assert (None if isinstance(after, NoEdge) else after) == expected


@pytest.mark.parametrize("phase", Phase)
def test_only_a_burn_can_lose_its_count(phase: Phase) -> None:
    expected = Phase.BURN_REST if phase in BURN_PHASES else None
    after = TABLE.next(phase, Trigger.BURN_UNPROVEN)
    assert (None if isinstance(after, NoEdge) else after) == expected


@pytest.mark.parametrize("phase", Phase)
def test_a_burn_for_an_irregularity_stops_play_and_gives_it_back(phase: Phase) -> None:
    stops = (Phase.BURN_FIRST, Phase.BURN_REST, *BURN_STOPS)
    after = TABLE.next(phase, Trigger.BURN_OWED)
    assert (after is Phase.BURN_REST) is (phase in stops)
    if phase in RESUMABLE_PHASES:
        back = TABLE.next(Phase.BURN_REST, resume_trigger(phase))
        assert (back is phase) is (phase in BURN_RESUMES)


def test_where_nothing_is_burned_the_first_coup_follows_the_opening() -> None:
    assert walk(Phase.OPENING, Trigger.BURN_DONE) == (Phase.BETWEEN_COUPS,)
