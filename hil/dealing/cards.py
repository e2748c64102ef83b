"""Cards as pieces of plastic: what is printed on them and which deck they came from.

Responsible for: the card value, its two values (in a hand and in the burn) and its short name; the
piece of plastic with a back and a chip.
Not responsible for: the order of cards in a shoe (shoe), hands (tableau) and the cards of a batch
(tags).
Source: clauses NY-e-3 (burn value), S42-e-6-value; the deck number only tells twins apart.
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
        """What it counts in a hand: 0 to 9."""
        return self.rank if self.rank < 10 else 0

    @property
    def burn_value(self) -> int:
        """How many cards it burns: 1 to 10."""
        return min(self.rank, 10)

    def __str__(self) -> str:
        return RANK_NAMES[self.rank - 1] + self.suit.value


@dataclass(frozen=True, slots=True)
class PhysicalCard:
    """One piece of plastic. `card` None: a cut card. `tag` is what its chip answers, in hex."""

    card: Card | None
    back: str
    tag: str

    @property
    def deck(self) -> int:
        """The deck it came with; 0 for a cut card, which is of none."""
        return 0 if self.card is None else self.card.deck

    def __str__(self) -> str:
        return f"{self.back} {'cut card' if self.card is None else self.card}"


def card_named(name: str, deck: int = 1) -> Card:
    """The card of a short name such as `10H` or `AS`. Raises ValueError for anything else."""
    return Card(RANK_NAMES.index(name[:-1]) + 1, Suit(name[-1:]), deck)


def decks(count: int) -> tuple[Card, ...]:
    """`count` decks of 52 cards in factory order."""
    return tuple(
        Card(rank, suit, deck)
        for deck in range(1, count + 1)
        for suit in Suit
        for rank in range(1, 14)
    )
