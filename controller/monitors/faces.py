"""Faces as small numbers: 0 to 51, suit by suit; a byte string is the cards of a shoe in order."""

from typing import Final

from controller.rules.cards import Card

SUITS: Final = "SHDC"
RANKS: Final = 13
FACES: Final = 52
# Stands in a byte string where cards left the shoe unseen.
GAP: Final = 255
# Eight decks are the most that a rule document allows; one byte holds their number.
DECKS_MAX: Final = 8


def face_of(card: Card) -> int:
    """The number of a face: 13 times its suit's place in `SUITS`, plus its rank less one."""
    return SUITS.find(card.suit) * RANKS + card.rank - 1
