"""A port that is noise for hours, over restarts: what a journal stores of it, and what it says."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.replay.recovery import recover
from controller.core.tape.inputs import Input, NoiseDropped
from controller.core.tape.records import inputs_in, read_input
from controller.journal.store import Journal
from controller.rules.profiles.load import load_clauses
from controller.service.noise_limit import NoiseLimit, stored_chunks
from controller.table.loop import Loop
from drivers import framing
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.timestamp import Timestamp

PORT = "/dev/ttyUSB0"
S = 1_000_000_000
HOUR_S = 3600
MB = 1_000_000
# Read of a port that is noise alone: 4 KiB every 5 s of the simulated clock.
READ_BYTES = 4096
READ_EVERY_S = 5


class NoisyTable:
    """A table's loop and journal at a port of noise, under a simulated clock."""

    def __init__(self, folder: Path, script) -> None:
        self.folder = folder
        self.script = script()
        self.at: Timestamp = self.script.at
        self.sent = 0
        self.start()

    def start(self) -> None:
        journal = Journal.open(self.folder)
        core = self.script.core
        state = recover(journal, load_clauses()).initial_state(core)
        self.journal, self.loop = journal, Loop(journal, core, state, lambda: self.at)
        self.loop.begin(replace(self.script.started, at=self.at))
        self.limit = NoiseLimit(framing.ANGEL_EYE, self.put, lambda _s: None)
        since = self.at.utc_ns - NoiseLimit.WINDOW_NS
        self.limit.resume(stored_chunks(self.folder, since, lambda *_: None).get(PORT, ()), self.at)
        self.limit.put(PortOpened(PORT, self.at, bytes(32)))

    def put(self, item: Input) -> bool:
        self.loop.take(item)
        self.loop.store_if_due()
        return True

    def noise(self, seconds: int) -> None:
        for _ in range(0, seconds, READ_EVERY_S):
            by = READ_EVERY_S * S
            self.at = Timestamp(self.at.monotonic_ns + by, self.at.utc_ns + by)
            self.limit.put(Chunk(PORT, self.at, bytes(READ_BYTES)))
            self.loop.store_if_due()
            self.sent += READ_BYTES

    def end(self) -> None:
        """As after SIGTERM: the rest is stated, then everything is stored."""
        for item in self.limit.last_statement(self.at):
            self.loop.take(item)
        self.loop.store_if_due(force=True)
        self.journal.close()

    def bytes_on_disk(self) -> int:
        return (self.folder / "live.db").stat().st_size

    def stored(self) -> list[Input]:
        with Journal.open(self.folder) as journal:
            read = [read_input(one.record) for one in journal.records()]
        return [item for one in read if one is not None for item in inputs_in(one)]


@pytest.mark.parametrize("restarts", [0, 5])
def test_of_two_hours_of_noise_each_hour_stores_a_megabyte_and_says_the_rest(
    fast_dir: Path, script, restarts: int
) -> None:
    table = NoisyTable(fast_dir / "journal", script)
    table.end()
    before = table.bytes_on_disk()
    for _hour in range(2):
        table.start()
        for _ in range(restarts):
            table.noise(HOUR_S // (restarts + 1))
            table.end()
            table.start()
        table.noise(HOUR_S // (restarts + 1))
        table.end()
        after = table.bytes_on_disk()
        assert after - before <= MB
        before = after

    items = table.stored()
    stored = sum(len(one.data) for one in items if isinstance(one, Chunk))
    assert stored + sum(one.count for one in items if isinstance(one, NoiseDropped)) == table.sent
