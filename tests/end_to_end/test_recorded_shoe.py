"""A shoe recorded once gives the program the same coups and verdicts when it is replayed."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from controller.core.tape.entries import Entry, EventVerdicts
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.store import open_read_only
from controller.procedure.effects import CoupClosed, Prompt, ShoeOpened
from firmware_bridge.transport.port import Chunk
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.truth import Truth
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import TcpServer
from hil.progress import poll_until
from hil.recording.capture import Direction, read_recording
from hil.rig.program import Program
from hil.rig.shoe_runner import ShoeRunner

COUPS = 12


@contextmanager
def started(module: str, *words: str) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-m", module, *words], stdout=subprocess.PIPE, text=True
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def next_line(running: "subprocess.Popen[str]") -> dict[str, Any]:
    assert running.stdout is not None
    line: dict[str, Any] = json.loads(running.stdout.readline())
    return line


def ended(running: "subprocess.Popen[str]", stop: signal.Signals = signal.SIGTERM) -> int:
    running.send_signal(stop)
    return running.wait()


def dealt(server: TcpServer[AngelEye]) -> Truth:
    assert server.wait_connected(1)
    truth = ShoeRunner(Dealer(DealerSettings(seed=7)), server, coups_max=COUPS).run()
    assert server.settle()
    return truth


def stored_bytes(folder: Path) -> bytes:
    """All bytes read according to the journal, in order."""
    with open_read_only(folder) as journal:
        recorded = [read_input(stored.record) for stored in journal.records()]
    inputs = [one for item in recorded if item is not None for one in inputs_in(item)]
    return b"".join(item.data for item in inputs if isinstance(item, Chunk))


def recorded_bytes(file: Path) -> bytes:
    (wire,) = read_recording(file.read_bytes()).wires
    return b"".join(one.data for one in wire.events if one.direction is Direction.RECEIVED)


def concluded(folder: Path) -> list[Entry]:
    """All entries about the table, without those about devices and runs."""
    with open_read_only(folder) as journal:
        entries = [read_entry(stored.record) for stored in journal.records()]
    kinds = (EventVerdicts, CoupClosed, ShoeOpened, Prompt)
    return [one for one in entries if isinstance(one, kinds)]


def replayed(folder: Path, file: Path, program_on: Callable[..., Program]) -> list[Entry]:
    """What a table concludes from the record."""
    folder.mkdir()
    with started(
        "hil.cli", "replay", str(file), "--tcp", "0", "--speed", "0", "--no-orders"
    ) as replay:
        with program_on(folder, next_line(replay)["url"]) as program:
            program.start()
            poll_until(lambda: stored_bytes(folder / "journal") == recorded_bytes(file))
            program.stop()
        assert ended(replay) == 0
    return concluded(folder / "journal")


def test_a_shoe_recorded_without_a_table(
    fast_dir: Path, program_on: Callable[..., Program], as_dealt, as_recorded
) -> None:
    file = fast_dir / "shoe.pcapng"
    with TcpServer(AngelEye()) as shoe:
        program_on(fast_dir, shoe.url)  # writes table.toml
        words = ("--config", str(fast_dir / "table.toml"), "--to", str(file), "--yes")
        with started("controller.cli.main", "devices", "record", *words) as recorder:
            truth = dealt(shoe)
            sent = b"".join(report.frame * 3 for report in truth.reports)
            poll_until(lambda: recorded_bytes(file) == sent)
            assert ended(recorder, signal.SIGINT) == 0

    entries = replayed(fast_dir / "again", file, program_on)
    coups = [one.record for one in entries if isinstance(one, CoupClosed)]
    assert [as_recorded(one) for one in coups] == [as_dealt(one) for one in truth.coups]
    assert len(coups) == COUPS


def test_a_shoe_recorded_between_device_and_table(
    fast_dir: Path, program_on: Callable[..., Program]
) -> None:
    file, first = fast_dir / "shoe.pcapng", fast_dir / "first"
    first.mkdir()
    with TcpServer(AngelEye()) as shoe:
        words = ("--to", shoe.url, "--record", str(file), "--tcp", "0", "--no-orders")
        with started("hil.cli", "relay", *words) as relay:
            with program_on(first, next_line(relay)["url"]) as program:
                program.start()
                truth = dealt(shoe)
                sent = b"".join(report.frame * 3 for report in truth.reports)
                poll_until(lambda: stored_bytes(first / "journal") == sent)
                program.stop()
            assert ended(relay) == 0

    entries = concluded(first / "journal")
    assert sum(isinstance(one, CoupClosed) for one in entries) == COUPS
    assert replayed(fast_dir / "again", file, program_on) == entries
