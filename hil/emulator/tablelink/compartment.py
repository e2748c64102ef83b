"""One compartment of an emulated shuffler: the cards in it and what its sensors make of them.

Responsible for: the states of a compartment, the pieces of plastic in it, counting and reading
them, shuffling and sorting them.
Not responsible for: when that is done and what is told of it (shuffler).
Source: wire document of TableLink/1, events COMPARTMENT and BATCH_DONE.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import IntEnum
from random import Random

from hil.dealing.cards import PhysicalCard, Suit
from hil.emulator.tablelink.cbor import Map, Value
from hil.emulator.tablelink.wire import Ask

SEVERAL_BACKS = "mixed"
RANKS = range(1, 14)


class Holding(IntEnum):
    """What a compartment does with its batch."""

    EMPTY = 0
    LOADING = 1
    COUNTED = 2
    SHUFFLING = 3
    SHUFFLED = 4
    STORED = 5
    RELEASED = 6
    HELD = 7


class Mode(IntEnum):
    PLAY = 0
    SERVICE = 1
    SORT = 2
    TEST = 3


class Breaking(IntEnum):
    """Why a shuffle is broken off."""

    JAM = 1
    POWER = 2
    DOOR = 3
    PERSON = 4
    FAULT = 5


class Result(IntEnum):
    """What the check of a shuffle gave."""

    GOOD = 1
    COUNT_DIFFERS = 2
    FACES_DIFFER = 3
    UNVERIFIED = 4


@dataclass(frozen=True, slots=True)
class Standing:
    """What the machine knows of a compartment. `cycle` is of its last shuffle, 0: none."""

    holding: Holding = Holding.EMPTY
    cards: int | None = None
    back: str = ""
    faces: bytes = b""
    cycle: int = 0

    @property
    def kept(self) -> Value:
        """As memory keeps it."""
        return int(self.holding), self.cards, self.back, self.faces, self.cycle

    def told(self, compartment: int) -> Map:
        """The body of COMPARTMENT."""
        body: Map = {1: compartment, 2: int(self.holding)}
        if self.cards is not None:
            body[3] = self.cards
        if self.back:
            body[4] = self.back
        if self.faces:
            body[5] = self.faces
        return body

    def now(self, holding: Holding) -> "Standing":
        """The same cards, further on."""
        return replace(self, holding=holding)


def standing_of(kept: Value) -> Standing:
    """What memory kept."""
    match kept:
        case (int(holding), int() | None as cards, str(back), bytes(faces), int(cycle)):
            return Standing(Holding(holding), cards, back, faces, cycle)
        case _:
            return Standing()


@dataclass(frozen=True, slots=True)
class Operation:
    """Something under way until `ends_ns`. `began_us` is the uptime at its beginning."""

    ask: Ask
    ends_ns: int
    began_us: int
    sorting: bool = False


@dataclass(slots=True)
class Bay:
    """`pieces` from the one that would leave first. `stuck` lie where none may be.

    Reading needs an eye: a blind machine sees how many there are, and their backs.
    """

    reading: bool
    pieces: list[PhysicalCard] = field(default_factory=list)
    stuck: list[PhysicalCard] = field(default_factory=list)
    door_open: bool = False
    jammed: bool = False
    operation: Operation | None = None

    def sensed(self) -> Standing:
        """What counting gives."""
        backs = sorted({piece.back for piece in self.pieces})
        back = backs[0] if len(backs) == 1 else SEVERAL_BACKS if backs else ""
        faces = faces_of(self.pieces) if self.reading else b""
        return Standing(Holding.COUNTED, len(self.pieces), back, faces)

    def shuffle(self, source: Random) -> None:
        """Into an order nobody knows."""
        source.shuffle(self.pieces)

    def shuffle_part(self, source: Random) -> None:
        """What a shuffle has done when it is broken off."""
        half = len(self.pieces) // 2
        part = self.pieces[:half]
        source.shuffle(part)
        self.pieces[:half] = part

    def sort(self) -> None:
        """Into the order of new decks."""
        suits = tuple(Suit)

        def place(piece: PhysicalCard) -> tuple[str, int, int, int]:
            if piece.card is None:
                return piece.back, 0, 0, 0
            return piece.back, piece.deck, suits.index(piece.card.suit), piece.card.rank

        self.pieces.sort(key=place)

    def take_out(self, count: int) -> tuple[PhysicalCard, ...]:
        """The last so many."""
        kept = max(len(self.pieces) - count, 0)
        out = tuple(self.pieces[kept:])
        del self.pieces[kept:]
        return out


def faces_of(pieces: list[PhysicalCard]) -> bytes:
    """How many of each face: suit by suit, ace to king. A card that has none is in none."""
    seen = Counter((one.card.suit, one.card.rank) for one in pieces if one.card is not None)
    return bytes(seen[suit, rank] for suit in Suit for rank in RANKS)
