"""Lines over TCP: several peers, late ones, slow and dead ones; nobody waits for any of them."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from controller.system import line_output
from controller.system.line_output import (
    PEERS_MAX,
    WAITING_MAX,
    LineOutput,
    LineOutputSettings,
    LinesUnavailable,
)
from hil.rig.device_programs import wait_until

HERE = ("127.0.0.1", 0)


@contextmanager
def output(settings: LineOutputSettings) -> Iterator[tuple[LineOutput, tuple[str, int]]]:
    lines = LineOutput(settings)
    host, _, port = lines.start().rpartition(":")
    try:
        yield lines, (host, int(port or 0))
    finally:
        lines.stop()


def connected(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address)


def test_every_connected_recorder_gets_every_line() -> None:
    with (
        output(LineOutputSettings(HERE)) as (lines, address),
        connected(address) as one,
        connected(address) as other,
    ):
        wait_until(lambda: lines.connected == 2)
        lines.say(b"M-1 1/1 PLAYER\r\n")
        lines.say(b"M-1 1/2 TIE\r\n")
        for recorder in (one, other):
            with recorder.makefile("rb") as file:
                assert [file.readline(), file.readline()] == [
                    b"M-1 1/1 PLAYER\r\n",
                    b"M-1 1/2 TIE\r\n",
                ]


def test_what_was_said_before_is_not_said_again() -> None:
    with output(LineOutputSettings(HERE)) as (lines, address):
        lines.say(b"before\n")
        with connected(address) as recorder:
            wait_until(lambda: lines.connected == 1)
            lines.say(b"after\n")
            assert recorder.recv(100) == b"after\n"


def test_the_table_connects_to_a_recorder_and_again_after_it_was_gone(monkeypatch) -> None:
    monkeypatch.setattr(line_output, "_RETRY_S", 0.01)
    with socket.create_server(HERE) as recorder:
        settings = LineOutputSettings(connect=(recorder.getsockname(),))
        with output(settings) as (lines, _):
            first, _ = recorder.accept()
            first.close()
            recorder.settimeout(0.05)
            found: list[socket.socket] = []

            def came_again() -> bool:
                # That the first is gone is seen by sending.
                lines.say(b"nobody reads this\n")
                with suppress(TimeoutError):
                    found.append(recorder.accept()[0])
                return bool(found)

            wait_until(came_again)
            with found[0] as again:
                wait_until(lambda: lines.connected == 1)
                lines.say(b"now\n")
                assert again.recv(100).endswith(b"now\n")


def test_a_recorder_that_reads_nothing_holds_nobody_up() -> None:
    line = b"x" * 8_000 + b"\n"
    with (
        output(LineOutputSettings(HERE)) as (lines, address),
        connected(address),
        connected(address) as reader,
    ):
        wait_until(lambda: lines.connected == 2)
        received = bytearray()

        def read() -> None:
            while data := reader.recv(1 << 16):
                received.extend(data)

        reading = threading.Thread(target=read)
        reading.start()
        # Far more than the buffers between two sockets hold.
        for count in range(1, 2_001):
            lines.say(line)
            if count % 32 == 0:
                wait_until(lambda count=count: len(received) >= count * len(line))
        wait_until(lambda: len(received) == 2_000 * len(line))
        lines.stop()
        reading.join()


def test_of_the_lines_that_wait_the_oldest_are_left_out() -> None:
    with output(LineOutputSettings(HERE)) as (lines, address), connected(address) as slow:
        wait_until(lambda: lines.connected == 1)
        (peer,) = lines._peers
        with peer._changed:  # its thread cannot take any
            for number in range(WAITING_MAX + 10):
                peer._lines.append(b"%d\n" % number)
        lines.say(b"last\n")
        with slow.makefile("rb") as file:
            assert file.readline() == b"11\n"


def test_one_recorder_more_takes_the_place_of_the_oldest() -> None:
    with output(LineOutputSettings(HERE)) as (lines, address):
        recorders = []
        for count in range(1, PEERS_MAX + 1):
            recorders.append(connected(address))
            wait_until(lambda count=count: lines.connected == count)
        recorders.append(connected(address))
        assert recorders[0].recv(1) == b""
        wait_until(lambda: lines.connected == PEERS_MAX)
        lines.say(b"now\n")
        assert recorders[-1].recv(10) == b"now\n"
        for recorder in recorders:
            recorder.close()


def test_what_a_recorder_sends_is_not_read() -> None:
    with output(LineOutputSettings(HERE)) as (lines, address), connected(address) as recorder:
        wait_until(lambda: lines.connected == 1)
        recorder.sendall(b"resolve void-coup\r\n")
        lines.say(b"now\n")
        assert recorder.recv(10) == b"now\n"


def test_lines_that_wait_are_sent_at_the_end() -> None:
    with output(LineOutputSettings(HERE)) as (lines, address), connected(address) as recorder:
        wait_until(lambda: lines.connected == 1)
        lines.say(b"last\n")
        lines.stop()
        assert recorder.recv(10) == b"last\n"
        assert recorder.recv(10) == b""


def test_an_address_in_use_is_refused_with_a_remedy() -> None:
    with (
        socket.create_server(HERE) as other,
        pytest.raises(LinesUnavailable, match="Remedy: name an address of this machine"),
    ):
        LineOutput(LineOutputSettings(other.getsockname())).start()
