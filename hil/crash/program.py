"""The program's own table, stepped: its loop thread, recovery and journal, and time as it is told.

Responsible for: giving the real table one input after another, waiting until its loop is done with
each, and handing back what it concluded and the bytes for devices.
Not responsible for: devices and people (world), and for what is killed or cut (kills, power).
Source: package README, "The crash and damage matrix"; controller/README.md, "Store before you act".
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.archive.sealer import SealDesk
from controller.archive.signer import SigningSettings
from controller.core.state import CoreState
from controller.profiles.load import load_clauses
from controller.table.loop import Loop, Stored
from controller.table.table import Beginning, Health, Table
from controller.table.unstored import Ask, Taken
from controller.tape.entries import Entry
from controller.tape.inputs import Input, OperatorAction, Started
from firmware_bridge.timestamp import Timestamp

TABLE: Final = "SIM-1"
ENDED_LOOK_S: Final = 0.05
WORK_S_MAX: Final = 60.0


def key_beside(journal: Path) -> Path:
    """Where the key is that signs the seals of that folder."""
    return journal.with_name(journal.name + ".key")


class Ended(Exception):
    """The table has ended; the message is its own, `health` says how."""

    def __init__(self, health: Health, failure: str) -> None:
        super().__init__(failure)
        self.health = health


class SteppedTable(Table):
    """The table as it is, but time passes with its inputs alone: its loop never wakes by itself."""

    def __init__(self, journal: Path, started: Started) -> None:
        self.now = started.at
        self.state: CoreState | None = None
        self._worked = threading.Semaphore(0)
        self._conclusions: list[Entry] = []
        # What it concluded goes on the way before a shoe is sealed, as with a table that runs.
        signing = SigningSettings(key_beside(journal))
        seals = SealDesk(TABLE, signing, self._clock_reads)
        beginning = Beginning(journal, load_clauses(), lambda _: started, seals=seals)
        super().__init__("crash", beginning, self._clock_reads, self._was_stored)

    def step(self, item: Input) -> tuple[Entry, ...]:
        """Give it one input; on return the loop is done with it. Raises Ended."""
        self._conclusions.clear()
        if isinstance(item, OperatorAction):
            entries = self.act(item, WORK_S_MAX)
            if entries is None:
                raise self._ended_as()
            self._wait()
            return entries
        self.put(item)
        self._wait()
        return tuple(self._conclusions)

    def _wait(self) -> None:
        while not self._worked.acquire(timeout=ENDED_LOOK_S):
            if self.health is not Health.RUNNING:
                raise self._ended_as()

    def _ended_as(self) -> Ended:
        self.join(WORK_S_MAX)
        return Ended(self.health, self.failure)

    def _clock_reads(self) -> Timestamp:
        return self.now

    def _was_stored(self, stored: Stored) -> None:
        for conclusion in stored.conclusions:
            self._conclusions.extend(conclusion.entries)
        self.state = stored.state

    def _take(self, wait_s: float | None) -> list[Taken]:
        """Wait for the next input however long it takes: no time passes meanwhile."""
        del wait_s
        items = super()._take(None)
        for taken in items:
            self.now = (taken.item if isinstance(taken, Ask) else taken).at
        return items

    def _work(self, loop: Loop, items: Sequence[Taken]) -> Stored | None:
        stored = super()._work(loop, items)
        self.state = loop.state
        self._worked.release()
        return stored


class Program:
    """One run of the program on a journal's folder. Raises Ended where it does not begin."""

    def __init__(self, journal: Path, started: Started) -> None:
        self._bytes: list[tuple[str, bytes]] = []
        self._table = SteppedTable(journal, started)
        self._ports: set[str] = set()
        self._table.start()
        if self._table.health is not Health.RUNNING:
            self._table.join()
            raise Ended(self._table.health, self._table.failure)

    @property
    def state(self) -> CoreState:
        assert self._table.state is not None
        return self._table.state

    def serve(self, port: str) -> None:
        """Keep what the program writes to that port, for `taken_bytes`."""
        self._table.attach_writer(port, _Kept(port, self._bytes))

    def step(self, item: Input) -> tuple[Entry, ...]:
        """Give it one input. Raises Ended."""
        return self._table.step(item)

    def taken_bytes(self) -> tuple[tuple[str, bytes], ...]:
        """What it wrote to devices since the last call, in order."""
        taken = tuple(self._bytes)
        self._bytes.clear()
        return taken

    def end(self) -> None:
        """End it as SIGTERM does. Raises Ended where that did not go well."""
        self._table.stop()
        self._table.join()
        if self._table.health is not Health.STOPPED:
            raise Ended(self._table.health, self._table.failure)


class _Kept:
    """Where the table writes."""

    def __init__(self, port: str, kept: list[tuple[str, bytes]]) -> None:
        self._port = port
        self._kept = kept

    def write(self, data: bytes, opened: bytes = b"") -> None:
        del opened
        self._kept.append((self._port, data))
