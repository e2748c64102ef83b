"""What a card costs the disk: P18.

Responsible for: the running program on a 4800 baud pty with three copies of each report: bytes
it caused to be written, and commits counted with strace.
Not responsible for: what is kept once the shoe is sealed (kept) and latency (storage).
Source: package README, "What is measured"; goal P18; strace(1).
"""

import shutil
import time
from pathlib import Path

from controller.journal.database import FILE_NAME
from hil.bench.measure.checks import Bound, Check, impossible, judged
from hil.bench.measure.figures import NS_PER_MS, Unit
from hil.bench.measure.program import RunningProgram
from hil.bench.measure.stage import CARD, Plan, folder_on_disk
from hil.bench.process.start_up import SETTLE_S
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.truth import Truth
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineSettings
from hil.emulator.lines.serve import PtyServer
from hil.rig.shoe_runner import Pace, ShoeRunner

REAL_LINE = LineSettings(speed=1, baud=4800)
# Nobody deals two cards within this, so no two share a commit.
PAUSE = Pace.uniform(100 * NS_PER_MS)


def measure_volume(plan: Plan) -> tuple[Check, ...]:
    """P18."""
    with folder_on_disk(plan) as folder:
        return (*_bytes(plan, folder / "bytes"), *_commits(plan, folder / "commits"))


def _played(server: PtyServer[AngelEye], coups: int) -> Truth:
    dealer = Dealer(DealerSettings(seed=12))
    truth = ShoeRunner(dealer, server, pace=PAUSE, coups_max=coups).run()
    time.sleep(SETTLE_S)
    return truth


def _cards(truth: Truth) -> int:
    return sum(report.code == CARD for report in truth.reports)


def _bytes(plan: Plan, folder: Path) -> tuple[Check, ...]:
    with (
        PtyServer(AngelEye(), REAL_LINE) as server,
        RunningProgram(folder, server.path) as program,
    ):
        written = program.written_bytes()
        cards = _cards(_played(server, plan.count(16, 1)))
        written = program.written_bytes() - written
    beside = f"{cards} cards, results and stand-by included, 4800 baud, three copies"
    return (
        judged("P18", "written a card", written / cards, Unit.BYTES, Bound(20_000, 10_000), beside),
    )


def _commits(plan: Plan, folder: Path) -> tuple[Check, ...]:
    strace = shutil.which("strace")
    if strace is None:
        return (impossible("P18", "commits of a running program: strace is not installed"),)
    trace = folder / "trace"
    calls = ("-f", "-y", "-qq", "-e", "trace=fsync,fdatasync", "-e", "signal=none")
    with (
        PtyServer(AngelEye(), REAL_LINE) as server,
        RunningProgram(folder, server.path, (strace, *calls, "-o", str(trace))),
    ):
        before = _log_syncs(trace)
        truth = _played(server, plan.count(6, 1))
        commits = _log_syncs(trace) - before
    reports = len(truth.reports)
    beside = f"{commits} commits, {reports} reports of which {_cards(truth)} are cards"
    # The last copies of the last report conclude nothing and are stored a second later.
    return (
        judged(
            "P18", "commits beyond one a report", commits - reports, Unit.COUNT, Bound(1), beside
        ),
    )


def _log_syncs(trace: Path) -> int:
    """Synced writes of the write-ahead log: one for each durable commit."""
    lines = trace.read_text(encoding="utf-8", errors="replace").splitlines()
    return sum(f"{FILE_NAME}-wal" in line for line in lines)
