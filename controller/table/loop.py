"""Take, handle, store, and only then let anyone act on it: the pace of one table.

Responsible for: turning inputs and their conclusions into records, deciding when they are stored
together, and when a tick is due.
Not responsible for: threads and queues (table), meaning (core), bytes on disk (journal).
Source: package README, "Store before you act"; performance goals P3, P18.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from controller.core.core import Core
from controller.core.state import CoreState
from controller.journal.store import Journal
from controller.journal.values import Checkpoint
from controller.procedure.effects import ShoeEnded
from controller.tape.entries import CoreOutput, Entry
from controller.tape.inputs import Input, Started, Tick
from controller.tape.records import chunks_record, entry_record, input_record
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The entries concluded from one input, and when its bytes were read (None for no bytes)."""

    item: Input
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """One durable transaction: what was concluded, what may now be written, and when.

    `shoe_ended`: a shoe came to its end in it; `shoe_ends` are the states after such ends.
    """

    conclusions: tuple[Conclusion, ...]
    writes: tuple[tuple[str, bytes], ...]
    at: Timestamp
    state: CoreState
    shoe_ended: bool = False
    shoe_ends: tuple[Checkpoint, ...] = ()


class Loop:
    """The state of one run of one table. Used by one thread."""

    BATCH_INPUTS_MAX: ClassVar[int] = 64
    # Inputs that conclude nothing may wait this long, or until this many bytes, to be stored.
    IDLE_STORE_NS: ClassVar[int] = NS_PER_S
    IDLE_STORE_BYTES: ClassVar[int] = 64 * 1024

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
        self._since_ns: int | None = None
        self._conclusions: list[Conclusion] = []
        self._writes: list[tuple[str, bytes]] = []
        self._at_once: list[tuple[str, bytes]] = []
        self._checkpoint: Checkpoint | None = None
        self._shoe_ended = False
        self._shoe_ends: list[Checkpoint] = []

    def begin(self, started: Started) -> Stored:
        """Take and store the first input. Raises JournalWriteFailed."""
        self._started_seq = self._journal.head.seq + 1
        self._software = started.software
        self.take(started)
        stored = self.store_if_due(force=True)
        assert stored is not None
        return stored

    def take(self, item: Input) -> CoreOutput:
        """Let the core conclude from one input; nothing is stored or done yet."""
        if isinstance(item, PortLost | PortOpened):
            self._drop_writes(item.port)
        self.state, output = self.core.handle(self.state, item)
        self._add_input(item, concluded=bool(output.entries))
        for entry in output.entries:
            self._add(entry_record(entry))
        if output.entries:
            self._conclusions.append(Conclusion(item, output.entries))
        self._writes.extend(output.writes)
        self._at_once.extend(output.at_once)
        if output.checkpoint:
            self._checkpoint = Checkpoint.of(
                seq=self._journal.head.seq + len(self._records),
                started_seq=self._started_seq,
                software=self._software,
                state=output.checkpoint,
            )
        if any(type(entry) is ShoeEnded for entry in output.entries):
            self._shoe_ended = True
            if output.checkpoint and self._checkpoint is not None:
                self._shoe_ends.append(self._checkpoint)
        if self._since_ns is None:
            self._since_ns = item.at.monotonic_ns
        return output

    def tick_if_due(self) -> None:
        """Take a Tick when a deadline of the core has passed."""
        deadline_ns = self.core.next_deadline_ns(self.state)
        if deadline_ns is None:
            return
        at = self._clock()
        if at.monotonic_ns >= deadline_ns:
            self.take(Tick(at))

    def _drop_writes(self, port: str) -> None:
        """What still waited was meant for an opening that is over: the device may be another."""
        self._writes = [write for write in self._writes if write[0] != port]
        self._at_once = [write for write in self._at_once if write[0] != port]

    def written_at_once(self) -> tuple[tuple[str, bytes], ...]:
        """Bytes for devices that need not wait for the store, once."""
        at_once, self._at_once = tuple(self._at_once), []
        return at_once

    def wait_s(self) -> float | None:
        """How long nothing needs doing: until a deadline or the idle store; None for ever."""
        due = [
            at_ns
            for at_ns in (
                self.core.next_deadline_ns(self.state),
                None if self._since_ns is None else self._since_ns + self.IDLE_STORE_NS,
            )
            if at_ns is not None
        ]
        if not due:
            return None
        return max(0.0, (min(due) - self._clock().monotonic_ns) / NS_PER_S)

    def store_if_due(self, *, force: bool = False) -> Stored | None:
        """Store all that waits where something was concluded or waited long enough.

        Raises JournalWriteFailed; then nothing was stored and nothing may be done.
        """
        if self._since_ns is None or not (force or self._due(self._since_ns)):
            return None
        self._close_run()
        self._journal.append(self._records, self._checkpoint)
        stored = Stored(
            tuple(self._conclusions),
            tuple(self._writes),
            self._clock(),
            self.state,
            self._shoe_ended,
            tuple(self._shoe_ends),
        )
        self._records = []
        self._bytes = 0
        self._since_ns = None
        self._conclusions = []
        self._writes = []
        self._checkpoint = None
        self._shoe_ended = False
        self._shoe_ends = []
        return stored

    def _due(self, since_ns: int) -> bool:
        if self._conclusions or self._writes or self._bytes >= self.IDLE_STORE_BYTES:
            return True
        return self._clock().monotonic_ns - since_ns >= self.IDLE_STORE_NS

    def _add_input(self, item: Input, *, concluded: bool) -> None:
        """Chunks that concluded nothing wait for each other, to be one record."""
        if not isinstance(item, Chunk):
            self._close_run()
            self._add(input_record(item))
            return
        if self._run and self._run[0].port != item.port:
            self._close_run()
        self._run.append(item)
        self._bytes += len(item.data)
        if concluded:
            self._close_run()

    def _close_run(self) -> None:
        if self._run:
            self._add(chunks_record(self._run))
            self._run = []

    def _add(self, record: bytes) -> None:
        self._records.append(record)
        self._bytes += len(record)


def read_at(conclusion: Conclusion) -> Timestamp | None:
    """When the bytes behind a conclusion were read; None where it came of no bytes."""
    return conclusion.item.at if isinstance(conclusion.item, Chunk) else None
