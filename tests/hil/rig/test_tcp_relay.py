"""The bad TCP line: frames and faults both ways, breaks after so many bytes, repair."""

import socket
from collections.abc import Iterator

import pytest

from hil.emulator.lines.faults import Envelope, FaultPlan
from hil.rig.tcp_relay import BadLine

FRAME = b"\0frame\0"
GOOD = FaultPlan(envelope=Envelope.TABLELINK)
DEAF = FaultPlan(envelope=Envelope.TABLELINK, drop_repeat=1.0)
NEVER = (10**9, 10**9)


@pytest.fixture
def device() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def line_to(device: socket.socket, plan: FaultPlan, between: tuple[int, int] = NEVER) -> BadLine:
    return BadLine(device.getsockname()[1], plan, 1, between)


def connected(line: BadLine, device: socket.socket) -> tuple[socket.socket, socket.socket]:
    """Both ends of the line."""
    host, port = line.url.removeprefix("socket://").split(":")
    program = socket.create_connection((host, int(port)))
    there, _ = device.accept()
    return program, there


def test_frames_go_both_ways(device: socket.socket) -> None:
    with line_to(device, GOOD) as line:
        program, there = connected(line, device)
        with program, there:
            program.sendall(FRAME)
            assert there.recv(100) == FRAME
            there.sendall(FRAME)
            assert program.recv(100) == FRAME


def test_bytes_lost_by_the_plan_do_not_arrive(device: socket.socket) -> None:
    with line_to(device, DEAF) as line:
        program, there = connected(line, device)
        with program, there:
            program.sendall(FRAME)
            program.shutdown(socket.SHUT_WR)
            assert there.recv(100) == b""


def test_a_mended_line_loses_nothing(device: socket.socket) -> None:
    with line_to(device, DEAF) as line:
        line.mend()
        program, there = connected(line, device)
        with program, there:
            program.sendall(FRAME)
            assert there.recv(100) == FRAME


def test_it_breaks_after_n_bytes_and_accepts_the_next_client(device: socket.socket) -> None:
    with line_to(device, GOOD, (3, 3)) as line:
        program, there = connected(line, device)
        with program, there:
            program.sendall(FRAME)
            assert there.recv(100) == FRAME[:3]
            assert there.recv(100) == b""
            assert program.recv(100) == b""
        assert line.cuts == 1
        program, there = connected(line, device)
        with program, there:
            program.sendall(FRAME)
            assert there.recv(100) == FRAME[:3]
