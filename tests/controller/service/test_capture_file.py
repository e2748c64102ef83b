"""The file of a record: new, private, and whole blocks only."""

import resource
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from controller.service.capture_file import (
    CaptureFile,
    CaptureFileError,
    RecordedPort,
    SerialEvent,
    interface_block,
    packet_block,
    section_block,
)
from firmware_bridge.transport.port import Chunk, LineSettings, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

GOLDEN = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "capture.toml").read_text(encoding="utf-8")
)


def test_the_section_names_the_program() -> None:
    section = GOLDEN["section"]

    assert section_block(section["program"]) == bytes.fromhex(section["hex"])


def test_an_interface_states_port_model_speed_and_nanoseconds() -> None:
    one = GOLDEN["interface"]

    block = interface_block(one["name"], one["description"], one["baud"])
    assert block == bytes.fromhex(one["hex"])


@pytest.mark.parametrize("packet", GOLDEN["packet"], ids=lambda one: one["name"])
def test_an_event_at_a_port(packet: dict[str, Any]) -> None:
    data, event = bytes.fromhex(packet["data_hex"]), SerialEvent(packet["event"])

    block = packet_block(0, packet["utc_ns"], event, data, packet["comment"])
    assert block == bytes.fromhex(packet["hex"])


PORTS = (
    RecordedPort("/dev/ttyUSB0", "angel-eye-ii-ex", LineSettings(4800)),
    RecordedPort("/dev/ttyUSB1", "feig-rfid", LineSettings(38400)),
)
AT = Timestamp(5, 1_700_000_000_000_000_000)
READ = Chunk("/dev/ttyUSB1", AT, b"\x02\x00")


def added(folder: Path, *events: PortOpened | PortLost | Chunk) -> bytes:
    """What the file holds of these events, without the blocks before them."""
    path = folder / "one.pcapng"
    with CaptureFile(path, PORTS) as file:
        before = file.size
        for event in events:
            file.add(event)
    return path.read_bytes()[before:]


def test_only_its_owner_may_read_it(fast_dir: Path) -> None:
    added(fast_dir)

    assert (fast_dir / "one.pcapng").stat().st_mode & 0o777 == 0o600


def test_a_read_is_of_its_port(fast_dir: Path) -> None:
    expected = packet_block(1, AT.utc_ns, SerialEvent.RECEIVED, READ.data)

    assert added(fast_dir, READ) == expected


def test_openings_and_losses_are_comments(fast_dir: Path) -> None:
    opened = PortOpened("/dev/ttyUSB0", AT, bytes(32))
    lost = PortLost("/dev/ttyUSB0", AT, message("line_silent_within_frame"))

    stored = added(fast_dir, opened, lost)
    assert b"opened" in stored
    assert b"lost: the line fell silent within a frame" in stored


def test_bytes_that_waited_say_so(fast_dir: Path) -> None:
    waited = Chunk("/dev/ttyUSB0", AT, b"\x05", waited_ns=2_000_000_000)

    assert b"may have waited 2000 ms to be read" in added(fast_dir, waited)


def test_no_file_is_overwritten(fast_dir: Path) -> None:
    path = fast_dir / "one.pcapng"
    path.write_text("mine")

    with pytest.raises(CaptureFileError, match="exists and is left as it is"):
        CaptureFile(path, PORTS)
    assert path.read_text() == "mine"


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond that size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_without_room_it_ends_with_a_whole_block(fast_dir: Path) -> None:
    path = fast_dir / "one.pcapng"
    with CaptureFile(path, PORTS) as file:
        file.add(READ)
        whole = file.size
        with room_for(whole + 10), pytest.raises(CaptureFileError, match="bytes of it stay"):
            file.add(READ)

    assert path.stat().st_size == whole


@pytest.mark.needs("tshark")
def test_wireshark_reads_it(fast_dir: Path) -> None:
    opened = PortOpened("/dev/ttyUSB0", AT, bytes(32))
    added(fast_dir, opened, READ)

    lines = subprocess.run(
        ["tshark", "-n", "-r", fast_dir / "one.pcapng", "-V"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert lines.count("Encapsulation type: RTAC serial-line") == 2
    assert "Epoch Time: 1700000000.000000000 seconds" in lines
    assert "Arrived At Time: 1700000000.000000000 seconds" in lines
    assert "Interface description: feig-rfid, 38400 8N1" in lines
    assert "Event Type: STATUS_CHANGE (0x00)" in lines
    assert "Event Type: DATA_RX_END (0x04)" in lines
    assert "opened" in lines
