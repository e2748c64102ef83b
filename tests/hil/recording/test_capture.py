"""Reading a record: golden bytes, files cut short, other writers, and files that are none."""

import struct
import tomllib
from pathlib import Path

import pytest

from hil.recording.capture import Direction, NotARecord, WireEvent, read_recording

GOLDEN = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "capture.toml").read_text(encoding="utf-8")
)
SECTION = bytes.fromhex(GOLDEN["section"]["hex"])
INTERFACE = bytes.fromhex(GOLDEN["interface"]["hex"])
PACKETS = [bytes.fromhex(one["hex"]) for one in GOLDEN["packet"]]
WHOLE = SECTION + INTERFACE + b"".join(PACKETS)
AT_NS = 1_700_000_000_123_456_789


def test_the_golden_blocks_are_read() -> None:
    recording = read_recording(WHOLE)
    (wire,) = recording.wires

    assert wire.name == "p"
    assert recording.cut_at is None
    assert wire.events == (
        WireEvent(AT_NS, Direction.RECEIVED, bytes.fromhex("05 31 50 03 36 32")),
        WireEvent(AT_NS, Direction.WRITTEN, b"\x06"),
        WireEvent(AT_NS, Direction.STATUS, b"", "opened"),
        WireEvent(AT_NS, Direction.COMPLETE, b""),
    )


def test_a_file_cut_in_its_last_block_is_read_up_to_there() -> None:
    last = len(WHOLE) - len(PACKETS[-1])
    for end in range(last + 1, len(WHOLE)):
        recording = read_recording(WHOLE[:end])

        assert recording.cut_at == last
        assert len(recording.wires[0].events) == len(PACKETS) - 1


def test_blocks_of_other_kinds_are_skipped() -> None:
    statistics = struct.pack("<III", 5, 12, 12)

    assert read_recording(WHOLE + statistics) == read_recording(WHOLE)


def test_ports_of_other_link_types_are_left_out() -> None:
    ethernet = INTERFACE.replace(b"\xfa\0\0\0", b"\x01\0\0\0", 1)
    packets = b"".join(PACKETS)

    (wire,) = read_recording(SECTION + ethernet + INTERFACE + packets).wires
    assert wire.events == ()


def test_the_other_byte_order_and_microseconds_are_read() -> None:
    section = struct.pack(">IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    interface = struct.pack(">IIHHII", 1, 20, 250, 0, 0, 20)
    link = bytes(8) + b"\x02\0\0\0" + b"\x05"
    high, low = divmod(AT_NS // 1000, 1 << 32)
    packet = struct.pack(">7I", 6, 48, 0, high, low, 13, 13) + link + bytes(3)
    packet += struct.pack(">I", 48)

    (wire,) = read_recording(section + interface + packet).wires
    assert wire.events == (WireEvent(AT_NS // 1000 * 1000, Direction.RECEIVED, b"\x05"),)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no pcapng file"),
        (b"[table]\nname = 7\n", "no pcapng file"),
        (SECTION, "no port with serial bytes"),
        (SECTION + INTERFACE + struct.pack("<III", 6, 13, 13), "impossible length 13"),
        (WHOLE[:-4] + b"\x30\0\0\0", "the lengths 44 and 48"),
        (SECTION + PACKETS[0], "cannot be read"),
    ],
)
def test_other_files_are_refused_with_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(NotARecord, match=why):
        read_recording(data)
