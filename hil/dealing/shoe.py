"""Simulates the physical shoe: a seeded shuffle, the cut cards, and what comes out next.

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


class EmptyShoeError(Exception):
    """Neither a card nor a cut card is left."""


@dataclass(frozen=True, slots=True)
class Loading:
    """One loading of the shoe, front first. The cut card has `cut_from_back` cards behind it."""

    cards: tuple[Card, ...]
    cut_from_back: int

    def slots(self) -> tuple[Slot, ...]:
        """The cards and cut cards in the shoe, in the order they come out."""
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
    """Yields one slot after the other."""

    def __init__(self, loading: Loading) -> None:
        self._slots = loading.slots()
        self._drawn = 0

    @property
    def cards_left(self) -> int:
        """How many playing cards are left."""
        return sum(isinstance(slot, Card) for slot in self._slots[self._drawn :])

    def next(self) -> Slot:
        """The next card or cut card. Raises ShoeEmpty."""
        if self._drawn == len(self._slots):
            raise EmptyShoeError("the shoe is empty")
        slot = self._slots[self._drawn]
        self._drawn += 1
        return slot
