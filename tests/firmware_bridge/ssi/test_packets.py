"""Packets of SSI: golden, damaged and arbitrary bytes."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.link import LinkFault, LinkFaultKind, Unframed
from firmware_bridge.ssi.packets import Packet, PacketOrFault, encode, feed, flush

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "ssi.toml").read_text(encoding="utf-8")
)
PACKETS = VECTORS["packet"]
BY_SCANNER = [packet for packet in PACKETS if packet["by"] == "scanner"]
BY_HOST = [packet for packet in PACKETS if packet["by"] == "host"]
PACK = bytes.fromhex(VECTORS["scan"][0]["packets"][0])
PACK_READ = Packet(0xF3, 0x00, b"\x03PACK-0001")


def read(*chunks: bytes) -> list[PacketOrFault]:
    unframed = Unframed()
    found: list[PacketOrFault] = []
    for chunk in chunks:
        unframed, some = feed(unframed, chunk)
        found.extend(some)
    return found


def bytewise(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def packets(found: list[PacketOrFault]) -> list[Packet]:
    return [one for one in found if isinstance(one, Packet)]


@pytest.mark.parametrize("vector", BY_SCANNER, ids=lambda vector: vector["name"])
def test_a_packet_of_the_scanner_is_read(vector: dict[str, Any]) -> None:
    expected = Packet(vector["opcode"], vector["status"], bytes.fromhex(vector["data_hex"]))

    assert read(bytes.fromhex(vector["hex"])) == [expected]
    assert read(*bytewise(bytes.fromhex(vector["hex"]))) == [expected]


@pytest.mark.parametrize("vector", BY_HOST, ids=lambda vector: vector["name"])
def test_a_packet_of_the_host_is_written_as_the_vector_says(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["data_hex"])

    assert encode(vector["opcode"], data, status=vector["status"]) == bytes.fromhex(vector["hex"])


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=lambda vector: vector["name"])
def test_a_damaged_packet_is_a_fault(vector: dict[str, str]) -> None:
    (fault,) = read(bytes.fromhex(vector["hex"]))

    assert isinstance(fault, LinkFault)
    assert fault.kind == vector["fault"]


def test_every_flipped_bit_of_a_packet_is_seen() -> None:
    for bit in range(8 * len(PACK)):
        flipped = bytearray(PACK)
        flipped[bit // 8] ^= 1 << bit % 8
        unframed, found = feed(Unframed(), bytes(flipped))

        assert PACK_READ not in (*found, *flush(unframed)), bit


@pytest.mark.parametrize("garbage", ["00", "20", "20 F3", "FF", "20 F3 00 00", "41 42 43 0D 0A"])
def test_a_packet_after_garbage_is_read_at_the_latest_after_a_silence(garbage: str) -> None:
    unframed, found = feed(Unframed(), bytes.fromhex(garbage) + PACK)

    assert packets([*found, *flush(unframed)]) == [PACK_READ]


def test_a_packet_swallowed_by_a_wrong_length_is_read_when_the_sum_is_wrong() -> None:
    # A wrong length of 20 swallows both packets that follow.
    assert packets(read(bytes.fromhex("20 F3 00 00") + 2 * PACK)) == 2 * [PACK_READ]


def test_a_run_of_garbage_is_reported_once_in_any_fragmentation() -> None:
    garbage = b"\x00\x01\x02\x03\x00\x01"

    assert [one.kind for one in read(garbage) if isinstance(one, LinkFault)] == ["noise"]
    assert read(*bytewise(garbage)) == read(garbage)


def test_two_packets_in_one_chunk_are_two_packets() -> None:
    assert read(PACK + PACK) == [PACK_READ, PACK_READ]


def test_a_packet_that_ends_in_silence_is_truncated() -> None:
    unframed, nothing = feed(Unframed(), PACK[:-1])
    (fault,) = flush(unframed)

    assert nothing == ()
    assert isinstance(fault, LinkFault)
    assert fault.kind is LinkFaultKind.TRUNCATED


def test_silence_after_nothing_is_nothing() -> None:
    assert flush(Unframed()) == ()


@given(st.lists(st.one_of(st.binary(max_size=300), st.just(PACK)), max_size=6))
def test_no_bytes_raise_and_what_waits_is_bounded(chunks: list[bytes]) -> None:
    unframed = Unframed()
    for chunk in chunks:
        unframed, _found = feed(unframed, chunk)
        assert len(unframed.pending) <= 256
    flush(unframed)


@given(st.binary(max_size=60), st.data())
def test_a_good_packet_comes_through_whatever_stands_before_it(
    garbage: bytes, data: st.DataObject
) -> None:
    stream = garbage + PACK
    cut = data.draw(st.integers(0, len(stream)))
    unframed, first = feed(Unframed(), stream[:cut])
    unframed, second = feed(unframed, stream[cut:])
    # A swallowed packet may be cut in two by the wrong length; then the scanner sends it again.
    unframed, third = feed(unframed, PACK)

    assert PACK_READ in (*first, *second, *third, *flush(unframed))


@given(st.integers(0, 255), st.binary(max_size=251), st.integers(0, 255))
def test_what_is_encoded_as_a_scanner_s_is_read(opcode: int, data: bytes, status: int) -> None:
    wire = encode(opcode, data, status=status, source=0)

    assert read(wire) == [Packet(opcode, status, data)]
    assert sum(wire[:-2]) + int.from_bytes(wire[-2:], "big") & 0xFFFF == 0
