"""The verifier's own MessagePack reader: it agrees with the library, and refuses longer forms.

Source: MessagePack specification; controller/journal/README.md, "Encoding".
"""

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.verify import DEPTH_MAX, read_item

EDGES = sorted(
    {sign * (1 << bits) + near for bits in range(64) for sign in (-1, 1) for near in (-1, 0, 1)}
)
INTEGERS = [one for one in EDGES if -(1 << 63) <= one < 1 << 64]
LENGTHS = (0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536)

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.text(max_size=40)
    | st.binary(max_size=40)
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=18) | st.dictionaries(st.text(), inner, max_size=18),
)


def read(data: bytes) -> object:
    value, end = read_item(data, 0)
    assert end == len(data)
    return value


def test_every_integer_at_the_edge_of_a_form_is_read() -> None:
    assert [read(msgspec.msgpack.encode(one)) for one in INTEGERS] == INTEGERS


def test_every_length_at_the_edge_of_a_form_is_read() -> None:
    for length in LENGTHS:
        for value in ("x" * length, b"x" * length, [1] * length, dict.fromkeys(range(length))):
            assert read(msgspec.msgpack.encode(value)) == value


@given(values)
def test_it_reads_what_two_other_encoders_write(value: object) -> None:
    assert read(msgspec.msgpack.encode(value)) == value
    assert read(msgpack.packb(value)) == value


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
        "dc000f" + "c0" * 15,
        "de0001" + "a161" + "c0",
        "82" + "a161" + "01" + "a161" + "02",  # {"a": 1, "a": 2}
        "ca3f800000",  # a float
        "c1",
        "a2" + "61",  # cut short
        "cf" + "ff" * 7,
        "d3" + "80" * 7,
        "dd" + "ff" * 4,  # more items than bytes
        "df" + "ff" * 4,
        "81" + "90" + "c0",  # an array as a key
        "92" + "01",
        "a1" + "ff",  # not UTF-8
        "d4" + "0101",  # an extension
    ],
)
def test_other_forms_are_refused(data: str) -> None:
    with pytest.raises((LookupError, ValueError, TypeError)):
        read_item(bytes.fromhex(data), 0)


def test_items_nested_too_deep_are_refused() -> None:
    assert read(b"\x91" * DEPTH_MAX + b"\x90") != []
    with pytest.raises(ValueError, match="nested too deep"):
        read_item(b"\x91" * (DEPTH_MAX + 2) + b"\x90", 0)
