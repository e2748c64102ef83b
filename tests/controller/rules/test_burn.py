"""The number of burn cards."""

from typing import cast

import pytest

from controller.rules.burn import burn_owed
from controller.rules.cards import Card
from controller.rules.setting_values import BurnMode


@pytest.mark.parametrize(
    ("rank", "owed"),
    [
        ("A", 1),
        ("2", 2),
        ("3", 3),
        ("4", 4),
        ("5", 5),
        ("6", 6),
        ("7", 7),
        ("8", 8),
        ("9", 9),
        ("10", 10),
        ("J", 10),
        ("Q", 10),
        ("K", 10),
    ],
)
def test_the_burn_count_is_the_value_of_the_first_card(rank: str, owed: int) -> None:
    for suit in "dcsh":
        assert burn_owed(Card.parse(rank + suit), BurnMode.FIRST_CARD_VALUE) == owed


def test_a_fixed_burn_counts_its_first_card() -> None:
    assert burn_owed(Card.parse("7h"), BurnMode.FIXED, fixed=5) == 4


def test_without_a_burn_no_card_is_owed() -> None:
    assert burn_owed(Card.parse("7h"), BurnMode.NONE) == 0


def test_a_fixed_burn_of_one_card_is_complete_with_the_first() -> None:
    assert burn_owed(Card.parse("7h"), BurnMode.FIXED, fixed=1) == 0


def test_a_fixed_burn_of_zero_cards_fails() -> None:
    with pytest.raises(AssertionError, match=r"^a fixed burn has at least one card"):
        burn_owed(Card.parse("7h"), BurnMode.FIXED)


def test_an_unknown_burn_mode_fails() -> None:
    with pytest.raises(AssertionError, match="another"):
        burn_owed(Card.parse("7h"), cast("BurnMode", "another"))
