"""What a card keeps on the disk once its shoe is sealed: P18.

Responsible for: a whole shoe as a 4800 baud line tells it, byte by byte in three copies, at the
pace of play under a clock of its own, stored and sealed; the size of its file.
Not responsible for: what is written on the way (volume).
Source: package README, "What is measured"; goal P18; controller/journal/README.md, "Shoe file".
"""

from collections.abc import Iterator
from random import Random

from controller.archive.finished_shoe import finished_shoe, shoe_records
from controller.journal.shoe_file import shoe_bytes
from controller.journal.store import Journal
from controller.table.loop import Loop
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, PortOpened
from hil.bench.measure.checks import Bound, CannotMeasure, Check, judged
from hil.bench.measure.figures import NS_PER_MS, NS_PER_S, Unit
from hil.bench.measure.stage import CARD, PORT, Plan, bench_core, dealt, folder_in_memory, started
from hil.bench.stored.recovery import COPIES
from hil.emulator.lines.reports import Report

BYTE_NS = 10 * NS_PER_S // 4800
# No two bytes are read quite as late; what is compressed must not be more even than in truth.
JITTER_NS = NS_PER_MS // 2
BETWEEN_REPORTS_NS = 3 * NS_PER_S


class Clock:
    """The time at the table, which only this measurement moves."""

    def __init__(self) -> None:
        begun = now()
        self._ns, self._utc_ns = begun.monotonic_ns, begun.utc_ns
        self._jitter = Random(5)  # noqa: S311 - reproducible, not secret

    def now(self) -> Timestamp:
        return Timestamp(self._ns, self._utc_ns)

    def later(self, wait_ns: int) -> Timestamp:
        """So much later, and a bit; the two clocks drift apart a little."""
        wait_ns += self._jitter.randrange(JITTER_NS)
        self._ns += wait_ns
        self._utc_ns += wait_ns + self._jitter.randrange(1_000)
        return self.now()


def measure_kept(_plan: Plan) -> tuple[Check, ...]:
    """P18: kept."""
    reports = dealt(seed=21)
    cards = sum(report.code == CARD for report in reports)
    clock = Clock()
    with folder_in_memory() as folder, Journal.open(folder / "kept") as journal:
        core = bench_core()
        loop = Loop(journal, core, core.initial(), clock.now)
        loop.begin(started())
        loop.take(PortOpened(PORT, clock.now(), bytes(32)))
        for item in _told(reports, clock):
            if item is not None:
                loop.take(item)
            loop.store_if_due()
        records = shoe_records(journal.records())
        if not records:
            raise CannotMeasure("the shoe did not come to its end")
        shoe = finished_shoe("BENCH-1", journal.base, records)
    whole = sum(len(record.record) for record in records)
    kept = len(shoe_bytes(shoe.heading, shoe.rows, shoe.parts))
    beside = (
        f"{kept} B for {cards} cards, {whole / cards:.0f} B a card before; 4800 baud, three copies"
    )
    return (judged("P18", "kept a card", kept / cards, Unit.BYTES, Bound(1_000, 500), beside),)


def _told(reports: tuple[Report, ...], clock: Clock) -> Iterator[Chunk | None]:
    """Every byte as it is read; None where only time has passed."""
    for report in reports:
        for byte in report.frame * COPIES:
            yield Chunk(PORT, clock.later(BYTE_NS), bytes((byte,)))
        clock.later(BETWEEN_REPORTS_NS)
        yield None
