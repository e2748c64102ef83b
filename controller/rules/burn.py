"""The number of cards burned after the first card of a shoe.

Source: NY-e-1 to NY-e-3; S42-e-6-burn1, S42-e-6-burnn, S42-e-6-value.
"""

from typing import assert_never

from controller.rules.cards import Card, burn_value
from controller.rules.setting_values import BurnMode


def burn_owed(first: Card, mode: BurnMode, fixed: int = 0) -> int:
    """Cards to burn after `first`, which is burned too: 1 + this number leave the shoe.

    By value 1..10, or the rest of a fixed total.
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
