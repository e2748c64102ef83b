"""The processing loop of one table: handle inputs, store records together, then release writes.

Its inputs wait in a bounded queue: a port that floods waits before it reads. Those that were taken
and are not stored yet are retried after an internal error.

Source: performance goals P3, P18.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from controller.core.core import Core
from controller.core.state import Conclusion, CoreState, Stored
from controller.core.tape.entries import CoreOutput, Entry
from controller.core.tape.inputs import Input, NotJudged, Started, Tick
from controller.core.tape.records import chunks_record, entry_record, input_record
from controller.journal.store import Journal
from controller.journal.values import SavedState
from controller.procedure.effects import ShoeEnded
from controller.rules.actions.actions import OperatorAction
from controller.rules.actions.declaration import name_of
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.timestamp import Timestamp

NS_PER_S = 1_000_000_000


# --- the inputs that wait -------------------------------------------------------------------------


class AwaitedInput(Struct):
    """An input whose sender waits until its entries are stored."""

    item: Input
    done: threading.Event = field(default_factory=threading.Event)
    entries: tuple[Entry, ...] = ()
    stored: bool = False


TableInput: TypeAlias = Input | AwaitedInput


class UnstoredInputs:
    """Inputs taken from the queue and not stored yet. Used by the table's thread."""

    def __init__(self) -> None:
        self._unstored: list[TableInput] = []
        self._retries: list[TableInput] = []
        self._current: TableInput | None = None
        self._open_ports: dict[str, PortOpened] = {}

    @property
    def has_retries(self) -> bool:
        """Whether inputs wait to be processed again."""
        return bool(self._retries)

    def take_retries(self) -> list[TableInput]:
        """Remove and return the inputs that are to be processed again."""
        retries, self._retries = self._retries, []
        return retries

    def add(self, items: Sequence[TableInput]) -> None:
        """Add inputs from the queue."""
        self._unstored.extend(items)
        for item in items:
            match item:
                case PortOpened(port=port):
                    self._open_ports[port] = item
                case PortLost(port=port):
                    self._open_ports.pop(port, None)
                case _:
                    pass

    def each(self, items: Iterable[TableInput]) -> Iterable[tuple[Input, AwaitedInput | None]]:
        """Yield each input, and its awaited form if any; an error meanwhile is attributed to it."""
        for item in items:
            self._current = item
            if isinstance(item, AwaitedInput):
                yield item.item, item
            else:
                yield item, None
        self._current = None

    def mark_stored(self) -> None:
        """All these inputs are stored now."""
        for item in self._unstored:
            if isinstance(item, AwaitedInput):
                item.stored = True
        self._unstored.clear()

    def retry_others(self) -> None:
        """After an internal error: note the input that caused it in its place, retry the others."""
        culprit, self._current = self._current, None
        again: list[TableInput] = []
        for item in self._unstored:
            if item is not culprit:
                again.append(item)
            elif instead := self._in_its_place(item):
                again.append(instead)
        self._retries = [*again, *self._retries]
        self._unstored.clear()
        if isinstance(culprit, AwaitedInput):
            culprit.done.set()

    def _in_its_place(self, culprit: TableInput) -> Input | None:
        """What is on record of it; None for an input that no person and no device brought.

        Bytes that the link cannot take either are dropped, and their port is opened again: a whole
        cycle of reports may be in them, which the next number alone would not show.
        """
        match culprit.item if isinstance(culprit, AwaitedInput) else culprit:
            case Chunk(port=port, at=at, data=data):
                return NotJudged(at, port, data)
            case OperatorAction(at=at, person=person, action=action):
                return NotJudged(at, action=name_of(action), person=person)
            case NotJudged(port=port, at=at) if port in self._open_ports:
                return replace(self._open_ports[port], at=at)
            case _:
                return None

    def release_waiters(self) -> None:
        """No input will be processed any more: wake all senders that wait."""
        for item in (*self._unstored, *self._retries):
            if isinstance(item, AwaitedInput):
                item.done.set()

    def open_ports(self, at: Timestamp) -> tuple[PortOpened, ...]:
        """The open ports, as inputs with this timestamp."""
        return tuple(replace(opened, at=at) for opened in self._open_ports.values())


class InputQueue:
    """A queue between threads that put inputs and one loop that takes them, in order.

    Full for everybody at INPUTS_MAX inputs, and for a port at PORT_BYTES_MAX of its bytes, so that
    one port's flood keeps no other out. Closed, it accepts nothing; what waits can still be taken
    for DRAIN_NS, so that a stop takes no longer.
    """

    INPUTS_MAX: ClassVar[int] = 4096
    PORT_BYTES_MAX: ClassVar[int] = 64 * 1024
    # One batch is one transaction: more inputs or bytes than that wait for the next one.
    BATCH_INPUTS_MAX: ClassVar[int] = 64
    BATCH_BYTES_MAX: ClassVar[int] = 4096
    DRAIN_NS: ClassVar[int] = 500_000_000

    def __init__(self, clock: Callable[[], Timestamp], batch_bytes: int = BATCH_BYTES_MAX) -> None:
        """`batch_bytes`: no batch has more; a longer chunk is taken in pieces."""
        self._clock = clock
        self._batch_bytes = batch_bytes
        lock = threading.Lock()
        self._not_empty = threading.Condition(lock)
        self._not_full = threading.Condition(lock)
        self._items: deque[TableInput] = deque()
        self._port_bytes: dict[str, int] = {}
        self._probes: list[threading.Event] = []
        self._closed_ns: int | None = None

    def put(self, item: TableInput, timeout_s: float | None = None) -> bool:
        """Append an input when there is room; False if the queue closed or time was up before."""
        with self._not_full:
            self._not_full.wait_for(lambda: self.is_closed or self._has_room(item), timeout_s)
            if self.is_closed or not self._has_room(item):
                return False
            self._items.append(item)
            if isinstance(item, Chunk):
                waiting = self._port_bytes.get(item.port, 0)
                self._port_bytes[item.port] = waiting + len(item.data)
            self._not_empty.notify()
            return True

    def probe(self, timeout_s: float) -> bool:
        """Whether the loop comes to take inputs within that time; waits behind no input."""
        probe = threading.Event()
        with self._not_empty:
            if self.is_closed:
                return False
            self._probes.append(probe)
            self._not_empty.notify()
        return probe.wait(timeout_s)

    def take(self, wait_s: float | None) -> list[TableInput]:
        """Take at most a batch; blocks until there is an input or a probe, or time is up."""
        with self._not_empty:
            self._not_empty.wait_for(lambda: self._items or self._probes or self.is_closed, wait_s)
            self._answer_probes()
            batch: list[TableInput] = []
            size = 0
            while self._items and len(batch) < self.BATCH_INPUTS_MAX:
                item = self._items[0]
                if isinstance(item, Chunk):
                    if batch and size + len(item.data) > self._batch_bytes:
                        break
                    item = self._take_piece(item)
                    size += len(item.data)
                else:
                    self._items.popleft()
                batch.append(item)
            self._not_full.notify_all()
            return batch

    def _take_piece(self, chunk: Chunk) -> Chunk:
        """Take the first item, or of a chunk longer than a batch its beginning."""
        self._items.popleft()
        piece = chunk
        if len(chunk.data) > self._batch_bytes:
            piece = replace(chunk, data=chunk.data[: self._batch_bytes])
            self._items.appendleft(replace(chunk, data=chunk.data[self._batch_bytes :]))
        self._port_bytes[chunk.port] -= len(piece.data)
        return piece

    def rest(self, wait_s: float) -> None:
        """Take nothing for so long; a close ends it."""
        with self._not_empty:
            self._not_empty.wait_for(lambda: self.is_closed, wait_s)

    def close(self) -> None:
        """Accept nothing more; every put that waits returns. Closing again changes nothing."""
        with self._not_empty:
            if self._closed_ns is None:
                self._closed_ns = self._clock().monotonic_ns
            self._not_empty.notify()
            self._not_full.notify_all()

    @property
    def is_closed(self) -> bool:
        return self._closed_ns is not None

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits, and nothing that was put before was refused."""
        return not self._items and self._closed_ns is None

    @property
    def is_finished(self) -> bool:
        """Whether it is closed, and what waited is taken or has waited for DRAIN_NS."""
        if self._closed_ns is None:
            return False
        return not self._items or self._clock().monotonic_ns - self._closed_ns >= self.DRAIN_NS

    def drop_all(self) -> int:
        """Close it, drop what waits and wake all who wait for an answer; the bytes dropped."""
        self.close()
        with self._not_empty:
            self._answer_probes()
            for item in self._items:
                if isinstance(item, AwaitedInput):
                    item.done.set()
            self._items.clear()
            dropped = sum(self._port_bytes.values())
            self._port_bytes.clear()
            return dropped

    def bytes_of(self, port: str) -> int:
        """The bytes of a port that wait."""
        return self._port_bytes.get(port, 0)

    def __len__(self) -> int:
        return len(self._items)

    def _has_room(self, item: TableInput) -> bool:
        if len(self._items) >= self.INPUTS_MAX:
            return False
        if not isinstance(item, Chunk):
            return True
        waiting = self._port_bytes.get(item.port, 0)
        return not waiting or waiting + len(item.data) <= self.PORT_BYTES_MAX

    def _answer_probes(self) -> None:
        for probe in self._probes:
            probe.set()
        self._probes.clear()


# --- the loop -------------------------------------------------------------------------------------


class Loop:
    """The state of one run of one table. Used by one thread."""

    # Inputs without entries are stored after this time or this many bytes. Bytes and ticks change
    # nothing that people see without an entry: those of an idle table wait for one transaction.
    IDLE_STORE_NS: ClassVar[int] = NS_PER_S
    QUIET_STORE_NS: ClassVar[int] = 60 * NS_PER_S
    IDLE_STORE_BYTES: ClassVar[int] = 64 * 1024
    # A chunk takes about so much besides its data, on the disk and more in memory.
    CHUNK_BYTES: ClassVar[int] = 10
    # A deadline that is found so late passed while the host was stopped: what came meanwhile is
    # read first, for so long, because it may have come in time.
    STOPPED_NS_MIN: ClassVar[int] = NS_PER_S
    READ_FIRST_NS: ClassVar[int] = NS_PER_S // 4

    def __init__(
        self,
        journal: Journal,
        core: Core,
        state: CoreState,
        clock: Callable[[], Timestamp],
    ) -> None:
        self.core = core
        self.state = state
        self._journal = journal
        self._clock = clock
        self._started_seq = 0
        self._software = ""
        self._records: list[bytes] = []
        self._run: list[Chunk] = []
        self._bytes = 0
        self._due_ns: int | None = None
        self._conclusions: list[Conclusion] = []
        self._writes: list[tuple[str, bytes]] = []
        self._at_once: list[tuple[str, bytes]] = []
        self._saved_state: SavedState | None = None
        self._shoe_ended = False
        self._shoe_ends: list[SavedState] = []
        self._reading_until_ns: int | None = None

    def begin(self, started: Started) -> Stored:
        """Process and store the first input. Raises JournalWriteFailed."""
        self._started_seq = self._journal.head.seq + 1
        self._software = started.software
        self.take(started)
        stored = self.store_if_due(force=True)
        assert stored is not None
        return stored

    def take(self, item: Input) -> CoreOutput:
        """Process one input; nothing is stored or written to a device yet.

        Bytes of several reports become one input for each, as if they had been read apart.
        """
        if isinstance(item, (PortLost, PortOpened)):
            self._drop_writes(item.port)
        first, *others = self.core.devices.split(self.state, item)
        output = self._take_part(first)
        for part in others:
            output = output.followed_by(self._take_part(part))
        return output

    def _take_part(self, item: Input) -> CoreOutput:
        self.state, output = self.core.handle(self.state, item)
        self._add_input(item, has_entries=bool(output.entries))
        shoe_ended = False
        for entry in output.entries:
            self._add(entry_record(entry))
            shoe_ended = shoe_ended or type(entry) is ShoeEnded
        if output.entries:
            self._conclusions.append(Conclusion(item, output.entries))
        self._writes.extend(output.writes)
        self._at_once.extend(output.at_once)
        if output.saved_state:
            self._saved_state = SavedState.of(
                seq=self._journal.head.seq + len(self._records),
                started_seq=self._started_seq,
                software=self._software,
                state=output.saved_state,
            )
        if shoe_ended:
            self._shoe_ended = True
            if output.saved_state and self._saved_state is not None:
                self._shoe_ends.append(self._saved_state)
        quiet = isinstance(item, (Chunk, Tick))
        due_ns = item.at.monotonic_ns + (self.QUIET_STORE_NS if quiet else self.IDLE_STORE_NS)
        self._due_ns = due_ns if self._due_ns is None else min(self._due_ns, due_ns)
        return output

    def tick_if_due(self) -> None:
        """Process a Tick if a deadline of the core has passed."""
        deadline_ns = self.core.next_deadline_ns(self.state)
        if deadline_ns is None:
            self._reading_until_ns = None
            return
        at = self._clock()
        late_ns = at.monotonic_ns - deadline_ns
        if late_ns >= self.STOPPED_NS_MIN:
            if self._reading_until_ns is None:
                self._reading_until_ns = at.monotonic_ns + self.READ_FIRST_NS
            if at.monotonic_ns < self._reading_until_ns:
                return
        self._reading_until_ns = None
        if late_ns >= 0:
            self.take(Tick(at))

    def _drop_writes(self, port: str) -> None:
        """Drop the writes for a port that was lost or reopened: the device may be another."""
        self._writes = [write for write in self._writes if write[0] != port]
        self._at_once = [write for write in self._at_once if write[0] != port]

    def take_immediate_writes(self) -> tuple[tuple[str, bytes], ...]:
        """Take the bytes for devices that need not wait for the store."""
        at_once, self._at_once = tuple(self._at_once), []
        return at_once

    def wait_s(self) -> float | None:
        """Seconds until the next deadline or idle store; None if neither is due."""
        tick_ns = self.core.next_deadline_ns(self.state)
        due = [
            at_ns
            for at_ns in (
                tick_ns if self._reading_until_ns is None else self._reading_until_ns,
                self._due_ns,
            )
            if at_ns is not None
        ]
        if not due:
            return None
        return max(0.0, (min(due) - self._clock().monotonic_ns) / NS_PER_S)

    def store_if_due(self, *, force: bool = False) -> Stored | None:
        """Store all waiting records if there are entries or writes, or if they waited long enough.

        Raises JournalWriteFailed; then nothing was stored and nothing may be written.
        """
        if self._due_ns is None or not (force or self._due(self._due_ns)):
            return None
        self._close_run()
        after_seq = self._journal.head.seq
        self._journal.append(self._records, self._saved_state)
        stored = Stored(
            tuple(self._conclusions),
            tuple(self._writes),
            self._clock(),
            self.state,
            self.core.book,
            after_seq,
            self._journal.head,
            self._shoe_ended,
            tuple(self._shoe_ends),
        )
        self._records = []
        self._bytes = 0
        self._due_ns = None
        self._conclusions = []
        self._writes = []
        self._saved_state = None
        self._shoe_ended = False
        self._shoe_ends = []
        return stored

    def _due(self, due_ns: int) -> bool:
        if self._conclusions or self._writes or self._bytes >= self.IDLE_STORE_BYTES:
            return True
        return self._clock().monotonic_ns >= due_ns

    def _add_input(self, item: Input, *, has_entries: bool) -> None:
        """Add an input; consecutive chunks without entries are joined to one record.

        Chunks that waited for a stopped host stay alone: a run does not say how long.
        """
        if not isinstance(item, Chunk):
            self._close_run()
            self._add(input_record(item))
            return
        if self._run and (self._run[0].port != item.port or item.waited_ns):
            self._close_run()
        self._run.append(item)
        self._bytes += len(item.data) + self.CHUNK_BYTES
        if has_entries or item.waited_ns:
            self._close_run()

    def _close_run(self) -> None:
        if self._run:
            self._add(chunks_record(self._run))
            self._run = []

    def _add(self, record: bytes) -> None:
        self._records.append(record)
        self._bytes += len(record)
