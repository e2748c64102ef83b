"""Frames of TableLink: golden bytes, damage, fragmentation and garbage.

Source: firmware_bridge README, "TableLink/1", wire.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.checksums import crc_32c
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.frames import (
    STUFFED_BYTES_MAX,
    FrameChannel,
    TableLinkFrame,
    TableLinkUnframed,
    encode,
    feed,
)

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "tablelink.toml").read_text(encoding="utf-8")
)
PING = bytes.fromhex("000201010305070101010101010101010104a1011a0812d687ea8e46b700")
KINDS = {
    "stuffing": LinkFaultKind.NOISE,
    "checksum": LinkFaultKind.BAD_CHECKSUM,
    "too short": LinkFaultKind.NOISE,
}


def named(kind: str, **fields: str) -> list[Any]:
    return [
        pytest.param(vector, id=vector["name"])
        for vector in VECTORS[kind]
        if all(vector[field] == value for field, value in fields.items())
    ]


def received(data: bytes) -> tuple[TableLinkFrame | LinkFault, ...]:
    return feed(TableLinkUnframed(), data)[1]


def in_pieces(pieces: list[bytes]) -> tuple[TableLinkFrame | LinkFault, ...]:
    unframed, found = TableLinkUnframed(), []
    for piece in pieces:
        unframed, more = feed(unframed, piece)
        found.extend(more)
    return tuple(found)


def frame_of(vector: Any) -> TableLinkFrame:
    return TableLinkFrame(
        channel=FrameChannel(vector["channel"]),
        type=vector["type"],
        ctr=vector["ctr"],
        seq=vector["seq"],
        ack=vector["ack"] if vector["flags"] & 8 else None,
        payload=bytes.fromhex(vector["payload"]),
        resent=bool(vector["flags"] & 2),
    )


@pytest.mark.parametrize("vector", VECTORS["crc"], ids=lambda vector: repr(vector["text"]))
def test_the_check_of_a_text(vector: Any) -> None:
    assert f"{crc_32c(vector['text'].encode()):08x}" == vector["value"]


@pytest.mark.parametrize("vector", VECTORS["cobs"], ids=lambda vector: vector["stuffed"][:12])
def test_bytes_are_stuffed(vector: Any) -> None:
    assert cobs.encode(bytes.fromhex(vector["plain"])).hex() == vector["stuffed"]


@pytest.mark.parametrize("vector", named("frame"))
def test_a_good_frame_is_decoded(vector: Any) -> None:
    assert received(bytes.fromhex(vector["wire"])) == (frame_of(vector),)


@pytest.mark.parametrize("vector", named("frame"))
def test_a_good_frame_is_written(vector: Any) -> None:
    assert encode(frame_of(vector)).hex() == vector["wire"]


@pytest.mark.parametrize("vector", named("bound"))
def test_a_payload_at_the_bounds_is_encoded_and_decoded(vector: Any) -> None:
    frame = TableLinkFrame(FrameChannel.LINK, 5, 1, payload=bytes.fromhex(vector["payload"]))

    assert received(bytes.fromhex(vector["wire"])) == (frame,)
    assert encode(frame).hex() == vector["wire"]


@pytest.mark.parametrize("vector", named("refused", level="frame"))
def test_what_version_1_refuses_is_one_fault(vector: Any) -> None:
    found = received(bytes.fromhex(vector["wire"]))

    assert [type(one) for one in found] == [LinkFault]


@pytest.mark.parametrize("vector", named("refused", level="frame"))
def test_a_frame_after_a_refused_one_is_decoded(vector: Any) -> None:
    found = received(bytes.fromhex(vector["wire"]) + PING)

    assert [type(one) for one in found] == [LinkFault, TableLinkFrame]


@pytest.mark.parametrize("vector", named("stream"))
def test_frames_are_found_among_other_bytes(vector: Any) -> None:
    found = received(bytes.fromhex(vector["wire"]))

    frames = [one for one in found if isinstance(one, TableLinkFrame)]
    raws = [cobs.decode(encode(frame)[1:-1]).hex() for frame in frames]
    assert raws == vector["frames"]
    assert len(found) - len(frames) == vector["troubles"]


@pytest.mark.parametrize("vector", named("stream"))
def test_byte_by_byte_gives_the_same_result(vector: Any) -> None:
    data = bytes.fromhex(vector["wire"])

    assert in_pieces([data[at : at + 1] for at in range(len(data))]) == received(data)


def test_no_single_bit_flip_gives_another_frame() -> None:
    for at in range(len(PING)):
        for bit in range(8):
            data = bytearray(PING)
            data[at] ^= 1 << bit
            found = [one for one in received(bytes(data)) if isinstance(one, TableLinkFrame)]
            assert found in ([], list(received(PING))), f"byte {at}, bit {bit}"


def test_the_frame_after_a_truncated_one_is_decoded() -> None:
    for length in range(len(PING) - 1):
        assert received(PING[:length] + PING)[-1] == received(PING)[0], f"{length} bytes"


def test_an_endless_run_is_reported_once_and_not_stored() -> None:
    unframed, found = TableLinkUnframed(), []
    for _ in range(100):
        unframed, more = feed(unframed, b"\x55" * 100)
        found.extend(more)

    assert [one.kind for one in found if isinstance(one, LinkFault)] == [LinkFaultKind.LENGTH]
    assert unframed.pending == b""


def test_a_line_of_the_wrong_speed_does_not_fill_the_record() -> None:
    found = received(b"\x12\x34\x00\x03\x01\x02\x00" * 1000)

    assert len(found) == 1


def test_a_good_frame_resets_reported_faults() -> None:
    noise = b"\x12\x34\x00"

    found = received(noise + noise + PING + noise)

    assert [type(one) for one in found] == [LinkFault, TableLinkFrame, LinkFault]


@given(st.lists(st.binary(max_size=700) | st.just(PING) | st.just(PING[:-1]), max_size=8))
def test_any_bytes_give_the_same_result_in_any_fragmentation(pieces: list[bytes]) -> None:
    unframed, found = feed(TableLinkUnframed(), b"".join(pieces))

    assert in_pieces(pieces) == found
    assert len(unframed.pending) <= STUFFED_BYTES_MAX


@given(st.binary(max_size=400).map(lambda data: data + b"\0"))
def test_a_frame_after_any_garbage_is_decoded(garbage: bytes) -> None:
    assert received(garbage + PING)[-1] == received(PING)[0]
