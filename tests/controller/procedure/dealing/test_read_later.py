"""A card that could not be read and is read later makes its coup, or its burn, whole again.

Source: D-41; Section 42 (e)(6), (g)(3), (i), (k)(1)-(3).
"""

import pytest

from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.rules.outcome import CoupFate
from controller.rules.profiles.load import profile_names

OPENED = "start; burn Ac: 2c"
SIX_CARDS = ("P1 2h", "B1 2c", "P2 Kd", "B2 Kh", "P3 Qc", "B3 Js")
AGAIN = "continue take-over"


def decide(table, words: str) -> str:
    """Decide; whether cards were dealt meanwhile is not named where none were."""
    dealt = table.state.suspension.dealt
    return table.decide(words if dealt else words.removesuffix(" take-over"))


@pytest.mark.parametrize("unread", range(6))
@pytest.mark.parametrize("read_after", range(6))
@pytest.mark.parametrize("profile", profile_names())
def test_read_sooner_or_later_the_coup_counts_by_its_cards(
    new_table, profile, unread, read_after
) -> None:
    if read_after < unread:
        return
    table = new_table(OPENED, profile=profile, observed=(ObservableFact.RESULT_BUTTON,))
    place, face = SIX_CARDS[unread].split()
    dealt = [*SIX_CARDS]
    dealt[unread] = f"{place} ??"
    table.deal("; ".join(dealt[: read_after + 1]))
    assert "continue" not in table.permitted
    assert table.deal(f"again {place} {face}") == []
    assert table.state.open_irregularities[0].code == "CARD_UNREADABLE"
    assert "continue" in table.permitted
    assert "state-outcome" not in table.permitted
    assert decide(table, AGAIN) == ""
    assert table.deal("; ".join([*dealt[read_after + 1 :], "result tie"])) == []
    (record,) = table.records
    assert (record.fate, record.outcome) == (CoupFate.COUNTED, "tie")
    assert [str(one.card) for one in record.cards] == [one.split()[1] for one in SIX_CARDS]


def test_the_coup_goes_on_where_the_rules_say(table) -> None:
    table.deal("P 7h; B 2c; P Kd; B ??; again B2 Kh")
    assert table.resumes_to is Phase.BANKER_3
    table.decide("continue")
    assert table.deal("B3 3c; result player") == []


def test_cards_after_it_are_judged_in_the_order_of_drawing(table) -> None:
    """A natural lay there: the fifth card was one too many."""
    assert table.deal("P 9h; B ??; P Qd; B Jh; P3 3d") == [
        "CARD_UNREADABLE",
        "DEALT_WHILE_SUSPENDED",
    ]
    assert table.deal("again B1 Kc") == ["OVERDRAW"]
    assert table.decide("burn-card take-over") == ""
    assert table.deal("result player; burned 2c; burned 3c; burned 4c") == []
    (record,) = table.records
    assert (record.outcome, len(record.cards), len(record.aside)) == ("player", 4, 1)


def test_a_card_given_to_player_who_had_to_stand_is_the_bankers(table) -> None:
    table.deal("P 7h; B ??; P Kd; B Jh; P3 3d")
    assert table.deal("again B1 2c") == ["PLAYER_THIRD_UNAUTHORISED"]
    table.decide(AGAIN)
    assert table.deal("result player") == []
    assert [one.place for one in table.records[0].cards][-1] == "banker_3"


def test_a_card_out_of_the_shoe_in_between_is_held_for_the_decision(table) -> None:
    raised = table.deal("P 9h; B ??; out 4d; P Qd; B Jh")
    assert raised == ["CARD_UNREADABLE", "CARD_OUTSIDE_PLAY", "DEALT_WHILE_SUSPENDED"]
    assert table.deal("again B1 Kc") == []
    assert table.decide("burn-card take-over") == ""
    assert table.deal("result player") == []


def test_of_two_unread_cards_each_has_to_be_read(table) -> None:
    table.deal("P 9h; B ??; P ??; B Jh")
    assert table.deal("again P2 Qd") == []
    assert "continue" not in table.permitted
    assert table.deal("again B1 Kc") == []
    table.decide(AGAIN)
    assert table.deal("result player") == []


def test_the_first_of_two_read_first_leaves_the_other_unread(table) -> None:
    table.deal("P 9h; B ??; P ??; B Jh")
    assert table.deal("again B1 Kc") == ["CARD_UNREADABLE"]
    assert "continue" not in table.permitted
    assert table.deal("again P2 Qd") == []
    assert "continue" in table.permitted


@pytest.mark.parametrize("other", ["again B1 Qc", "again B1 Kc; again B1 Qc"])
def test_another_face_is_a_conflict_and_never_an_overwrite(table, other) -> None:
    table.deal("P 9h; B ??; again B1 Kc")
    first, _, second = other.partition("; ")
    raised = table.deal(first) + (table.deal(second) if second else [])
    assert raised == ["RETRANSMISSION_CONFLICT"]
    assert str(table.shoe.coup.cards[1].card) == "Kc"


@pytest.mark.parametrize("doubt", ["lost 1", "lost unproven", "lost unreadable"])
def test_where_reports_are_missing_too_the_coup_stays_partial(table, doubt) -> None:
    table.deal(f"P 9h; B ??; {doubt}")
    assert table.deal("again B1 Kc") == []
    assert "continue" not in table.permitted
    assert "state-outcome" in table.permitted


def test_a_coup_joined_in_the_middle_stays_partial(table) -> None:
    table.deal("P2 ??")
    table.deal("again P2 Kc")
    assert "continue" not in table.permitted


def test_the_same_holds_while_another_irregularity_is_open(table) -> None:
    table.deal("P 9h; again P1 8h; B ??")
    assert table.deal("again B1 Kc") == []
    assert decide(table, AGAIN) == ""
    assert table.deal("P2 Qd; B2 Jh; result player") == []


def test_forced_exit_before_it_was_read_stays_to_be_decided(table) -> None:
    table.deal("P 9h; B ??; forced exit; again B1 Kc")
    assert table.resumes_to is Phase.ABANDONED
    assert table.decide("void-coup") == ""


def test_too_few_cards_are_found_at_the_card_that_is_not_there(new_table) -> None:
    table = new_table("start; burn Ac: 2c", decks=1)
    table.deal_up_to(47)
    table.deal("P1 9h; B ??; P Qd; B Jh; P3 2c")
    assert table.shoe.cards_left() == 0
    assert table.deal("again B1 Kc") == ["OVERDRAW"]


def test_without_its_only_unread_card_a_coup_is_whole(table) -> None:
    table.deal("P 9h; B ??")
    assert table.deal("found face up") == ["FOUND_FACE_UP"]
    assert table.resumes_to is Phase.BANKER_1
    assert table.decide("continue") == ""
    table.deal("B1 Kc; P2 Qd; B2 Jh")
    assert table.irregularities[-1].code == "FOUND_FACE_UP"


def test_with_another_unread_card_it_stays_partial(table) -> None:
    table.deal("P 9h; B ??; P ??; found face up")
    assert "continue" not in table.permitted


# --- after the declared result -------------------------------------------------------------------

RESULT = "P 9h; B ??; P Qd; B Jh; result player"


def test_read_after_the_result_the_coup_is_whole_and_its_result_is_judged(table) -> None:
    table.deal(RESULT)
    assert table.deal("again B1 Kc") == []
    assert "state-outcome" not in table.permitted
    assert table.decide(AGAIN) == ""
    (record,) = table.records
    assert (record.fate, record.outcome, record.declared) == (CoupFate.COUNTED, "player", "player")
    assert (table.phase, table.shoe.unread_coup) == (Phase.BETWEEN_COUPS, None)


def test_a_declared_result_that_differs_is_a_mismatch_then(table) -> None:
    table.deal("P 7h; B ??; P Qd; B Jh; result player")
    assert table.deal("again B1 9c") == ["RESULT_MISMATCH"]
    assert "continue" in table.permitted
    table.decide(AGAIN)
    assert [one.outcome for one in table.records] == ["banker"]


def test_a_card_still_due_is_missing_then_and_can_be_drawn(table) -> None:
    table.deal("P 7h; B ??; P Qd; B Jh; result player")
    assert table.deal("again B1 2c") == ["MISSING_CARD"]
    table.decide(AGAIN)
    assert table.deal("B3 3c; result player") == []
    assert [one.outcome for one in table.records] == ["player"]


def test_a_card_too_many_is_found_then(table) -> None:
    table.deal("P 9h; B ??; P Qd; B Jh; P3 3d; result player")
    assert table.deal("again B1 Kc") == ["OVERDRAW"]
    table.decide("burn-card take-over")
    assert [(len(one.cards), len(one.aside)) for one in table.records] == [(4, 1)]


@pytest.mark.parametrize("begun", ["P1 7h", "P1 7h; B1 7c; P2 Kd; B2 Kh; result tie; P1 2h"])
def test_also_while_the_next_coup_is_on_the_table(table, begun) -> None:
    table.deal(f"P 9h; B Kc; P Qd; B ??; result player; {begun}")
    table.deal("again B2 Jh")
    table.decide(AGAIN)
    assert [one.outcome for one in table.records] == ["player", "tie"][: len(begun) // 10 + 1]
    assert str(table.shoe.coup.cards[0].card) == begun[-2:]


def test_a_coup_that_needs_a_card_stays_partial_once_another_began(table) -> None:
    table.deal("P 7h; B Qc; P Qd; B ??; result player; P1 7h")
    assert table.deal("again B2 2c") == []
    assert "continue" not in table.permitted
    table.decide("state-outcome player take-over")
    assert str(table.records[0].cards[3].card) == "2c"


def test_nor_is_it_on_the_table_again_once_another_has_ended(table) -> None:
    table.deal("P 7h; B Qc; P Qd; B ??; result player; P1 7h; B1 7c; P2 Kd; B2 Kh; result tie")
    assert table.deal("again B2 2c") == []
    assert table.shoe.coup is None
    assert "continue" not in table.permitted
    table.decide("state-outcome player take-over")
    assert [one.outcome for one in table.records] == ["player", "tie"]


def test_a_card_too_many_is_left_to_a_person_once_another_began(table) -> None:
    table.deal("P 9h; B ??; P Qd; B Jh; P3 3d; result player; P1 7h")
    assert table.deal("again B1 Kc") == []
    assert "continue" not in table.permitted
    table.decide("state-outcome player take-over")
    assert str(table.records[0].cards[1].card) == "Kc"


def test_the_burn_that_a_later_coup_owes_stays_owed(table) -> None:
    table.deal("P 9h; B Kc; P Qd; B ??; result player; P1 7h; found face up")
    owed = (table.shoe.burn_owed, table.shoe.remedy)
    assert owed[0] == 7
    table.deal("again B2 Jh")
    assert [one.outcome for one in table.state.suspension.held] == ["player"]
    assert (table.shoe.burn_owed, table.shoe.remedy) == owed


def test_a_coup_whose_result_nobody_declared_counts_by_its_cards(table) -> None:
    table.deal("P 9h; B Kc; P Qd; B ??; stand-by; again B2 Jh")
    table.decide("continue")
    assert [one.outcome for one in table.records] == ["player"]


def test_two_unread_cards_have_both_to_be_read(table) -> None:
    table.deal("P 9h; B ??; P ??; B Jh; result player; again B1 Kc")
    assert "continue" not in table.permitted
    table.deal("again P2 Qd")
    assert "continue" in table.permitted


@pytest.mark.parametrize("again", ["again P1 9h", "again B1 ??", "again P3 2d"])
def test_a_repetition_of_what_is_known_changes_nothing(table, again) -> None:
    table.deal(RESULT)
    assert table.deal(again) == []
    assert "continue" not in table.permitted


def test_another_face_than_the_known_one_is_a_conflict_then_too(table) -> None:
    table.deal(RESULT)
    assert table.deal("again P1 8h") == ["RETRANSMISSION_CONFLICT"]


def test_decided_before_it_was_read_nothing_changes(table) -> None:
    table.deal(RESULT)
    table.decide("void-coup take-over")
    assert table.deal("again B1 Kc") == []
    assert [one.fate for one in table.records] == [CoupFate.VOID]


def test_held_for_the_next_hand_it_is_judged_with_the_result_that_was_kept(table) -> None:
    table.deal("out 4c; P1 3s; B1 2c; P2 Kd; B2 ??; result player")
    table.decide("carry-card take-over")
    assert table.permitted == ["void-coup", "state-outcome", "close-shoe"]
    table.deal("again B2 Kh")
    assert [one.outcome for one in table.state.suspension.held] == ["player"]


# --- the first burn card ------------------------------------------------------------------------


@pytest.mark.clause("S42-e-6-burnn")
def test_the_first_burn_card_read_later_sets_the_count(new_table) -> None:
    table = new_table("start; burn ??; burned 3d; again burn 2c")
    assert table.shoe.burn_owed == 1
    assert table.deal("burned 4d") == []
    assert decide(table, AGAIN) == ""
    assert table.phase is Phase.BETWEEN_COUPS
    assert table.shoe.burn_proven


def test_cards_burned_beyond_that_count_are_found(new_table) -> None:
    table = new_table("start; burn ??; burned 3d; burned 4s; burned 5d")
    assert table.deal("again burn 2c") == ["BURN_OVER"]


@pytest.mark.parametrize("doubt", ["lost 1", "burned 3d; lost unproven"])
def test_with_reports_missing_the_burn_stays_without_a_count(new_table, doubt) -> None:
    table = new_table(f"start; burn ??; {doubt}; again burn 2c")
    assert not table.shoe.burn_proven


def test_a_burn_that_was_joined_stays_without_a_count(new_table) -> None:
    table = new_table("burned ??; again burn 2c")
    assert not table.shoe.burn_proven


def test_a_first_burn_card_that_was_read_is_not_counted_again(new_table) -> None:
    table = new_table("start; burn 3c: 2c")
    assert table.deal("again burn 3c; again burn 4c; again burn ??") == []
    assert table.shoe.burn_owed == 2


def test_cards_of_a_shoe_that_claims_nothing_find_their_places_again(table) -> None:
    unclaimed = "; ".join(f"unclaimed {face}" for face in ("2h", "??", "Kd", "Kh", "Qc", "Js"))
    table.deal(unclaimed)
    assert table.deal("again B1 2c") == []
    assert decide(table, AGAIN) == ""
    assert table.deal("result tie") == []
    (record,) = table.records
    assert [one.place for one in record.cards][4:] == ["player_3", "banker_3"]
