"""One table: its queue, thread, core and journal; publishes the state, restarts after an error.

Beside other tables it takes a bounded share of a processor: whoever floods one, only it waits.
Source: goal P15.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Protocol

from msgspec import UNSET, Struct
from msgspec.structs import replace

from controller.archive.replay.recovery import (
    RecoveredState,
    RecoveryError,
    recover,
    refusal_to_start,
)
from controller.archive.sealer import Sealer, SealingStatus
from controller.core.build import build_core
from controller.core.core import Core
from controller.core.state import CoreState, Stored, Subscriber
from controller.core.tape.entries import Entry
from controller.core.tape.inputs import DiskLevel, Input, Started
from controller.journal.store import Journal
from controller.journal.values import DiskIsFull, Head, JournalError, JournalWriteFailed
from controller.record.snapshot import Health
from controller.rules.profiles.clauses import Clause
from controller.system.fault_text import describe_fault, traceback_text
from controller.table.disk_space import disk_stop_text
from controller.table.loop import AwaitedInput, InputQueue, Loop, TableInput, UnstoredInputs
from controller.table.stored_until import StoredUntil
from controller.table.subscribers import Follower, Turns
from firmware_bridge.transport.clock import thread_cpu_ns
from firmware_bridge.transport.port import PortOpened
from foundation.context_thread import ContextThread
from foundation.timestamp import Timestamp


class FairShare:
    """A tenth of a processor, after a burst. Used by the table's thread; times in ns.

    A table that deals takes a hundredth. What it must wait is spread over small batches: beside the
    interpreter's lock another table waits for one of them at most.
    """

    PART: ClassVar[int] = 10
    BURST_NS: ClassVar[int] = 50_000_000
    # A few reports: 1 to 3 ms of work.
    BATCH_BYTES: ClassVar[int] = 64

    def __init__(self, at_ns: int, used_ns: int) -> None:
        """`used_ns` is what the thread has used of a processor so far."""
        self._left_ns = self.BURST_NS
        self._at_ns = at_ns
        self._used_ns = used_ns

    def wait_ns(self, at_ns: int, used_ns: int) -> int:
        """How long to take nothing more, after what was used since the last call."""
        earned_ns = (at_ns - self._at_ns) // self.PART
        left_ns = min(self.BURST_NS, self._left_ns + earned_ns) - (used_ns - self._used_ns)
        self._left_ns, self._at_ns, self._used_ns = left_ns, at_ns, used_ns
        return max(0, -left_ns) * self.PART


LOG = logging.getLogger("smartshoe.table")

# After an internal error the table restarts from its journal, but not without limit.
RESTARTS_MAX = 3
RESTARTS_WITHIN_NS = 600 * 1_000_000_000
# So long an end waits, in all, for what is behind: sealing, the evidence log, other subscribers.
END_S = 0.6
# As the power fails, a program that signs is given so long.
HURRY_S = 0.25


class Writer(Protocol):
    """Takes bytes for a device once their reason is stored."""

    def write(self, data: bytes, opened: bytes = b"") -> None: ...


# The inputs that end a run, at this time.
LastInputs = Callable[[Timestamp], Sequence[Input]]


class RunSpec(Struct, frozen=True):
    """What a run of a table needs to start. `start` builds its first input with a timestamp.

    `sealer` seals finished shoes; without it they stay in live.db. `disk_refusal` says why
    there is not enough disk space for a start; it is empty if there is. `shares`: other tables are
    in this process, and this one takes no more than its share of a processor. `stored_until`: what
    a kill leaves to the next run.
    """

    journal: Path
    clauses: Mapping[str, Clause]
    start: Callable[[str], Started]
    close_coup_as_partial: bool = False
    sealer: Sealer | None = None
    disk_refusal: Callable[[], str] = str
    shares: bool = False
    stored_until: StoredUntil | None = None


class Table:
    """One table of play. `put` and `act` may be called from any thread."""

    def __init__(
        self,
        name: str,
        spec: RunSpec,
        clock: Callable[[], Timestamp],
    ) -> None:
        self.name = name
        self.health = Health.STARTING
        self.failure = ""
        # Why nothing could be stored, where that is so.
        self.disk_is_full = False
        self.recovered_inputs = 0
        self._spec = spec
        self._clock = clock
        self._queue = InputQueue(clock, FairShare.BATCH_BYTES) if spec.shares else InputQueue(clock)
        self._writers: dict[str, Writer] = {}
        self._caught_up: list[Callable[[int], bool]] = []
        self._last_inputs: list[LastInputs] = []
        # The entropy of the last processed opening, by port: writes are for that opening.
        self._opened: dict[str, bytes] = {}
        self._unstored = UnstoredInputs()
        self._changed = threading.Condition()
        self._version = 0
        self._published: tuple[Core, CoreState] | None = None
        self._stored_seq = 0
        self._restarts: list[int] = []
        self._end_s = END_S
        # Until when a stop waits for what is behind.
        self._end_ns: int | None = None
        self._turns = Turns("subscribers")
        self._sealing = Follower(name, spec.sealer) if spec.sealer is not None else None
        self.followers: tuple[Follower, ...] = (self._sealing,) if self._sealing is not None else ()
        self._thread = ContextThread(target=self._supervise, name=f"table-{name}")

    def subscribe(self, *subscribers: Subscriber) -> None:
        """Before the start: hand on what is stored to these, too; they share one thread."""
        self.followers += tuple(Follower(self.name, one, self._turns) for one in subscribers)

    def subscribe_apart(self, *subscribers: Subscriber) -> None:
        """The same to those that move a lamp or lock, or use files, lines or networks.

        Each has a thread of its own.
        """
        self.followers += tuple(Follower(self.name, one) for one in subscribers)

    def start(self) -> None:
        """Start the thread; returns once the table runs or has failed to (see `health`)."""
        for follower in self.followers:
            follower.start()
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self.health is not Health.STARTING)

    def stop(self) -> None:
        """Accept no more inputs, process and store those that wait, close the journal, end.

        Inputs that still wait after half a second are dropped, as if they had come after the end.
        What is not sealed and not in the evidence log after END_S more is left to the next start.
        """
        self._queue.close()

    def stop_at_once(self) -> None:
        """Stop as the power fails: wait neither for a program that signs nor for witnesses."""
        self._end_s = HURRY_S
        if self._spec.sealer is not None:
            self._spec.sealer.log.hurry()
        self.stop()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the thread to end; whether it has."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def put(self, item: Input) -> bool:
        """Queue an input; blocks while the queue is full, so that a flood waits at the port.

        False: the input is dropped, because the table ends and nothing would store it.
        """
        return self._queue.put(item)

    def act(self, item: Input, timeout_s: float = 10.0) -> tuple[Entry, ...] | None:
        """Queue an input and wait until it and its entries are stored. None: not stored."""
        awaited = AwaitedInput(item)
        queued = self._queue.put(awaited, timeout_s)
        if not queued or not awaited.done.wait(timeout_s) or not awaited.stored:
            return None
        return awaited.entries

    def responds(self, timeout_s: float) -> bool:
        """Whether the loop takes inputs from the queue; checked before the watchdog is notified."""
        return self._queue.probe(timeout_s) and self.health is Health.RUNNING

    def attach_writer(self, port: str, writer: Writer) -> None:
        """Set the writer of bytes for a port."""
        self._writers[port] = writer

    def attach_reader(self, caught_up: Callable[[int], bool]) -> None:
        """Before a port is opened: ask this whether all that it had brought by a moment was put."""
        self._caught_up.append(caught_up)

    def attach_last_inputs(self, last_inputs: LastInputs) -> None:
        """Ask for inputs when a stop has ended the queue; they are stored last."""
        self._last_inputs.append(last_inputs)

    @property
    def published(self) -> tuple[Core, CoreState] | None:
        """The core and the newest stored state; both immutable."""
        return self._published

    @property
    def stored_seq(self) -> int:
        """The number of the newest record of the published state; subscribers may be behind it."""
        return self._stored_seq

    @property
    def waiting(self) -> int:
        """The number of inputs in the queue."""
        return len(self._queue)

    def waiting_bytes(self, port: str) -> int:
        """The bytes of a port that wait in the queue."""
        return self._queue.bytes_of(port)

    @property
    def sealing_status(self) -> SealingStatus | None:
        """The status of sealing; None if this table does not seal."""
        sealer = self._spec.sealer
        return sealer.status if sealer is not None else None

    @property
    def version(self) -> int:
        """Counts stored transactions, changes of health and announcements."""
        return self._version

    def announce(self) -> None:
        """Wake whoever waits for a change: something beside the stored state is new to show."""
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def wait_for_change(self, since: int, timeout_s: float | None) -> int:
        """Wait until `version` exceeds `since` or time is up; returns the version."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > since, timeout_s)
            return self._version

    def _supervise(self) -> None:
        self._run_until_it_ends()
        if self._spec.stored_until is not None:
            self._spec.stored_until.close(in_order=self.health is Health.STOPPED)
        self._queue.close()
        for follower in self.followers:
            if not follower.close(self._left_s() or 0.0):
                LOG.warning("table %s: %s ended behind what is stored", self.name, follower.name)

    def _run_until_it_ends(self) -> None:
        replaced_allowed = self._spec.close_coup_as_partial
        while True:
            try:
                self._run_once(replace_allowed=replaced_allowed)
            except JournalWriteFailed as error:
                self.disk_is_full = isinstance(error, DiskIsFull)
                self._end(Health.STORE_FAILED, str(error))
            except (JournalError, RecoveryError) as error:
                self._end(Health.REFUSED, str(error))
            except Exception as error:  # noqa: BLE001  # where internal errors surface
                fault = describe_fault(error)
                # Not LOG.exception: the error's own message may name a card.
                trace = traceback_text(error.__traceback__)
                LOG.error("table %s: %s\n%s", self.name, fault, trace)  # noqa: TRY400
                self._unstored.retry_others()
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
        if disk_refusal := self._spec.disk_refusal():
            raise RecoveryError(disk_refusal)
        with Journal.open(self._spec.journal) as journal:
            recovered = recover(journal, self._spec.clauses)
            self._warn_of_damage(journal, recovered)
            replacing = recovered.state is None and recovered.shoe_open and replace_allowed
            before = recovered.software if replacing else ""
            started = self._spec.start(before)
            if self._spec.stored_until is not None:
                until_ns = self._spec.stored_until.begin(started.boot_id, journal.head)
                started = replace(started, stored_until_ns=until_ns or UNSET)
            core = build_core(started, self._spec.clauses)
            refusal = refusal_to_start(
                recovered, core, replace_allowed=replace_allowed, at_ns=started.at.utc_ns
            )
            if refusal:
                raise RecoveryError(refusal)
            self.recovered_inputs = recovered.inputs
            loop = Loop(journal, core, recovered.initial_state(core), self._clock)
            with self._sealed(journal):
                stored = loop.begin(started)
                self._publish(loop, stored)
                self._hand_on(stored)
                self._set_health(Health.RUNNING, "")
                self._serve(loop, journal)

    @contextmanager
    def _sealed(self, journal: Journal) -> Iterator[None]:
        """Seal the shoes of a run, and at its orderly end what ended in it."""
        sealer, sealing = self._spec.sealer, self._sealing
        if sealer is None or sealing is None:
            yield
            return
        try:
            # A probe wakes the loop: a shoe's file is made, and no input may come for long.
            sealer.begin(journal, lambda: self._queue.probe(0.0), sealing.do)
            yield
            if sealing.caught_up(self._left_s()):
                sealer.move_made(journal)
            # Behind all that waits: a log that lacks leaves ends as after a crash.
            sealer.stop(journal.head)
        finally:
            sealing.caught_up(self._left_s())
            sealer.end(within_s=self._left_s())

    def _left_s(self) -> float | None:
        """How long an end may still wait; None where nobody stops it: a run may follow in it."""
        if not self._queue.is_closed:
            return None
        now_ns = self._clock().monotonic_ns
        if self._end_ns is None:
            self._end_ns = now_ns + int(self._end_s * 1e9)
        return max(0.0, (self._end_ns - now_ns) / 1e9)

    def _warn_of_damage(self, journal: Journal, recovered: RecoveredState) -> None:
        gone = "the state that was stored with the last coup is gone: somebody deleted it"
        for damage in (*journal.damages, *((gone,) if recovered.state_gone else ())):
            LOG.warning(
                "table %s: %s: %s. The start continued without it, from the records. Run"
                " `smartshoe verify`, and check the disk",
                self.name,
                journal.file,
                damage,
            )

    def _serve(self, loop: Loop, journal: Journal) -> None:
        # After an internal error the ports are still open, and some of their bytes may be lost.
        for opened in self._unstored.open_ports(self._clock()):
            loop.take(opened)
        share = FairShare(self._clock().monotonic_ns, thread_cpu_ns())
        ended = False
        while not ended:
            if self._spec.shares:
                wait_ns = share.wait_ns(self._clock().monotonic_ns, thread_cpu_ns())
                self._queue.rest(wait_ns / 1e9)
            items = self._next_inputs(self._wait_s(loop))
            ended = self._queue.is_finished and not self._unstored.has_retries
            self._process(loop, items)
            self._note_stored(journal.head)
            if self._spec.sealer is not None:
                self._spec.sealer.move_made(journal)

    def _wait_s(self, loop: Loop) -> float | None:
        """Seconds until something is due."""
        note = self._spec.stored_until
        due_s = None if note is None else note.due_s(self._clock().monotonic_ns)
        waits_s = (loop.wait_s(), due_s, self._turns.relieve())
        return min((one for one in waits_s if one is not None), default=None)

    def _note_stored(self, head: Head) -> None:
        """Note for the run after a kill that all is stored, if it is; after the answers.

        What was taken and concluded anything is stored. In this order: what a port has read by then
        is in the queue, or its reader has it in hand.
        """
        note = self._spec.stored_until
        if note is None:
            return
        at_ns = self._clock().monotonic_ns
        stored = (
            bool(self._caught_up)
            and all(caught_up(at_ns) for caught_up in self._caught_up)
            and self._queue.is_idle
            and not self._unstored.has_retries
        )
        note.note(head, at_ns, stored=stored)

    def _process(self, loop: Loop, items: Sequence[TableInput]) -> None:
        awaited_inputs: list[AwaitedInput] = []
        for item, awaited in self._unstored.each(items):
            output = loop.take(item)
            if isinstance(item, PortOpened):
                self._opened[item.port] = item.entropy
            if awaited is not None:
                awaited.entries = output.entries
                awaited_inputs.append(awaited)
        loop.tick_if_due()
        self._write(loop.take_immediate_writes())
        stored = loop.store_if_due(force=self._queue.is_closed or bool(awaited_inputs))
        if stored is not None:
            self._unstored.mark_stored()
        try:
            if stored is not None:
                self._publish(loop, stored)
        finally:
            for awaited in awaited_inputs:
                awaited.done.set()
        if stored is not None:
            self._hand_on(stored)
        disk = loop.state.host.disk
        if disk is not None and disk.level is DiskLevel.STOP:
            raise DiskIsFull(disk_stop_text(self._spec.journal, disk))

    def _next_inputs(self, wait_s: float | None) -> list[TableInput]:
        """The waiting inputs, at most a batch; blocks until there is one or time is up."""
        if self._unstored.has_retries:
            items = self._unstored.take_retries()
        elif self._queue.is_finished:
            items = []
        else:
            items = self._queue.take(wait_s)
        if self._queue.is_finished:
            at = self._clock()
            items.extend(item for last in self._last_inputs for item in last(at))
        self._unstored.add(items)
        return items

    def _publish(self, loop: Loop, stored: Stored) -> None:
        """After a store: write to devices, then show the new state."""
        self._write(stored.writes)
        self._show(loop, stored)

    def _hand_on(self, stored: Stored) -> None:
        """After the answers, so that waking a thread delays none of them."""
        for follower in self.followers:
            follower.put(stored)

    def _show(self, loop: Loop, stored: Stored) -> None:
        # First: whoever sees the state may ask for what was counted up to here.
        self._stored_seq = stored.head.seq
        self._published = (loop.core, stored.state)
        self.announce()

    def _write(self, writes: Sequence[tuple[str, bytes]]) -> None:
        for port, data in writes:
            writer = self._writers.get(port)
            if writer is not None:
                writer.write(data, self._opened.get(port, b""))

    def _set_health(self, health: Health, failure: str) -> None:
        with self._changed:
            self.health = health
            self.failure = failure
        self.announce()

    def _end(self, health: Health, failure: str) -> None:
        if failure:
            LOG.error("table %s: %s", self.name, failure)
        if dropped := self._queue.drop_all():
            LOG.warning(
                "table %s: %d received bytes were not processed before the end; reports in them"
                " count as missed",
                self.name,
                dropped,
            )
        self._set_health(health, failure)
        self._unstored.release_waiters()
