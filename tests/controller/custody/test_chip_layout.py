"""Decoding of card chips; the bytes are literals of controller/service/commissioning/README.md."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.custody.chip_layout import LAYOUTS, OPEN_LAYOUT, ChipFace, ChipUnread
from controller.rules.cards import Card

# Rank, suit, back colour, deck, and the checksum from a separate CRC-16/IBM-3740 implementation.
RED_QUEEN = bytes.fromhex("53 01 0C 44 01 03 97 38")
PLAIN_TEN = bytes.fromhex("53 01 0A 48 00 00 C6 92")
PLAIN_ACE = bytes.fromhex("53 01 01 44 00 00 ADEC")
WHITE_KING = bytes.fromhex("53 01 0D 53 0A 08 4A EE")
PLAIN_CUT = bytes.fromhex("53 01 00 00 00 00 1A35")
BLUE_CUT = bytes.fromhex("53 01 00 00 02 00 7C 57")


def read(memory: bytes) -> ChipFace | ChipUnread:
    return LAYOUTS[OPEN_LAYOUT].read(memory)


@pytest.mark.parametrize(
    ("memory", "face"),
    [
        (RED_QUEEN, ChipFace(Card.parse("Qd"), "red", 3)),
        (PLAIN_TEN, ChipFace(Card.parse("10h"), "", 0)),
        (PLAIN_ACE, ChipFace(Card.parse("Ad"), "", 0)),
        (WHITE_KING, ChipFace(Card.parse("Ks"), "white", 8)),
        (PLAIN_CUT, ChipFace(None, "", 0)),
        (BLUE_CUT, ChipFace(None, "blue", 0)),
    ],
)
def test_a_face_is_read(memory: bytes, face: ChipFace) -> None:
    assert read(memory) == face


def test_bytes_after_the_two_blocks_are_ignored() -> None:
    assert read(RED_QUEEN + b"\xff\x00\x12\x34") == read(RED_QUEEN)


@pytest.mark.parametrize(
    ("memory", "reason"),
    [
        ("", "did not answer"),
        ("53 01 0C 44", "gave 4 bytes; 8 are needed"),
        ("00 00 00 00 00 00 00 00", "is empty: nothing was written to it"),
        ("E1 40 0E 01 03 00 FE 00", "has another layout: it begins with E1, not 53"),
        ("53 02 01 44 00 00 43 3E", "has version 2 of the layout; supported is 1"),
        ("53 01 01 44 FF 00 AE 13", "names back colour 255; known are 1 to 10"),
        ("53 01 01 44 0B 00 71 16", "names back colour 11; known are 1 to 10"),
        ("53 01 0E 44 00 00 79 02", "names no card: rank 14, suit 44"),
        ("53 01 01 45 00 00 9A DC", "names no card: rank 1, suit 45"),
    ],
)
def test_a_chip_without_a_face_gives_a_reason(memory: str, reason: str) -> None:
    assert read(bytes.fromhex(memory)) == ChipUnread(reason)


def test_any_flipped_bit_is_detected() -> None:
    for byte, bit in product(range(8), range(8)):
        memory = bytearray(RED_QUEEN)
        memory[byte] ^= 1 << bit
        assert isinstance(read(bytes(memory)), ChipUnread), (byte, bit)


@given(st.binary(max_size=16))
def test_any_bytes_are_decoded_or_refused(memory: bytes) -> None:
    assert isinstance(read(memory), ChipFace | ChipUnread)


def test_layouts_are_keyed_by_their_names() -> None:
    assert all(name == layout.name for name, layout in LAYOUTS.items())
