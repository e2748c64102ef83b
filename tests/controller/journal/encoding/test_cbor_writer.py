"""Bytes put together field by field are the bytes an outside encoder gives for the same maps.

Responsible for: heads of every length, each kind of value that does not fit, and whole values.
Not responsible for: golden bytes, paths in messages, decoding (test_canonical).
Source: RFC 8949, sections 3 and 4.2.1; controller/journal/README.md, "Encoding".
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.state import STATES, CoreState
from controller.journal.encoding import cbor_writer as field_code
from controller.journal.encoding.cbor_writer import Misfit
from controller.journal.encoding.codec import Codec
from controller.tape.records import INPUTS, RecordedInput
from hil.bench.measure.stage import bench_core, started

EDGES = (0, 23, 24, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32, 2**64 - 1)


class Word(StrEnum):
    SHORT = "a"
    LONG = "b" * 300


class Grade(IntEnum):
    LOW = -1
    HIGH = 1000


@dataclass(frozen=True, slots=True)
class Inner:
    word: Word
    grade: Grade | None


@dataclass(frozen=True, slots=True)
class Outer:
    a_much_longer_name_than_the_others: int
    text: str
    data: bytes
    flag: bool
    pairs: tuple[tuple[int, str], ...]
    inner: Inner | str | None
    children: tuple["Outer", ...]


OUTERS: Codec[Outer] = Codec(Outer)

numbers = st.integers(min_value=-(2**64), max_value=2**64 - 1)
inners = st.builds(Inner, st.sampled_from(Word), st.none() | st.sampled_from(Grade))
texts = st.text(max_size=30)


def outers(children: st.SearchStrategy[tuple[Outer, ...]]) -> st.SearchStrategy[Outer]:
    pairs = st.lists(st.tuples(numbers, texts), max_size=30).map(tuple)
    inner = st.none() | texts | inners
    return st.builds(Outer, numbers, texts, st.binary(), st.booleans(), pairs, inner, children)


@given(outers(st.lists(outers(st.just(())), max_size=2).map(tuple)))
def test_a_value_has_the_bytes_of_its_map(value: Outer) -> None:
    assert OUTERS.encode(value) == cbor2.dumps(OUTERS.to_plain(value), canonical=True)


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_has_the_shortest_head(edge: int, sign: int) -> None:
    assert field_code.number(sign * edge) == cbor2.dumps(sign * edge)


@pytest.mark.parametrize("length", [0, 1, 23, 24, 255, 256, 65_535, 65_536])
def test_what_has_a_length_has_the_shortest_head(length: int) -> None:
    assert field_code.text("x" * length) == cbor2.dumps("x" * length)
    assert field_code.octets(b"x" * length) == cbor2.dumps(b"x" * length)
    many = field_code.array(field_code.truth)
    assert many((True,) * length) == cbor2.dumps([True] * length)


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (field_code.number, 2**64),
        (field_code.number, -(2**64) - 1),
        (field_code.number, True),
        (field_code.text, b"x"),
        (field_code.text, Word.SHORT),
        (field_code.octets, "x"),
        (field_code.truth, 1),
        (field_code.nothing, False),
        (field_code.members(Word), "a"),
        (field_code.members(Grade), 1000),
        (field_code.array(field_code.number), [1]),
        (field_code.array(field_code.number), (1, "x")),
        (field_code.row((field_code.number,)), [1]),
        (field_code.row((field_code.number,)), (1, 2)),
        (field_code.one_of({int: field_code.number}), "x"),
        (field_code.written_out(Inner, {}), "x"),
    ],
)
def test_what_does_not_fit_is_not_written(write: Callable[[object], bytes], value: object) -> None:
    with pytest.raises(Misfit):
        write(value)


def test_a_state_and_an_input_have_the_bytes_of_their_maps() -> None:
    state: CoreState = bench_core().initial()
    assert STATES.encode(state) == cbor2.dumps(STATES.to_plain(state), canonical=True)
    first: RecordedInput = started()
    assert INPUTS.encode(first) == cbor2.dumps(INPUTS.to_plain(first), canonical=True)
