"""Defines the bench's playing cards, and physical cards with a back and an RFID chip.

Source: clauses NY-e-3 (burn value), S42-e-6-value; the deck number distinguishes equal faces.
"""

from dataclasses import dataclass
from enum import StrEnum

RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


class Suit(StrEnum):
    DIAMOND = "D"
    CLUB = "C"
    SPADE = "S"
    HEART = "H"


@dataclass(frozen=True, slots=True)
class Card:
    """One physical card; `rank` runs from 1 (ace) to 13 (king), `deck` counts from 1."""

    rank: int
    suit: Suit
    deck: int = 1

    @property
    def value(self) -> int:
        """Its value in a hand: 0 to 9."""
        return self.rank if self.rank < 10 else 0

    @property
    def burn_value(self) -> int:
        """How many cards it burns as first burn card: 1 to 10."""
        return min(self.rank, 10)

    def __str__(self) -> str:
        return RANK_NAMES[self.rank - 1] + self.suit.value


@dataclass(frozen=True, slots=True)
class PhysicalCard:
    """One physical card. `card` None: a cut card. `tag` is its chip's identity, in hex."""

    card: Card | None
    back: str
    tag: str

    @property
    def deck(self) -> int:
        """The number of its deck; 0 for a cut card."""
        return 0 if self.card is None else self.card.deck

    def __str__(self) -> str:
        return f"{self.back} {'cut card' if self.card is None else self.card}"


def card_named(name: str, deck: int = 1) -> Card:
    """Parse a short name such as `10H` or `AS`. Raises ValueError for anything else."""
    return Card(RANK_NAMES.index(name[:-1]) + 1, Suit(name[-1:]), deck)


def decks(count: int) -> tuple[Card, ...]:
    """`count` decks of 52 cards in factory order."""
    return tuple(
        Card(rank, suit, deck)
        for deck in range(1, count + 1)
        for suit in Suit
        for rank in range(1, 14)
    )
