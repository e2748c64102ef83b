"""Frames of FEIG readers: golden bytes, damage, fragmentation and garbage.

Source: firmware_bridge README, "FEIG OBID", frames.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.feig.frames import (
    FRAME_BYTES_MAX,
    AnswerFrame,
    FeigCommand,
    FeigFrame,
    FeigUnframed,
    FrameForm,
    RequestFrame,
    Side,
    encode_request,
    feed,
    flush,
)
from firmware_bridge.link import LinkFault, LinkFaultKind

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "feig.toml").read_text(encoding="utf-8")
)
KEEP_ALIVE = bytes.fromhex("02 00 0A 00 6E 00 00 00 4B 69")
KEEP_ALIVE_FRAME = AnswerFrame(0, 0x6E, 0, b"\x00\x00", FrameForm.ADVANCED)
VERSION = bytes.fromhex("0D 00 65 00 03 03 00 44 53 0D 30 33 09")


def named(kind: str) -> list[Any]:
    return [pytest.param(vector, id=vector["name"]) for vector in VECTORS[kind]]


def parse(data: bytes, side: Side = Side.READER) -> tuple[FeigFrame | LinkFault, ...]:
    """Frames and faults of a stream followed by silence."""
    unframed, found = feed(FeigUnframed(), data, side)
    return (*found, *flush(unframed, side))


def in_pieces(pieces: list[bytes]) -> tuple[FeigFrame | LinkFault, ...]:
    unframed, found = FeigUnframed(), []
    for piece in pieces:
        unframed, more = feed(unframed, piece)
        found.extend(more)
    return (*found, *flush(unframed))


def frames_in(found: tuple[FeigFrame | LinkFault, ...]) -> tuple[FeigFrame, ...]:
    return tuple(one for one in found if not isinstance(one, LinkFault))


def kinds(found: tuple[FeigFrame | LinkFault, ...]) -> list[str]:
    return [one.kind.value for one in found if isinstance(one, LinkFault)]


# --- golden bytes --------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", named("request"))
def test_a_request_is_read(vector: dict[str, Any]) -> None:
    due = RequestFrame(
        vector["address"],
        vector["command"],
        bytes.fromhex(vector["data_hex"]),
        FrameForm(vector["form"]),
    )
    assert parse(bytes.fromhex(vector["hex"]), Side.HOST) == (due,)


@pytest.mark.parametrize("vector", [one for one in VECTORS["request"] if one["sent"]])
def test_a_request_is_written(vector: dict[str, Any]) -> None:
    command, data = FeigCommand(vector["command"]), bytes.fromhex(vector["data_hex"])

    assert encode_request(command, data, FrameForm(vector["form"])) == bytes.fromhex(vector["hex"])


@pytest.mark.parametrize("vector", [one for one in VECTORS["request"] if not one["sent"]])
def test_requests_that_are_never_sent_cannot_be_encoded(vector: dict[str, Any]) -> None:
    assert vector["command"] not in {command.value for command in FeigCommand}


@pytest.mark.parametrize("vector", named("answer"))
def test_an_answer_is_read(vector: dict[str, Any]) -> None:
    due = AnswerFrame(
        vector["address"],
        vector["command"],
        vector["status"],
        bytes.fromhex(vector["data_hex"]),
        FrameForm(vector["form"]),
    )
    assert parse(bytes.fromhex(vector["hex"])) == (due,)


@pytest.mark.parametrize("vector", named("reading"))
def test_a_reading_is_read(vector: dict[str, Any]) -> None:
    (frame,) = parse(bytes.fromhex(vector["hex"]))

    assert isinstance(frame, AnswerFrame)
    assert (frame.command, frame.status) == (vector["command"], vector["status"])


@pytest.mark.parametrize("vector", named("damaged"))
def test_damage_is_refused(vector: dict[str, Any]) -> None:
    assert kinds(parse(bytes.fromhex(vector["hex"]))) == [vector["fault"]]


@pytest.mark.parametrize("vector", named("damaged"))
def test_damage_gives_no_frame(vector: dict[str, Any]) -> None:
    assert frames_in(parse(bytes.fromhex(vector["hex"]))) == ()


@pytest.mark.parametrize("vector", named("stream"))
def test_frames_are_found_in_a_stream(vector: dict[str, Any]) -> None:
    due = tuple(one for frame in vector["frames"] for one in parse(bytes.fromhex(frame)))

    assert frames_in(in_pieces([bytes.fromhex(chunk) for chunk in vector["chunks"]])) == due


# --- getting back in step ------------------------------------------------------------------------


def test_every_single_bit_flip_is_detected() -> None:
    for bit in range(len(VERSION) * 8):
        bent = bytearray(VERSION)
        bent[bit // 8] ^= 1 << bit % 8
        assert frames_in(parse(bytes(bent))) == (), f"bit {bit}"


def test_a_frame_cut_anywhere_does_not_hide_the_next_one_after_silence() -> None:
    for length in range(1, len(VERSION)):
        unframed, before = feed(FeigUnframed(), VERSION[:length])
        cut = flush(unframed)
        _, after = feed(FeigUnframed(), KEEP_ALIVE)
        assert (frames_in(before), frames_in(cut), after) == ((), (), (KEEP_ALIVE_FRAME,))


def test_a_frame_inside_half_a_longer_one_is_found_after_silence() -> None:
    longer = bytes.fromhex("02 01 00 00 22")

    assert parse(longer + KEEP_ALIVE)[-1] == KEEP_ALIVE_FRAME


def test_a_length_of_garbage_takes_no_more_than_the_longest_frame() -> None:
    longest = bytes.fromhex("02 40 00 00 22")
    unframed, _ = feed(FeigUnframed(), longest + bytes(FRAME_BYTES_MAX - len(longest) - 1))
    assert len(unframed.pending) == FRAME_BYTES_MAX - 1

    unframed, found = feed(unframed, bytes(8) + KEEP_ALIVE)

    assert found[-1] == KEEP_ALIVE_FRAME
    assert unframed.pending == b""


def test_a_frame_of_maximum_length_is_read() -> None:
    from_reader = bytes.fromhex("02 40 00 00 22 00") + bytes(FRAME_BYTES_MAX - 8)
    register = 0xFFFF
    for value in from_reader:
        register ^= value
        for _ in range(8):
            register = register >> 1 ^ 0x8408 if register & 1 else register >> 1

    (frame,) = parse(from_reader + register.to_bytes(2, "little"))

    assert isinstance(frame, AnswerFrame)
    assert len(frame.data) == FRAME_BYTES_MAX - 8


def test_an_answer_with_the_broadcast_address_is_refused() -> None:
    to_all = bytes.fromhex("02 00 07 FF 65 6E 61")

    assert frames_in(parse(to_all)) == ()


def test_one_run_of_garbage_is_reported_once() -> None:
    assert kinds(in_pieces([b"\x00"] * 500)) == [LinkFaultKind.NOISE]


def test_garbage_after_a_good_frame_is_reported_again() -> None:
    assert kinds(parse(b"\x00" + KEEP_ALIVE + b"\x00")) == [LinkFaultKind.NOISE] * 2


# --- large spaces --------------------------------------------------------------------------------

# Bytes from which frames are made come more often than others.
LIKELY = st.sampled_from(b"\x00\x02\x05\x06\x0a\x22\x6e\x65\xff")
GARBAGE = st.lists(st.one_of(LIKELY, st.integers(0, 255)), max_size=60).map(bytes)


@st.composite
def cut(draw: st.DrawFn, data: st.SearchStrategy[bytes]) -> list[bytes]:
    stream = draw(data)
    places = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    return [stream[a:b] for a, b in zip([0, *places], [*places, len(stream)], strict=True)]


@given(cut(GARBAGE))
def test_any_bytes_give_the_same_result_in_any_fragmentation(pieces: list[bytes]) -> None:
    assert in_pieces(pieces) == parse(b"".join(pieces))


@given(GARBAGE, GARBAGE)
def test_a_good_frame_is_found_in_garbage(before: bytes, after: bytes) -> None:
    unframed, found = feed(FeigUnframed(), before)
    found = (*found, *flush(unframed))
    unframed, more = feed(FeigUnframed(), KEEP_ALIVE + after)

    assert KEEP_ALIVE_FRAME in (*found, *more, *flush(unframed))


@given(cut(GARBAGE.map(lambda garbage: garbage + KEEP_ALIVE)))
def test_a_good_frame_after_garbage_is_found_by_the_next_silence(pieces: list[bytes]) -> None:
    assert KEEP_ALIVE_FRAME in in_pieces(pieces)
