"""P13: a start with a year of sealed shoes on the disk.

A start trusts its base and reads no shoe before it, so the sealed files have a size only.

Source: goal P13.
"""

import os
import shutil
import signal
import time
from pathlib import Path
from statistics import median

from hil.bench.measure.fixtures import Plan, folder_on_disk
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.measure.checks import Bound, CannotMeasure, Check, check_goal
from hil.measure.figures import NS_PER_MS, NS_PER_S, Unit
from hil.measure.program import RunningProgram
from hil.rig.shoe_runner import ShoeRunner

DAYS, SHOES_A_DAY = 250, 20
SEALED_BYTES = 40_000
GONE_S_MAX = 5.0


def measure_start_with_archive(plan: Plan) -> tuple[Check, ...]:
    """P13: from start to ready, with a year of journals."""
    short: list[int] = []
    long: list[int] = []
    with folder_on_disk(plan) as folder, PtyServer(AngelEye(), LineServerSettings()) as server:
        empty, full = folder / "empty", folder / "full"
        _leave_shoe_open(empty, server)
        shutil.copytree(empty, full, ignore=shutil.ignore_patterns("*.sock"))
        files = _make_sealed_files(full / "journal", days=plan.count(DAYS, 5))
        for _ in range(plan.count(5, 1)):
            short.append(_start_and_kill(empty, server.path))
            long.append(_start_and_kill(full, server.path))
    ms, alone = median(long) / NS_PER_MS, median(short) / NS_PER_MS
    what = f"start with an open shoe and {files} sealed ones"
    beside = f"{alone:.0f} ms without them"
    return (
        check_goal("P13", what, ms, Unit.MS, Bound(500 + 50, 250 + 50), beside),
        check_goal("P13", "  of it the sealed ones", max(0, ms - alone), Unit.MS, Bound(50, 25)),
    )


def _leave_shoe_open(folder: Path, server: PtyServer[AngelEye]) -> None:
    with RunningProgram(folder, server.path) as program:
        ShoeRunner(Dealer(DealerSettings(seed=19)), server, coups_max=5).run()
        _kill(program.pid)


def _start_and_kill(folder: Path, port: str) -> int:
    with RunningProgram(folder, port) as program:
        ready_ns = program.ready_ns
        _kill(program.pid)
    return ready_ns


def _kill(pid: int) -> None:
    """SIGKILL it and wait until it is gone. Raises CannotMeasure."""
    os.kill(pid, signal.SIGKILL)
    until_ns = time.monotonic_ns() + int(GONE_S_MAX * NS_PER_S)
    status = Path(f"/proc/{pid}/stat")
    while (
        status.exists() and status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    ):
        if time.monotonic_ns() > until_ns:
            raise CannotMeasure("a killed program does not end")
        time.sleep(0.001)


def _make_sealed_files(journal: Path, days: int) -> int:
    """Make folders of days with files of the size of a sealed shoe; the number of files."""
    for day in range(days):
        folder = journal / "shoes" / f"2020-{1 + day // 28:02}-{1 + day % 28:02}"
        folder.mkdir(parents=True)
        for number in range(1, SHOES_A_DAY + 1):
            # Nothing reads them, so they need no content.
            (folder / f"{number:04}.shoe").touch()
            os.truncate(folder / f"{number:04}.shoe", SEALED_BYTES)
    return days * SHOES_A_DAY
