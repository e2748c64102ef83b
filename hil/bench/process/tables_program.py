"""P15: several tables in one process: `smartshoe run` with sixteen, one of them flooded or broken.

P15 and P10, memory growth: without ports, whose threads only wait, and without a disk.

Source: goals P10, P15.
"""

import gc
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.core.state import Stored
from controller.record.snapshot import Health
from controller.rules.profiles.load import load_clauses
from controller.table.disk_space import MIB
from controller.table.table import RunSpec
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, PortOpened
from hil.bench.measure.dealt_tables import DealtTables, Verdicts, Window
from hil.bench.measure.fixtures import (
    PORT,
    Plan,
    bench_core,
    deal_reports,
    feed_chunk,
    folder_in_memory,
    folder_on_disk,
    running_loop,
    started_input,
)
from hil.measure.checks import (
    Bound,
    CannotMeasure,
    Check,
    check_goal,
    check_goal_unless,
    not_measured,
    report_figure,
    too_few_reason,
)
from hil.measure.figures import NS_PER_S, NS_PER_US, PACED_SAMPLES_MIN, Unit, percentile
from hil.measure.program import rss_of
from hil.rig.flood_peer import Flood, FloodPeer, flood_block
from hil.rig.observed_table import ObservedTable
from hil.rig.small_disk import NoMount, empty, fill, small_disk
from hil.rig.tables.stored_table import stored_table, traces_in
from hil.rig.tables.table_folder import SMALL_DISK_LIMITS

MB = 1_000_000
TABLES = 16
NAMES = tuple(f"T{number:02}" for number in range(1, TABLES + 1))
# Each subscription costs the program a snapshot at each change.
WATCHED = 4
RATIO = Bound(1.5)
CPU = Bound(5)
SMALL_DISK_BYTES = 6 * MIB
# While a flood is worked off, the program takes more of a processor than that.
BUSY_PERCENT = 30
SETTLE_S, SETTLE_S_MAX = 1.0, 120.0

# Of the sixteen with faults: eight are only looked at, one for each fault, and four flooded.
OTHERS, KILLED, FULL, STOPPED, ADDED = NAMES[:8], *NAMES[8:12]
FLOODED = dict(zip(NAMES[12:], Flood, strict=True))


def measure_tables_program(plan: Plan) -> tuple[Check, ...]:
    """P15 of the whole program: one table beside sixteen."""
    seconds = plan.count(600, 10)
    with folder_on_disk(plan) as folder, ExitStack() as stack:
        # At the same time, so that what disturbs the one disturbs the other.
        one, some = (
            stack.enter_context(DealtTables(folder / name, names, names[:WATCHED]))
            for name, names in (("one", NAMES[:1]), ("some", NAMES))
        )
        begun = [(tables, tables.begin_window()) for tables in (one, some)]
        sides = [_side(tables, tables.end_window(when, seconds)) for tables, when in begun]
    return _compared(*sides)


@dataclass(frozen=True, slots=True)
class _Side:
    """What one process measured."""

    cpu_percent: float
    rss: int
    threads: int
    files: int
    verdicts: Verdicts
    cards_per_s: float


def _side(tables: DealtTables, window: Window) -> _Side:
    measured = tables.measured
    sent = sum(
        window.from_ns <= at < window.until_ns
        for shoe in tables.shoes.values()
        for at in shoe.sent_ns.copy().values()
    )
    cards_per_s = sent * 1e9 / (window.until_ns - window.from_ns)
    facts = (measured.rss_bytes(), measured.threads(), measured.file_descriptors())
    return _Side(window.cpu_percent, *facts, tables.verdicts(window), cards_per_s)


def _us(verdicts: Verdicts, percent: float) -> float:
    return percentile(verdicts.delays, percent) / NS_PER_US


def _compared(one: _Side, some: _Side) -> tuple[Check, ...]:
    """The checks of sixteen tables beside one."""
    ratios = [_us(some.verdicts, p) / _us(one.verdicts, p) for p in (50, 99)]
    beside = [
        f"{_us(some.verdicts, p):.0f} us, one table {_us(one.verdicts, p):.0f} us" for p in (50, 99)
    ]
    few = too_few_reason(len(one.verdicts.delays), PACED_SAMPLES_MIN)
    unseen = one.verdicts.unseen + some.verdicts.unseen
    rate = f"{some.cards_per_s:.1f} cards/s; one table {one.cpu_percent:.2f} %"
    a_table = (some.rss - one.rss) / (TABLES - 1) / MB
    memory = f"each further table {a_table:.2f} MB"
    what = f"{TABLES} tables, program"
    return (
        check_goal("P15", f"{what}: processor", some.cpu_percent, Unit.PERCENT, CPU, rate),
        check_goal_unless(
            few, "P15", f"{what}: verdict p99", ratios[1], Unit.RATIO, RATIO, beside[1]
        ),
        report_figure("P15", f"{what}: verdict p50", ratios[0], Unit.RATIO, beside[0]),
        check_goal("P15", f"{what}: cards unseen", unseen, Unit.COUNT, Bound(0)),
        report_figure("P15", f"{what}: memory", some.rss / MB, Unit.MB, memory),
        report_figure("P15", f"{what}: threads", some.threads, Unit.COUNT, f"one: {one.threads}"),
        report_figure("P15", f"{what}: files", some.files, Unit.COUNT, f"one: {one.files}"),
    )


# --- one table of sixteen in trouble --------------------------------------------------------------


def measure_hurt_tables(plan: Plan) -> tuple[Check, ...]:
    """P15: the verdicts of eight tables while another one is flooded, broken, added or stopped."""
    with folder_on_disk(plan) as folder, ExitStack() as stack:
        peers = {name: FloodPeer(flood_block(kind)) for name, kind in FLOODED.items()}
        for peer in peers.values():
            stack.enter_context(peer)
        place = folder / "hurt" / FULL
        place.parent.mkdir()
        disk: Path | None = place
        no_disk = ""
        try:
            stack.enter_context(small_disk(place, SMALL_DISK_BYTES))
        except NoMount as error:
            disk, no_disk = None, str(error)
        with DealtTables(
            folder / "hurt",
            NAMES[:12],
            OTHERS,
            {name: peer.url for name, peer in peers.items()},
            limits={FULL: SMALL_DISK_LIMITS} if disk is not None else {},
            later=(ADDED,),
        ) as tables:
            hurt = _Hurt(tables, plan.count(45, 2))
            hurt.faults(disk)
            hurt.floods(peers)
            checks = hurt.checks()
            tables.finish()
            time.sleep(SETTLE_S)
        traces = _traces(tables)
    if no_disk:
        checks.append(not_measured("P15", f"one with a full disk: {no_disk}"))
    return (*checks, *traces)


class _Hurt:
    """Plays the troubles one after the other, each between calm spans."""

    def __init__(self, tables: DealtTables, seconds: int) -> None:
        self._tables = tables
        self._seconds = seconds
        self._calm: list[Window] = []
        self._windows: list[tuple[str, Window]] = []

    def faults(self, disk: Path | None) -> None:
        """Kill a device, fill a disk, stop, start and add a table."""
        tables, folder = self._tables, self._tables.folder
        server = tables.shoes[KILLED].server
        self._wait_calm()
        with self._window("device killed, back after half of it"):
            server.die()
            time.sleep(self._seconds / 2)
            server.come_back()
        if disk is not None:
            with self._window("full disk"):
                fill(disk)
                tables.await_health(FULL)
        with self._window("stopped"):
            folder.remove(STOPPED)
            tables.read_folder_again()
            tables.await_health(STOPPED)
        with self._window("started again"):
            folder.add(STOPPED, tables.shoes[STOPPED].url)
            tables.read_folder_again()
            tables.await_health(STOPPED, Health.RUNNING)
        if disk is not None:
            with self._window("full disk has space again"):
                empty(disk)
                tables.read_folder_again()
                tables.await_health(FULL, Health.RUNNING)
        with self._window("added"):
            folder.add(ADDED, tables.shoes[ADDED].url)
            tables.read_folder_again()
            tables.await_health(ADDED, Health.RUNNING)
            tables.shoes[ADDED].begin()

    def floods(self, peers: dict[str, FloodPeer]) -> None:
        """One after the other; what a flood left is worked off before the next.

        Cards are the last: what sockets hold of them takes minutes.
        """
        for name, peer in peers.items():
            self._settle()
            self._wait_calm()
            with self._window(f"flooded, {FLOODED[name]}"):
                peer.begin()
            peer.pause()

    def checks(self) -> list[Check]:
        """The ratios, and whether all was seen and every other table ran on."""
        tables = self._tables
        calm = tables.verdicts(*self._calm)
        checks = [
            report_figure("P15", "others, undisturbed: p99", _us(calm, 99), Unit.US, _samples(calm))
        ]
        unseen = calm.unseen
        for what, window in self._windows:
            verdicts = tables.verdicts(window)
            unseen += verdicts.unseen
            checks.append(_ratio(what, verdicts, calm, window.cpu_percent))
        healths = {health for watch in tables.watches.values() for health in watch.healths}
        odd = len(healths - {Health.RUNNING})
        checks.append(check_goal("P15", "others: cards unseen", unseen, Unit.COUNT, Bound(0)))
        checks.append(check_goal("P15", "others: not running", odd, Unit.COUNT, Bound(0)))
        return checks

    def _wait_calm(self) -> None:
        self._calm.append(self._tables.measure(self._seconds))

    @contextmanager
    def _window(self, what: str) -> Iterator[None]:
        begun = self._tables.begin_window()
        yield
        self._windows.append((what, self._tables.end_window(begun, self._seconds)))

    def _settle(self) -> None:
        until_s = time.monotonic() + SETTLE_S_MAX
        while self._tables.measure(SETTLE_S).cpu_percent > BUSY_PERCENT:
            if time.monotonic() > until_s:
                return


def _samples(verdicts: Verdicts) -> str:
    return f"{len(verdicts.delays)} cards of {len(OTHERS)} tables"


def _ratio(what: str, verdicts: Verdicts, calm: Verdicts, cpu_percent: float) -> Check:
    samples = min(len(verdicts.delays), len(calm.delays))
    few = too_few_reason(samples, PACED_SAMPLES_MIN)
    p50, p99, slowest = (_us(verdicts, percent) for percent in (50, 99, 100))
    beside = f"p50 {p50:.0f}, p99 {p99:.0f}, slowest {slowest:.0f} us; program {cpu_percent:.0f} %"
    return check_goal_unless(
        few, "P15", f"one {what}: p99 of others", p99 / _us(calm, 99), Unit.RATIO, RATIO, beside
    )


def _traces(tables: DealtTables) -> tuple[Check, ...]:
    """What the others' journals hold of all that."""
    journals = {name: tables.folder.journal_of(name) for name in OTHERS}
    found = {
        name: traces_in(journal, tables.shoes[name].truth.coups)
        for name, journal in journals.items()
    }
    beside = "; ".join(f"{name}: {', '.join(traces)}" for name, traces in found.items() if traces)
    count = sum(map(len, found.values()))
    unread = {name: stored_table(journal).unread_ms for name, journal in journals.items()}
    waits = "; ".join(
        f"{name}: {len(ms)} of up to {max(ms)} ms" for name, ms in unread.items() if ms
    )
    return (
        check_goal("P15", "others: traces in journals", count, Unit.COUNT, Bound(0), beside),
        report_figure(
            "P15", "others: waits unread", sum(map(len, unread.values())), Unit.COUNT, waits
        ),
    )


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
