"""The state table of the procedure: every order of play, and the edges that must not exist."""

import pytest
from msgspec.structs import replace
from transitions import MachineError, Transition

from controller.procedure.phases import (
    ABANDONED_PHASES,
    BEFORE_A_COUP,
    BURN_PHASES,
    BURNS_BEFORE_PLAY,
    CLOSABLE_PHASES,
    COUP_ENDS,
    COUP_PHASES,
    DUE_PHASES,
    HANDS_COMPLETE,
    RESUMABLE_PHASES,
    Phase,
    Trigger,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CutState, ShoeState, TableState
from controller.procedure.step_result import MACHINE, Play, Step
from controller.procedure.table.table import MOVE_ROWS, ROWS
from controller.rules.profiles.load import load_profile

BOOK = RuleBook.of(load_profile("s42-mini"), 8, ())
MOVES = {trigger for one in MOVE_ROWS for trigger in one.on}


# The coup on the table is its first one, and no cut card came out; or the second cut card did.
SHOE = ShoeState(gaming_day="2026-11-21", number=1, cards_total=416, coups_begun=1)
LAST = replace(SHOE, cut=CutState(seen=2, exhausted=True))

Move = Trigger | tuple[Trigger, Phase]


def back_to(phase: Phase) -> Move:
    return Trigger.RESUME, phase


def after(phase: Phase, move: Move, shoe: ShoeState = SHOE) -> Phase | None:
    """The phase after this trigger; None where the table has no row for it."""
    trigger, back = move if isinstance(move, tuple) else (move, None)
    play = Play(BOOK, Step(TableState(phase=phase, shoe=shoe)))
    play.back = back
    try:
        play.fire(trigger)
    except (AssertionError, MachineError):
        return None
    return play.phase


def walk(start: Phase, *moves: Move) -> tuple[Phase, ...]:
    """The phases passed through; stops the test at the first missing row."""
    passed, phase = [], start
    for move in moves:
        phase = after(phase, move)
        assert phase is not None, move
        passed.append(phase)
    return tuple(passed)


def has_no_edge(phase: Phase, move: Move) -> bool:
    return after(phase, move) is None


def moves(trigger: Trigger) -> list[Transition]:
    return MACHINE.get_transitions(trigger)


def test_a_shoe_is_opened_and_burned_before_play() -> None:
    assert walk(
        Phase.CLOSED,
        Trigger.SHOE_OPENED,
        Trigger.FIRST_CARD_READY,
        Trigger.BURN_OWED,
        Trigger.BURN_DONE,
        Trigger.COUP_BEGINS,
    ) == (
        Phase.OPENING,
        Phase.BURN_FIRST,
        Phase.BURN_REST,
        Phase.BETWEEN_COUPS,
        Phase.PLAYER_1,
    )
    for phase in (Phase.OPENING, *BURN_PHASES):
        assert has_no_edge(phase, Trigger.COUP_BEGINS)
        assert not any(one.dest for one in moves(Trigger.NO_MORE_BETS) if one.source == phase.name)


def test_a_coup_begins_with_its_first_card_and_betting_may_close_before_it() -> None:
    assert walk(Phase.BETWEEN_COUPS, Trigger.COUP_BEGINS) == (Phase.PLAYER_1,)
    assert walk(Phase.BETTING_CLOSED, Trigger.COUP_BEGINS) == (Phase.PLAYER_1,)
    begins = {Phase[one.source] for one in moves(Trigger.COUP_BEGINS)}
    closes = {
        Phase[one.source]
        for one in moves(Trigger.NO_MORE_BETS)
        if one.dest == Phase.BETTING_CLOSED.name
    }
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
    assert walk(Phase.DECLARED, Trigger.COUP_DONE) == (Phase.BETWEEN_COUPS,)
    assert after(Phase.DECLARED, Trigger.COUP_DONE, LAST) is Phase.SHOE_OVER
    assert walk(Phase.SHOE_OVER, Trigger.SHOE_OPENED) == (Phase.OPENING,)


def test_a_result_that_nobody_reports_ends_the_coup_as_well() -> None:
    assert walk(Phase.RESULT, Trigger.COUP_DONE) == (Phase.BETWEEN_COUPS,)
    assert after(Phase.RESULT, Trigger.COUP_DONE, LAST) is Phase.SHOE_OVER


def test_a_result_can_be_declared_of_complete_hands_only() -> None:
    """Before that it leaves the coup; of a partial coup it is not judged."""
    declared = {Phase[one.source] for one in moves(Trigger.RESULT_DECLARED) if one.dest}
    assert declared == {*HANDS_COMPLETE, Phase.ABANDONED_COMPLETE}


@pytest.mark.parametrize("phase", Phase)
def test_a_coup_can_be_left_with_a_card_due_or_with_complete_hands(phase: Phase) -> None:
    expected = Phase.ABANDONED if phase in (*DUE_PHASES, Phase.ABANDONED) else None
    if phase in (*HANDS_COMPLETE, Phase.ABANDONED_COMPLETE):
        expected = Phase.ABANDONED_COMPLETE
    to = after(phase, Trigger.COUP_ABANDONED)
    assert to == expected


@pytest.mark.parametrize("phase", DUE_PHASES)
def test_a_coup_that_was_left_goes_on_where_a_card_is_due(phase: Phase) -> None:
    assert walk(phase, Trigger.COUP_ABANDONED, back_to(phase)) == (Phase.ABANDONED, phase)
    assert has_no_edge(Phase.ABANDONED_COMPLETE, back_to(phase))


def test_one_left_with_complete_hands_waits_for_its_result_again() -> None:
    assert walk(Phase.ABANDONED_COMPLETE, back_to(Phase.RESULT)) == (Phase.RESULT,)
    assert has_no_edge(Phase.ABANDONED, back_to(Phase.RESULT))


@pytest.mark.parametrize("phase", ABANDONED_PHASES)
def test_a_coup_that_was_left_does_not_count_by_itself(phase: Phase) -> None:
    assert has_no_edge(phase, Trigger.COUP_DONE)


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
    legal = {one for one in MOVES if not has_no_edge(Phase.SHOE_OVER, one)}
    assert legal == {
        *(Trigger.SHOE_OPENED, Trigger.NEXT_SHOE_UNSEEN, Trigger.SUSPEND),
        Trigger.COUP_REOPENED,  # of the coup that ended last, once its unread card is read
    }
    assert has_no_edge(Phase.SHOE_OVER, Trigger.CARD)
    assert has_no_edge(Phase.SHOE_OVER, Trigger.COUP_BEGINS)


@pytest.mark.parametrize("phase", Phase)
def test_only_a_coup_can_be_voided_or_one_for_which_betting_closed(phase: Phase) -> None:
    """Cards drawn after "no more bets" may be void before a coup begins with them."""
    voidable = (Phase.BETTING_CLOSED, *COUP_PHASES)
    expected = Phase.BETWEEN_COUPS if phase in voidable else None
    to = after(phase, Trigger.COUP_VOIDED)
    assert to == expected


@pytest.mark.parametrize("phase", Phase)
def test_only_an_open_shoe_without_a_coup_can_be_closed(phase: Phase) -> None:
    expected = Phase.SHOE_OVER if phase in CLOSABLE_PHASES else None
    to = after(phase, Trigger.SHOE_CLOSED)
    assert to == expected


@pytest.mark.parametrize("phase", RESUMABLE_PHASES)
def test_a_suspension_ends_where_it_began(phase: Phase) -> None:
    assert walk(phase, Trigger.SUSPEND, back_to(phase)) == (Phase.SUSPENDED, phase)


@pytest.mark.parametrize("phase", [Phase.CLOSED, Phase.OPENING, Phase.SUSPENDED])
def test_closed_opening_and_suspended_cannot_be_suspended(phase: Phase) -> None:
    assert has_no_edge(phase, Trigger.SUSPEND)
    assert phase not in RESUMABLE_PHASES


def test_a_suspended_table_takes_no_play() -> None:
    assert MACHINE.get_triggers(Phase.SUSPENDED) == [Trigger.RESUME]
    assert {phase for phase in Phase if after(Phase.SUSPENDED, back_to(phase))} == set(
        RESUMABLE_PHASES
    )


def test_every_trigger_and_every_phase_is_used() -> None:
    assert {trigger for one in ROWS for trigger in one.on} == set(Trigger)
    assert {phase for one in MOVE_ROWS for phase in one.at} == set(Phase)
    assert {one.to for one in ROWS if one.to is not None} == set(Phase)


def test_a_shoe_met_in_play_is_joined_between_coups() -> None:
    assert walk(Phase.CLOSED, Trigger.SHOE_JOINED) == (Phase.BETWEEN_COUPS,)
    assert walk(Phase.SHOE_OVER, Trigger.NEXT_SHOE_UNSEEN) == (Phase.CLOSED,)


@pytest.mark.parametrize("phase", Phase)
def test_only_a_coup_can_become_partial_and_then_waits_for_its_end(phase: Phase) -> None:
    expected = {*DUE_PHASES}
    assert (after(phase, Trigger.COUP_PARTIAL) is Phase.PARTIAL) is (phase in expected)


@pytest.mark.parametrize("phase", DUE_PHASES)
def test_a_coup_goes_on_where_its_unread_card_is_read(phase: Phase) -> None:
    assert walk(Phase.PARTIAL, back_to(phase)) == (phase,)


@pytest.mark.parametrize("shoe", [SHOE, LAST], ids=["more coups", "the last coup"])
def test_a_partial_coup_ends_like_any_other(shoe: ShoeState) -> None:
    assert set(COUP_ENDS) == {*HANDS_COMPLETE, Phase.ABANDONED_COMPLETE, Phase.PARTIAL}
    counted = after(Phase.RESULT, Trigger.COUP_DONE, shoe)
    for phase in (*ABANDONED_PHASES, Phase.PARTIAL):
        assert after(phase, Trigger.PARTIAL_COUP_DONE, shoe) is counted
        assert after(phase, Trigger.COUP_VOIDED, shoe) is counted


@pytest.mark.parametrize("phase", BURN_PHASES)
def test_a_burn_loses_its_count_with_missing_reports(phase: Phase) -> None:
    """In mid-coup the position of the deal is lost with it: the coup is partial then."""
    expected = None if phase is Phase.COUP_BURN else Phase.REMEDY_BURN_UNCOUNTED
    if phase in BURNS_BEFORE_PLAY:
        expected = Phase.BURN_UNCOUNTED
    lost = {one.dest for one in MACHINE.get_transitions(Trigger.PROGRESS_LOST, source=phase)}
    assert lost == {expected.name if expected is not None else None}


def test_a_first_card_found_face_up_is_burned_for_and_the_burn_begins_again() -> None:
    for phase in (Phase.BURN_FIRST, Phase.BURN_REST):
        assert walk(phase, Trigger.BOXED_BURN_OWED) == (Phase.BOXED_BURN,)
    assert walk(Phase.BOXED_BURN, back_to(Phase.BURN_FIRST)) == (Phase.BURN_FIRST,)
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
    to = after(phase, Trigger.BURN_OWED)
    assert to == expected


@pytest.mark.parametrize("phase", RESUMABLE_PHASES)
def test_a_burn_for_an_irregularity_gives_play_back(phase: Phase) -> None:
    """With complete hands a card goes back to its place: a card is due after the burn."""
    assert has_no_edge(Phase.REMEDY_BURN, back_to(phase)) is (phase not in BEFORE_A_COUP)
    in_coup = phase in (*DUE_PHASES, Phase.ABANDONED)
    assert has_no_edge(Phase.COUP_BURN, back_to(phase)) is not in_coup
    assert has_no_edge(Phase.REMEDY_BURN, Trigger.BURN_DONE)
    assert has_no_edge(Phase.COUP_BURN, Trigger.BURN_DONE)


def test_without_a_count_such_a_burn_is_between_coups_only() -> None:
    for phase in BEFORE_A_COUP:
        assert walk(Phase.REMEDY_BURN_UNCOUNTED, back_to(phase)) == (phase,)
    for phase in DUE_PHASES:
        assert has_no_edge(Phase.REMEDY_BURN_UNCOUNTED, back_to(phase))


def test_where_nothing_is_burned_the_first_coup_follows_the_opening() -> None:
    assert walk(Phase.OPENING, Trigger.BURN_DONE) == (Phase.BETWEEN_COUPS,)
