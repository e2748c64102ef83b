"""Simulates batches of cards with RFID chips: identities, the batch file, chip memory.

Source: ISO/IEC 15693 identities of NXP's ICODE SLIX chips begin with E0 04 01.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from hil.dealing.cards import RANK_NAMES, Card, PhysicalCard, decks

BACKS = ("red", "blue")
NAMES = ("RED-0001", "BLUE-0001")
CUT_CARDS = 3
DECKS = 8
TAG_HEAD = "E00401"
TAG_DIGITS = 10
FOREIGN_TAG = TAG_HEAD + "FFFFFFFF" + "01"
COLUMNS = "tag,rank,suit,deck"

MARK, VERSION = 0x53, 0x01
BACK_NUMBERS = {"red": 1, "blue": 2}


@dataclass(frozen=True, slots=True)
class PhysicalBatch:
    """Equal decks with one back, and their cut cards."""

    name: str
    back: str
    decks: int
    cards: tuple[PhysicalCard, ...]

    def of(self, card: Card) -> PhysicalCard:
        """The physical card with that face from that deck. Raises KeyError."""
        for one in self.cards:
            if one.card == card:
                return one
        raise KeyError(f"{card} of deck {card.deck} is not in batch {self.name}")

    @property
    def cut_cards(self) -> tuple[PhysicalCard, ...]:
        return tuple(one for one in self.cards if one.card is None)

    def csv(self) -> str:
        """The batch file: a heading, then a row for each card."""
        heading = (("batch", self.name), ("back", self.back), ("decks", self.decks))
        rows = sorted(self.cards, key=lambda one: (one.deck, one.tag))
        lines = [*(f"# {name} = {value}" for name, value in heading), COLUMNS, *map(_row, rows)]
        return "".join(f"{line}\n" for line in lines)


def batch(name: str, back: str, deck_count: int = DECKS) -> PhysicalBatch:
    """Make the batch of that name: equal names give equal identities."""
    source = Random(f"batch:{name}")  # noqa: S311 - reproducible, not secret
    faces: list[Card | None] = [*decks(deck_count), *([None] * CUT_CARDS)]
    source.shuffle(faces)
    tags = _ascending_tags(source)
    pieces = tuple(PhysicalCard(face, back, next(tags)) for face in faces)
    return PhysicalBatch(name, back, deck_count, pieces)


def usual_batches(deck_count: int = DECKS) -> tuple[PhysicalBatch, PhysicalBatch]:
    """The two batches of a table, a red one and a blue one, that alternate."""
    first, second = (batch(name, back, deck_count) for name, back in zip(NAMES, BACKS, strict=True))
    return first, second


def chip_memory(piece: PhysicalCard) -> bytes:
    """The chip's memory: mark, version, rank, suit, back, deck, and their CRC."""
    rank, suit = 0, 0
    if piece.card is not None:
        rank, suit = piece.card.rank, ord(piece.card.suit.value)
    data = bytes((MARK, VERSION, rank, suit, BACK_NUMBERS[piece.back], piece.deck))
    return data + _crc16(data)


def _ascending_tags(source: Random) -> Iterator[str]:
    """Identities like those of one delivery of chips: ascending, with gaps."""
    number = source.randrange(1 << 32, 1 << 36)
    while True:
        number += source.randint(1, 200)
        yield f"{TAG_HEAD}{number:0{TAG_DIGITS}X}"


def _row(piece: PhysicalCard) -> str:
    if piece.card is None:
        return f"{piece.tag},cut,,{piece.deck}"
    return f"{piece.tag},{RANK_NAMES[piece.card.rank - 1]},{piece.card.suit.value},{piece.deck}"


def _crc16(data: bytes) -> bytes:
    """CRC-16/IBM-3740, most significant byte first."""
    register = 0xFFFF
    for value in data:
        register ^= value << 8
        for _ in range(8):
            register = register << 1 ^ 0x1021 if register & 0x8000 else register << 1
        register &= 0xFFFF
    return register.to_bytes(2, "big")
