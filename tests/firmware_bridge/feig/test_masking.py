"""Masked wire of a FEIG reader: identities, tag data and CRCs are hidden in any fragmentation.

Source: firmware_bridge README, "FEIG OBID", what is shown.
"""

import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.system.messages.catalogue import to_words
from firmware_bridge.feig.frames import FeigUnframed, Side, feed
from firmware_bridge.feig.masking import frame_text, mask_raw

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "feig.toml").read_text(encoding="utf-8")
)
VERSION = bytes.fromhex("0D 00 65 00 03 03 00 44 53 0D 30 33 09")
INVENTORY = bytes.fromhex("11 00 B0 00 01 03 00 E0 04 01 50 A0 5F 02 B7 D7 BE")


def named(kind: str) -> list[Any]:
    return [pytest.param(vector, id=vector["name"]) for vector in VECTORS[kind]]


def text_of(data: bytes, *, masked: bool, side: Side = Side.READER) -> str:
    _, (frame,) = feed(FeigUnframed(), data, side)
    assert hasattr(frame, "command")
    return frame_text(frame, to_words, masked=masked)


@pytest.mark.parametrize("vector", named("reading"))
def test_only_the_header_of_a_reading_is_shown(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["hex"])
    head_bytes = 6 if data[0] == 2 else 4
    text, _ = mask_raw(data)

    assert text.split() == [
        *data[:head_bytes].hex(" ").upper().split(),
        *[".."] * (len(data) - head_bytes),
    ]


def test_tags_and_crc_of_an_inventory_are_hidden() -> None:
    assert mask_raw(INVENTORY)[0] == "11 00 B0 00" + " .." * 13


def test_frames_without_tag_data_are_shown_whole() -> None:
    assert mask_raw(VERSION)[0] == VERSION.hex(" ").upper()


def test_a_broken_reading_shows_nothing() -> None:
    bent = INVENTORY[:-1] + b"\x00"

    assert mask_raw(bent)[0].replace("..", "").strip() == ""


def test_a_reading_that_begins_in_the_middle_shows_nothing() -> None:
    for start in range(1, len(INVENTORY)):
        assert mask_raw(INVENTORY[start:])[0].replace("..", "").strip() == "", str(start)


@given(st.lists(st.integers(0, len(INVENTORY)), max_size=5))
def test_no_byte_of_an_identity_is_shown_in_any_fragmentation(places: list[int]) -> None:
    cuts = [0, *sorted(places), len(INVENTORY)]
    unframed, expected = FeigUnframed(), []
    for start, end in pairwise(cuts):
        text, unframed = mask_raw(INVENTORY[start:end], unframed)
        expected.extend(text.split())

    assert len(expected) == len(INVENTORY)
    assert set(expected[4:]) == {".."}


@pytest.mark.parametrize(
    ("data", "masked", "text"),
    [
        (
            VERSION,
            True,
            "answer 65 (version) status 00, ok data 03 03 00 44 53 0D 30",
        ),
        (
            INVENTORY,
            True,
            "answer B0 (transponder) status 00, ok data .. .. .. .. .. .. .. .. .. .. ..",
        ),
        (
            INVENTORY,
            False,
            "answer B0 (transponder) status 00, ok data 01 03 00 E0 04 01 50 A0 5F 02 B7",
        ),
        (
            bytes.fromhex("02 00 08 00 22 92 E6 42"),
            True,
            "answer 22 (buffer) status 92, no valid data",
        ),
    ],
)
def test_a_frame_as_text(data: bytes, masked: bool, text: str) -> None:
    assert text_of(data, masked=masked) == text


def test_a_request_as_text() -> None:
    request = bytes.fromhex("02 00 07 FF 33 DD 56")

    assert text_of(request, masked=True, side=Side.HOST) == "request 33 (not used here)"
