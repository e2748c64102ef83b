"""One table: its queue, its loop thread, its core, its journal and what it publishes.

Responsible for: everything of a table hanging on one object; taking inputs in one order, storing
them with their conclusions, and only then acting; restarting the table after a fault of ours.
Not responsible for: what an input means (core), ports (firmware_bridge), who else listens (app).
Source: package README, "Store before you act", "Failure has four kinds".
"""

import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeAlias

from controller.archive.sealer import SealDesk, SealStanding
from controller.core.build import core_of
from controller.core.core import Core
from controller.core.state import CoreState
from controller.journal.store import Journal
from controller.journal.values import JournalError, JournalWriteFailed
from controller.profiles.clauses import Clause
from controller.replay.recovery import RecoveryError, recover, refusal_to_start
from controller.table.disk_space import stop_words
from controller.table.fault_text import fault_words, way_there
from controller.table.loop import Loop, Stored
from controller.table.unstored import Ask, Pending, Taken
from controller.tape.entries import Entry
from controller.tape.inputs import DiskLevel, Input, Started
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortOpened

LOG = logging.getLogger("smartshoe.table")

# Our own faults: the table restarts from its journal, but not for ever.
RESTARTS_MAX = 3
RESTARTS_WITHIN_NS = 600 * 1_000_000_000
QUEUE_INPUTS_MAX = 4096
# Whoever waits at a full queue looks this often whether the table has ended.
ENDED_LOOK_S = 0.5


class Health(StrEnum):
    """How the table's loop is doing."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPED = "stopped"
    STORE_FAILED = "store_failed"  # evidence cannot be kept: nothing moves
    REFUSED = "refused"  # the journal or the settings do not allow a start
    FAILED = "failed"  # a fault of ours came back too often


class Writer(Protocol):
    """Where bytes for a device go once the reason for them is stored."""

    def write(self, data: bytes, opened: bytes = b"") -> None: ...


StoredListener = Callable[[Stored], None]
# An input, an input with an asker, a probe that the loop sets, or None: the end.
Waiting: TypeAlias = Input | Ask | threading.Event | None


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a run of a table begins with. `start` stamps and builds its first input.

    `seals` is where finished shoes are sealed; without it they stay in live.db.
    `no_room` says why there is not room enough to keep what it is told; empty where there is.
    """

    journal: Path
    clauses: Mapping[str, Clause]
    start: Callable[[str], Started]
    close_coup_as_partial: bool = False
    seals: SealDesk | None = None
    no_room: Callable[[], str] = str


class Table:
    """One table of play. `put` and `act` may be called from any thread."""

    def __init__(
        self,
        name: str,
        beginning: Beginning,
        clock: Callable[[], Timestamp],
        on_stored: StoredListener | None = None,
    ) -> None:
        self.name = name
        self.health = Health.STARTING
        self.failure = ""
        self.recovered_inputs = 0
        self._beginning = beginning
        self._clock = clock
        self._on_stored = on_stored
        self._queue: queue.Queue[Waiting] = queue.Queue(QUEUE_INPUTS_MAX)
        self._writers: dict[str, Writer] = {}
        # The entropy of the opening that was taken last, by port: bytes are meant for that one.
        self._opened: dict[str, bytes] = {}
        self._pending = Pending()
        self._stopping = False
        self._changed = threading.Condition()
        self._version = 0
        self._published: tuple[Core, CoreState] | None = None
        self._restarts: list[int] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name=f"table-{name}")

    def start(self) -> None:
        """Begin; returns once the table runs or has said why it cannot (see `health`)."""
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self.health is not Health.STARTING)

    def stop(self) -> None:
        """Take what waits, store it, close the journal, end the thread."""
        self._enqueue(None)

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end; whether it came."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def put(self, item: Input) -> None:
        """Queue an input; blocks while the queue is full, so that a flood waits at the port.

        Dropped once the table has ended: nothing would store it.
        """
        self._enqueue(item)

    def act(self, item: Input, timeout_s: float = 10.0) -> tuple[Entry, ...] | None:
        """Queue an input and wait until it and its conclusions are stored. None: not stored."""
        ask = Ask(item)
        if not self._enqueue(ask, timeout_s) or not ask.done.wait(timeout_s) or not ask.stored:
            return None
        return ask.entries

    def responds(self, timeout_s: float) -> bool:
        """Whether the loop takes what is put; asked before the watchdog is told all is well."""
        probe = threading.Event()
        put = self._enqueue(probe, timeout_s)
        return put and probe.wait(timeout_s) and not self._ended.is_set()

    def attach_writer(self, port: str, writer: Writer) -> None:
        """Say where bytes for that port go."""
        self._writers[port] = writer

    @property
    def published(self) -> tuple[Core, CoreState] | None:
        """The core and the newest stored state; both immutable."""
        return self._published

    @property
    def waiting(self) -> int:
        """How many inputs wait to be taken."""
        return self._queue.qsize()

    @property
    def seals(self) -> SealStanding | None:
        """How sealing stands; None where this table seals nothing."""
        desk = self._beginning.seals
        return desk.standing if desk is not None else None

    @property
    def version(self) -> int:
        """Grows with every stored transaction and every change of health."""
        return self._version

    def wait_for_change(self, since: int, timeout_s: float | None) -> int:
        """Wait until `version` is greater than `since`; the version then."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > since, timeout_s)
            return self._version

    def _enqueue(self, item: Waiting, timeout_s: float | None = None) -> bool:
        """Queue it; False where the table has ended, or the queue stayed full for that long."""
        left_s = timeout_s
        while not self._ended.is_set() and (left_s is None or left_s > 0):
            wait_s = ENDED_LOOK_S if left_s is None else min(ENDED_LOOK_S, left_s)
            try:
                self._queue.put(item, timeout=wait_s)
            except queue.Full:
                left_s = None if left_s is None else left_s - wait_s
                continue
            if self._ended.is_set():
                self._let_go()
            return True
        return False

    def _supervise(self) -> None:
        replaced_allowed = self._beginning.close_coup_as_partial
        while True:
            try:
                self._run_once(replace_allowed=replaced_allowed)
            except JournalWriteFailed as error:
                self._end(Health.STORE_FAILED, str(error))
            except (JournalError, RecoveryError) as error:
                self._end(Health.REFUSED, str(error))
            except Exception as error:  # noqa: BLE001  # where our own faults surface
                fault = fault_words(error)
                # Not LOG.exception: the error's own message may name a card.
                trace = way_there(error.__traceback__)
                LOG.error("table %s: %s\n%s", self.name, fault, trace)  # noqa: TRY400
                self._pending.faulted()
                if self._may_restart():
                    replaced_allowed = False
                    continue
                self._end(Health.FAILED, fault)
            else:
                self._end(Health.STOPPED, "")
            return

    def _may_restart(self) -> bool:
        now_ns = self._clock().monotonic_ns
        self._restarts = [at for at in self._restarts if now_ns - at < RESTARTS_WITHIN_NS]
        if len(self._restarts) >= RESTARTS_MAX:
            return False
        self._restarts.append(now_ns)
        return True

    def _run_once(self, *, replace_allowed: bool) -> None:
        if no_room := self._beginning.no_room():
            raise RecoveryError(no_room)
        with Journal.open(self._beginning.journal) as journal:
            recovered = recover(journal, self._beginning.clauses)
            for damage in journal.damages:
                LOG.warning(
                    "table %s: %s: %s. The start went on without it, from the records. Run"
                    " `smartshoe verify`, and have the disk looked at",
                    self.name,
                    journal.file,
                    damage,
                )
            replacing = recovered.state is None and recovered.shoe_open and replace_allowed
            before = recovered.software if replacing else ""
            started = self._beginning.start(before)
            core = core_of(started, self._beginning.clauses)
            refusal = refusal_to_start(
                recovered, core, replace_allowed=replace_allowed, at_ns=started.at.utc_ns
            )
            if refusal:
                raise RecoveryError(refusal)
            self.recovered_inputs = recovered.inputs
            if self._beginning.seals is not None:
                self._beginning.seals.started(journal)
            loop = Loop(journal, core, recovered.before(core), self._clock)
            self._publish(loop, loop.begin(started))
            self._set_health(Health.RUNNING, "")
            self._serve(loop, journal)

    def _serve(self, loop: Loop, journal: Journal) -> None:
        # After a fault of ours the ports are still open, and what they said may be lost.
        for opened in self._pending.open_ports(self._clock()):
            loop.take(opened)
        ended = False
        while not ended:
            items = self._take(loop.wait_s())
            ended = self._stopping and not self._pending.again
            stored = self._work(loop, items)
            # What it led to is out: now there is time for the file.
            if stored is not None and stored.shoe_ended and self._beginning.seals is not None:
                self._beginning.seals.shoes_ended(journal, stored.shoe_ends)

    def _work(self, loop: Loop, items: Sequence[Taken]) -> Stored | None:
        asks: list[Ask] = []
        for item, ask in self._pending.telling(items):
            output = loop.take(item)
            if isinstance(item, PortOpened):
                self._opened[item.port] = item.entropy
            if ask is not None:
                ask.entries = output.entries
                asks.append(ask)
        loop.tick_if_due()
        self._write(loop.written_at_once())
        stored = loop.store_if_due(force=self._stopping or bool(asks))
        if stored is not None:
            self._pending.stored()
        try:
            if stored is not None:
                self._publish(loop, stored)
        finally:
            for ask in asks:
                ask.done.set()
        disk = loop.state.host.disk
        if disk is not None and disk.level is DiskLevel.STOP:
            raise JournalWriteFailed(stop_words(self._beginning.journal, disk))
        return stored

    def _take(self, wait_s: float | None) -> list[Taken]:
        """All that waits, at most a batch; blocks until something does or time is up."""
        if self._pending.again:
            items = self._pending.take_again()
        elif self._stopping:
            items = []
        else:
            items = self._taken_from_queue(wait_s)
        self._pending.taken(items)
        return items

    def _taken_from_queue(self, wait_s: float | None) -> list[Taken]:
        items: list[Taken] = []
        with contextlib.suppress(queue.Empty):
            waiting = self._queue.get(timeout=wait_s)
            while waiting is not None:
                if isinstance(waiting, threading.Event):
                    waiting.set()
                else:
                    items.append(waiting)
                if len(items) >= Loop.BATCH_INPUTS_MAX:
                    return items
                waiting = self._queue.get_nowait()
            self._stopping = True
        return items

    def _publish(self, loop: Loop, stored: Stored) -> None:
        """After the store: bytes to devices, then everyone who watches."""
        self._write(stored.writes)
        if self._on_stored is not None:
            self._on_stored(stored)
        with self._changed:
            self._published = (loop.core, loop.state)
            self._version += 1
            self._changed.notify_all()

    def _write(self, writes: Sequence[tuple[str, bytes]]) -> None:
        for port, data in writes:
            writer = self._writers.get(port)
            if writer is not None:
                writer.write(data, self._opened.get(port, b""))

    def _set_health(self, health: Health, failure: str) -> None:
        with self._changed:
            self.health = health
            self.failure = failure
            self._version += 1
            self._changed.notify_all()

    def _end(self, health: Health, failure: str) -> None:
        if failure:
            LOG.error("table %s: %s", self.name, failure)
        self._ended.set()
        self._set_health(health, failure)
        self._let_go()

    def _let_go(self) -> None:
        """Nothing that still waits will be taken: tell whoever waits for it."""
        self._pending.let_go()
        with contextlib.suppress(queue.Empty):
            while True:
                waiting = self._queue.get_nowait()
                if isinstance(waiting, Ask):
                    waiting.done.set()
                elif isinstance(waiting, threading.Event):
                    waiting.set()
