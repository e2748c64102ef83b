"""Two lawful explanations of the shoe's claim after a card found face up left a hand.

Source: S42 (g)(3), (k)(3); D-13, D-16.
"""

import pytest

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
