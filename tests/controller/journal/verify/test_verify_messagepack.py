"""The verifier's own MessagePack reader: it agrees with the library, and refuses longer forms.

Source: MessagePack specification.
"""

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.verify import read_map, read_value

EDGES = sorted(
    {sign * (1 << bits) + near for bits in range(64) for sign in (-1, 1) for near in (-1, 0, 1)}
)
INTEGERS = [one for one in EDGES if -(1 << 63) <= one < 1 << 64]
LENGTHS = (0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536)

values = (
    st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=40) | st.binary(max_size=40)
)


def read(data: bytes) -> object:
    value, end = read_value(data, 0)
    assert end == len(data)
    return value


def test_every_integer_at_the_edge_of_a_form_is_read() -> None:
    assert [read(msgspec.msgpack.encode(one)) for one in INTEGERS] == INTEGERS


def test_every_length_at_the_edge_of_a_form_is_read() -> None:
    for length in LENGTHS:
        for value in ("x" * length, b"x" * length):
            assert read(msgspec.msgpack.encode(value)) == value


@given(st.dictionaries(st.text("abcde_", max_size=40), values, max_size=18))
def test_it_reads_what_two_other_encoders_write(value: dict[str, object]) -> None:
    letters = {bool: "?", int: "i", str: "s", bytes: "b"}
    fields = " ".join(letters[type(one)] + name for name, one in value.items())

    assert read_map(msgspec.msgpack.encode(value), fields) == value
    assert read_map(msgpack.packb(value), fields) == value


@pytest.mark.parametrize(
    "data",
    [
        "cc7f",  # 127 in two bytes
        "cd00ff",
        "ce0000ffff",
        "cf00000000ffffffff",
        "d0e0",  # -32 in two bytes
        "d07f",  # a positive number as a signed one
        "d1ff80",
        "d2ffff8000",
        "d3ffffffff80000000",
        "d91f" + "61" * 31,
        "da00ff" + "61" * 255,
        "c500ff" + "61" * 255,
        "c0",  # nothing
        "ca3f800000",  # a float
        "c1",
        "a2" + "61",  # cut short
        "cf" + "ff" * 7,
        "d3" + "80" * 7,
        "c6" + "ff" * 4,
        "91c0",  # an array
        "80",
        "a1" + "ff",  # not UTF-8
        "d4" + "0101",  # an extension
    ],
)
def test_other_forms_are_refused(data: str) -> None:
    with pytest.raises((LookupError, ValueError)):
        read_value(bytes.fromhex(data), 0)


@pytest.mark.parametrize(
    "data",
    [
        "81" + "a161" + "01",  # a field is missing
        "83" + "a161" + "01" + "a162" + "a0" + "a163" + "02",  # one too many
        "82" + "a162" + "a0" + "a161" + "01",  # another order
        "82" + "a161" + "01" + "a161" + "02",  # one twice
        "82" + "a161" + "01" + "a162" + "02",  # another type
        "82" + "a161" + "c3" + "a162" + "a0",
        "de0002" + "a161" + "01" + "a162" + "a0",  # in a longer form
        "82" + "a161" + "01" + "a162" + "a0" + "00",  # extra bytes
        "82" + "a161" + "01",
        "",
    ],
)
def test_other_fields_are_refused(data: str) -> None:
    fields = "ia sb"

    assert read_map(bytes.fromhex("82a16101a162a0"), fields) == {"a": 1, "b": ""}
    with pytest.raises((LookupError, ValueError)):
        read_map(bytes.fromhex(data), fields)
