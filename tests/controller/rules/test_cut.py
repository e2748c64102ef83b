"""The cut card: coups left, and its depth."""

import pytest

from controller.rules.cut import cards_behind, coups_left_after_cut, is_deep_enough
from controller.rules.setting_values import CutRoundStart

CURRENT, LAST = CutRoundStart.CURRENT_COUP, CutRoundStart.LAST_COUP


@pytest.mark.parametrize("setting", [CURRENT, LAST])
def test_a_cut_card_within_a_coup_leaves_one_more_coup(setting: CutRoundStart) -> None:
    assert coups_left_after_cut(False, setting, rounds_after_cut_round=1) == 2


@pytest.mark.parametrize(
    ("at_coup_start", "setting", "rounds_after", "left"),
    [
        (False, CURRENT, 0, 1),
        (False, CURRENT, 2, 3),
        (False, LAST, 0, 1),
        (False, LAST, 2, 3),
        (True, CURRENT, 0, 1),
        (True, CURRENT, 1, 2),
        (True, CURRENT, 2, 3),
        (True, LAST, 0, 1),
        (True, LAST, 1, 1),
        (True, LAST, 2, 1),
    ],
)
def test_a_cut_card_between_coups_follows_the_profile(
    at_coup_start: bool, setting: CutRoundStart, rounds_after: int, left: int
) -> None:
    assert coups_left_after_cut(at_coup_start, setting, rounds_after) == left


@pytest.mark.parametrize(
    ("total", "drawn", "behind"), [(416, 402, 14), (416, 0, 416), (416, 416, 0), (416, 420, 0)]
)
def test_cards_behind_the_cut_card_are_the_undrawn_cards(
    total: int, drawn: int, behind: int
) -> None:
    assert cards_behind(total, drawn) == behind


@pytest.mark.parametrize(("behind", "good"), [(15, True), (14, True), (13, False), (0, False)])
def test_the_cut_card_is_at_least_fourteen_cards_from_the_back(behind: int, good: bool) -> None:
    assert is_deep_enough(behind, min_from_back=14) is good
