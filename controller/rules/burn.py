"""How many cards are burned before play.

Responsible for: the number of cards owed after the first card of a shoe.
Not responsible for: counting them off and for who sees them (profile, procedure).
Source: NY-e-1 to NY-e-3; S42-e-6-burn1, S42-e-6-burnn, S42-e-6-value.
"""

from enum import StrEnum
from typing import assert_never

from controller.rules.cards import Card, burn_value


class BurnMode(StrEnum):
    FIRST_CARD_VALUE = "first_card_value"


def burn_owed(first: Card, mode: BurnMode) -> int:
    """Cards to burn after `first`, 1..10; `first` is burned too, so 1 + this leave the shoe."""
    match mode:
        case BurnMode.FIRST_CARD_VALUE:
            return burn_value(first)
        case _:
            assert_never(mode)
