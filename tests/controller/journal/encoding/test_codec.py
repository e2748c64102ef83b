"""The canonical encoding: one value, one sequence of bytes, and back by type only.

Responsible for: round trips, golden bytes, strictness with the path in the message, and equal
bytes in every process.
Source: RFC 8949, section 4.2.1; controller/journal/README.md, "Encoding".
"""

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from enum import Enum, Flag, IntEnum, StrEnum
from typing import Generic, Optional, TypeAlias, TypeVar, Union

import cbor2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.journal.encoding.codec import CanonicalError, Codec


class Suit(StrEnum):
    HEART = "H"
    SPADE = "S"


class Rank(IntEnum):
    ACE = 1
    KING = 13


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Card:
    rank: Rank
    suit: Suit


@dataclass(frozen=True, slots=True)
class Drawn:
    card: Card | None
    place: tuple[int, bool]


@dataclass(frozen=True, slots=True)
class Closed:
    pass


@dataclass(frozen=True, slots=True)
class Noted:
    text: str
    raw: bytes
    count: int
    sure: bool


Event: TypeAlias = Drawn | Closed | Noted


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    event: Event
    history: tuple[Event, ...] = ()
    mixed: tuple[int | str | bytes | bool | Closed | None, ...] = ()
    older: Optional[Union[Drawn, Closed]] = None  # noqa: UP007, UP045
    nothing: None = None
    empty: tuple[()] = ()
    colour: Colour | None = None
    pairs: tuple[tuple[str, Card], ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    name: str
    children: tuple["Tree", ...] = ()


TABLES: Codec[Table] = Codec(Table)
EVENTS: Codec[Event] = Codec(Event)
TREES: Codec[Tree] = Codec(Tree)

integers = st.integers(-(2**64), 2**64 - 1)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
cards = st.builds(Card, st.sampled_from(Rank), st.sampled_from(Suit))
drawn = st.builds(Drawn, st.none() | cards, st.tuples(integers, st.booleans()))
closed = st.builds(Closed)
noted = st.builds(Noted, texts, st.binary(max_size=300), integers, st.booleans())
events = drawn | closed | noted
mixtures = integers | texts | st.binary(max_size=20) | st.booleans() | st.none() | closed
tables = st.builds(
    Table,
    event=events,
    history=st.lists(events, max_size=30).map(tuple),
    mixed=st.lists(mixtures, max_size=8).map(tuple),
    older=st.none() | drawn | closed,
    colour=st.none() | st.sampled_from(Colour),
    pairs=st.lists(st.tuples(texts, cards), max_size=3).map(tuple),
)
trees = st.recursive(
    st.builds(Tree, texts),
    lambda child: st.builds(Tree, texts, st.lists(child, max_size=3).map(tuple)),
)


@settings(derandomize=True)
@given(tables)
def test_a_value_comes_back_as_it_was(table: Table) -> None:
    assert TABLES.decode(TABLES.encode(table)) == table


@settings(derandomize=True)
@given(tables)
def test_the_bytes_are_what_an_independent_canonical_encoder_gives(table: Table) -> None:
    assert TABLES.encode(table) == cbor2.dumps(TABLES.to_plain(table), canonical=True)


@settings(derandomize=True)
@given(tables, tables)
def test_different_values_have_different_bytes(one: Table, other: Table) -> None:
    assert (TABLES.encode(one) == TABLES.encode(other)) == (one == other)


@settings(derandomize=True)
@given(trees)
def test_a_type_that_contains_itself_comes_back(tree: Tree) -> None:
    assert TREES.decode(TREES.encode(tree)) == tree


def test_true_and_one_come_back_as_what_they_were() -> None:
    table = Table(event=Closed(), mixed=(True, 1, False, 0))

    assert [type(value) for value in TABLES.decode(TABLES.encode(table)).mixed] == [
        bool,
        int,
        bool,
        int,
    ]


# {"card": {"rank": 13, "suit": "S", "type": "Card"}, "type": "Drawn", "place": [3, true]}
DRAWN_KING = bytes.fromhex(
    "a3"
    "  64 63617264  a3  64 72616e6b  0d  64 73756974  61 53  64 74797065  64 43617264"
    "  64 74797065  65 447261776e"
    "  65 706c616365  82 03 f5"
)
# {"raw": h'00ff', "sure": false, "text": "é", "type": "Noted", "count": -4294967297}
NOTED = bytes.fromhex(
    "a5"
    "  63 726177  42 00ff"
    "  64 73757265  f4"
    "  64 74657874  62 c3a9"
    "  64 74797065  65 4e6f746564"
    "  65 636f756e74  3b 0000000100000000"
)


def test_a_drawn_card_has_these_bytes() -> None:
    event = Drawn(Card(Rank.KING, Suit.SPADE), (3, True))

    assert EVENTS.encode(event) == DRAWN_KING


def test_text_bytes_and_a_negative_number_have_these_bytes() -> None:
    assert EVENTS.encode(Noted("é", b"\x00\xff", -4294967297, False)) == NOTED


def test_these_bytes_are_a_drawn_card() -> None:
    assert EVENTS.decode(DRAWN_KING) == Drawn(Card(Rank.KING, Suit.SPADE), (3, True))


SCRIPT = """
from drivers.events import CardRead, ClaimedUse, DeviceEvent, Face, FaceSuit
from controller.journal.encoding.codec import Codec
event = CardRead(ClaimedUse.PLAYER, 1, Face(13, FaceSuit.HEART), False)
print(Codec(DeviceEvent).encode(event).hex())
"""


def test_another_hash_seed_gives_the_same_bytes() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "4711")
    }

    assert len(printed) == 1
    assert len(printed.pop()) > 2


# --- what does not fit is refused, and the message says where -------------------------------------

GOOD = {
    "type": "Drawn",
    "card": {"type": "Card", "rank": 13, "suit": "S"},
    "place": [3, True],
}


def plain(**changes: object) -> bytes:
    return cbor2.dumps(GOOD | changes, canonical=True)


CARD = GOOD["card"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (plain(place=[3, 1]), ".place[1]: expected bool, found int"),
        (plain(place=[True, True]), ".place[0]: expected int, found bool"),
        (plain(place=[3.0, True]), ".place[0]: expected int, found float"),
        (plain(place=[2**64, True]), ".place[0]: 18446744073709551616 does not fit"),
        (plain(place=[3]), ".place: expected an array of 2, found one of 1"),
        (plain(place="xy"), ".place: expected an array of 2, found str"),
        (plain(card=CARD | {"rank": 2}), ".card.rank: expected a value of Rank, found 2"),
        (plain(card=CARD | {"rank": True}), ".card.rank: expected a value of Rank, found True"),
        (plain(card=CARD | {"suit": 1}), ".card.suit: expected a value of Suit, found 1"),
        (plain(card=CARD | {"type": "Suit"}), ".card: expected Card | None, found 'Suit'"),
        (plain(card=7), ".card: expected Card | None, found int"),
        (plain(card={"type": "Card", "rank": 1}), ".card: fields of Card: missing suit"),
        (plain(card={"rank": 1, "suit": "S"}), ".card: expected Card | None, found None"),
        (plain(colour="red"), "fields of Drawn: unknown 'colour'"),
        (plain(type="Opened"), "expected Drawn | Closed | Noted, found 'Opened'"),
        (plain(type=7), "expected Drawn | Closed | Noted, found 7"),
        (plain(type=[]), "expected Drawn | Closed | Noted, found []"),
        (b"", "not CBOR"),
        (b"\xff", "not CBOR"),
        (b"\x61\xff", "not CBOR"),
        (plain() + b"\x00", "canonical form"),
        (cbor2.dumps(GOOD), "canonical form"),
        (b"\xbf" + plain()[1:] + b"\xff", "canonical form"),
        (plain().replace(b"\x0d", b"\x18\x0d"), "canonical form"),
    ],
)
def test_bytes_that_are_no_event_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(CanonicalError) as refusal:
        EVENTS.decode(data)

    assert message in str(refusal.value)


@settings(derandomize=True)
@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    try:
        event = EVENTS.decode(data)
    except CanonicalError:
        return
    assert EVENTS.encode(event) == data


@settings(derandomize=True, max_examples=300)
@given(events, st.data())
def test_a_changed_byte_is_refused_or_another_value(event: Event, data: st.DataObject) -> None:
    encoded = bytearray(EVENTS.encode(event))
    place = data.draw(st.integers(0, len(encoded) - 1))
    encoded[place] ^= data.draw(st.integers(1, 255))
    try:
        other = EVENTS.decode(bytes(encoded))
    except CanonicalError:
        return
    assert other != event


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (Table(event=Card(Rank.ACE, Suit.HEART)), ".event: expected Drawn | Closed | Noted"),
        (Table(event=Noted("x", b"", True, True)), ".event.count: expected int, found bool"),
        (Table(event=Noted("x", b"", 1.5, True)), ".event.count: expected int, found float"),
        (Table(event=Noted("x", b"", 2**64, True)), ".event.count: 18446744073709551616 does"),
        (Table(event=Noted("x", bytearray(), 1, True)), ".event.raw: expected bytes"),
        (Table(event=Noted(Suit.HEART, b"", 1, True)), ".event.text: expected str, found Suit"),
        (Table(event=Noted("\ud800", b"", 1, True)), "not valid Unicode"),
        (
            Table(event=Drawn(None, (1, True, 2))),
            ".event.place: expected a tuple of 2, found one of 3",
        ),
        (Table(event=Closed(), history=[Closed()]), ".history: expected tuple, found list"),
        (Table(event=Closed(), history=(Closed(), None)), ".history[1]: expected Drawn"),
        (Table(event=Closed(), colour="red"), ".colour: expected Colour | None, found str"),
        (Closed(), "expected Table, found Closed"),
    ],
)
def test_a_value_of_another_type_is_not_encoded(table: Table, message: str) -> None:
    with pytest.raises(CanonicalError) as refusal:
        TABLES.encode(table)

    assert message in str(refusal.value)


@dataclass(frozen=True, slots=True)
class Positive:
    value: int

    def __post_init__(self) -> None:
        if self.value <= 0:
            raise ValueError("not positive")


def test_values_that_the_class_itself_refuses_are_refused() -> None:
    data = cbor2.dumps({"type": "Positive", "value": 0}, canonical=True)

    with pytest.raises(CanonicalError, match="Positive refuses these values: not positive"):
        Codec(Positive).decode(data)


# --- types that cannot be stored are refused when the codec is built ------------------------------


def same_name() -> type:
    @dataclass(frozen=True, slots=True)
    class Closed:
        pass

    return Closed


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Generic1(Generic[T]):
    value: T


@dataclass
class Thawed:
    value: int


@dataclass(frozen=True, slots=True)
class WithFloat:
    deep: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class WithType:
    type: str


class Mixed(Enum):
    ONE = 1
    TWO = "two"


class Bits(Flag):
    ONE = 1


class Weight(Enum):
    LIGHT = 0.5


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        (Closed | same_name(), "look alike when stored: Closed, Closed"),
        (str | Suit, "look alike"),
        (Suit | Colour, "look alike"),
        (tuple[int, ...] | tuple[str, ...], "look alike"),
        (float, "cannot be stored"),
        (dict[str, int], "cannot be stored"),
        (frozenset[int], "cannot be stored"),
        (list[int], "cannot be stored"),
        (object, "cannot be stored"),
        (tuple[int, ..., str], "cannot be stored"),
        (Generic1[int], "cannot be stored"),
        (Generic1, "Generic1.value"),
        (Thawed, "not a frozen dataclass"),
        (WithFloat, "WithFloat.deep"),
        (WithType, "field called type"),
        (Mixed, "not all text or all numbers"),
        (Weight, "not all text or all numbers"),
        (Bits, "not all text or all numbers"),
    ],
)
def test_a_type_without_a_form_is_refused_at_once(hint: object, message: str) -> None:
    with pytest.raises(CanonicalError) as refusal:
        Codec(hint)

    assert message in str(refusal.value)


def test_a_changed_copy_has_other_bytes() -> None:
    table = Table(event=Closed(), history=(Closed(),))

    assert TABLES.encode(replace(table, history=())) != TABLES.encode(table)
