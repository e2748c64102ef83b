"""One hand: point count, natural, pair.

Source: NY-a-4-iii-sum, NY-a-4-iii-digit, S42-a-3 (point count); NY-h-1, S42-i-1 (natural).
"""

from collections.abc import Sequence
from enum import StrEnum

from controller.rules.cards import POINT_VALUES, Card

NATURAL_COUNTS = (8, 9)


class HandName(StrEnum):
    PLAYER = "player"
    BANKER = "banker"


def point_count(cards: Sequence[Card]) -> int:
    """Last digit of the sum of the point values, 0..9 (NY-a-4-iii-digit, S42-a-3)."""
    total = 0
    for card in cards:
        total += POINT_VALUES[card.rank]
    return total % 10


def is_natural(cards: Sequence[Card]) -> bool:
    """Eight or nine on exactly two cards (NY-h-1, S42-i-1)."""
    return len(cards) == 2 and point_count(cards) in NATURAL_COUNTS


def is_pair(cards: Sequence[Card]) -> bool:
    """The first two cards are of equal rank: Q Q is a pair, Q K is not.

    A house statistic, not a rule of either source. False with fewer than two cards.
    """
    return len(cards) >= 2 and cards[0].rank == cards[1].rank
