"""P15: several tables in one process. P10: memory growth over many thousand cards.

Without ports, whose threads only wait, and without a disk: the journals are in memory.

Source: goals P10, P15.
"""

import gc
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.core.state import Stored
from controller.record.snapshot import Health
from controller.rules.profiles.load import load_clauses
from controller.table.table import RunSpec
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, PortOpened
from hil.bench.measure.fixtures import (
    PORT,
    Plan,
    bench_core,
    deal_reports,
    feed_chunk,
    folder_in_memory,
    running_loop,
    started_input,
)
from hil.measure.checks import (
    Bound,
    CannotMeasure,
    Check,
    check_goal,
    check_goal_unless,
    report_figure,
)
from hil.measure.figures import NS_PER_S, NS_PER_US, Unit, percentile
from hil.measure.program import rss_of
from hil.rig.observed_table import ObservedTable

MB = 1_000_000
CARDS_OF_GOAL = 1_000_000
ONE, SOME, MANY = 1, 16, 64
SAMPLES_MIN = 100
ANSWER_S_MAX = 120.0


@dataclass(frozen=True, slots=True)
class ProcessFigures:
    """What a process with several tables measured of itself."""

    cpu_percent: float
    rss: int
    delays: tuple[int, ...]


def measure_many_tables(plan: Plan) -> tuple[Check, ...]:
    """P15, and P10 for each further table."""
    seconds = plan.count(10, 2)
    one, some, many = (_tables(count, seconds) for count in (ONE, SOME, MANY))
    few = "" if len(one.delays) >= SAMPLES_MIN else f"{len(one.delays)} samples with one table"
    p99, alone = (percentile(each.delays, 99) / NS_PER_US for each in (some, one))
    a_table = (some.rss - one.rss) / (SOME - ONE) / MB
    beside = f"{p99:.0f} us, one table {alone:.0f} us"
    return (
        check_goal("P15", f"{SOME} tables: processor", some.cpu_percent, Unit.PERCENT, Bound(5)),
        check_goal_unless(
            few, "P15", f"{SOME} tables: p99", p99 / alone, Unit.RATIO, Bound(1.5), beside
        ),
        report_figure("P15", f"{MANY} tables: processor", many.cpu_percent, Unit.PERCENT),
        report_figure(
            "P15", f"{MANY} tables: p99", percentile(many.delays, 99) / NS_PER_US, Unit.US
        ),
        check_goal("P10", "each further table", a_table, Unit.MB, Bound(1)),
    )


def measure_growth(plan: Plan) -> tuple[Check, ...]:
    """P10: memory over many cards, scaled to a million."""
    cards = plan.count(30_000, 3_000)
    answer = _measure_in_process("growth", cards)
    dealt_cards, grown = answer["cards"], answer["grown"]
    whole = grown * CARDS_OF_GOAL / dealt_cards / MB
    few = "" if cards >= 20_000 else f"{cards} cards"
    beside = f"{grown / 1024:.0f} KiB over {dealt_cards} cards, scaled to a million"
    what = "memory grown over 10^6 cards"
    return (check_goal_unless(few, "P10", what, whole, Unit.MB, Bound(1), beside),)


def _tables(count: int, seconds: int) -> ProcessFigures:
    answer = _measure_in_process("tables", count, seconds)
    delays = tuple(answer["delays"])
    return ProcessFigures(answer["cpu"] / answer["elapsed"] * 100, answer["rss"], delays)


def _measure_in_process(*words: object) -> dict[str, Any]:
    """Run this module in a process of its own; its result. Raises CannotMeasure."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=ANSWER_S_MAX,
    )
    if done.returncode:
        raise CannotMeasure(done.stderr.strip().splitlines()[-1])
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


# --- in the process of its own --------------------------------------------------------------------


class _MeasuredTable:
    """One table; notes the delay from each frame to its store."""

    def __init__(self, folder: Path, delays: list[int]) -> None:
        self.put_ns = 0
        self._delays = delays
        self._stored = threading.Event()
        beginning = RunSpec(folder, load_clauses(), lambda _replaced: started_input())
        self.table = ObservedTable(folder.name, beginning, now, self._note)
        self.table.start()
        if self.table.health is not Health.RUNNING:
            raise CannotMeasure(self.table.failure)
        self.table.act(PortOpened(PORT, now(), bytes(32)))

    def _note(self, stored: Stored) -> None:
        if stored.conclusions and self.put_ns:
            self._delays.append(time.perf_counter_ns() - self.put_ns)
            self.put_ns = 0

    def deal(self, frame: bytes) -> None:
        self.put_ns = time.perf_counter_ns()
        self.table.put(Chunk(PORT, now(), frame))


def _deal_at_tables(count: int, seconds: int) -> dict[str, object]:
    """A card a second at each table, one table after the other, evenly spaced."""
    frames = [report.frame for report in deal_reports(seed=15)]
    delays: list[int] = []
    with folder_in_memory() as folder:
        tables = [_MeasuredTable(folder / f"table-{number}", delays) for number in range(count)]
        # The first second warms up; a single table gets more cards, for a percentile.
        rate = max(count, 16)
        warm = rate
        cpu_ns, began_ns = 0, 0
        for number in range(warm + rate * seconds):
            if number == warm:
                delays.clear()
                cpu_ns, began_ns = time.process_time_ns(), time.perf_counter_ns()
            tables[number % count].deal(frames[number // count])
            due_ns = (number + 1 - warm) * NS_PER_S // rate
            left_ns = (
                began_ns + due_ns - time.perf_counter_ns() if number >= warm else NS_PER_S // rate
            )
            time.sleep(max(0, left_ns) / NS_PER_S)
        cpu = time.process_time_ns() - cpu_ns
        elapsed = time.perf_counter_ns() - began_ns
        rss = rss_of(os.getpid())
        for each in tables:
            each.table.stop()
        for each in tables:
            each.table.join()
    return {"cpu": cpu, "elapsed": elapsed, "rss": rss, "delays": delays}


def _deal_many_cards(cards: int) -> dict[str, object]:
    """Resident memory after a third of the cards, and after all of them."""
    shoe = [report.frame for report in deal_reports(seed=16)]
    loop, dealt, third, at_third = running_loop(core=bench_core()), 0, 0, 0
    while dealt < cards:
        for frame in shoe:
            feed_chunk(loop, frame)
        dealt += len(shoe)
        # Freed tuples stay in a free list until a full collection, which is too rare in so
        # short a run.
        gc.collect()
        if not at_third and dealt >= cards // 3:
            at_third, third = rss_of(os.getpid()), dealt
    return {"cards": dealt - third, "grown": rss_of(os.getpid()) - at_third}


if __name__ == "__main__":
    kind, *numbers = sys.argv[1:]
    measure = _deal_at_tables if kind == "tables" else _deal_many_cards
    json.dump(measure(*map(int, numbers)), sys.stdout)
