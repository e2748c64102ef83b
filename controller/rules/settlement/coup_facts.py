"""The facts of a finished coup that decide every wager.

Not: cards drawn in error, which belong to no hand and never count (F-27).
Source: NY-b-1-i-a to NY-b-1-vi-b, NJ-3.2-a-4-basis, NJ-7.2-a-4-basis; F-12 (dragon 7, panda 8),
F-29 (natural).
"""

from msgspec import Struct

from controller.rules.coup import Cards, hands, is_complete
from controller.rules.hands import HandName, point_count


class CoupFacts(Struct, frozen=True):
    """Final counts 0..9 and cards 2..3 of each hand."""

    player_count: int
    banker_count: int
    player_cards: int
    banker_cards: int

    @property
    def cards(self) -> int:
        """Number of cards of both hands, 4..6."""
        return self.player_cards + self.banker_cards

    @property
    def dragon_7(self) -> bool:
        """Banker wins with exactly three cards that count 7."""
        three_count_7 = self.banker_cards == 3 and self.banker_count == 7
        return three_count_7 and self.player_count < 7

    @property
    def panda_8(self) -> bool:
        """Player wins with exactly three cards that count 8."""
        three_count_8 = self.player_cards == 3 and self.player_count == 8
        return three_count_8 and self.banker_count < 8

    def natural(self, hand: HandName) -> bool:
        """Eight or nine on two cards."""
        if hand is HandName.PLAYER:
            return self.player_cards == 2 and self.player_count >= 8
        return self.banker_cards == 2 and self.banker_count >= 8

    def count(self, hand: HandName) -> int:
        return self.player_count if hand is HandName.PLAYER else self.banker_count


def derive_facts(cards: Cards) -> CoupFacts:
    """The facts of a complete coup from its cards in drawing order."""
    assert is_complete(cards), "a coup that still needs cards pays nothing"
    both = hands(cards)
    return CoupFacts(
        player_count=point_count(both.player),
        banker_count=point_count(both.banker),
        player_cards=len(both.player),
        banker_cards=len(both.banker),
    )
