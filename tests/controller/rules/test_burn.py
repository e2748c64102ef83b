"""The burn: how many cards after the first."""

from typing import cast

import pytest

from controller.rules.burn import burn_owed
from controller.rules.cards import Card
from controller.rules.words import BurnMode


@pytest.mark.clause("NY-e-2")
@pytest.mark.clause("S42-e-6-burnn")
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


def test_a_mode_of_burning_that_nobody_built_is_a_programmers_error() -> None:
    with pytest.raises(AssertionError):
        burn_owed(Card.parse("7h"), cast("BurnMode", "none"))
