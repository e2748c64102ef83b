"""Emulated devices on real terminals and sockets of this machine."""

import os
import select
import socket
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.dealing.cards import card_named
from hil.emulator.angel_eye.device import AngelEye, AngelEyeSettings
from hil.emulator.lines.faults import FaultPlan
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer, TcpServer

START = bytes.fromhex("05 30 53 03 36 30")
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
LOCKED = bytes.fromhex("05 30 4C 81 03 46 45")


@contextmanager
def host(path: str, speed: int = termios.B4800) -> Iterator[int]:
    """The host's end of a terminal, raw, at a speed; reads block."""
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        tty.setraw(fd)
        mode = termios.tcgetattr(fd)
        mode[4] = mode[5] = speed
        termios.tcsetattr(fd, termios.TCSANOW, mode)
        yield fd
    finally:
        os.close(fd)


def read_all(fd: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += os.read(fd, count - len(data))
    return data


def receive_all(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count and (more := client.recv(count - len(data))):
        data += more
    return data


@contextmanager
def client_of(server: TcpServer) -> Iterator[socket.socket]:
    before = server.connections
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        assert server.wait_connected(before + 1)
        yield client


def single() -> AngelEye:
    return AngelEye(AngelEyeSettings(repeats=1))


def test_a_pty_serves_reports() -> None:
    with PtyServer(AngelEye()) as server, host(server.path) as fd:
        server.perform(AngelEye.power_on)

        assert read_all(fd, 18) == START * 3
        assert server.settle()
        assert [report.copies_delivered for report in server.take_reports()] == [3]


def test_a_pty_answers_commands_before_the_report_that_follows() -> None:
    with PtyServer(single()) as server, host(server.path) as fd:
        os.write(fd, LOCK)

        assert read_all(fd, 1 + len(LOCKED)) == b"\x06" + LOCKED


def test_raw_bytes_can_be_sent() -> None:
    with PtyServer(single()) as server, host(server.path) as fd:
        server.send(b"\xff\x00noise")

        assert read_all(fd, 7) == b"\xff\x00noise"


def test_an_unplugged_pty_is_gone_and_comes_back_behind_its_link(fast_dir: Path) -> None:
    link = fast_dir / "shoe"
    with PtyServer(single(), link=link) as server:
        with host(server.path) as fd:
            server.unplug()
            assert not link.exists()
            assert _hung_up(fd)
        server.perform(AngelEye.power_on)
        assert server.settle()
        server.replug()
        with host(str(link)) as fd:
            server.perform(AngelEye.power_on)
            assert read_all(fd, 6) == START
        assert server.settle()
        assert [report.delivered for report in server.take_reports()] == [False, True]
    assert not link.is_symlink()


def _hung_up(fd: int) -> bool:
    try:
        return os.read(fd, 1) == b""
    except OSError:
        return True


def test_a_pty_nobody_reads_loses_reports_and_does_not_block() -> None:
    settings = LineServerSettings(patience_s=0.05)
    with PtyServer(AngelEye(), settings) as server:
        # All due at once: equal frames of different reports are not confused.
        server.perform(lambda shoe: tuple(one for _ in range(2000) for one in shoe.stand_by()))
        assert server.settle()
        reports = server.take_reports()

        assert reports[0].delivered
        assert not reports[-1].delivered
        assert len(reports) == 2000


def test_the_pty_sees_the_rate_the_host_chose() -> None:
    with PtyServer(single()) as server, host(server.path, termios.B9600):
        assert server.host_baud == 9600


def test_bytes_are_paced_at_the_rate_of_the_line() -> None:
    settings = LineServerSettings(speed=1)
    with PtyServer(AngelEye(), settings) as server, host(server.path) as fd:
        begun_ns = time.monotonic_ns()
        server.perform(AngelEye.power_on)
        read_all(fd, 18)
        spent_ms = (time.monotonic_ns() - begun_ns) / 1e6

    assert spent_ms >= 17 * 10 / 4800 * 1000, "there are 17 byte times between 18 bytes"


def test_at_a_wrong_rate_nothing_is_readable() -> None:
    garbling = PtyServer(single(), garble_at_wrong_baud=True)
    with garbling as server, host(server.path, termios.B9600) as fd:
        server.perform(AngelEye.power_on)

        assert b"\x05" not in read_all(fd, 6)


def test_tcp_serves_reports_and_answers() -> None:
    with TcpServer(single()) as server, client_of(server) as client:
        client.sendall(LOCK)

        assert receive_all(client, 1 + len(LOCKED)) == b"\x06" + LOCKED
        assert server.url == f"socket://127.0.0.1:{server.port}"


def test_without_a_client_reports_are_lost_in_the_truth() -> None:
    with TcpServer(single()) as server:
        server.perform(AngelEye.power_on)
        assert server.settle()
        with client_of(server) as client:
            server.perform(lambda device: device.draw(card_named("AS")))
            assert receive_all(client, 8)[2:5].hex() == "44c0b1"
        assert server.settle()

        assert [report.delivered for report in server.take_reports()] == [False, True]


@pytest.mark.parametrize("cut_after", range(1, 13))
def test_a_report_cut_in_the_middle_is_not_delivered(cut_after: int) -> None:
    with TcpServer(AngelEye(AngelEyeSettings(repeats=2))) as server, client_of(server) as client:
        server.cut_after(cut_after)
        server.perform(AngelEye.power_on)
        arrived = receive_all(client, 12)
        assert server.settle()

        assert arrived == (START * 2)[:cut_after]
        assert server.take_reports()[0].copies_delivered == cut_after // 6


@pytest.mark.parametrize("reset", [False, True])
def test_a_dropped_client_may_connect_again(reset: bool) -> None:
    with TcpServer(single()) as server:
        with client_of(server) as client:
            server.drop(reset=reset)
            assert _closed(client)
        with client_of(server) as client:
            server.perform(AngelEye.power_on)
            assert receive_all(client, 6) == START


def _closed(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True


def test_a_second_client_is_closed_and_the_first_stays() -> None:
    with TcpServer(single()) as server, client_of(server) as first:
        with socket.create_connection(("127.0.0.1", server.port)) as second:
            assert _closed(second)
        server.perform(AngelEye.power_on)

        assert receive_all(first, 6) == START


def test_a_closed_client_frees_the_line_for_the_next() -> None:
    with TcpServer(single()) as server:
        for _ in range(3):
            with client_of(server):
                pass
            assert server.wait_disconnected()

        assert server.connections == 3


def test_faults_of_the_wire_leave_one_whole_copy_in_the_truth() -> None:
    plan = FaultPlan(seed=3, drop_repeat=0.5, bad_bcc=0.5, noise=0.5, fragment_bytes_max=3)
    with PtyServer(AngelEye(), LineServerSettings(faults=plan)) as server, host(server.path) as fd:
        for _ in range(15):
            server.perform(AngelEye.stand_by)
        assert server.settle()
        reports = server.take_reports()

        copies = b""
        while copies.count(b"\x05") < 15 and select.select([fd], [], [], 5)[0]:
            copies += os.read(fd, 4096)
        assert copies.count(b"\x05") >= 15
        assert all(1 <= report.copies_delivered <= 3 for report in reports)
        assert {report.copies_delivered for report in reports} > {1}
