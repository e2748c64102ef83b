"""Masked wire of a TableLink device: no byte reveals a card."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.tablelink.frames import TableLinkFrame, TableLinkUnframed, decode
from firmware_bridge.tablelink.masking import frame_text, mask_raw

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "tablelink.toml").read_text(encoding="utf-8")
)
GOLDEN = {one["name"]: bytes.fromhex(one["wire"]) for one in VECTORS["frame"]}
CARD = GOLDEN["event 42, CARD_OUT"]
HELLO = GOLDEN["HELLO of a shuffler, answering"]
WHOLE = [
    HELLO,
    GOLDEN["HELLO of a shoe that is new"],
    GOLDEN["ATTEST_RSP, signed"],
    GOLDEN["ATTEST_RSP of a bare device"],
    GOLDEN["TIME_RSP"],
    GOLDEN["PONG of the device"],
]


def hidden(data: bytes) -> str:
    return " ".join(".." if byte else "00" for byte in data)


def frame_of(wire: bytes) -> TableLinkFrame:
    found = decode(wire.strip(b"\0"))
    assert isinstance(found, TableLinkFrame)
    return found


@pytest.mark.parametrize("wire", WHOLE)
def test_identity_and_clock_are_shown_whole(wire: bytes) -> None:
    assert mask_raw(wire)[0] == wire.hex(" ").upper()


def test_of_all_other_frames_only_the_zeros_are_shown() -> None:
    assert GOLDEN
    for name, wire in GOLDEN.items():
        whole = wire in WHOLE or name.startswith(("HELLO of", "PONG"))
        assert mask_raw(wire)[0] == (wire.hex(" ").upper() if whole else hidden(wire)), name


def test_a_frame_cut_in_two_shows_only_what_is_proved_by_then() -> None:
    for cut in range(1, len(HELLO) - 1):
        first, unframed = mask_raw(HELLO[:cut])
        second, _unframed = mask_raw(HELLO[cut:], unframed)
        assert first == hidden(HELLO[:cut]), f"cut at {cut}"
        assert second == HELLO[cut:].hex(" ").upper(), f"cut at {cut}"


def test_a_frame_with_a_wrong_checksum_is_hidden() -> None:
    broken = HELLO[:-2] + bytes((HELLO[-2] ^ 1, 0))

    assert mask_raw(broken)[0] == hidden(broken)


def test_bytes_after_an_oversized_run_are_hidden_up_to_the_next_zero() -> None:
    _text, unframed = mask_raw(b"\0" + b"\x01" * 600)
    assert unframed.dropping

    rest = HELLO.strip(b"\0")
    text, _unframed = mask_raw(rest + HELLO, unframed)

    assert text == f"{hidden(rest)} {HELLO.hex(' ').upper()}"


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_no_byte_outside_a_valid_frame_is_shown(chunks: list[bytes]) -> None:
    unframed = TableLinkUnframed()
    for data in chunks:
        text, unframed = mask_raw(data, unframed)
        assert text == hidden(data)


@given(st.binary(max_size=60), st.integers(0, len(CARD)))
def test_a_card_is_never_shown_whatever_precedes_it(noise: bytes, cut: int) -> None:
    _text, unframed = mask_raw(noise + CARD[:cut])
    text, _unframed = mask_raw(CARD[cut:], unframed)

    assert text == hidden(CARD[cut:])


@pytest.mark.parametrize(
    ("name", "masked", "text"),
    [
        (
            "event 42, CARD_OUT",
            True,
            "event 42 of kind 1 payload " + " ".join([".."] * 38),
        ),
        ("event 52, RESIDUAL, said before", True, "event 52 of kind 23, resent payload "),
        ("SHUFFLE begun", True, "answer to a request, id 18 payload .."),
        ("SHUFFLE begun", False, "answer to request 3, id 18 payload A1 01 00"),
        ("PING of the device", True, "PING payload .. "),
        ("PONG of the device", True, "PONG payload A1 "),
        ("BYE of the device", True, "BYE payload .. "),
        ("event 42, CARD_OUT", False, "event 42 of kind 1 payload A5 01 1A 5E ED"),
    ],
)
def test_a_frame_as_text(name: str, masked: bool, text: str) -> None:
    assert frame_text(frame_of(GOLDEN[name]), masked=masked).startswith(text)


@pytest.mark.parametrize("name", ["LOCK of a shoe", "STATUS answered"])
def test_a_lock_is_not_named(name: str) -> None:
    text = frame_text(frame_of(GOLDEN[name]), masked=True)

    assert text.startswith("answer to a request, id ")
