"""The state table of the procedure: every order of play, and the edges that must not exist."""

import pytest

from controller.procedure.card_rows import Observed
from controller.procedure.grid import grid_of
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BEFORE_A_COUP,
    BURN_PHASES,
    BURNS_BEFORE_PLAY,
    CLOSABLE_PHASES,
    COUP_ENDS,
    COUP_PHASES,
    DUE_PHASES,
    EDGES,
    HANDS_COMPLETE,
    REMEDY_BURNS,
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
    for phase in (Phase.OPENING, *BURN_PHASES):
        assert has_no_edge(phase, Trigger.COUP_BEGINS)
        assert has_no_edge(phase, Trigger.NO_MORE_BETS)


def test_a_coup_begins_with_its_first_card_and_betting_may_close_before_it() -> None:
    assert walk(Phase.BETWEEN_COUPS, Trigger.COUP_BEGINS) == (Phase.PLAYER_1,)
    assert walk(Phase.BETWEEN_COUPS, Trigger.NO_MORE_BETS, Trigger.COUP_BEGINS) == (
        Phase.BETTING_CLOSED,
        Phase.PLAYER_1,
    )
    begins = {phase for phase, trigger, _ in EDGES if trigger is Trigger.COUP_BEGINS}
    closes = {phase for phase, trigger, _ in EDGES if trigger is Trigger.NO_MORE_BETS}
    assert (begins, closes) == (set(BEFORE_A_COUP), {Phase.BETWEEN_COUPS})


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


def test_a_declared_result_is_followed_by_the_next_coup_and_the_last_ends_the_shoe() -> None:
    assert walk(Phase.RESULT, Trigger.RESULT_DECLARED, Trigger.COUP_DONE) == (
        Phase.DECLARED,
        Phase.BETWEEN_COUPS,
    )
    assert walk(Phase.DECLARED, Trigger.LAST_COUP_DONE) == (Phase.SHOE_OVER,)
    assert walk(Phase.SHOE_OVER, Trigger.SHOE_OPENED) == (Phase.OPENING,)


def test_a_result_that_nobody_reports_ends_the_coup_as_well() -> None:
    assert walk(Phase.RESULT, Trigger.COUP_DONE) == (Phase.BETWEEN_COUPS,)
    assert walk(Phase.RESULT, Trigger.LAST_COUP_DONE) == (Phase.SHOE_OVER,)


@pytest.mark.parametrize("phase", Phase)
def test_a_result_can_be_declared_of_complete_hands_only(phase: Phase) -> None:
    """Before that it leaves the coup; of a partial coup it is not judged."""
    complete = phase in (*HANDS_COMPLETE, Phase.ABANDONED_COMPLETE)
    after = TABLE.next(phase, Trigger.RESULT_DECLARED)
    assert (after is Phase.DECLARED) is complete
    assert complete or isinstance(after, NoEdge)


@pytest.mark.parametrize("phase", Phase)
def test_a_coup_can_be_left_with_a_card_due_or_with_complete_hands(phase: Phase) -> None:
    expected = Phase.ABANDONED if phase in (*DUE_PHASES, Phase.ABANDONED) else None
    if phase in (*HANDS_COMPLETE, Phase.ABANDONED_COMPLETE):
        expected = Phase.ABANDONED_COMPLETE
    after = TABLE.next(phase, Trigger.COUP_ABANDONED)
    assert (None if isinstance(after, NoEdge) else after) == expected


@pytest.mark.parametrize("phase", DUE_PHASES)
def test_a_coup_that_was_left_goes_on_where_a_card_is_due(phase: Phase) -> None:
    assert walk(phase, Trigger.COUP_ABANDONED, resume_trigger(phase)) == (Phase.ABANDONED, phase)
    assert has_no_edge(Phase.ABANDONED_COMPLETE, resume_trigger(phase))


def test_one_left_with_complete_hands_waits_for_its_result_again() -> None:
    assert walk(Phase.ABANDONED_COMPLETE, resume_trigger(Phase.RESULT)) == (Phase.RESULT,)
    assert has_no_edge(Phase.ABANDONED, resume_trigger(Phase.RESULT))


@pytest.mark.parametrize("phase", ABANDONED_PHASES)
def test_a_coup_that_was_left_does_not_count_by_itself(phase: Phase) -> None:
    assert has_no_edge(phase, Trigger.COUP_DONE)
    assert has_no_edge(phase, Trigger.LAST_COUP_DONE)


@pytest.mark.parametrize(
    "phase",
    [
        *(Phase.CLOSED, Phase.OPENING, Phase.BETWEEN_COUPS, Phase.BETTING_CLOSED),
        *(*HANDS_COMPLETE, *ABANDONED_PHASES, Phase.PARTIAL, Phase.SUSPENDED),
    ],
)
def test_no_card_goes_to_a_burn_or_a_hand(phase: Phase) -> None:
    assert has_no_edge(phase, Trigger.CARD)


def test_after_the_last_hand_only_another_shoe_or_a_suspension_can_come() -> None:
    assert TABLE.legal(Phase.SHOE_OVER) == (
        Trigger.SHOE_OPENED,
        Trigger.NEXT_SHOE_UNSEEN,
        Trigger.SUSPEND,
    )
    assert has_no_edge(Phase.SHOE_OVER, Trigger.CARD)
    assert has_no_edge(Phase.SHOE_OVER, Trigger.COUP_BEGINS)


@pytest.mark.parametrize("phase", Phase)
def test_only_a_coup_can_be_voided_or_one_for_which_betting_closed(phase: Phase) -> None:
    """Cards drawn after "no more bets" may be void before a coup begins with them."""
    voidable = (Phase.BETTING_CLOSED, *COUP_PHASES)
    expected = Phase.BETWEEN_COUPS if phase in voidable else None
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
    asked = {trigger for _, trigger in grid_of(Observed(True, True, False))}
    assert {trigger for _, trigger, _ in EDGES} | asked == set(Trigger)
    assert {source for source, _, _ in EDGES} == set(Phase)
    assert {to for _, _, to in EDGES} == set(Phase)


def test_a_shoe_met_in_play_is_joined_between_coups() -> None:
    assert walk(Phase.CLOSED, Trigger.SHOE_JOINED) == (Phase.BETWEEN_COUPS,)
    assert walk(Phase.SHOE_OVER, Trigger.NEXT_SHOE_UNSEEN) == (Phase.CLOSED,)


@pytest.mark.parametrize("phase", Phase)
def test_only_a_coup_can_become_partial_and_then_waits_for_its_end(phase: Phase) -> None:
    expected = Phase.PARTIAL if phase in COUP_PHASES else None
    after = TABLE.next(phase, Trigger.COUP_PARTIAL)
    assert (None if isinstance(after, NoEdge) else after) == expected


@pytest.mark.parametrize("phase", DUE_PHASES)
def test_a_coup_goes_on_where_its_unread_card_is_read(phase: Phase) -> None:
    assert walk(Phase.PARTIAL, resume_trigger(phase)) == (phase,)


def test_a_partial_coup_ends_like_any_other() -> None:
    assert set(COUP_ENDS) == {*HANDS_COMPLETE, Phase.ABANDONED_COMPLETE, Phase.PARTIAL}
    for trigger in (Trigger.COUP_DONE, Trigger.LAST_COUP_DONE, Trigger.COUP_VOIDED):
        assert walk(Phase.PARTIAL, trigger) == walk(Phase.RESULT, trigger)


@pytest.mark.parametrize("phase", Phase)
def test_only_a_burn_can_lose_its_count(phase: Phase) -> None:
    """In mid-coup the position of the deal is lost with it: the coup is partial then."""
    before_play = Phase.BURN_UNCOUNTED if phase in BURNS_BEFORE_PLAY else None
    before_coup = phase in REMEDY_BURNS and phase is not Phase.COUP_BURN
    expected = Phase.REMEDY_BURN_UNCOUNTED if before_coup else before_play
    after = TABLE.next(phase, Trigger.BURN_UNPROVEN)
    assert (None if isinstance(after, NoEdge) else after) == expected


def test_a_first_card_found_face_up_is_burned_for_and_the_burn_begins_again() -> None:
    for phase in (Phase.BURN_FIRST, Phase.BURN_REST):
        assert walk(phase, Trigger.BOXED_BURN_OWED) == (Phase.BOXED_BURN,)
    assert walk(Phase.BOXED_BURN, resume_trigger(Phase.BURN_FIRST)) == (Phase.BURN_FIRST,)
    assert has_no_edge(Phase.BOXED_BURN, Trigger.BURN_DONE)


@pytest.mark.parametrize("phase", Phase)
def test_a_burn_for_an_irregularity_stops_play(phase: Phase) -> None:
    """It is one of its own while a coup is on the table, and none while a coup is left or partial.

    What is owed of those is burned after the coup.
    """
    expected = Phase.REMEDY_BURN if phase in BEFORE_A_COUP else None
    if phase is Phase.BURN_FIRST or phase is Phase.BURN_UNCOUNTED:
        expected = Phase.BURN_REST
    if phase in COUP_PHASES and phase is not Phase.PARTIAL:
        expected = Phase.COUP_BURN
    after = TABLE.next(phase, Trigger.BURN_OWED)
    assert (None if isinstance(after, NoEdge) else after) == expected


@pytest.mark.parametrize("phase", RESUMABLE_PHASES)
def test_a_burn_for_an_irregularity_gives_play_back(phase: Phase) -> None:
    """With complete hands a card goes back to its place: a card is due after the burn."""
    assert has_no_edge(Phase.REMEDY_BURN, resume_trigger(phase)) is (phase not in BEFORE_A_COUP)
    in_coup = phase in (*DUE_PHASES, Phase.ABANDONED)
    assert has_no_edge(Phase.COUP_BURN, resume_trigger(phase)) is not in_coup
    assert has_no_edge(Phase.REMEDY_BURN, Trigger.BURN_DONE)
    assert has_no_edge(Phase.COUP_BURN, Trigger.BURN_DONE)


def test_without_a_count_such_a_burn_is_between_coups_only() -> None:
    assert set(TABLE.legal(Phase.REMEDY_BURN_UNCOUNTED)) >= {
        resume_trigger(Phase.BETWEEN_COUPS),
        resume_trigger(Phase.BETTING_CLOSED),
    }
    for phase in DUE_PHASES:
        assert has_no_edge(Phase.REMEDY_BURN_UNCOUNTED, resume_trigger(phase))


def test_where_nothing_is_burned_the_first_coup_follows_the_opening() -> None:
    assert walk(Phase.OPENING, Trigger.BURN_DONE) == (Phase.BETWEEN_COUPS,)
