"""A table under the simulated clock that has played, for pages of its metrics.

The same statements give the same values, so that the pages of two versions can be compared.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

from controller.archive.log_writer import LogStatus
from controller.archive.sealer import SealingStatus
from controller.core.core import Core
from controller.core.state import Conclusion, CoreState, Stored
from controller.core.tape.entries import CoreOutput
from controller.core.tape.inputs import Input
from controller.journal.database import FILE_NAME
from controller.outlets.metrics.table_metrics import TableMetrics, device_labels
from controller.record.snapshot import Health
from firmware_bridge.transport.port import Chunk
from foundation.timestamp import Timestamp
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.performing import Performer

NAME, PIT = "M-12", "pit-3"
# Two batches, a shoe that reads tags, a shuffler that warns; decided, corrected, and suspended.
DEVICES = "device shoe rfid\ndevice shuffler tablelink"
PLAY = """\
shuffle red
shuffle blue
bring out red
load red
wait 1min
deal burn
deal 12 coups
wait 30s
err extra_card
deal 20 coups
floor decides
deal coup
wait 10s
err extra_card
deal 20 coups
wait 1min
"""
HEAD = LogStatus(size=7, root=hashlib.sha256(b"head").digest(), absent=("w.example: no answer",))
SEALING = SealingStatus(sealed=3, unsealed=1, seconds=0.25, unsigned="no key", log=HEAD)
CONSUMER = SimpleNamespace(
    consumer="back-office", connected=True, lag_events=3, lag_seconds=1.5, sent=9
)
FOLLOWER = SimpleNamespace(name="monitors", waiting=2, skipped=1, taking_since_ns=None)


class PlayedTable:
    """The table as a scrape reads it. `journal` is a folder of its own."""

    name = NAME
    health = Health.RUNNING
    waiting = 4
    followers = (FOLLOWER,)
    sealing_status = SEALING

    def __init__(self, journal: Path) -> None:
        (journal / FILE_NAME).write_bytes(bytes(4096))
        scenario = parse_scenario(DEVICES, NAME, NAME)
        bench = SimulatedBench(scenario)
        self._table = bench.simulated
        self.metrics = TableMetrics(
            self,
            PIT,
            devices=device_labels(self._table.core.settings),
            journal=journal,
            consumers=self._consumers,
            clock=lambda: self.at,
        )
        self._table.watches.append(self._stored)
        performer = Performer(scenario, bench, 1)
        for step in parse_scenario(PLAY).steps:
            performer.perform(step.body)
        for said in self._table.advisories:
            self.metrics.count_advisory(said.kind)

    @property
    def at(self) -> Timestamp:
        """The simulated time."""
        return self._table.at

    @property
    def published(self) -> tuple[Core, CoreState]:
        return self._table.core, self._table.state

    def _consumers(self) -> Iterable[SimpleNamespace]:
        return (CONSUMER,)

    def _stored(self, _: CoreState, item: Input, output: CoreOutput) -> None:
        if isinstance(item, Chunk):
            self.metrics.count_bytes(item.port, len(item.data))
        at, state = self._table.at, self._table.state
        conclusion = Conclusion(item, output.entries)
        self.metrics.stored(Stored((conclusion,), (), at, state, self._table.core.book))
