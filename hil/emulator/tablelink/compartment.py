"""Emulates a shuffler's compartment: its cards, and counting, shuffling and sorting them.

Source: wire document of TableLink/1, events COMPARTMENT and BATCH_DONE.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import IntEnum
from random import Random

from hil.dealing.cards import PhysicalCard, Suit
from hil.emulator.tablelink.cbor import Map, Value
from hil.emulator.tablelink.wire import RequestType

SEVERAL_BACKS = "mixed"
RANKS = range(1, 14)


class CompartmentPhase(IntEnum):
    """The state of a compartment."""

    EMPTY = 0
    LOADING = 1
    COUNTED = 2
    SHUFFLING = 3
    SHUFFLED = 4
    STORED = 5
    RELEASED = 6
    HELD = 7


class DeviceMode(IntEnum):
    PLAY = 0
    SERVICE = 1
    SORT = 2
    TEST = 3


class AbortReason(IntEnum):
    """Why a shuffle is aborted."""

    JAM = 1
    POWER = 2
    DOOR = 3
    PERSON = 4
    FAULT = 5


class ShuffleResult(IntEnum):
    """The result of the check of a shuffle."""

    GOOD = 1
    COUNT_DIFFERS = 2
    FACES_DIFFER = 3
    UNVERIFIED = 4


@dataclass(frozen=True, slots=True)
class CompartmentRecord:
    """What the machine knows about a compartment. `cycle` is its last shuffle's, 0: none."""

    phase: CompartmentPhase = CompartmentPhase.EMPTY
    cards: int | None = None
    back: str = ""
    faces: bytes = b""
    cycle: int = 0

    @property
    def stored_value(self) -> Value:
        """The value stored in memory."""
        return int(self.phase), self.cards, self.back, self.faces, self.cycle

    def event_body(self, compartment: int) -> Map:
        """The body of COMPARTMENT."""
        body: Map = {1: compartment, 2: int(self.phase)}
        if self.cards is not None:
            body[3] = self.cards
        if self.back:
            body[4] = self.back
        if self.faces:
            body[5] = self.faces
        return body

    def in_state(self, phase: CompartmentPhase) -> "CompartmentRecord":
        """The same cards in another state."""
        return replace(self, phase=phase)


def load_record(stored: Value) -> CompartmentRecord:
    """The record stored in memory; an empty one for anything else."""
    match stored:
        case (int(phase), int() | None as cards, str(back), bytes(faces), int(cycle)):
            return CompartmentRecord(CompartmentPhase(phase), cards, back, faces, cycle)
        case _:
            return CompartmentRecord()


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation under way until `ends_ns`. `began_us` is the uptime at its start."""

    request: RequestType
    ends_ns: int
    began_us: int
    sorting: bool = False


@dataclass(slots=True)
class Bay:
    """The physical content of a compartment.

    `pieces` begins with the card that would leave first. `stuck`: cards left where none may be.
    `reading`: it reads faces; otherwise it only counts cards and senses their backs. `miscounts`:
    it counts so many cards too few.
    """

    reading: bool
    pieces: list[PhysicalCard] = field(default_factory=list)
    stuck: list[PhysicalCard] = field(default_factory=list)
    door_open: bool = False
    jammed: bool = False
    operation: Operation | None = None
    miscounts: int = 0

    def count(self) -> CompartmentRecord:
        """Count the cards, and their backs and faces as far as they are sensed."""
        backs = sorted({piece.back for piece in self.pieces})
        back = backs[0] if len(backs) == 1 else SEVERAL_BACKS if backs else ""
        faces = count_faces(self.pieces) if self.reading else b""
        return CompartmentRecord(
            CompartmentPhase.COUNTED, max(0, len(self.pieces) - self.miscounts), back, faces
        )

    def shuffle(self, source: Random) -> None:
        """Shuffle all cards."""
        source.shuffle(self.pieces)

    def shuffle_part(self, source: Random) -> None:
        """Shuffle half of the cards: the state after an aborted shuffle."""
        half = len(self.pieces) // 2
        part = self.pieces[:half]
        source.shuffle(part)
        self.pieces[:half] = part

    def sort(self) -> None:
        """Sort into the order of new decks."""
        suits = tuple(Suit)

        def place(piece: PhysicalCard) -> tuple[str, int, int, int]:
            if piece.card is None:
                return piece.back, 0, 0, 0
            return piece.back, piece.deck, suits.index(piece.card.suit), piece.card.rank

        self.pieces.sort(key=place)

    def take_out(self, count: int) -> tuple[PhysicalCard, ...]:
        """Remove and return the last `count` cards."""
        left = max(len(self.pieces) - count, 0)
        out = tuple(self.pieces[left:])
        del self.pieces[left:]
        return out


def count_faces(pieces: list[PhysicalCard]) -> bytes:
    """Count each face, suit by suit, ace to king; cut cards are not counted."""
    counts = Counter((one.card.suit, one.card.rank) for one in pieces if one.card is not None)
    return bytes(counts[suit, rank] for suit in Suit for rank in RANKS)
