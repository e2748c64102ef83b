"""P18: bytes for each card in a sealed shoe, as a 4800 baud line delivers the shoe.

Source: goal P18.
"""

from collections.abc import Iterator
from random import Random

from controller.archive.finished_shoe import finished_shoe, shoe_records
from controller.journal.shoe_file import shoe_bytes
from controller.journal.store import Journal
from controller.table.loop import Loop
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.timestamp import Timestamp
from hil.bench.measure.fixtures import (
    CARD,
    PORT,
    Plan,
    bench_core,
    deal_reports,
    folder_in_memory,
    started_input,
)
from hil.bench.stored.recovery import COPIES
from hil.emulator.lines.reports import Report
from hil.measure.checks import Bound, CannotMeasure, Check, check_goal
from hil.measure.figures import NS_PER_MS, NS_PER_S, Unit

BYTE_NS = 10 * NS_PER_S // 4800
# Real stamps are not evenly spaced; even ones would compress better.
JITTER_NS = NS_PER_MS // 2
BETWEEN_REPORTS_NS = 3 * NS_PER_S


class JitteredClock:
    """A simulated clock of the table whose steps vary a little."""

    def __init__(self) -> None:
        start = now()
        self._ns, self._utc_ns = start.monotonic_ns, start.utc_ns
        self._jitter = Random(5)  # noqa: S311 - reproducible, not secret

    def now(self) -> Timestamp:
        return Timestamp(self._ns, self._utc_ns)

    def advance(self, wait_ns: int) -> Timestamp:
        """Advance by `wait_ns` and a random bit; the two clocks drift apart a little."""
        wait_ns += self._jitter.randrange(JITTER_NS)
        self._ns += wait_ns
        self._utc_ns += wait_ns + self._jitter.randrange(1_000)
        return self.now()


def measure_sealed_size(_plan: Plan) -> tuple[Check, ...]:
    """P18: bytes kept for each card."""
    reports = deal_reports(seed=21)
    cards = sum(report.code == CARD for report in reports)
    clock = JitteredClock()
    with folder_in_memory() as folder, Journal.open(folder / "kept") as journal:
        core = bench_core()
        loop = Loop(journal, core, core.initial(), clock.now)
        loop.begin(started_input())
        loop.take(PortOpened(PORT, clock.now(), bytes(32)))
        for item in _chunks(reports, clock):
            if item is not None:
                loop.take(item)
            loop.store_if_due()
        records = shoe_records(journal.records())
        if not records:
            raise CannotMeasure("the shoe did not end")
        shoe = finished_shoe("BENCH-1", journal.base, records)
    whole = sum(len(record.record) for record in records)
    kept = len(shoe_bytes(shoe.heading, shoe.rows, shoe.parts))
    beside = (
        f"{kept} B for {cards} cards, {whole / cards:.0f} B a card before; 4800 baud, three copies"
    )
    return (check_goal("P18", "kept a card", kept / cards, Unit.BYTES, Bound(1_000, 500), beside),)


def _chunks(reports: tuple[Report, ...], clock: JitteredClock) -> Iterator[Chunk | None]:
    """Every byte as it is read; None where only time passes."""
    for report in reports:
        for byte in report.frame * COPIES:
            yield Chunk(PORT, clock.advance(BYTE_NS), bytes((byte,)))
        clock.advance(BETWEEN_REPORTS_NS)
        yield None
