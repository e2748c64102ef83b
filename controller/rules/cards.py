"""The 52 cards: spelling, point value, burn value, and the cards that a first card burns.

Source: NY-a-4-ii-a to c, S42-a-2-i to iii (point value); NY-e-1 to NY-e-3, S42-e-6-value,
S42-e-6-burn1, S42-e-6-burnn (burn).
"""

from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final, assert_never

from msgspec import Struct

from controller.rules.setting_values import BurnMode


class Rank(IntEnum):
    ACE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13


class Suit(StrEnum):
    DIAMOND = "D"
    CLUB = "C"
    SPADE = "S"
    HEART = "H"


# What stands for a suit wherever a card is stored as a number, and its order in the counts that a
# shuffler reports: never change or reuse one.
SUIT_NUMBERS: Final = MappingProxyType(
    {Suit.DIAMOND: 0, Suit.CLUB: 1, Suit.SPADE: 2, Suit.HEART: 3}
)
_RANKS: Final = 13
_RANK_TEXTS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_RANK_BY_TEXT = MappingProxyType(dict(zip(_RANK_TEXTS, Rank, strict=True)))
_SUIT_BY_TEXT = MappingProxyType({suit.value.lower(): suit for suit in Suit})


class Card(Struct, frozen=True):
    """One face. Its text is rank then suit in lower case: `7h`, `10d`, `Qs`, `Ac`."""

    rank: Rank
    suit: Suit

    def __str__(self) -> str:
        return _RANK_TEXTS[self.rank - 1] + self.suit.value.lower()

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Read the spelling that `str(card)` writes; raises ValueError with the allowed form."""
        rank = _RANK_BY_TEXT.get(text[:-1])
        suit = _SUIT_BY_TEXT.get(text[-1:])
        if rank is None or suit is None:
            raise ValueError(
                f"{text!r} is not a card; a card is a rank ({', '.join(_RANK_TEXTS)}) "
                f"followed by a suit ({', '.join(_SUIT_BY_TEXT)}), such as 7h, 10d or Qs"
            )
        return cls(rank, suit)


# By face number: suit by suit, each from ace to king.
FACES: Final = tuple(
    Card(Rank(rank), suit)
    for suit in sorted(SUIT_NUMBERS, key=SUIT_NUMBERS.__getitem__)
    for rank in range(1, _RANKS + 1)
)


def face_number(card: Card) -> int:
    """The number of a card's face, 0 to 51: its place in FACES."""
    return _RANKS * SUIT_NUMBERS[card.suit] + card.rank - 1


# By rank; there is no rank 0.
POINT_VALUES: Final = tuple(rank if rank < Rank.TEN else 0 for rank in range(Rank.KING + 1))


def point_value(card: Card) -> int:
    """Value in a hand, 0..9: ace 1, ten and faces 0 (NY-a-4-ii-a to c, S42-a-2-i to iii)."""
    return POINT_VALUES[card.rank]


def burn_value(card: Card) -> int:
    """Value for burning, 1..10: ace 1, ten and faces 10 (NY-e-3, S42-e-6-value)."""
    return int(min(card.rank, Rank.TEN))


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
