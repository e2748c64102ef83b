"""What a table costs while nothing happens: P11.

Responsible for: the running program with its shoe, a reader of tags at the discard rack and a
scanner, each at a port of its own, metrics on: processor time and wake-ups of all its threads.
Not responsible for: memory and starts (start_up).
Source: package README, "What is measured"; goals P11, P18 (idle).
"""

import time

from hil.bench.card_path.paced import Terminal
from hil.bench.measure.checks import Bound, Check, judged, told
from hil.bench.measure.figures import NS_PER_S, Unit
from hil.bench.measure.program import RunningProgram
from hil.bench.measure.stage import Plan, folder_on_disk
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.line import LineSettings
from hil.emulator.lines.serve import PtyServer
from hil.rig.shoe_runner import ShoeRunner

MB = 1_000_000
DAY_S = 86_400
# Until the first questions to the devices are answered and what was told is stored.
SETTLE_S = 4.0
BESIDE = """
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
        PtyServer(AngelEye(), LineSettings()) as shoe,
        PtyServer(TableReader(), LineSettings()) as reader,
        Terminal() as scanner,
    ):
        beside = BESIDE.format(reader=reader.path, scanner=scanner.path)
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
        judged("P11", "idle: processor", cpu, Unit.PERCENT, Bound(0.2, 0.1), what),
        judged("P11", "idle: wake-ups", wakes, Unit.PER_S, Bound(15, 7.5), what),
        told("P18", "idle: written a day", day, Unit.MB, "goal: at most 10 MB kept"),
    )
