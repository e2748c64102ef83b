"""From a stored record to its durable leaf in the evidence log, beside play.

Source: goal P3.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.archive.log_writer import LogWriter
from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings, open_signer
from controller.journal.evidence_log.checkpoint import TreeHead
from controller.journal.evidence_log.leaf import Leaf
from controller.journal.store import Journal
from controller.table.subscribers import Follower
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk
from hil.bench.measure.fixtures import PORT, Plan, deal_reports, folder_on_disk, running_loop
from hil.measure.checks import Check, report_figure
from hil.measure.figures import NS_PER_US, P99_SAMPLES_MIN, Unit, percentile

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
