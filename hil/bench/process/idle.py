"""P11: processor time and wake-ups of an idle table with shoe, reader and scanner.

Source: hil/bench/README.md, "What is measured"; goals P11, P18 (idle).
"""

import time

from hil.bench.card_path.paced import Terminal
from hil.bench.measure.checks import Bound, Check, check_goal, report_figure
from hil.bench.measure.figures import NS_PER_S, Unit
from hil.bench.measure.fixtures import Plan, folder_on_disk
from hil.bench.measure.program import RunningProgram
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.rig.shoe_runner import ShoeRunner

MB = 1_000_000
DAY_S = 86_400
# Until the first requests to the devices are answered and the answers are stored.
SETTLE_S = 4.0
AUXILIARY_DEVICES = """
[[reader]]
port = "{reader}"
seat = "discard_rack"

[[scanner]]
port = "{scanner}"
model = "zebra-ssi"
"""


def measure_idle(plan: Plan) -> tuple[Check, ...]:
    """P11."""
    seconds = plan.count(10, 2)
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
            written = program.written_bytes()
            began_ns = time.perf_counter_ns()
            time.sleep(seconds)
            elapsed_ns = time.perf_counter_ns() - began_ns
            cpu = 100 * (program.cpu_ns() - cpu_ns) / elapsed_ns
            wakes = (program.wake_ups() - wake_ups) * NS_PER_S / elapsed_ns
            day = (program.written_bytes() - written) * DAY_S * NS_PER_S / elapsed_ns / MB
    what = f"shoe, reader and scanner open, metrics on, {seconds} s"
    return (
        check_goal("P11", "idle: processor", cpu, Unit.PERCENT, Bound(0.2, 0.1), what),
        check_goal("P11", "idle: wake-ups", wakes, Unit.PER_S, Bound(15, 7.5), what),
        report_figure("P18", "idle: written a day", day, Unit.MB, "goal: at most 10 MB kept"),
    )
