"""P3 and P4: from bytes to durable, append, one commit for each card, a record to its leaf.

In turn with a bare write + fdatasync and a bare SQLite commit (WAL, synchronous=FULL) of the same
bytes on the same disk.

Source: goals P3, P4, P18.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from statistics import mean

from controller.archive.log_writer import LogWriter
from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings, open_signer
from controller.core.tape.records import entry_record, input_record
from controller.journal.database import open_writer
from controller.journal.evidence_log.checkpoint import TreeHead
from controller.journal.evidence_log.leaf import Leaf
from controller.journal.store import Journal
from controller.table.loop import Loop
from controller.table.subscribers import Follower
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk
from foundation.timestamp import Timestamp
from hil.bench.measure.fixtures import (
    CARD,
    PORT,
    Plan,
    bench_core,
    deal_reports,
    folder_in_memory,
    folder_on_disk,
    one_processor,
    running_loop,
    seconds_since,
    started_input,
)
from hil.measure.checks import (
    Bound,
    Check,
    check_goal,
    check_goal_unless,
    report_figure,
    too_few_reason,
)
from hil.measure.figures import NS_PER_S, NS_PER_US, P99_SAMPLES_MIN, Unit, percentile

BUDGET_S = 40.0
BYTE_NS = 10 * NS_PER_S // 4800


class Sides:
    """The four things that are timed, each with its own files in one folder."""

    def __init__(self, folder: Path) -> None:
        self.journal = Journal.open(folder / "program")
        self.alone = Journal.open(folder / "alone")
        self.loop = running_loop(self.journal)
        self._bare = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._sqlite = open_writer(folder / "bare.db", create=True)
        self._rows = 0
        settings = [self._sqlite.execute(f"PRAGMA {name}").fetchone()[0] for name in _PRAGMAS]
        assert settings == list(_PRAGMAS.values()), "the bare SQLite side commits durably"

    def close(self) -> None:
        self.journal.close()
        self.alone.close()
        os.close(self._bare)
        self._sqlite.close()

    def program(self, item: Chunk) -> None:
        self.loop.take(item)
        self.loop.store_if_due()

    def bare(self, data: bytes) -> None:
        os.write(self._bare, data)
        os.fdatasync(self._bare)

    def sqlite(self, data: bytes) -> None:
        self._rows += 1
        self._sqlite.execute("BEGIN IMMEDIATE")
        self._sqlite.execute("INSERT INTO records VALUES (?, ?, ?)", (self._rows, data, b""))
        self._sqlite.execute("COMMIT")


# SQLite's names and values of the two settings; 2 is FULL.
_PRAGMAS = {"journal_mode": "wal", "synchronous": 2}


def _ns(act: Callable[[], None]) -> int:
    began_ns = time.perf_counter_ns()
    act()
    return time.perf_counter_ns() - began_ns


def measure_commits(plan: Plan) -> tuple[Check, ...]:
    """P3 and P4."""
    wanted = plan.count(P99_SAMPLES_MIN, 60)
    samples: dict[str, list[int]] = {"program": [], "alone": [], "bare": [], "sqlite": []}
    sizes: list[int] = []
    began_ns = time.perf_counter_ns()
    with folder_on_disk(plan) as folder, one_processor(), closing(Sides(folder)) as sides:
        # The same folder throughout: files grow as they do in a day of dealing.
        for report in deal_reports(seed=6, shoes=1 + wanted // 380):
            item = Chunk(PORT, now(), report.frame)
            if report.code != CARD:
                sides.program(item)
                continue
            _state, output = sides.loop.core.handle(sides.loop.state, item)
            records = (input_record(item), *(entry_record(entry) for entry in output.entries))
            data = b"".join(records)
            sizes.append(len(data))
            turns: list[tuple[str, Callable[[], None]]] = [
                ("program", partial(sides.program, item)),
                ("alone", partial(sides.alone.append, records)),
                ("bare", partial(sides.bare, data)),
                ("sqlite", partial(sides.sqlite, data)),
            ]
            first = len(sizes) % len(turns)
            for name, act in (*turns[first:], *turns[:first]):
                samples[name].append(_ns(act))
            if len(sizes) >= wanted or seconds_since(began_ns) > BUDGET_S:
                break
    return (*_durable(samples, mean(sizes)), *_append(samples), *_commits())


def _slow_disk(bare_p50_us: float) -> str:
    if bare_p50_us < BARE_P50_US_MAX:
        return ""
    return f"bare fdatasync p50 {bare_p50_us:.0f} us, judged below {BARE_P50_US_MAX} us"


def _durable(samples: dict[str, list[int]], size: float) -> tuple[Check, ...]:
    p50 = {name: percentile(times, 50) / NS_PER_US for name, times in samples.items()}
    p99 = {name: percentile(times, 99) / NS_PER_US for name, times in samples.items()}
    few = too_few_reason(len(samples["program"]), P99_SAMPLES_MIN)
    beside = f"{p50['program']:.0f} us, bare SQLite {p50['sqlite']:.0f} us of {size:.0f} B"
    beside99 = f"{p99['program']:.0f} us, bare SQLite {p99['sqlite']:.0f} us"
    what, bound = "card to durable, hot, against a bare SQLite commit", Bound(1.4, 1.2)
    of_samples = f"{what} p99 of {len(samples['program'])}"
    return (
        check_goal("P3", f"{what} p50", p50["program"] / p50["sqlite"], Unit.RATIO, bound, beside),
        check_goal_unless(
            few, "P3", of_samples, p99["program"] / p99["sqlite"], Unit.RATIO, bound, beside99
        ),
        report_figure("P3", "  p50 against fdatasync", p50["program"] / p50["bare"], Unit.RATIO),
    )


def _append(samples: dict[str, list[int]]) -> tuple[Check, ...]:
    alone, bare = (percentile(samples[name], 50) / NS_PER_US for name in ("alone", "bare"))
    sqlite = percentile(samples["sqlite"], 50) / NS_PER_US
    beside = f"{alone:.0f} us, bare fdatasync {bare:.0f} us"
    what = "journal append alone p50"
    return (
        check_goal_unless(
            _slow_disk(bare), "P4", what, alone / bare, Unit.RATIO, Bound(1.8, 1.2), beside
        ),
        report_figure("P4", f"{what} against a bare SQLite commit", alone / sqlite, Unit.RATIO),
    )


def _commits() -> tuple[Check, ...]:
    """Feed a shoe byte by byte, each report three times, with a clock at the line's pace."""
    clock = [Timestamp(1_000_000_000, 1_700_000_000_000_000_000)]

    def advance(ns: int) -> Timestamp:
        at = clock[0]
        clock[0] = Timestamp(at.monotonic_ns + ns, at.utc_ns + ns)
        return clock[0]

    counts: list[int] = []
    with folder_in_memory() as folder, Journal.open(folder) as journal:
        core = bench_core()
        loop = Loop(journal, core, core.initial(), lambda: clock[0])
        loop.begin(started_input())
        for report in deal_reports(seed=7):
            commits = 0
            for byte in report.frame * 3:
                loop.take(Chunk(PORT, advance(BYTE_NS), bytes((byte,))))
                commits += loop.store_if_due() is not None
            advance(NS_PER_S // 5)
            if report.code == CARD:
                counts.append(commits)
    others = sum(count != 1 for count in counts)
    beside = f"of {len(counts)}; {mean(counts):.3f} commits a card, byte by byte at 4800 baud"
    return (
        check_goal(
            "P3", "cards not stored in exactly one commit", others, Unit.COUNT, Bound(0), beside
        ),
    )


PAUSE_S = 0.005
LEAVES_A_SHOE = 80


class TimedLog(LogWriter):
    """Notes when each leaf is durable, by the record of which it speaks."""

    durable_ns: dict[int, int]

    def _publish(self, head: TreeHead, leaf: Leaf | None) -> None:
        if leaf is not None:
            self.durable_ns.setdefault(leaf.seq, time.perf_counter_ns())
        super()._publish(head, leaf)


@contextmanager
def _sealed(journal: Journal, folder: Path) -> Iterator[tuple[Sealer, Follower, TimedLog]]:
    """The journal's sealer on a thread of its own, as the table has it."""
    signing = SigningSettings(folder / "table.key")
    signer = open_signer(signing, make=True)
    sealer, log = Sealer("BENCH", signing, now), TimedLog("BENCH", lambda: signer, now)
    log.durable_ns = {}
    sealer.log = log
    follower = Follower("BENCH", sealer)
    follower.start()
    sealer.begin(journal, in_order=follower.do)
    try:
        yield sealer, follower, log
    finally:
        follower.caught_up()
        sealer.end(journal.head)
        follower.close(1.0)


def measure_leaves(plan: Plan) -> tuple[Check, ...]:
    """From the end of a record's store to its leaf's."""
    wanted, stored_ns = plan.count(P99_SAMPLES_MIN, 60), dict[int, int]()
    with (
        folder_on_disk(plan) as folder,
        Journal.open(folder / "journal") as journal,
        _sealed(journal, folder) as (sealer, follower, log),
    ):
        loop = running_loop(journal)
        for report in deal_reports(seed=6, shoes=1 + wanted // LEAVES_A_SHOE):
            loop.take(Chunk(PORT, now(), report.frame))
            if (stored := loop.store_if_due()) is not None:
                stored_ns[stored.head.seq] = time.perf_counter_ns()
                follower.put(stored)
            sealer.move_made(journal)
            time.sleep(PAUSE_S)
            if len(log.durable_ns) > wanted:
                break
        follower.caught_up()
        samples = [
            durable - stored_ns[seq] for seq, durable in log.durable_ns.items() if seq in stored_ns
        ]
    beside = f"{len(samples)} leaves, a report in {PAUSE_S * 1000:g} ms"
    return tuple(
        report_figure("P3", f"record to durable leaf, {name}", of / NS_PER_US, Unit.US, beside)
        for name, of in (("p50", percentile(samples, 50)), ("p99", percentile(samples, 99)))
    )


# On a slower disk only the counts are judged, because the disk hides the program.
BARE_P50_US_MAX = 500
