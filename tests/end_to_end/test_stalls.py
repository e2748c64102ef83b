"""The real program, stopped or behind a held line: at every report of a coup, for a whole shoe.

Source: firmware_bridge/angel_eye/README.md, "Sequence"; firmware_bridge/transport/README.md,
"Ports".
"""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path

import pytest

from controller.archive.export import finished_span, rows
from controller.archive.replay.report import ReplayFinding, replay
from controller.core.tape.entries import Entry, EventVerdicts, StateDigest
from controller.core.tape.inputs import Started
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.procedure.effects import CoupClosed
from controller.procedure.verdicts import Irregularity
from firmware_bridge.transport.port import Chunk
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import TcpServer
from hil.rig.program import Program
from hil.rig.shoe_runner import ShoeRunner

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
# Player 5h 10d and 4h, Banker 5c Kd and 9s: nine against four.
COUP = ("44 81 C5", "44 91 A5", "44 82 9A", "44 92 9D", "44 83 C4", "44 93 B9", "47 90")
REPORT_S = 0.5
# A stop must last longer than this for the program to know of it.
KNOWN_STOP_S = 1.5
# A stop that ends a read before its time-out, or soon after it, is not measured as waiting time.
UNMEASURED_STOPS_S = (0.5, 0.75, 1.0, 1.2)

Stall = Callable[[Program, float, Callable[[], None]], None]


def report(number: int, data_hex: str) -> bytes:
    """A whole report: ENQ, SEQ 0 to F, data, ETX, the XOR from SEQ to ETX as two hex digits."""
    body = f"{number % 16:X}".encode() + bytes.fromhex(data_hex) + b"\x03"
    return b"\x05" + body + f"{reduce(int.__xor__, body):02X}".encode()


def pause(seconds: float) -> None:
    """Let real time pass: it is what a stall consists of."""
    threading.Event().wait(seconds)


def host_stopped(program: Program, seconds: float, send_copies: Callable[[], None]) -> None:
    """Stop the program, send the other copies, and let it go on."""
    os.kill(program.pid, signal.SIGSTOP)
    try:
        send_copies()
        pause(seconds)
    finally:
        os.kill(program.pid, signal.SIGCONT)


def line_held(_program: Program, seconds: float, send_copies: Callable[[], None]) -> None:
    """Hold the line before the other copies."""
    pause(seconds)
    send_copies()


@contextmanager
def shoe_on_tcp() -> Iterator[tuple[str, Callable[[bytes], None]]]:
    """A serial server: its URL, and what sends bytes to the program."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host: list[socket.socket] = []

        def send(data: bytes) -> None:
            if not host:
                host.append(listener.accept()[0])
            host[0].sendall(data)

        yield f"socket://127.0.0.1:{listener.getsockname()[1]}", send
        for one in host:
            one.close()


def play(program_on, folder: Path, stall: Stall, stalls_s: Sequence[float]) -> list[Entry]:
    """Deal one coup for each stall, which comes at every report of it; the entries stored."""
    with shoe_on_tcp() as (url, send), program_on(folder, url) as program:
        program.start()
        for number, data in enumerate((*OPENING, *COUP * len(stalls_s))):
            frame = report(number, data)
            send(frame)
            pause(REPORT_S)
            at = number - len(OPENING)
            if at >= 0:
                stall(program, stalls_s[at // len(COUP)], lambda frame=frame: send(2 * frame))
            else:
                send(2 * frame)
        pause(KNOWN_STOP_S)
        program.stop()
    with open_read_only(folder / "journal") as journal:
        records = [stored.record for stored in journal.records()]
    items = [read_input(record) for record in records]
    assert sum(isinstance(item, Started) for item in items) == 1
    longest_ns = max(
        one.waited_ns for item in items if item for one in inputs_in(item) if isinstance(one, Chunk)
    )
    stopped_s = max(stalls_s) if stall is host_stopped else 0.0
    assert longest_ns >= 1e9 * stopped_s * (stopped_s > KNOWN_STOP_S)
    return [entry for record in records if (entry := read_entry(record)) is not None]


def codes(entries: list[Entry]) -> list[str]:
    judged = [one for one in entries if isinstance(one, EventVerdicts)]
    return [v.code.value for one in judged for v in one.verdicts if isinstance(v, Irregularity)]


def fates(entries: list[Entry]) -> list[str]:
    return [one.record.fate.value for one in entries if isinstance(one, CoupClosed)]


@pytest.mark.full
@pytest.mark.parametrize(
    ("stall", "stalls_s"),
    [(host_stopped, (6.0,)), (host_stopped, UNMEASURED_STOPS_S), (line_held, (2.5,))],
)
def test_a_stall_at_every_report_of_a_coup_changes_no_verdict(
    program_on, fast_dir: Path, stall: Stall, stalls_s: Sequence[float]
) -> None:
    entries = play(program_on, fast_dir, stall, stalls_s)

    assert codes(entries) == []
    assert fates(entries) == ["counted"] * len(stalls_s)


@pytest.mark.full
def test_a_line_held_too_long_adds_no_card(program_on, fast_dir: Path) -> None:
    entries = play(program_on, fast_dir, line_held, (5.0,))

    assert set(codes(entries)) == {"CONTINUITY_UNPROVEN", "DEALT_WHILE_SUSPENDED"}
    assert fates(entries) == []


def test_after_a_backlog_of_a_whole_shoe_every_coup_is_concluded_and_exported(
    program_on, fast_dir: Path
) -> None:
    with TcpServer(AngelEye()) as server, program_on(fast_dir, server.url) as program:
        program.start()
        server.wait_connected(1)
        os.kill(program.pid, signal.SIGSTOP)
        truth = ShoeRunner(Dealer(DealerSettings(seed=18)), server).run()
        os.kill(program.pid, signal.SIGCONT)
        while program.snapshot().phase.value != "shoe_over":
            pause(0.05)
        program.stop()
    folder = fast_dir / "journal"
    with open_read_only(folder) as journal:
        exported = [row for row in rows(journal, finished_span(journal)) if row["kind"] == "coup"]
        entries = [read_entry(stored.record) for stored in journal.records()]
    digests = sum(isinstance(one, StateDigest) for one in entries)

    assert len(exported) == len(truth.coups)
    assert digests == len(truth.coups)
    assert verify(folder).intact
    assert replay(folder).finding is ReplayFinding.SAME
