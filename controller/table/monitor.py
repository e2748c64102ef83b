"""Checks something of the machine now and then in a thread of its own, and puts what is new.

One of them here: whether the machine's clock is synchronised.
Source: adjtimex(2).
"""

import ctypes
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Final, Generic, TypeVar

from controller.core.tape.inputs import ClockSync, ClockSyncRead
from foundation.context_thread import ContextThread
from foundation.timestamp import Timestamp

InputT = TypeVar("InputT")


class MachineMonitor(ABC, Generic[InputT]):
    """Checks once at its start, then every INTERVAL_S seconds until it is stopped."""

    INTERVAL_S: ClassVar[float]

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    @abstractmethod
    def check(self, put: Callable[[InputT], object]) -> None:
        """Check once; put an input if it is new."""

    def start(self, put: Callable[[InputT], object]) -> None:
        """Check now, then in a thread until stop()."""
        self.check(put)
        self._thread = ContextThread(target=self._run, args=(put,), name=type(self).__name__)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _run(self, put: Callable[[InputT], object]) -> None:
        while not self._ended.wait(self.INTERVAL_S):
            self.check(put)


# The kernel lets its bound of the error grow to this while nothing disciplines the clock. Its flag
# STA_UNSYNC is not read, as in systemd: a daemon may set it to keep the hardware clock alone.
MAX_ERROR_US: Final = 16_000_000
# struct timex is `modes` (0: only read), offset, frequency, the bound of the error, and more, in
# longs: 208 bytes on 64-bit Linux.
_WORDS: Final = 64
_MAX_ERROR_WORD: Final = 3


def read_sync() -> ClockSync:
    """What the kernel says of the clock; needs no privilege."""
    words = (ctypes.c_long * _WORDS)()
    adjtimex = getattr(ctypes.CDLL(None), "adjtimex", None)
    if adjtimex is None or adjtimex(words) < 0:
        return ClockSync.UNKNOWN
    return sync_of(words[_MAX_ERROR_WORD])


def sync_of(max_error_us: int) -> ClockSync:
    """By the kernel's bound of the clock's error, in microseconds."""
    good = max_error_us < MAX_ERROR_US
    return ClockSync.SYNCHRONISED if good else ClockSync.UNSYNCHRONISED


class ClockSyncMonitor(MachineMonitor[ClockSyncRead]):
    """Reads the synchronisation; `put` takes the first reading and each change."""

    INTERVAL_S: ClassVar[float] = 10.0

    def __init__(
        self, clock: Callable[[], Timestamp], read: Callable[[], ClockSync] = read_sync
    ) -> None:
        super().__init__()
        self._clock = clock
        self._read = read
        self._sync: ClockSync | None = None

    def check(self, put: Callable[[ClockSyncRead], object]) -> None:
        sync = self._read()
        if sync is not self._sync:
            self._sync = sync
            put(ClockSyncRead(self._clock(), sync))
