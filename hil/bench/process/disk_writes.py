"""P18: bytes written and commits made for each card by the running program.

Not: the size of a sealed shoe (sealed_size) and latency (commits).

Source: goal P18; strace(1).
"""

import shutil
import time
from pathlib import Path

from controller.journal.database import FILE_NAME
from hil.bench.measure.fixtures import CARD, Plan, folder_on_disk
from hil.bench.process.start_up import SETTLE_S
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.truth import Truth
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.measure.checks import Bound, Check, check_goal, not_measured, report_figure
from hil.measure.figures import NS_PER_MS, Unit
from hil.measure.program import RunningProgram
from hil.rig.shoe_runner import Pace, ShoeRunner

REAL_LINE = LineServerSettings(speed=1, baud=4800)
# Two cards never come closer together than this, so no two share a commit.
PAUSE = Pace.uniform(100 * NS_PER_MS)


def measure_disk_writes(plan: Plan) -> tuple[Check, ...]:
    """P18."""
    with folder_on_disk(plan) as folder:
        return (*_bytes(plan, folder / "bytes"), *_commits(plan, folder / "commits"))


def _play_coups(server: PtyServer[AngelEye], coups: int) -> Truth:
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
        before = program.written_bytes_of_threads()
        truth = _play_coups(server, plan.count(16, 1))
        after = program.written_bytes_of_threads()
    written = sorted(after[thread] - before.get(thread, 0) for thread in after)
    # The loop's thread writes most; the other threads write heads, and a line of the log for each.
    cards, coups, heads = _cards(truth), len(truth.coups), sum(written[:-1])
    beside = f"{cards} cards, results and stand-by included, 4800 baud, three copies"
    return (
        check_goal(
            "P18",
            "written a card, heads apart",
            written[-1] / cards,
            Unit.BYTES,
            Bound(12_000, 6_000),
            beside,
        ),
        report_figure("P18", "  written a card, all", sum(written) / cards, Unit.BYTES),
        report_figure("P18", "  written a coup for its head", heads / coups, Unit.BYTES),
    )


def _commits(plan: Plan, folder: Path) -> tuple[Check, ...]:
    strace = shutil.which("strace")
    if strace is None:
        return (not_measured("P18", "commits of a running program: strace is not installed"),)
    trace = folder / "trace"
    calls = ("-f", "-y", "-qq", "-e", "trace=fsync,fdatasync", "-e", "signal=none")
    with (
        PtyServer(AngelEye(), REAL_LINE) as server,
        RunningProgram(folder, server.path, (strace, *calls, "-o", str(trace))),
    ):
        before = _log_syncs(trace)
        truth = _play_coups(server, plan.count(6, 1))
        commits = _log_syncs(trace) - before
    reports = len(truth.reports)
    beside = f"{commits} commits, {reports} reports of which {_cards(truth)} are cards"
    # Inputs that concluded nothing may be stored on their own, once a minute.
    return (
        check_goal(
            "P18",
            "commits beyond one for each report",
            commits - reports,
            Unit.COUNT,
            Bound(1),
            beside,
        ),
    )


def _log_syncs(trace: Path) -> int:
    """Syncs of the write-ahead log: one for each durable commit."""
    lines = trace.read_text(encoding="utf-8", errors="replace").splitlines()
    return sum(f"{FILE_NAME}-wal" in line for line in lines)
