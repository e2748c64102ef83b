"""Serves an emulated device on a line: one thread that moves bytes between device and host.

It paces bytes, keeps answers from cutting into reports, waits a bounded time when nobody reads, and
logs what reached the host. Tests call it synchronously.
"""

import os
import select
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Condition, Thread
from types import TracebackType
from typing import Generic, Self, TypeVar

from hil.dealing.truth import ReportTruth
from hil.emulator.lines.faults import LineFaults
from hil.emulator.lines.reports import Report
from hil.emulator.lines.served_device import ServedDevice
from hil.emulator.lines.transmission import Transmission, distinguishable, transmission_of
from hil.progress import thread_ends, wait_while_moving

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class LineServerSettings:
    """How a line is served. `speed` 0: as fast as possible; n: n times the baud rate.

    `bits_per_byte` counts start, data, parity and stop bits: 10 for 8N1, 11 for 8E1.
    `patience_s`: how long bytes wait for a host that does not read before they are dropped.
    """

    speed: int = 0
    baud: int = 4800
    bits_per_byte: int = 10
    patience_s: float = 1.0
    faults: LineFaults | None = None


DeviceT = TypeVar("DeviceT", bound=ServedDevice)


class LineGone(Exception):
    """The host's end was lost while writing."""


class LineUnavailable(Exception):
    """The line cannot be served there; the message says why and what to do."""


class LineServer(ABC, Generic[DeviceT]):
    """Serves one emulator. Use as a context manager."""

    def __init__(self, emulator: DeviceT, settings: LineServerSettings | None = None) -> None:
        self.emulator = emulator
        self.settings = settings or LineServerSettings()
        self._changed = Condition()  # guards the emulator and all below
        self._answers: deque[Transmission] = deque()
        self._transmissions: deque[Transmission] = deque()
        self._current: Transmission | None = None
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
        """Raises LineUnavailable."""
        try:
            self._open()
        except LineUnavailable:
            os.close(self._wake_read)
            os.close(self._wake_write)
            raise
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
        stopped = thread_ends(self._thread)
        assert stopped, "the server thread does not stop"
        self._close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    # For tests and runners; any thread.

    def perform(self, act: Callable[[DeviceT], tuple[Report, ...]]) -> tuple[Report, ...]:
        """Call `act` with the device; returns the reports it made, not yet sent."""
        with self._changed:
            reports = act(self.emulator)
        self._wake()
        return reports

    def send(self, data: bytes) -> None:
        """Send raw bytes that are not a report: noise, for tests."""
        with self._changed:
            self._transmissions.append(Transmission(((data, 0),), ()))
        self._wake()

    def settle(self, timeout_s: float | None = None) -> bool:
        """Wait until all reports were sent or dropped, as `wait_for` waits."""
        return self._until(self._is_idle, timeout_s)

    def take_reports(self) -> tuple[ReportTruth, ...]:
        """The reports whose last copy was sent or dropped since the last call."""
        with self._changed:
            return self.emulator.log.take()

    def wait_for(self, ready: Callable[[DeviceT], bool], timeout_s: float | None = None) -> bool:
        """Wait until `ready` is true of the device.

        False after so many seconds, or, without that figure, when nothing moves any more.
        """
        return self._until(lambda: ready(self.emulator), timeout_s)

    def disturb(self, faults: LineFaults | None) -> None:
        """Apply these faults to what is sent from now on; None: none."""
        with self._changed:
            self.settings = replace(self.settings, faults=faults)

    def cut_after(self, byte_count: int) -> None:
        """Cut the line after that many more bytes, even within a frame."""
        assert byte_count > 0, "cut after at least one byte"
        with self._changed:
            self._cut_after = byte_count

    # Implemented by each kind of line; called in the server's thread unless stated otherwise.

    @abstractmethod
    def _open(self) -> None:
        """Create the line; in the caller's thread, before the server's thread starts."""

    @abstractmethod
    def _close(self) -> None:
        """Remove the line; in the caller's thread, after the server's thread has ended."""

    @abstractmethod
    def _watched(self) -> tuple[int, ...]:
        """File descriptors that may become readable."""

    @abstractmethod
    def _host_fd(self) -> int | None:
        """The descriptor of the host, or None while there is none."""

    @abstractmethod
    def _take_input(self) -> bytes:
        """Bytes of the host, b"" if none wait. Accepts connections, too."""

    @abstractmethod
    def _put_output(self, data: bytes) -> int:
        """Write what can be written without waiting; returns the byte count. Raises LineGone."""

    @abstractmethod
    def _cut(self) -> None:
        """Cut the line to the host."""

    def _baud(self) -> int:
        """The rate at which bytes are paced, in bits per second."""
        return self.settings.baud

    # The thread.

    def _in_thread(self, act: Callable[[], None]) -> None:
        """Run `act` in the server's thread and wait for it. Raises LineUnavailable."""
        done: list[LineUnavailable | None] = []

        def request() -> None:
            try:
                act()
            except LineUnavailable as error:
                done.append(error)
            else:
                done.append(None)

        with self._changed:
            self._requests.append(request)
        self._wake()
        assert self._until(lambda: bool(done)), "no answer"
        if done[0] is not None:
            raise done[0]

    def _until(self, ready: Callable[[], bool], timeout_s: float | None = None) -> bool:
        with self._changed:
            if timeout_s is not None:
                return self._changed.wait_for(ready, timeout_s)
            return wait_while_moving(lambda wait_s: self._changed.wait_for(ready, wait_s))

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # a full pipe wakes as well
            os.write(self._wake_write, b"!")

    def _is_idle(self) -> bool:
        quiet = not (self._transmissions or self._answers or self._current)
        return quiet and self.emulator.idle

    def _run(self) -> None:
        while not self._stopping:
            with self._changed:
                while self._requests:
                    self._requests.popleft()()
                self._read_input()
                self._collect(time.monotonic_ns())
                wait_ns = self._write_due()
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

    def _read_input(self) -> None:
        while data := self._take_input():
            answer = self.emulator.receive(data, time.monotonic_ns())
            if answer:
                self._answers.append(self._answer_transmission(answer))

    def _answer_transmission(self, answer: bytes) -> Transmission:
        faults = self.settings.faults
        if faults is None or not faults.meets_answers:
            return Transmission(((answer, 0),), ())
        return Transmission(faults.apply(answer, time.monotonic_ns()), ())

    def _collect(self, at_ns: int) -> None:
        late = self.emulator.overdue_answer(at_ns)
        if late:
            self._answers.append(Transmission(((late, 0),), ()))
        for copies in distinguishable(self.emulator.due(at_ns)):
            self._transmissions.append(transmission_of(copies, self.settings.faults, at_ns))

    def _write_due(self) -> int | None:
        """Write what may be written now; returns ns to wait, None: until something happens."""
        while True:
            if self._current is None:
                if not (self._answers or self._transmissions):
                    return self._until_emulator()
                self._current = (self._answers or self._transmissions).popleft()
                # An idle line accumulates no credit for pacing.
                self._write_at_ns = max(self._write_at_ns, time.monotonic_ns())
                self._apply_delay(self._current)
            transmission = self._current
            if transmission.done:
                self.emulator.log.settle(transmission)
                self._current = None
                continue
            wait_ns = self._write_piece(transmission)
            if wait_ns > 0:
                return wait_ns

    def _write_piece(self, transmission: Transmission) -> int:
        """Write part of the transmission's first piece; ns to wait, 0 to go on at once."""
        if self._host_fd() is None:
            transmission.drop_rest()
            return 0
        now_ns = time.monotonic_ns()
        if now_ns < self._write_at_ns:
            return self._write_at_ns - now_ns
        piece = transmission.pieces[0][0]
        allowed = self._allowed(len(piece), now_ns)
        try:
            written = self._put_output(piece[:allowed]) if allowed else 0
        except LineGone:
            self._drop_output()
            return 0
        if written == 0 and allowed:
            return self._wait_for_reader(transmission, now_ns)
        self._blocked_since_ns = None
        if written:
            transmission.advance(written, arrived=True)
            self._pace(written)
        if written == len(piece) and not transmission.done:
            self._apply_delay(transmission)
        self._count_to_cut(written)
        return 0

    def _allowed(self, length: int, now_ns: int) -> int:
        """How many bytes may be sent now: byte by byte when paced, more when the thread is late."""
        allowed = length
        if self.settings.speed:
            allowed = min(length, 1 + (now_ns - self._write_at_ns) // self._byte_ns())
        return allowed if self._cut_after is None else min(allowed, self._cut_after)

    def _byte_ns(self) -> int:
        bits = self.settings.bits_per_byte
        return bits * NS_PER_S // (self._baud() * self.settings.speed)

    def _pace(self, written: int) -> None:
        """Advance the schedule; late bytes catch up, as a thread may sleep too long."""
        if self.settings.speed:
            self._write_at_ns += written * self._byte_ns()

    def _apply_delay(self, transmission: Transmission) -> None:
        """Apply the fault plan's delay of the piece that is now first."""
        if transmission.pieces and transmission.pieces[0][1]:
            held_until_ns = time.monotonic_ns() + transmission.pieces[0][1]
            self._write_at_ns = max(self._write_at_ns, held_until_ns)

    def _wait_for_reader(self, transmission: Transmission, now_ns: int) -> int:
        """Wait a bounded time for a host that does not read, then drop the rest."""
        if self._blocked_since_ns is None:
            self._blocked_since_ns = now_ns
        patience_ns = int(self.settings.patience_s * NS_PER_S)
        left_ns = self._blocked_since_ns + patience_ns - now_ns
        if left_ns > 0:
            return left_ns
        transmission.drop_rest()
        return 0

    def _count_to_cut(self, written: int) -> None:
        if self._cut_after is None:
            return
        self._cut_after -= written
        if self._cut_after == 0:
            self._cut_after = None
            self._cut()
            self._drop_output()

    def _drop_output(self) -> None:
        """Drop the rest of what was being written to a host that is gone."""
        if self._current is not None:
            self._current.drop_rest()
        self._answers.clear()
        self._blocked_since_ns = None

    def _until_emulator(self) -> int | None:
        due_ns = self.emulator.next_due_ns
        return None if due_ns is None else due_ns - time.monotonic_ns()
