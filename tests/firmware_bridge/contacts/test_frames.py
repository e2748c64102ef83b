"""Readings of contacts as bytes: golden bytes, every byte there is, noise in any fragmentation."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.contacts.frames import ContactFrame, encode, feed
from firmware_bridge.contacts.link import ContactReading, ContactsLink
from firmware_bridge.link import LinkFault, LinkFaultKind, Unframed
from foundation.timestamp import Timestamp

VECTORS = Path(__file__).resolve().parents[2] / "vectors" / "contacts.toml"
READINGS = tomllib.loads(VECTORS.read_text("utf-8"))["reading"]


@pytest.mark.parametrize("reading", READINGS, ids=lambda one: one["byte"])
def test_golden_bytes(reading: dict) -> None:
    data = bytes.fromhex(reading["byte"])
    levels = sum(level << line for line, level in enumerate(reading["levels"]))

    assert encode([bool(level) for level in reading["levels"]]) == data
    assert feed(Unframed(), data)[1] == (ContactFrame(levels),)


def test_a_line_that_is_not_there_is_low() -> None:
    assert encode([True]) == encode([True, False, False, False])


def test_of_all_bytes_sixteen_are_readings() -> None:
    found = [one for byte in range(256) for one in feed(Unframed(), bytes((byte,)))[1]]

    assert sum(isinstance(one, ContactFrame) for one in found) == 16
    assert {one.levels for one in found if isinstance(one, ContactFrame)} == set(range(16))
    assert {one.kind for one in found if isinstance(one, LinkFault)} == {LinkFaultKind.NOISE}


def test_every_flipped_bit_is_noticed() -> None:
    for levels in range(16):
        (good,) = encode([bool(levels >> line & 1) for line in range(4)])
        for bit in range(8):
            (found,) = feed(Unframed(), bytes((good ^ 1 << bit,)))[1]
            assert isinstance(found, LinkFault)


@given(st.binary(max_size=40), st.integers(0, 40))
def test_any_fragmentation_gives_the_same(data: bytes, cut: int) -> None:
    whole_state, whole = feed(Unframed(), data)
    state, first = feed(Unframed(), data[:cut])
    state, rest = feed(state, data[cut:])

    assert (state, (*first, *rest)) == (whole_state, whole)


def test_a_reading_says_how_old_it_may_be() -> None:
    link = ContactsLink()
    _, output = link.receive(link.initial(), b"\xe1", Timestamp(9, 9), 7)

    assert output.items == (ContactReading(1, 7),)
