"""The two threads of a port: one opens, reads, timestamps and reopens with back-off, one writes.

A write goes only to the opening it was meant for: after a loss, waiting writes are dropped, and
commands are issued again from the state above.
Source: firmware_bridge/transport/README.md, "Ports".
"""

import contextlib
import os
import queue
import threading
from collections.abc import Callable
from typing import TypeAlias

from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import (
    READ_TIMEOUT_S,
    Chunk,
    Port,
    PortEnd,
    PortEvent,
    PortGone,
    PortLost,
    PortOpened,
    PortShut,
    PortUnavailable,
)
from foundation.context_thread import ContextThread
from foundation.message import Message
from foundation.timestamp import Timestamp

BACK_OFF_S_MIN = 0.1
BACK_OFF_S_MAX = 5.0
_BACK_OFF_GROWTH = 2
# Only after an opening that lasted this long the next back-off starts small: bytes alone show no
# sound device, and each opening costs two commits.
_GOOD_OPENING_NS_MIN = 5_000_000_000
# A device appears before its permissions and names are set: retry quickly for this long.
_EAGER_NS = 2_000_000_000
# A read returns within READ_TIMEOUT_S: after one that took longer, bytes may have waited.
_UNREAD_NS_MIN = int(1.25e9 * READ_TIMEOUT_S)
_WRITES_WAITING_MAX = 64
_ENTROPY_BYTES = 32
_REFUSED_PAUSE_S = 0.1

_Put: TypeAlias = Callable[[PortEvent], object]


class PortPump:
    """Reads and writes one port on two threads.

    `put` is called on the reader's thread only, with events in order; the reader waits while it
    blocks, and a while after it returned False: nobody takes events any more. It may raise
    PortShut. It is not called after join() has returned.
    """

    def __init__(
        self,
        name: str,
        port: Port,
        put: _Put,
        *,
        clock: Callable[[], Timestamp] = now,
    ) -> None:
        self._name = name
        self._port = port
        self._put = put
        self._clock = clock
        self._stopping = threading.Event()
        # Ends a back-off: set by wake() and stop(), cleared by the reader.
        self._wake_event = threading.Event()
        self._eager_until_ns = 0
        self._shut_s = 0.0
        self._writes: queue.Queue[tuple[int, bytes]] = queue.Queue(_WRITES_WAITING_MAX)
        # Counts openings; odd numbers while the port is open. Guarded by the lock together with
        # the reason a write failed, so that only the port the write was meant for is closed.
        self._lock = threading.Lock()
        self._opening = 0
        self._entropy = b""
        self._write_failures: list[Message] = []
        # When the read began that the reader is in; None while it has something in hand. Away:
        # the port is not open, and its loss was put.
        self._reading_since_ns: int | None = None
        self._away = True
        self._reader = ContextThread(target=self._read_loop, name=f"read {name}", daemon=True)
        self._writer = ContextThread(target=self._write_loop, name=f"write {name}", daemon=True)

    def start(self) -> None:
        """Start both threads; call once."""
        self._reader.start()
        self._writer.start()

    def write(self, data: bytes, opened: bytes = b"") -> None:
        """Queue bytes to be written; never blocks. Dropped while the port is not open.

        `opened`: the entropy of the opening these bytes are meant for; in any other opening they
        are dropped. An acknowledgement must not reach a device that was plugged in again.

        Also dropped when the queue is full: then the blocked write is about to fail and the port
        to be lost, and a command's own timeout handles the missing answer.
        """
        with self._lock:
            opening = self._opening
            meant = not opened or opened == self._entropy
        if opening % 2 == 0 or not meant:
            return
        with contextlib.suppress(queue.Full):
            self._writes.put_nowait((opening, data))

    def wake(self) -> None:
        """Try to open now, and ten times a second for two seconds: a device has appeared.

        No effect on an open port. May be called from any thread.
        """
        with self._lock:
            self._eager_until_ns = self._clock().monotonic_ns + _EAGER_NS
        self._wake_event.set()

    def caught_up(self, at_ns: int) -> bool:
        """Whether all that had arrived by `at_ns`, which is now, was put. From any thread.

        A read that has not returned in its time shows that the host was stopped: bytes may wait.
        """
        if self._stopping.is_set():
            return False
        since_ns = self._reading_since_ns
        return self._away or (since_ns is not None and at_ns - since_ns < _UNREAD_NS_MIN)

    def stop(self) -> None:
        """Stop both threads; returns at once or after the port is closed."""
        self._stopping.set()
        self._wake_event.set()
        self._port.close()
        # A full queue wakes the writer as well: it checks for a stop before each write.
        with contextlib.suppress(queue.Full):
            self._writes.put_nowait((0, b""))

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait `timeout_s` seconds for each thread; return whether both have ended."""
        self._reader.join(timeout_s)
        self._writer.join(timeout_s)
        return not (self._reader.is_alive() or self._writer.is_alive())

    def _read_loop(self) -> None:
        back_off_s = BACK_OFF_S_MIN
        last_reason: Message | None = None  # of a loss, as reported; None after an opening
        lost: PortLost | None
        while not self._stopping.is_set():
            try:
                self._port.open()
            except PortUnavailable as unavailable:
                lost = PortLost(self._name, self._clock(), unavailable.why)
                good = False
            else:
                self._away = False
                good, lost = self._read_until_lost()
                last_reason = None
            if lost is None or self._stopping.is_set():
                break
            if lost.reason != last_reason:
                self._put(lost)
                last_reason = lost.reason
            self._away = True
            # Whatever appears meanwhile: who floods may as well be plugged in again and again.
            self._stopping.wait(self._shut_s)
            self._shut_s = 0.0
            if good or self._is_eager():
                back_off_s = BACK_OFF_S_MIN
            if self._wake_event.wait(back_off_s):
                self._wake_event.clear()
                back_off_s = BACK_OFF_S_MIN
            else:
                back_off_s = min(_BACK_OFF_GROWTH * back_off_s, BACK_OFF_S_MAX)
        self._port.close()

    def _is_eager(self) -> bool:
        with self._lock:
            return self._clock().monotonic_ns < self._eager_until_ns

    def _read_until_lost(self) -> tuple[bool, PortLost | None]:
        """Read until the port is lost; return whether the opening was good, and its loss.

        The loss is None after a stop.
        """
        opened_at = self._clock()
        entropy = os.urandom(_ENTROPY_BYTES)
        with self._lock:
            self._opening += 1
            self._entropy = entropy
            self._write_failures.clear()
        self._put(PortOpened(self._name, opened_at, entropy))
        # Until then, all bytes that had arrived were read.
        read_until_ns = opened_at.monotonic_ns
        lost: PortLost | None = None
        try:
            # A stop during open() comes too early to wake the read.
            while not self._stopping.is_set():
                began_ns = self._clock().monotonic_ns
                self._reading_since_ns = began_ns
                data = self._port.read()
                if data:
                    self._reading_since_ns = None
                at = self._clock()
                unread_ns = at.monotonic_ns - read_until_ns
                # A stop of the host may end a read without the bytes that came meanwhile.
                if data or at.monotonic_ns - began_ns < _UNREAD_NS_MIN:
                    read_until_ns = at.monotonic_ns
                if data:
                    waited_ns = unread_ns if unread_ns >= _UNREAD_NS_MIN else 0
                    if self._put(Chunk(self._name, at, data, waited_ns)) is False:
                        # Accepted no more: reading on would keep others from ending.
                        self._stopping.wait(_REFUSED_PAUSE_S)
        except PortGone as gone:
            self._reading_since_ns = None
            lost = self._loss(gone, read_until_ns)
            self._shut_s = gone.pause_s if isinstance(gone, PortShut) else 0.0
        self._reading_since_ns = None
        with self._lock:
            self._opening += 1
            if self._write_failures:
                lost = PortLost(self._name, self._clock(), self._write_failures[0])
        self._port.close()
        lasted_ns = self._clock().monotonic_ns - opened_at.monotonic_ns
        return lasted_ns >= _GOOD_OPENING_NS_MIN, lost

    def _loss(self, gone: PortGone, read_until_ns: int) -> PortLost:
        """The loss of an open port, as it is noticed now; until then all bytes had been read.

        After a hang-up or an end of stream the kernel keeps that for a host that does not read.
        """
        at = self._clock()
        unread_ns = at.monotonic_ns - read_until_ns
        waited_ns = unread_ns if unread_ns >= _UNREAD_NS_MIN else 0
        if gone.ended_by is PortEnd.OTHER:
            return PortLost(self._name, at, gone.why)
        return PortLost(self._name, at, gone.why, gone.ended_by, waited_ns)

    def _write_loop(self) -> None:
        while not self._stopping.is_set():
            opening, data = self._writes.get()
            with self._lock:
                wanted = opening == self._opening
            if not wanted or self._stopping.is_set():
                continue
            try:
                self._port.write(data)
            except PortGone as gone:
                self._fail(opening, gone.why)

    def _fail(self, opening: int, reason: Message) -> None:
        """After a failed write: close the port it was meant for, which ends the reader's read."""
        with self._lock:
            if opening != self._opening:
                return
            self._write_failures.append(reason)
            self._port.close()
