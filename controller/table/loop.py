"""The processing loop of one table: handle inputs, store records together, then release writes.

Source: performance goals P3, P18.
"""

from collections.abc import Callable
from typing import ClassVar

from controller.core.core import Core
from controller.core.state import Conclusion, CoreState, Stored
from controller.core.tape.entries import CoreOutput
from controller.core.tape.inputs import Input, Started, Tick
from controller.core.tape.records import chunks_record, entry_record, input_record
from controller.journal.store import Journal
from controller.journal.values import SavedState
from controller.procedure.effects import ShoeEnded
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.timestamp import Timestamp

NS_PER_S = 1_000_000_000


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
