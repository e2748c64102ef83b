"""Two lawful explanations of the shoe's claim, once its own count is not the order of drawing.

Source: S42 (g)(3), (k)(1)-(3); D-11, D-13, D-16.
"""

import pytest

from controller.procedure.phases import BEFORE_A_COUP, Phase

OPENED = "start; burn Ac: 2d; P1 5h; B1 Ad; found face up; resolve continue; burned 2c"


@pytest.mark.clause("S42-k-3-unused")
@pytest.mark.parametrize(
    "claims",
    [
        "B1 Kh; P2 3h; B2 4s",  # by the order of drawing
        "P2 Kh; B2 3h; P3 4s",  # by the shoe's count of all cards and its third-card rule
        "B2 Kh; P2 3h; B3 4s",  # by its count of each hand
        "forced exit; P1 Kh; B1 3h; P2 4s",
    ],
)
def test_a_claim_with_either_explanation_is_in_order(new_table, claims) -> None:
    table = new_table(OPENED)
    assert table.deal(f"{claims}; result player") == []
    assert [str(one.card) for one in table.records[0].cards] == ["5h", "Kh", "3h", "4s"]


@pytest.mark.parametrize("claims", ["P1 Kh", "P3 Kh", "B3 Kh", "B1 Kh; B3 3h"])
def test_any_other_claim_differs(new_table, claims) -> None:
    table = new_table(OPENED)
    assert table.deal(claims) == ["CLAIM_DIFFERS"]


def test_a_shoe_whose_count_is_complete_begins_its_next_coup_early(new_table) -> None:
    table = new_table(
        "start; burn Ac: 2d; P1 4h; B1 2d; found face up; resolve continue; burned 2c; burned 3c"
    )
    # The shoe counts 4h and 5s, a natural, at its fourth card.
    assert table.deal("P2 5s; B2 Kh; P1 2h") == []
    assert table.phase.value == "player_3"


def test_without_a_card_taken_out_a_claim_is_judged_as_before(new_table) -> None:
    table = new_table("start; burn Ac: 2d; P1 5h")
    assert table.deal("P2 Ad") == ["CLAIM_DIFFERS"]


# --- a coup that was left, and goes on -----------------------------------------------------------

BOTH_DRAW = "start; burn Ac: 2c; P 4h; B 5s; P Kd; B Qc"
BANKER_DRAWS = "start; burn Ac: 2c; P 6h; B 5s; P Kd; B Qc"


@pytest.mark.parametrize("left", ["result banker", "forced exit"])
@pytest.mark.parametrize(
    ("dealt", "claims"),
    [
        (BOTH_DRAW, "P1 6c; B1 2d"),  # by the shoe's new count
        (BOTH_DRAW, "P3 6c; B3 2d"),  # by the order of drawing
        (BOTH_DRAW, "P1 6c; B3 2d"),
        (BANKER_DRAWS, "P1 2d"),
        (BANKER_DRAWS, "B1 2d"),
        (BANKER_DRAWS, "B3 2d"),
        ("start; burn Ac: 2c; P 4h; B 6s; P Kd", "P1 Qc; B1 8c"),
    ],
)
def test_the_missing_card_is_claimed_by_the_new_count(new_table, left, dealt, claims) -> None:
    """After its result, or its forced exit, the shoe counts a hand from the beginning again."""
    table = new_table(dealt)
    table.deal(f"{left}; resolve continue")
    assert table.deal(claims) == []
    assert table.phase is Phase.RESULT


@pytest.mark.parametrize("left", ["result banker", "forced exit"])
@pytest.mark.parametrize("claims", ["B1 6c", "P2 6c", "B3 6c", "P1 6c; B2 2d", "P3 6c; P1 2d"])
def test_a_claim_that_the_new_count_does_not_explain_differs(new_table, left, claims) -> None:
    table = new_table(f"{BOTH_DRAW}; {left}; resolve continue")
    assert table.deal(claims) == ["CLAIM_DIFFERS"]


def test_every_early_result_begins_the_count_again(new_table) -> None:
    table = new_table(f"{BOTH_DRAW}; result banker; resolve continue; P1 6c")
    assert table.deal("result banker; resolve continue") == ["MISSING_CARD"]
    assert table.deal("P1 2d; result banker") == []
    assert table.deal("P1 7h; B1 8c; P2 Kd; B2 Kh; result banker") == []


def test_a_coup_left_again_by_the_forced_exit_is_that_irregularity(new_table) -> None:
    table = new_table(f"{BOTH_DRAW}; result banker; resolve continue")
    assert table.deal("forced exit") == ["FORCED_EXIT"]


# --- cards of a burn that the shoe claims for a hand ---------------------------------------------

BURN_CLAIMED = "start; burn Ac: 2d; P1 5h; B1 Ad; found face up; resolve continue; P2 2c"


@pytest.mark.clause("S42-k-3-extra")
@pytest.mark.parametrize(
    "claims",
    [
        "B1 Kh; P2 3h; B2 4s",  # by the order of drawing
        "B2 Kh; P3 3h; P1 4s",  # by its count of all cards: complete with the fifth
        "B2 Kh; P3 3h; B3 4s",  # by its count of each hand
        "forced exit; P1 Kh; B1 3h; P2 4s",
    ],
)
def test_a_burn_card_claimed_for_a_hand_is_in_the_shoes_own_count(new_table, claims) -> None:
    table = new_table(BURN_CLAIMED)
    assert table.deal(f"{claims}; result player") == []
    assert [str(one.card) for one in table.records[0].cards] == ["5h", "Kh", "3h", "4s"]


@pytest.mark.parametrize("claims", ["P1 Kh", "P2 Kh", "P3 Kh", "B3 Kh"])
def test_any_other_claim_after_it_differs(new_table, claims) -> None:
    assert new_table(BURN_CLAIMED).deal(claims) == ["CLAIM_DIFFERS"]


def test_a_burn_card_claimed_as_one_is_not(new_table) -> None:
    table = new_table(BURN_CLAIMED.replace("P2 2c", "burned 2c"))
    assert table.deal("B2 Kh; P3 3h") == ["CLAIM_DIFFERS"]


def test_so_is_one_of_a_burn_whose_number_is_not_known(new_table) -> None:
    table = new_table("start; burn Ac: 2c; out ??; resolve burn-card; burned 3d")
    assert table.deal("P1 4d") == []
    table = new_table("start; burn Ac: 2c; P1 5h; B1 6d; found face up; resolve continue")
    table.deal("B1 2c; P2 3c; B2 4c; burned 5c; burned 6c; burned 7c")
    assert table.shoe.coup.shoe_cards is not None


# --- the first card of a hand --------------------------------------------------------------------

EARLY = "P1 4h; B1 2d; found face up; resolve continue; burned 2c; burned 3c"
FIRST_BY_COUNT = {
    "burned with one drawn in error": ("out 2s; P1 9s; B1 2c; resolve burn-card take-over", "P2"),
    "burned before the decision's coup": ("out Ac; P1 9s; resolve burn-card take-over", "B1"),
    "void while one waited": ("out 2s; P1 9s; resolve burn-card void; burned 3c; burned 4c", "B1"),
    "burned after the decision": ("out Ac; resolve burn-card; P1 9s; resolve continue", "B1"),
    "a whole hand was burned": (
        *("out 4c; P1 2s; B1 2c; P2 Kd; B2 Kh; resolve burn-card take-over", "P3"),
    ),
    "a void coup": ("P1 9s; B1 ??; resolve void-coup", "P2"),
    "a stated outcome": ("P1 9s; B1 ??; resolve state-outcome tie", "P2"),
    "one fewer counted": (
        "out 4c; resolve carry-card; P1 9s; B1 4d; P2 Kd; result banker",
        "B2",
    ),
    "the next coup begun early": (f"{EARLY}; P2 5s; B2 Kh; P1 2h; B1 3s; result tie", "P2"),
}


@pytest.mark.parametrize(("words", "claim"), FIRST_BY_COUNT.values(), ids=FIRST_BY_COUNT)
def test_the_first_card_has_both_explanations(new_table, words, claim) -> None:
    for claimed in ("P1", claim):
        table = new_table(f"start; burn Ac: 2c; {words}")
        begun = table.shoe.coups_begun
        assert table.phase in BEFORE_A_COUP, table.phase
        assert table.deal(f"{claimed} 7h") == [], claimed
        assert [one.place for one in table.shoe.coup.cards] == ["player_1"]
        assert (table.shoe.coups_begun, table.phase) == (begun + 1, Phase.BANKER_1)


@pytest.mark.parametrize(("words", "claim"), FIRST_BY_COUNT.values(), ids=FIRST_BY_COUNT)
def test_any_other_claim_joins_a_coup_or_is_drawn_in_error(new_table, words, claim) -> None:
    table = new_table(f"start; burn Ac: 2c; {words}")
    assert table.shoe.shoe_count
    other = "B2" if claim != "B2" else "P2"
    assert table.deal(f"{other} 7h") == ["COUP_JOINED"]


def test_the_rest_of_that_coup_has_both_explanations_too(new_table) -> None:
    begun = "start; burn Ac: 2c; out 2s; P1 9s; B1 2c; resolve burn-card take-over; P2 7h"
    for claims in ("B1 Kh; P2 Kd; B2 7s", "B2 Kh; P3 Kd; B3 7s"):
        table = new_table(begun)
        assert table.deal(f"{claims}; result tie") == [], claims
    assert new_table(begun).deal("P3 Kh") == ["CLAIM_DIFFERS"]


def test_the_cards_taken_over_are_counted_from_the_burned_one_on(new_table) -> None:
    table = new_table("start; burn Ac: 2c; out Ac; P1 9s; B1 7h; resolve burn-card take-over")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["7h"]
    assert table.deal("P2 Kh; B2 Kd; P3 Qs") == ["CLAIM_DIFFERS"], "9s, Kh against 7h, Kd: complete"
    table = new_table("start; burn Ac: 2c; out Ac; P1 9s; B1 7h; resolve burn-card take-over")
    assert table.deal("P2 Kh; B2 Kd; P1 Qs") == []


@pytest.mark.parametrize("after", ["forced exit", "lost unproven; resolve continue", "start"])
def test_a_count_that_began_again_or_may_have_explains_nothing(new_table, after) -> None:
    table = new_table("start; burn Ac: 2c; out 2s; P1 9s; B1 2c; resolve burn-card take-over")
    table.deal(after)
    assert table.deal("P2 7h") == ["COUP_JOINED"]


def test_a_claim_for_players_first_begins_the_count_again(new_table) -> None:
    table = new_table("start; burn Ac: 2c; out 2s; P1 9s; B1 2c; resolve burn-card take-over")
    assert table.deal("P1 7h; P2 Kh") == ["CLAIM_DIFFERS"]


@pytest.mark.parametrize("doubt", ["lost 1", "forced exit"])
def test_after_a_void_coup_that_was_left_or_has_reports_missing_nothing_is_counted(
    new_table, doubt
) -> None:
    table = new_table(f"start; burn Ac: 2c; P1 9s; B1 4d; {doubt}; resolve void-coup")
    assert table.shoe.shoe_count == ()


def test_cards_of_the_burn_before_play_that_the_shoe_claims_for_a_hand(new_table) -> None:
    table = new_table("start; P1 2c; resolve continue; B1 3c; resolve continue; P2 4c")
    table.decide("continue")
    assert table.deal("B2 7h") == []
    assert table.phase is Phase.BANKER_1
