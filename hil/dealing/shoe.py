"""The physical shoe: shuffled cards in a row, with cut cards between them.

Responsible for: a seeded shuffle, where the cut cards lie, and what comes out next.
Not responsible for: what the dealer does with it (dealer).
Source: clauses S42-a-1-decks, S42-e-6-first (14 from the back), S42-e-6-second.
"""

from dataclasses import dataclass
from enum import Enum, auto
from random import Random
from typing import TypeAlias

from hil.dealing.cards import Card, decks

CUT_FROM_BACK_MIN = 14
CUT_FROM_BACK_MAX = 30


class CutCardKind(Enum):
    FIRST = auto()
    END = auto()


Slot: TypeAlias = Card | CutCardKind


class ShoeEmpty(Exception):
    """Not even a cut card is left."""


@dataclass(frozen=True, slots=True)
class Loading:
    """One loading of the shoe, front first. The cut card has `cut_from_back` cards behind it."""

    cards: tuple[Card, ...]
    cut_from_back: int

    def slots(self) -> tuple[Slot, ...]:
        """All that lies in the shoe, in the order it comes out."""
        front = len(self.cards) - self.cut_from_back
        return (
            *self.cards[:front],
            CutCardKind.FIRST,
            *self.cards[front:],
            CutCardKind.END,
        )


def shuffled_loading(seed: int, number: int, deck_count: int) -> Loading:
    """The `number`-th loading of a seed: equal arguments give equal cards and an equal cut."""
    source = Random(f"loading:{seed}:{number}")  # noqa: S311 - reproducible, not secret
    cards = list(decks(deck_count))
    source.shuffle(cards)
    return Loading(tuple(cards), source.randint(CUT_FROM_BACK_MIN, CUT_FROM_BACK_MAX))


class PhysicalShoe:
    """Gives out one slot after the other."""

    def __init__(self, loading: Loading) -> None:
        self._slots = loading.slots()
        self._given = 0

    @property
    def cards_left(self) -> int:
        """Playing cards still inside."""
        return sum(isinstance(slot, Card) for slot in self._slots[self._given :])

    def next(self) -> Slot:
        """What comes out next. Raises ShoeEmpty."""
        if self._given == len(self._slots):
            raise ShoeEmpty("the shoe is empty")
        slot = self._slots[self._given]
        self._given += 1
        return slot
