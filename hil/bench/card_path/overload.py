"""P17: a line that never rests, at the frame rates of 115200 baud and 1 Mbaud.

A process of its own writes and never waits for the table. A byte for which the terminal's buffer
has no room is lost, as on a real line.

Source: goal P17.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from controller.table.loop import InputQueue
from hil.bench.card_path.paced import Terminal
from hil.bench.measure.checks import Bound, Check, check_goal
from hil.bench.measure.figures import NS_PER_MS, NS_PER_S, Unit
from hil.bench.measure.fixtures import Plan, deal_reports, folder_in_memory, folder_on_disk
from hil.bench.measure.table_on_pty import ServedTable, served_table
from hil.rig.measured_program import rss_of

# Frames of 32 bytes that fit into a second at 115200 and at 1 Mbaud.
RATES = ((360, "115200 baud"), (3_100, "1 Mbaud"))
SHOE_REPORTS = 400
SETTLE_S = 0.5
ALL_STORED_S_MAX = 15.0
MB = 1_000_000
_WRITER = """\
import os, sys, time
line, rate = int(sys.argv[1]), int(sys.argv[2])
frames = [bytes.fromhex(word) for word in sys.stdin.read().split()]
os.set_blocking(line, False)
count, sent, lost = len(frames), 0, 0
began = time.perf_counter()
while sent < count:
    due = min(count, int((time.perf_counter() - began) * rate) + 1)
    while sent < due:
        try:
            written = os.write(line, frames[sent])
        except BlockingIOError:
            written = 0
        lost += written != len(frames[sent])
        sent += 1
    time.sleep(0.001)
print(lost)
"""


def measure_overload(plan: Plan) -> tuple[Check, ...]:
    """P17."""
    checks: list[Check] = []
    for rate, line in RATES:
        with folder_on_disk(plan) as disk, folder_in_memory() as memory:
            # On the disk if the plan names one, so that the journal's commits count.
            checks.extend(_check_rate(plan, disk if plan.disk else memory, rate, line))
    return tuple(checks)


def _check_rate(plan: Plan, folder: Path, rate: int, line: str) -> tuple[Check, ...]:
    wanted = rate * plan.count(10, 1)
    reports = deal_reports(seed=17, shoes=1 + wanted // SHOE_REPORTS)[:wanted]
    frames = " ".join(report.frame.hex() for report in reports)
    with Terminal() as terminal, served_table(terminal.path, folder) as served:
        time.sleep(SETTLE_S)
        before = rss_of(os.getpid())
        lost, late_ns = _feed_frames(terminal, served, frames, rate, len(reports))
        grown = rss_of(os.getpid()) - before
        missing = len(reports) - served.reports
        most = served.most_waiting
    return (
        check_goal(
            "P17",
            f"{line}: reports not stored",
            max(missing, lost),
            Unit.COUNT,
            Bound(0),
            f"of {len(reports)} at {rate} a second",
        ),
        check_goal(
            "P17",
            f"{line}: most inputs that waited",
            most,
            Unit.COUNT,
            Bound(InputQueue.INPUTS_MAX),
        ),
        check_goal("P17", f"{line}: memory", grown / MB, Unit.MB, Bound(5)),
        check_goal(
            "P17", f"{line}: all stored after the end", late_ns / NS_PER_MS, Unit.MS, Bound(1_000)
        ),
    )


def _feed_frames(
    terminal: Terminal, served: ServedTable, frames: str, rate: int, count: int
) -> tuple[int, int]:
    """Frames lost for lack of room, and nanoseconds from the last one to the last store."""
    words = (sys.executable, "-c", _WRITER, str(terminal.master), str(rate))
    descriptors = (terminal.master,)
    writer = subprocess.run(
        words, input=frames, text=True, pass_fds=descriptors, stdout=subprocess.PIPE, check=True
    )
    lost = int(writer.stdout)
    ended_ns = time.perf_counter_ns()
    until_ns = ended_ns + int(ALL_STORED_S_MAX * NS_PER_S)
    while served.reports < count - lost and time.perf_counter_ns() < until_ns:
        time.sleep(0.001)
    return lost, time.perf_counter_ns() - ended_ns
