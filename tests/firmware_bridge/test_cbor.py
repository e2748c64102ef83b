"""CBOR of TableLink: one encoding for each value, all others are refused."""

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import cbor
from firmware_bridge.cbor import CborValue

# Literals of RFC 8949, Appendix A, and of the bounds of the wire document.
GOLDEN = [
    ("00", 0),
    ("17", 23),
    ("1818", 24),
    ("18ff", 255),
    ("190100", 256),
    ("19ffff", 65535),
    ("1a000f4240", 1_000_000),
    ("1affffffff", 2**32 - 1),
    ("1b000000e8d4a51000", 1_000_000_000_000),
    ("1bffffffffffffffff", 2**64 - 1),
    ("20", -1),
    ("3903e7", -1000),
    ("f4", False),
    ("f5", True),
    ("f6", None),
    ("40", b""),
    ("4401020304", b"\x01\x02\x03\x04"),
    ("60", ""),
    ("6449455446", "IETF"),
    ("62c3bc", "\u00fc"),
    ("80", ()),
    ("8301820203820405", (1, (2, 3), (4, 5))),
    ("a0", {}),
    ("a201020304", {1: 2, 3: 4}),
    ("a217001818f5", {23: 0, 24: True}),
    ("81818100", (((0,),),)),
    ("8181818100", ((((0,),),),)),
    ("590190" + "aa" * 400, b"\xaa" * 400),
    ("7840" + "61" * 64, "a" * 64),
    ("9820" + "00" * 32, (0,) * 32),
]

REFUSED = [
    ("", "nothing"),
    ("0000", "more behind"),
    ("18", "cut off"),
    ("1817", "a longer number than needed"),
    ("1900ff", "a longer number than needed"),
    ("1a0000ffff", "a longer number than needed"),
    ("1b00000000ffffffff", "a longer number than needed"),
    ("1c", "reserved"),
    ("1f", "reserved"),
    ("5f4101ff", "bytes without an end"),
    ("9f00ff", "an array without an end"),
    ("bf0000ff", "a map without an end"),
    ("f90000", "a float"),
    ("fa47c35000", "a float"),
    ("f7", "undefined"),
    ("f0", "an unknown simple value"),
    ("f814", "a long simple value"),
    ("ff", "a break"),
    ("c000", "a tag"),
    ("a203040102", "keys that descend"),
    ("a201020103", "a key twice"),
    ("a1616100", "a key of text"),
    ("a1f500", "a key that is no number"),
    ("a18000", "a key that is an array"),
    ("a101", "a map cut off"),
    ("61ff", "text that is no UTF-8"),
    ("818181818100", "five deep"),
    ("a101a101a101a101a10100", "five deep"),
    ("590191" + "aa" * 401, "too many bytes"),
    ("7841" + "61" * 65, "too long a text"),
    ("9821" + "00" * 33, "too many entries"),
    ("9b7fffffffffffffff", "more entries than memory"),
]


@pytest.mark.parametrize(("data", "value"), GOLDEN, ids=[data[:20] for data, _ in GOLDEN])
def test_a_value_has_one_encoding(data: str, value: CborValue) -> None:
    assert cbor.encode(value) == bytes.fromhex(data)
    assert cbor.decode(bytes.fromhex(data)) == (value,)


def test_true_and_one_are_distinguished() -> None:
    assert cbor.decode(b"\xf5")[0] is True
    assert cbor.decode(b"\x01")[0] is not True


@pytest.mark.parametrize(("data", "what"), REFUSED)
def test_any_other_encoding_is_refused(data: str, what: str) -> None:
    assert cbor.decode(bytes.fromhex(data)) == (), what


def test_only_a_map_is_decoded_as_a_map() -> None:
    assert cbor.decode_map(b"\xa1\x01\x02") == {1: 2}
    assert cbor.decode_map(b"\x80") is None
    assert cbor.decode_map(b"") is None


def test_integers_beyond_64_bits_cannot_be_encoded() -> None:
    with pytest.raises(AssertionError, match="64 bits"):
        cbor.encode(2**64)


@given(st.binary(max_size=80))
def test_a_decoded_value_is_encoded_the_same(data: bytes) -> None:
    for value in cbor.decode(data):
        assert cbor.encode(value) == data


@given(st.binary(max_size=60))
def test_a_general_cbor_library_decodes_the_same(data: bytes) -> None:
    for value in cbor.decode(data):
        assert cbor2.dumps(cbor2.loads(data), canonical=True) == data
        assert cbor2.loads(data) == _lists(value)


def _lists(value: object) -> object:
    if isinstance(value, tuple):
        return [_lists(held) for held in value]
    if isinstance(value, dict):
        return {key: _lists(held) for key, held in value.items()}
    return value
