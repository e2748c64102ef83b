"""A served line: one thread that moves bytes between an emulated device and a host.

Responsible for: pacing, order (an answer never cuts into a report), a bounded wait when nobody
reads, and the log of what reached the host. Tests talk to it synchronously.
Not responsible for: what kind of line it is (serve).
Source: package README, "Serving an emulator".
"""

import os
import select
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Thread
from types import TracebackType
from typing import Generic, Self, TypeVar

from hil.dealing.truth import ReportTruth
from hil.emulator.lines.batch import Batch, batch_of
from hil.emulator.lines.faults import FaultPlan
from hil.emulator.lines.reports import Copy, Report
from hil.emulator.lines.served import Served

NS_PER_S = 1_000_000_000
SETTLE_S_MAX = 30.0
STOP_S_MAX = 5.0


@dataclass(frozen=True, slots=True)
class LineSettings:
    """How a line is served. `speed` 0: as fast as it goes; n: n times the baud rate.

    `bits_per_byte` counts start, data, parity and stop bits: 10 for 8N1, 11 for 8E1.
    `patience_s`: how long bytes wait for a host that does not read before they are dropped.
    """

    speed: int = 0
    baud: int = 4800
    bits_per_byte: int = 10
    patience_s: float = 1.0
    faults: FaultPlan | None = None


DeviceT = TypeVar("DeviceT", bound=Served)


class LineGone(Exception):
    """The host's end went away while writing."""


class LineServer(ABC, Generic[DeviceT]):
    """Serves one emulator. Use as a context manager."""

    def __init__(self, emulator: DeviceT, settings: LineSettings | None = None) -> None:
        self.emulator = emulator
        self.settings = settings or LineSettings()
        self._changed = Condition()  # guards the emulator and all below
        self._answers: deque[Batch] = deque()
        self._batches: deque[Batch] = deque()
        self._current: Batch | None = None
        self._requests: deque[Callable[[], None]] = deque()
        self._write_at_ns = 0
        self._blocked_since_ns: int | None = None
        self._cut_after: int | None = None
        self._stopping = False
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._thread = Thread(target=self._run, name=type(self).__name__, daemon=True)

    def __enter__(self) -> Self:
        self._open()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._stopping = True
        self._wake()
        self._thread.join(STOP_S_MAX)
        assert not self._thread.is_alive(), "the server thread does not stop"
        self._close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    # For tests and runners; any thread.

    def perform(self, act: Callable[[DeviceT], tuple[Report, ...]]) -> tuple[Report, ...]:
        """Do something to the device; returns the reports it made, not yet sent."""
        with self._changed:
            reports = act(self.emulator)
        self._wake()
        return reports

    def send(self, data: bytes) -> None:
        """Send raw bytes that are no report: noise, for tests."""
        with self._changed:
            self._batches.append(Batch(((data, 0),), ()))
        self._wake()

    def settle(self, timeout_s: float = SETTLE_S_MAX) -> bool:
        """Wait until all reports have left or were dropped; False when the time is over."""
        with self._changed:
            return self._changed.wait_for(self._is_idle, timeout_s)

    def take_reports(self) -> tuple[ReportTruth, ...]:
        """The reports whose last copy has left or was dropped since the last call."""
        with self._changed:
            return self.emulator.log.take()

    def wait_for(self, ready: Callable[[DeviceT], bool], timeout_s: float = SETTLE_S_MAX) -> bool:
        """Wait until the device is as wanted; False when the time is over."""
        with self._changed:
            return self._changed.wait_for(lambda: ready(self.emulator), timeout_s)

    def cut_after(self, byte_count: int) -> None:
        """Cut the line after that many more bytes, wherever in a frame that falls."""
        assert byte_count > 0, "cut after at least one byte"
        with self._changed:
            self._cut_after = byte_count

    # What a kind of line does; called in the server's thread unless said otherwise.

    @abstractmethod
    def _open(self) -> None:
        """Make the line; in the caller's thread, before the server's starts."""

    @abstractmethod
    def _close(self) -> None:
        """Take the line away; in the caller's thread, after the server's has ended."""

    @abstractmethod
    def _watched(self) -> tuple[int, ...]:
        """File descriptors that may become readable."""

    @abstractmethod
    def _host_fd(self) -> int | None:
        """The descriptor of the host, or None while there is none."""

    @abstractmethod
    def _take_input(self) -> bytes:
        """Bytes of the host, b"" if none wait. Takes in callers, too."""

    @abstractmethod
    def _put_output(self, data: bytes) -> int:
        """Write what can be written without waiting; how many bytes. Raises LineGone."""

    @abstractmethod
    def _cut(self) -> None:
        """Cut the line to the host."""

    def _baud(self) -> int:
        """The rate at which bytes are paced."""
        return self.settings.baud

    # The thread.

    def _in_thread(self, act: Callable[[], None]) -> None:
        """Run something in the server's thread and wait for it."""
        done: list[bool] = []

        def request() -> None:
            act()
            done.append(True)

        with self._changed:
            self._requests.append(request)
        self._wake()
        with self._changed:
            assert self._changed.wait_for(lambda: bool(done), STOP_S_MAX), "no answer"

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # a full pipe wakes as well
            os.write(self._wake_write, b"!")

    def _is_idle(self) -> bool:
        quiet = not (self._batches or self._answers or self._current)
        return quiet and self.emulator.idle

    def _run(self) -> None:
        while not self._stopping:
            with self._changed:
                while self._requests:
                    self._requests.popleft()()
                self._listen()
                self._collect(time.monotonic_ns())
                wait_ns = self._write_on()
                self._changed.notify_all()
            self._sleep(wait_ns)

    def _sleep(self, wait_ns: int | None) -> None:
        host = self._host_fd()
        blocked = self._blocked_since_ns is not None and self._current is not None
        writing = [host] if blocked and host is not None else []
        timeout_s = None if wait_ns is None else max(wait_ns, 0) / NS_PER_S
        readable, _, _ = select.select([self._wake_read, *self._watched()], writing, [], timeout_s)
        if self._wake_read in readable:
            os.read(self._wake_read, 4096)

    def _listen(self) -> None:
        while data := self._take_input():
            answer = self.emulator.receive(data, time.monotonic_ns())
            if answer:
                self._answers.append(self._answer_batch(answer))

    def _answer_batch(self, answer: bytes) -> Batch:
        faults = self.settings.faults
        if faults is None or not faults.meets_answers:
            return Batch(((answer, 0),), ())
        return Batch(faults.apply(answer, time.monotonic_ns()), ())

    def _collect(self, at_ns: int) -> None:
        late = self.emulator.overdue_answer(at_ns)
        if late:
            self._answers.append(Batch(((late, 0),), ()))
        copies: tuple[Copy, ...] = self.emulator.due(at_ns)
        if copies:
            self._batches.append(batch_of(copies, self.settings.faults, at_ns))

    def _write_on(self) -> int | None:
        """Write what may be written now; ns until the next look, None: until something happens."""
        while True:
            if self._current is None:
                if not (self._answers or self._batches):
                    return self._until_emulator()
                self._current = (self._answers or self._batches).popleft()
                # An idle line saves up no time.
                self._write_at_ns = max(self._write_at_ns, time.monotonic_ns())
                self._hold(self._current)
            batch = self._current
            if batch.done:
                self.emulator.log.settle(batch)
                self._current = None
                continue
            wait_ns = self._write_piece(batch)
            if wait_ns > 0:
                return wait_ns

    def _write_piece(self, batch: Batch) -> int:
        """Write part of the batch's first piece; ns to wait, 0 to go on at once."""
        if self._host_fd() is None:
            batch.drop_rest()
            return 0
        now_ns = time.monotonic_ns()
        if now_ns < self._write_at_ns:
            return self._write_at_ns - now_ns
        piece = batch.pieces[0][0]
        allowed = self._allowed(len(piece), now_ns)
        try:
            written = self._put_output(piece[:allowed]) if allowed else 0
        except LineGone:
            self._lost()
            return 0
        if written == 0 and allowed:
            return self._blocked(batch, now_ns)
        self._blocked_since_ns = None
        if written:
            batch.advance(written, arrived=True)
            self._pace(written)
        if written == len(piece) and not batch.done:
            self._hold(batch)
        self._count_to_cut(written)
        return 0

    def _allowed(self, length: int, now_ns: int) -> int:
        """How many bytes may go now: byte by byte when paced, more when the thread is late."""
        allowed = length
        if self.settings.speed:
            allowed = min(length, 1 + (now_ns - self._write_at_ns) // self._byte_ns())
        return allowed if self._cut_after is None else min(allowed, self._cut_after)

    def _byte_ns(self) -> int:
        bits = self.settings.bits_per_byte
        return bits * NS_PER_S // (self._baud() * self.settings.speed)

    def _pace(self, written: int) -> None:
        """Bytes begun late are caught up with, as a thread may sleep longer than a byte takes."""
        if self.settings.speed:
            self._write_at_ns += written * self._byte_ns()

    def _hold(self, batch: Batch) -> None:
        """Keep the fault plan's delay before the piece that is now first."""
        if batch.pieces and batch.pieces[0][1]:
            held_until_ns = time.monotonic_ns() + batch.pieces[0][1]
            self._write_at_ns = max(self._write_at_ns, held_until_ns)

    def _blocked(self, batch: Batch, now_ns: int) -> int:
        """Nobody reads: wait within bounds, then drop what the wire would have lost."""
        if self._blocked_since_ns is None:
            self._blocked_since_ns = now_ns
        patience_ns = int(self.settings.patience_s * NS_PER_S)
        left_ns = self._blocked_since_ns + patience_ns - now_ns
        if left_ns > 0:
            return left_ns
        batch.drop_rest()
        return 0

    def _count_to_cut(self, written: int) -> None:
        if self._cut_after is None:
            return
        self._cut_after -= written
        if self._cut_after == 0:
            self._cut_after = None
            self._cut()
            self._lost()

    def _lost(self) -> None:
        """The host is gone: the rest of what was being written is, too."""
        if self._current is not None:
            self._current.drop_rest()
        self._answers.clear()
        self._blocked_since_ns = None

    def _until_emulator(self) -> int | None:
        due_ns = self.emulator.next_due_ns
        return None if due_ns is None else due_ns - time.monotonic_ns()
