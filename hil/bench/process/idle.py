"""P11, P18: what an idle table with shoe, reader and scanner takes, writes and keeps.

Source: goals P11, P18 (idle).
"""

import time
from pathlib import Path

from controller.journal.store import open_read_only
from hil.bench.card_path.paced import Terminal
from hil.bench.measure.fixtures import Plan, folder_on_disk
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.measure.checks import Bound, Check, check_goal
from hil.measure.figures import NS_PER_S, Unit
from hil.measure.program import RunningProgram
from hil.rig.shoe_runner import ShoeRunner

MB = 1_000_000
SEQ_BYTES = 8
DAY_S = 86_400
# Until the first requests to the devices are answered or given up, and that is stored.
SETTLE_S = 10.0
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
            time.sleep(SETTLE_S)
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
