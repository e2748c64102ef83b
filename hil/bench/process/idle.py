"""P11, P18: what an idle table takes, writes and keeps, and what one writes for each card.

Source: goals P11, P18.
"""

import shutil
import time
from pathlib import Path

from controller.journal.database import FILE_NAME
from controller.journal.store import open_read_only
from hil.bench.card_path.paced import Terminal
from hil.bench.measure.fixtures import CARD, Plan, folder_on_disk
from hil.bench.process.start_up import SETTLE_S
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.truth import Truth
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.measure.checks import Bound, Check, check_goal, not_measured, report_figure
from hil.measure.figures import NS_PER_MS, NS_PER_S, Unit
from hil.measure.program import RunningProgram
from hil.rig.shoe_runner import Pace, ShoeRunner

MB = 1_000_000
SEQ_BYTES = 8
DAY_S = 86_400
# Until the first requests to the devices are answered or given up, and that is stored.
DEVICES_SETTLE_S = 10.0
# What concluded nothing is stored once a minute: two of them, and what a tick may come late.
IDLE_S = 130
AUXILIARY_DEVICES = """
[[reader]]
port = "{reader}"
seat = "discard_rack"

[[scanner]]
port = "{scanner}"
model = "zebra-ssi"
"""


def measure_idle(plan: Plan) -> tuple[Check, ...]:
    """P11, and P18 of an idle day."""
    seconds = plan.count(IDLE_S, 2)
    with (
        folder_on_disk(plan) as folder,
        PtyServer(AngelEye(), LineServerSettings()) as shoe,
        PtyServer(TableReader(), LineServerSettings()) as reader,
        Terminal() as scanner,
    ):
        beside = AUXILIARY_DEVICES.format(reader=reader.path, scanner=scanner.path)
        with RunningProgram(folder / "idle", shoe.path, more=beside) as program:
            ShoeRunner(Dealer(DealerSettings(seed=20)), shoe, coups_max=2).run()
            time.sleep(DEVICES_SETTLE_S)
            cpu_ns, wake_ups = program.cpu_ns(), program.wake_ups()
            written, kept = program.written_bytes(), _kept_bytes(folder / "idle/journal")
            began_ns = time.perf_counter_ns()
            time.sleep(seconds)
            elapsed_ns = time.perf_counter_ns() - began_ns
            cpu = 100 * (program.cpu_ns() - cpu_ns) / elapsed_ns
            wakes = (program.wake_ups() - wake_ups) * NS_PER_S / elapsed_ns
            written = program.written_bytes() - written
            kept = _kept_bytes(folder / "idle/journal") - kept
    days = elapsed_ns / NS_PER_S / DAY_S
    what = f"shoe, reader and scanner open, metrics on, {seconds} s"
    return (
        check_goal("P11", "idle: processor", cpu, Unit.PERCENT, Bound(0.2, 0.1), what),
        check_goal("P11", "idle: wake-ups", wakes, Unit.PER_S, Bound(15, 7.5), what),
        check_goal("P18", "idle: written a day", written / MB / days, Unit.MB, Bound(20, 10), what),
        check_goal("P18", "idle: kept a day", kept / MB / days, Unit.MB, Bound(10, 5), what),
    )


def _kept_bytes(journal: Path) -> int:
    """The bytes of all records in the journal, each with its number and chain value."""
    with open_read_only(journal) as stored:
        return sum(len(one.record) + len(one.chain) + SEQ_BYTES for one in stored.records())


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
