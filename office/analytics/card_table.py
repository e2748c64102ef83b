"""Cards as columns, taken in bulk from the rows of 64 bytes that a shoe has for each of its cards.

A face goes in only if people have seen the card; an identity of a chip never does.
Source: D-8.
"""

import sys
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from msgspec import Struct

from controller.journal.card_row_format import (
    CARD_AT,
    CLAIMED_AT,
    FLAGS_AT,
    NOT_READ,
    ROLE_AT,
    RowFlag,
    RowRole,
)
from controller.journal.shoe_file import ROW_BYTES
from controller.rules.cards import FACES, point_value
from office.analytics.arrow import arrow_schema, load_arrow
from office.analytics.schema import TABLES, TableName

_HANDS: Final = range(int(RowRole.PLAYER_1), int(RowRole.BANKER_3) + 1)
_NS_PER_US: Final = 1_000
_WORDS, _HALVES = ROW_BYTES // 8, ROW_BYTES // 4


class CoupCards(Struct, frozen=True):
    """When the first card of a coup left the shoe (UTC, nanoseconds), and its number of cards."""

    first_ns: int
    cards: int


class ShoeCards:
    """The rows of one shoe's cards by columns."""

    def __init__(self, rows: bytes) -> None:
        words, halves = array("Q", rows), array("I", rows)
        if sys.byteorder == "little":
            words.byteswap()
            halves.byteswap()
        self.records = words[0::_WORDS]
        self.times_ns = words[1::_WORDS]
        self.coups = halves[4::_HALVES]
        self.places = rows[ROLE_AT::ROW_BYTES]
        self.faces = rows[CARD_AT::ROW_BYTES]
        self.claimed = rows[CLAIMED_AT::ROW_BYTES]
        self.flags = rows[FLAGS_AT::ROW_BYTES]

    def __len__(self) -> int:
        return len(self.places)

    def by_coup(self) -> dict[int, CoupCards]:
        """The cards in hands of each coup, by its number."""
        found: dict[int, CoupCards] = {}
        for coup, place, at_ns in zip(self.coups, self.places, self.times_ns, strict=True):
            if place in _HANDS:
                known = found.get(coup)
                found[coup] = (
                    CoupCards(known.first_ns, known.cards + 1) if known else CoupCards(at_ns, 1)
                )
        return found

    def until(self, last_record: int) -> "ShoeCards":
        """The cards of the burn and of finished coups alone, drawn up to that record.

        What belongs to none of them may be of the coup in play.
        """
        kept = [
            number
            for number, (record, place, coup) in enumerate(
                zip(self.records, self.places, self.coups, strict=True)
            )
            if record <= last_record and (coup or place in (RowRole.BURN_FIRST, RowRole.BURN))
        ]
        part = ShoeCards(b"")
        part.records = array("Q", [self.records[number] for number in kept])
        part.times_ns = array("Q", [self.times_ns[number] for number in kept])
        part.coups = array("I", [self.coups[number] for number in kept])
        for name in ("places", "faces", "claimed", "flags"):
            column = getattr(self, name)
            setattr(part, name, bytes(column[number] for number in kept))
        return part


def card_batch(
    cards: ShoeCards, shoe: int, device: str, coup_shown: Callable[[int], bool], *, burn_shown: bool
) -> Any:
    """The table's columns of one shoe's cards (a RecordBatch).

    `coup_shown` says whether people have seen the cards of the coup of that number; `burn_shown`
    whether they have seen more of the burn than its first card. A card that is in no hand and no
    burn was drawn in error: nobody need have seen it.
    """
    arrow, terms = load_arrow(), _terms()
    schema = arrow_schema(TableName.CARDS)
    shown = {int(RowRole.BURN_FIRST): True, int(RowRole.BURN): burn_shown}
    faces = bytes(
        face if (coup_shown(coup) if place in _HANDS else shown.get(place, False)) else NOT_READ
        for place, coup, face in zip(cards.places, cards.coups, cards.faces, strict=True)
    )
    count, cut_card = len(cards), int(RowRole.CUT_CARD)
    face_numbers, flags = _bytes_column(faces), cards.flags
    times_us = array("q", [one // _NS_PER_US for one in cards.times_ns])
    columns = {
        "shoe": arrow.repeat(arrow.scalar(shoe, arrow.int32()), count),
        "record": _column(arrow.int64(), cards.records),
        "at_utc": _column(arrow.timestamp("us", "UTC"), times_us),
        "coup": _column(arrow.int32(), cards.coups),
        "place": terms.places.take(_bytes_column(cards.places)),
        "card": terms.cards.take(face_numbers),
        "rank": terms.ranks.take(face_numbers),
        "suit": terms.suits.take(face_numbers),
        "points": terms.points.take(face_numbers),
        "read": arrow.array(
            [
                None if place == cut_card else face != NOT_READ
                for place, face in zip(cards.places, cards.faces, strict=True)
            ],
            arrow.bool_(),
        ),
        "claimed": terms.places.take(_bytes_column(cards.claimed)),
        "irregular": _flag_column(flags, RowFlag.IRREGULAR),
        "suspended": _flag_column(flags, RowFlag.SUSPENDED),
        "carried": _flag_column(flags, RowFlag.CARRIED),
        "device": arrow.repeat(arrow.scalar(device or None, arrow.string()), count),
    }
    ordered = [columns[one.name] for one in TABLES[TableName.CARDS]]
    return arrow.RecordBatch.from_arrays(ordered, schema=schema)


class _Terms(Struct, frozen=True):
    """What the numbers in rows stand for, as arrays to take from; index 0 of a face is nothing."""

    places: Any
    cards: Any
    ranks: Any
    suits: Any
    points: Any


@cache
def _terms() -> _Terms:
    arrow = load_arrow()
    return _Terms(
        arrow.array([one.name.lower() for one in RowRole], arrow.string()),
        arrow.array([None, *map(str, FACES)], arrow.string()),
        arrow.array([None, *(int(one.rank) for one in FACES)], arrow.int32()),
        arrow.array([None, *(str(one)[-1] for one in FACES)], arrow.string()),
        arrow.array([None, *map(point_value, FACES)], arrow.int32()),
    )


def _bytes_column(data: bytes) -> Any:
    arrow = load_arrow()
    return arrow.Array.from_buffers(arrow.uint8(), len(data), [None, arrow.py_buffer(data)])


def _flag_column(flags: bytes, flag: RowFlag) -> Any:
    bit = int(flag)
    return _bytes_column(bytes(bool(one & bit) for one in flags)).cast(load_arrow().bool_())


def _column(kind: Any, values: "array[int]") -> Any:
    arrow = load_arrow()
    return arrow.Array.from_buffers(kind, len(values), [None, arrow.py_buffer(values)])
