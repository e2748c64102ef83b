"""`smartshoe-hil replay` and `relay` as processes of their own."""

import json
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from controller.system.command_line.errors import CommandError
from hil.emulator.angel_eye.device import AngelEye, AngelEyeSettings
from hil.emulator.lines.serve import TcpServer
from hil.recording.capture import Direction, RecordedWire, WireEvent, read_recording
from hil.serve.replay import refuse_sessions

GOLDEN = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "capture.toml").read_text(encoding="utf-8")
)
BLOCKS = [GOLDEN["section"], GOLDEN["interface"], *GOLDEN["packet"]]
WHOLE = b"".join(bytes.fromhex(block["hex"]) for block in BLOCKS)
STAND_BY = bytes.fromhex("05 31 50 03 36 32")
# tests/vectors/angel_eye.toml: the command to lock, and what the shoe reports then.
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
LOCKED = bytes.fromhex("05 30 4C 81 03 46 45")


@contextmanager
def process(*words: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "hil.cli", *words, "--no-orders"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def next_event(running: "subprocess.Popen[str]", event: str) -> dict[str, Any]:
    """The next line on stdout, which must be that event."""
    assert running.stdout is not None
    line: dict[str, Any] = json.loads(running.stdout.readline())
    assert line["event"] == event, line
    return line


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    host, port = url.removeprefix("socket://").split(":")
    with socket.create_connection((host, int(port))) as client:
        yield client


def receive_all(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count and (more := client.recv(count - len(data))):
        data += more
    return data


def ended(running: "subprocess.Popen[str]") -> int:
    running.send_signal(signal.SIGTERM)
    return running.wait()


def recorded(folder: Path, data: bytes = WHOLE) -> str:
    path = folder / "shoe.pcapng"
    path.write_bytes(data)
    return str(path)


def test_a_record_is_played_to_whoever_connects(fast_dir: Path) -> None:
    with process("replay", recorded(fast_dir), "--tcp", "0") as running:
        ready = next_event(running, "ready")
        assert (ready["port"], ready["bytes"], ready["whole"]) == ("p", 6, True)
        with connected(ready["url"]) as client:
            assert receive_all(client, 6) == STAND_BY
            client.sendall(b"\x06")
            assert next_event(running, "done")["unread"] == 0

        assert ended(running) == 0
        assert next_event(running, "end")["received"] == 1


def test_a_record_of_tablelink_is_no_device() -> None:
    """Its answers are of one session; tests/vectors/tablelink.toml: PING of the device."""
    ping = bytes.fromhex("0002010103050b0101010101010101010104a3011a0c4c4b40020303f427df9f7c00")
    wire = RecordedWire("p", (WireEvent(0, Direction.RECEIVED, ping),))

    with pytest.raises(CommandError, match="cannot be played as a device") as refused:
        refuse_sessions(wire, Path("shuffler.pcapng"))

    assert "smartshoe replay JOURNAL" in str(refused.value)


def test_other_bytes_of_the_program_are_said_and_end_with_1(fast_dir: Path) -> None:
    with process("replay", recorded(fast_dir), "--tcp", "0") as running:
        with connected(next_event(running, "ready")["url"]) as client:
            assert receive_all(client, 6) == STAND_BY
            client.sendall(b"\x15")
            lines = [next_event(running, "done"), next_event(running, "difference")]
        assert lines[1]["offset"] == 0
        assert (lines[1]["recorded"], lines[1]["written"]) == ("06", "15")

        assert ended(running) == 1


def test_a_record_that_was_not_played_to_its_end_ends_with_1(fast_dir: Path) -> None:
    with process("replay", recorded(fast_dir), "--tcp", "0") as running:
        with connected(next_event(running, "ready")["url"]) as client:
            assert receive_all(client, 6) == STAND_BY

            assert ended(running) == 1
        assert next_event(running, "end")["awaited"] == 1


# The program that plays the record, where a minute is half a second.
IMPATIENT = """
import sys
import hil.progress

hil.progress.PLAY_STILL_S = 0.5
from hil.cli import main

sys.exit(main(sys.argv[1:]))
"""


def test_a_record_that_waits_for_a_host_that_writes_nothing_ends_and_says_so(
    fast_dir: Path,
) -> None:
    words = ["replay", recorded(fast_dir), "--tcp", "0", "--no-orders"]
    with subprocess.Popen(
        [sys.executable, "-c", IMPATIENT, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        with connected(next_event(running, "ready")["url"]) as client:
            assert receive_all(client, 6) == STAND_BY
            assert running.wait() == 1
        assert next_event(running, "end")["awaited"] == 1
        assert running.stderr is not None
        assert "the record stands still: no report" in running.stderr.read()


def test_a_file_that_was_cut_is_played_and_said(fast_dir: Path) -> None:
    with process("replay", recorded(fast_dir, WHOLE[:-1]), "--tcp", "0") as running:
        ready = next_event(running, "ready")
        with connected(ready["url"]) as client:
            assert receive_all(client, 6) == STAND_BY
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate()

    assert ready["whole"] is False
    assert "it is cut within the block at byte" in errors


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("replay", "nowhere.pcapng", "--tcp", "0"), "it cannot be read"),
        (("replay", "shoe.pcapng", "--tcp", "0", "--port", "q"), "Allowed: p."),
        (("replay", "shoe.pcapng"), "no line is named"),
        (("relay", "--to", "p", "--record", "shoe.pcapng", "--tcp", "0"), "left as it is"),
    ],
)
def test_refusals(words: tuple[str, ...], why: str, fast_dir: Path) -> None:
    recorded(fast_dir)
    done = subprocess.run(
        [sys.executable, "-m", "hil.cli", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=fast_dir,
    )

    assert done.returncode == 2
    assert why in done.stderr


def test_a_relay_records_both_directions_and_the_record_answers_alike(fast_dir: Path) -> None:
    file = fast_dir / "both.pcapng"
    answer = b"\x06" + LOCKED
    with TcpServer(AngelEye(AngelEyeSettings(repeats=1))) as shoe:
        words = ("--to", shoe.url, "--record", str(file), "--tcp", "0")
        with process("relay", *words) as running:
            with connected(next_event(running, "ready")["url"]) as client:
                client.sendall(LOCK)
                assert receive_all(client, len(answer)) == answer
            assert ended(running) == 0

    (wire,) = read_recording(file.read_bytes()).wires
    ways = dict.fromkeys(Direction, b"")
    for one in wire.events:
        ways[one.direction] += one.data
    assert (ways[Direction.WRITTEN], ways[Direction.RECEIVED]) == (LOCK, answer)
    assert file.stat().st_mode & 0o777 == 0o600

    with process("replay", str(file), "--tcp", "0", "--speed", "0") as running:
        with connected(next_event(running, "ready")["url"]) as client:
            client.sendall(LOCK)
            assert receive_all(client, len(answer)) == answer
        next_event(running, "done")
        assert ended(running) == 0
