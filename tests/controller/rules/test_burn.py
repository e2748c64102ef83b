"""The burn: how many cards after the first."""

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
def test_as_many_more_cards_as_the_first_cards_amount(rank: str, owed: int) -> None:
    for suit in "dcsh":
        assert burn_owed(Card.parse(rank + suit), BurnMode.FIRST_CARD_VALUE) == owed


def test_a_fixed_burn_counts_its_first_card() -> None:
    assert burn_owed(Card.parse("7h"), BurnMode.FIXED, fixed=5) == 4


def test_without_a_burn_nothing_is_owed() -> None:
    assert burn_owed(Card.parse("7h"), BurnMode.NONE) == 0


def test_a_fixed_burn_of_one_card_is_over_with_the_first() -> None:
    assert burn_owed(Card.parse("7h"), BurnMode.FIXED, fixed=1) == 0


def test_a_fixed_burn_of_no_card_is_a_programmers_error() -> None:
    with pytest.raises(AssertionError, match=r"^a fixed burn has at least one card"):
        burn_owed(Card.parse("7h"), BurnMode.FIXED)


def test_no_other_way_to_burn_is_passed_over() -> None:
    with pytest.raises(AssertionError, match="another"):
        burn_owed(Card.parse("7h"), cast("BurnMode", "another"))
