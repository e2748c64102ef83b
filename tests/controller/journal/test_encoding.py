"""Stored values: one encoding for each value, and every other form of it is refused."""

from enum import StrEnum

import msgpack
import pytest
from msgspec import Struct

from controller.journal.encoding import (
    Codec,
    EncodingError,
    RecordKind,
    plain_value,
    tag_of,
    unwrap,
    wrap,
)


class Suit(StrEnum):
    HEART = "h"
    SPADE = "s"


class Card(Struct, frozen=True):
    rank: int
    suit: Suit


class Drawn(Struct, frozen=True, tag="card-drawn"):
    card: Card | None
    places: tuple[str, ...] = ()


class Closed(Struct, frozen=True, tag="coup-closed"):
    number: int
    digest: bytes


EVENTS: Codec[Drawn | Closed] = Codec(Drawn | Closed)
CARDS: Codec[Card] = Codec(Card)
SEVEN_OF_HEARTS = bytes.fromhex("82a472616e6b07a473756974a168")


def test_a_struct_is_a_map_of_its_fields_in_their_order() -> None:
    assert CARDS.encode(Card(7, Suit.HEART)) == SEVEN_OF_HEARTS
    assert CARDS.decode(SEVEN_OF_HEARTS) == Card(7, Suit.HEART)


def test_the_tag_of_a_union_member_is_in_front() -> None:
    data = EVENTS.encode(Drawn(Card(7, Suit.HEART), ("player_1",)))

    assert msgpack.unpackb(data) == {
        "type": "card-drawn",
        "card": {"rank": 7, "suit": "h"},
        "places": ["player_1"],
    }
    assert (tag_of(data), tag_of(SEVEN_OF_HEARTS), tag_of(b"")) == ("card-drawn", "", "")
    assert EVENTS.decode(data) == Drawn(Card(7, Suit.HEART), ("player_1",))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("82 a472616e6b cc07 a473756974 a168", "a number in a longer form"),
        ("82 a473756974 a168 a472616e6b 07", "fields in another order"),
        ("83 a472616e6b 07 a472616e6b 07 a473756974 a168", "a doubled field"),
        ("83 a472616e6b 07 a473756974 a168 a178 01", "an unknown field"),
        ("81 a472616e6b 07", "a missing field"),
        ("82 a472616e6b a137 a473756974 a168", "a text for a number"),
        ("82 a472616e6b 07 a473756974 a178", "no member of the enum"),
        ("82 a472616e6b 07 a473756974 a1ff", "not UTF-8"),
        ("82 a472616e6b 07 a473756974 a168 00", "more bytes after it"),
        ("82 a472616e6b 07 a473756974", "cut short"),
        ("82 a472616e6b cb401c000000000000 a473756974 a168", "a float for a number"),
        ("", "nothing"),
    ],
)
def test_another_form_is_refused(data: str, why: str) -> None:
    with pytest.raises(EncodingError):
        CARDS.decode(bytes.fromhex(data))


def test_a_default_is_written_out_and_must_be_there() -> None:
    whole = EVENTS.encode(Drawn(None))
    without = msgpack.packb({"type": "card-drawn", "card": None})

    assert msgpack.unpackb(whole)["places"] == []
    with pytest.raises(EncodingError):
        EVENTS.decode(without)


@pytest.mark.parametrize("tag", ["CardDrawn", "card_drawn", "foul"])
def test_an_unknown_tag_is_refused_by_name(tag: str) -> None:
    data = msgpack.packb({"type": tag, "card": None, "places": []})
    with pytest.raises(EncodingError, match=tag):
        EVENTS.decode(data)


def test_deep_nesting_is_refused_and_does_not_end_the_program() -> None:
    with pytest.raises(EncodingError):
        plain_value(b"\x91" * 100_000)


def test_a_sign_and_63_bits_are_the_most() -> None:
    for number in (0, 2**63 - 1, -(2**63)):
        data = EVENTS.encode(Closed(number, b""))
        assert EVENTS.decode(data) == Closed(number, b"")
    for number in (2**63, 2**64 - 1):
        data = EVENTS.encode(Closed(number, b""))
        with pytest.raises(EncodingError, match=r"an integer of 2\*\*63 or more"):
            EVENTS.decode(data)
    for number in (2**64, -(2**63) - 1):
        with pytest.raises(OverflowError):
            EVENTS.encode(Closed(number, b""))


def test_bytes_may_look_like_an_integer_that_is_too_large() -> None:
    closed = Closed(1, b"\xcf" + b"\xff" * 8)
    assert EVENTS.decode(EVENTS.encode(closed)) == closed


VALUE = bytes.fromhex("81a474797065a6436c6f736564")  # {"type": "Closed"}


@pytest.mark.parametrize(
    ("kind", "golden"),
    [
        (RecordKind.INPUT, "92a2696e81a474797065a6436c6f736564"),
        (RecordKind.ENTRY, "92a36f757481a474797065a6436c6f736564"),
    ],
)
def test_a_record_is_an_array_of_its_kind_and_its_value(kind: RecordKind, golden: str) -> None:
    assert wrap(kind, VALUE).hex() == golden


@pytest.mark.parametrize("kind", RecordKind)
def test_a_record_is_messagepack(kind: RecordKind) -> None:
    assert msgpack.unpackb(wrap(kind, VALUE)) == [kind.value, {"type": "Closed"}]


@pytest.mark.parametrize("kind", RecordKind)
def test_kind_and_value_come_back(kind: RecordKind) -> None:
    assert unwrap(wrap(kind, VALUE)) == (kind, VALUE)


@pytest.mark.parametrize("record", [b"", b"\x92\xa2i", VALUE, b"\x92\xa2up" + VALUE])
def test_other_bytes_are_refused(record: bytes) -> None:
    with pytest.raises(EncodingError):
        unwrap(record)
