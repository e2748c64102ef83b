"""The declared result compared with the cards, and what ends a coup without a declaration.

Source: 9 NYCRR 5324.21 (i)(1); Section 42 (j)(1); D-23, D-39.
"""

import pytest

from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.verdicts import Accepted
from controller.rules.outcome import CoupFate
from controller.rules.profiles.load import profile_names
from controller.system.messages.catalogue import to_words

COMPLETE = "P1 7h; B 7c; P Kd; B Kh"
OPENED = "start; burn Ac: 2c"
NO_COUP = ["", "start", "start; burn 3c: 2c", f"{OPENED}; close shoe"]


@pytest.mark.clause("S42-j-1-final")
@pytest.mark.parametrize(
    ("cards", "result", "tally"),
    [
        ("P 9h; B 7c; P Kd; B Kh", "player", (1, 0, 0, 0)),
        ("P 7h; B 9c; P Kd; B Kh", "banker", (0, 1, 0, 0)),
        ("P 7h; B 7c; P Kd; B Kh", "tie", (0, 0, 1, 0)),
        ("P 7h; B 7c; P 7d; B Kh; P 3d", "tie P-pair", (0, 0, 1, 0)),
        ("P 9h; B Kc; P Qd; B Kh", "player B-pair", (1, 0, 0, 0)),
        ("P 4h; B Kc; P 4d; B Kh", "player P-pair B-pair", (1, 0, 0, 0)),
    ],
)
def test_the_right_result_with_its_pairs_counts(table, cards, result, tally) -> None:
    assert table.deal(f"{cards}; result {result}") == []
    assert table.tally == tally
    (record,) = table.records
    assert record.fate is CoupFate.COUNTED
    assert record.declared is record.outcome


@pytest.mark.clause("NY-i-1-tie")
@pytest.mark.clause("S42-j-1-tie")
def test_a_tie_cites_its_call(table, new_table) -> None:
    table.deal(f"{COMPLETE}; result tie")
    assert table.last.clauses == ("S42-j-1-final", "S42-j-1-tie")
    york = new_table(f"{OPENED}; {COMPLETE}; result tie", profile="ny-mini")
    assert york.last.clauses == ("NY-i-1-final", "NY-i-1-winner", "NY-i-1-tie")


PAIR_SIGNALS = {
    "P 8h; B Kc; P Kd; B Kh; result player": "signalled no pair; the cards have Banker pair",
    "P 4h; B Kc; P 4d; B Kh; result player B-pair": (
        "signalled Banker pair; the cards have Player and Banker pair"
    ),
    "P 9h; B Kc; P Kd; B Qh; result player P-pair": "signalled Player pair; the cards have no pair",
    "P 8h; B 2c; P 8d; B 5h; result banker B-pair": (
        "signalled Banker pair; the cards have Player pair"
    ),
}


@pytest.mark.parametrize("dealt", PAIR_SIGNALS)
@pytest.mark.parametrize("profile", profile_names())
def test_the_winner_stands_whatever_pairs_were_signalled(new_table, profile, dealt) -> None:
    """No rule document knows pairs as a result (D-39)."""
    observed = (ObservableFact.RESULT_BUTTON,)
    table = new_table(f"start; burn Ac: 2c; {dealt}", profile=profile, observed=observed)
    assert table.irregularities == []
    assert table.phase is Phase.BETWEEN_COUPS
    (record,) = table.records
    assert (record.fate, record.declared) == (CoupFate.COUNTED, record.outcome)
    remarks = [
        to_words(one.what) for one in table.verdicts if to_words(one.what).startswith("remark: ")
    ]
    assert remarks == [f"remark: {PAIR_SIGNALS[dealt]}"]


def test_a_correct_pair_signal_needs_no_remark(table) -> None:
    table.deal("P 4h; B Kc; P 4d; B Kh; result player P-pair B-pair")
    assert not any("remark" in to_words(one.what) for one in table.verdicts)


def test_a_wrong_pair_signal_while_suspended_is_a_remark_too(table) -> None:
    table.deal("P 9h; B Kc; P Qd; B 2h; P3 3c")
    assert table.deal("result player B-pair") == []
    assert table.decide("burn-card") == ""
    assert table.tally == (1, 0, 0, 0)


def test_a_mismatch_names_both_winners_and_counts_by_the_cards(table) -> None:
    table.deal(f"{COMPLETE}; result player P-pair B-pair")
    detail = "declared Player; the cards say Tie (7 to 7)"
    assert to_words(table.irregularities[-1].detail).endswith(detail)
    table.decide("continue")
    (record,) = table.records
    assert (record.declared, record.outcome) == ("player", "tie")
    assert record.irregular == (1,)


def test_the_right_result_pressed_after_a_wrong_one_is_held_for_the_decision(table) -> None:
    table.deal(f"{COMPLETE}; result player; result tie")
    assert isinstance(table.last, Accepted)
    assert table.records == []
    table.decide("continue")
    assert [record.declared for record in table.records] == ["tie"]


def test_a_missing_card_drawn_after_the_decision_needs_a_new_result(table) -> None:
    table.deal("P 2h; B 2c; P Kd; B Kh; result tie")
    table.decide("continue")
    assert table.shoe.coup.declared is None
    assert table.deal("P3 6d; B3 Qh; result player") == []


def test_a_missing_card_drawn_before_the_decision_needs_a_new_result_too(table) -> None:
    table.deal("P 2h; B 2c; P Kd; B Kh; result tie; P3 6d; B3 Qh")
    assert table.resumes_to is Phase.RESULT
    table.decide("continue take-over")
    assert table.phase is Phase.RESULT
    assert table.records == []
    assert table.deal("result player") == []


@pytest.mark.parametrize("words", NO_COUP)
def test_a_result_that_belongs_to_no_coup_of_this_shoe_is_set_aside(new_table, words) -> None:
    table = new_table(words)
    state = table.state
    assert table.deal("result tie") == []
    assert table.state == state


# --- forced exit --------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [*NO_COUP, OPENED, f"{OPENED}; no more bets"])
def test_a_forced_exit_without_a_coup_leaves_nothing(new_table, words) -> None:
    table = new_table(words)
    state = table.state
    assert table.deal("forced exit") == []
    assert table.state == state


def test_the_dealer_clears_the_shoe_by_forced_exit_after_a_void_coup(table) -> None:
    table.deal("P 7h; B 2c; P2 3d; P 4d")
    table.decide("void-coup take-over")
    assert table.deal("forced exit; stand-by") == []
    assert table.deal(f"{COMPLETE}; result tie") == []
    assert table.tally == (0, 0, 1, 1)


def test_a_coup_left_by_forced_exit_can_continue(table) -> None:
    table.deal("P 7h; B 7c; forced exit")
    table.decide("continue")
    assert table.deal("P2 Kd; B2 Kh; result tie") == []
    assert table.tally == (0, 0, 1, 0)


def test_a_forced_exit_from_a_partial_coup(table) -> None:
    table.deal("P 7h; lost 2")
    assert table.deal("forced exit") == ["FORCED_EXIT"]
    table.decide("void-coup")
    assert table.tally == (0, 0, 0, 1)


# --- without a declared result ------------------------------------------------------------------


def test_stand_by_ends_a_coup_where_nothing_reports_results(table) -> None:
    table.deal(COMPLETE)
    assert table.deal("stand-by") == []
    (record,) = table.records
    assert (record.declared, record.outcome) == (None, "tie")


def test_stand_by_does_not_end_it_where_results_are_reported(new_table) -> None:
    table = new_table(f"{OPENED}; {COMPLETE}; stand-by", observed=(ObservableFact.RESULT_BUTTON,))
    assert table.phase is Phase.RESULT


@pytest.mark.parametrize(
    "words", [*NO_COUP, OPENED, f"{OPENED}; P 7h", f"{OPENED}; P 7h; B 2c; P Kd; B Kh"]
)
def test_stand_by_changes_nothing_else(new_table, words) -> None:
    table = new_table(words)
    state = table.state
    assert table.deal("stand-by") == []
    assert table.state == state


def test_stand_by_does_not_end_a_coup_left_by_forced_exit(table) -> None:
    table.deal(f"{COMPLETE}; forced exit; stand-by")
    assert table.shoe.coup is not None
    table.decide("void-coup")
    assert table.tally == (0, 0, 0, 1)


def test_the_next_first_card_ends_a_coup_by_its_cards(table) -> None:
    assert table.deal(f"{COMPLETE}; P1 9h") == []
    assert [record.outcome for record in table.records] == ["tie"]
    assert table.shoe.coup.number == 2


def test_where_results_are_reported_that_is_an_irregularity_of_the_coup_before(new_table) -> None:
    table = new_table(f"{OPENED}; {COMPLETE}", observed=(ObservableFact.RESULT_BUTTON,))
    assert table.deal("P1 9h") == ["RESULT_NOT_DECLARED"]
    assert table.irregularities[-1].coup == 1
    assert table.records[0].irregular == (1,)
    assert table.shoe.coup.number == 2


def test_a_result_declared_and_disputed_is_no_missing_result(new_table) -> None:
    table = new_table(
        f"{OPENED}; {COMPLETE}; result player", observed=(ObservableFact.RESULT_BUTTON,)
    )
    assert table.deal("P1 9h") == ["DEALT_WHILE_SUSPENDED"]
