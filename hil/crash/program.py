"""Runs the program's own table (loop thread, recovery, journal) one input at a time."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core.state import CoreState, Stored
from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Input, Started
from controller.record.snapshot import Health
from controller.rules.actions.actions import OperatorAction
from controller.rules.profiles.load import load_clauses
from controller.table.loop import AwaitedInput, Loop, TableInput
from controller.table.table import RunSpec
from foundation.timestamp import Timestamp
from hil.rig.observed_table import ObservedTable

TABLE: Final = "SIM-1"
HEALTH_POLL_S: Final = 0.05
WORK_S_MAX: Final = 60.0


def key_path(journal: Path) -> Path:
    """The path of the key that signs the sealed shoes of that folder."""
    return journal.with_name(journal.name + ".key")


def ignore_write(port: str, data: bytes) -> None:
    """The hook for writes to devices that does nothing."""


class TableEnded(Exception):
    """The table has ended with `health`; the message is the table's own."""

    def __init__(self, health: Health, failure: str) -> None:
        super().__init__(failure)
        self.health = health


class SteppedTable(ObservedTable):
    """The program's table whose clock is set by its inputs; its loop never wakes by itself."""

    def __init__(self, journal: Path, started: Started) -> None:
        self.now = started.at
        self.state: CoreState | None = None
        self._worked = threading.Semaphore(0)
        self._conclusions: list[Entry] = []
        # As in a running table: a shoe is sealed after its conclusions are handed on.
        signing = SigningSettings(key_path(journal))
        seals = Sealer(TABLE, signing, self._read_clock)
        spec = RunSpec(journal, load_clauses(), lambda _: started, sealer=seals)
        super().__init__("crash", spec, self._read_clock, self._on_stored)

    def step(self, item: Input) -> tuple[Entry, ...]:
        """Give it one input and wait until the loop is done with it. Raises TableEnded."""
        self._conclusions.clear()
        if isinstance(item, OperatorAction):
            entries = self.act(item, WORK_S_MAX)
            if entries is None:
                raise self._table_ended()
            self._wait()
            return entries
        self.put(item)
        self._wait()
        return tuple(self._conclusions)

    def _wait(self) -> None:
        while not self._worked.acquire(timeout=HEALTH_POLL_S):
            if self.health is not Health.RUNNING:
                raise self._table_ended()

    def _table_ended(self) -> TableEnded:
        self.join(WORK_S_MAX)
        return TableEnded(self.health, self.failure)

    def _read_clock(self) -> Timestamp:
        return self.now

    def _on_stored(self, stored: Stored) -> None:
        for conclusion in stored.conclusions:
            self._conclusions.extend(conclusion.entries)
        self.state = stored.state

    def _next_inputs(self, wait_s: float | None) -> list[TableInput]:
        """Wait for the next input without a limit: simulated time does not pass meanwhile."""
        del wait_s
        items = super()._next_inputs(None)
        for taken in items:
            self.now = (taken.item if isinstance(taken, AwaitedInput) else taken).at
        return items

    def _process(self, loop: Loop, items: Sequence[TableInput]) -> None:
        super()._process(loop, items)
        self.state = loop.state
        # Without an input a shoe's file woke it.
        if items:
            self._worked.release()


class SteppedProgram:
    """One run of the program on a journal's folder. Raises TableEnded if it does not start.

    `on_write` is called with each write to a device, in the program's own thread.
    """

    def __init__(
        self,
        journal: Path,
        started: Started,
        on_write: Callable[[str, bytes], None] = ignore_write,
    ) -> None:
        self._writes: list[tuple[str, bytes]] = []
        self._on_write = on_write
        self._table = SteppedTable(journal, started)
        self._ports: set[str] = set()
        self._table.start()
        if self._table.health is not Health.RUNNING:
            self._table.join()
            raise TableEnded(self._table.health, self._table.failure)

    @property
    def state(self) -> CoreState:
        assert self._table.state is not None
        return self._table.state

    def serve(self, port: str) -> None:
        """Capture what the program writes to that port, for `take_writes`."""
        self._table.attach_writer(port, _CapturedWrites(port, self._writes, self._on_write))

    def step(self, item: Input) -> tuple[Entry, ...]:
        """Give it one input. Raises TableEnded."""
        return self._table.step(item)

    def take_writes(self) -> tuple[tuple[str, bytes], ...]:
        """What it wrote to devices since the last call, in order: port and bytes."""
        writes = tuple(self._writes)
        self._writes.clear()
        return writes

    def end(self) -> None:
        """End it as SIGTERM does. Raises TableEnded if it ends in another way."""
        self._table.stop()
        self._table.join()
        if self._table.health is not Health.STOPPED:
            raise TableEnded(self._table.health, self._table.failure)


class _CapturedWrites:
    """A port writer that captures what the table writes."""

    def __init__(
        self, port: str, writes: list[tuple[str, bytes]], on_write: Callable[[str, bytes], None]
    ) -> None:
        self._port = port
        self._writes = writes
        self._on_write = on_write

    def write(self, data: bytes, opened: bytes = b"") -> None:
        del opened
        self._on_write(self._port, data)
        self._writes.append((self._port, data))
