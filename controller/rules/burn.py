"""How many cards are burned before play.

Responsible for: the number of cards owed after the first card of a shoe.
Not responsible for: counting them off and for who sees them (profile, procedure).
Source: NY-e-1 to NY-e-3; S42-e-6-burn1, S42-e-6-burnn, S42-e-6-value.
"""

from typing import assert_never

from controller.rules.cards import Card, burn_value
from controller.rules.setting_values import BurnMode


def burn_owed(first: Card, mode: BurnMode, fixed: int = 0) -> int:
    """Cards to burn after `first`; `first` is burned too, so 1 + this leave the shoe.

    By its value 1..10; by a fixed number (of cards in all) what is left of it.
    """
    match mode:
        case BurnMode.FIRST_CARD_VALUE:
            return burn_value(first)
        case BurnMode.FIXED:
            assert fixed > 0, "a fixed burn has at least one card"
            return fixed - 1
        case BurnMode.NONE:
            return 0
        case _:
            assert_never(mode)
