"""Lets one page of metrics at a time be written in a process, with a pause after each.

A verdict that waits for the interpreter then waits for one page at most, however many tables are
scraped at once, by however many servers.
Source: performance goal P14.
"""

import threading
from typing import ClassVar, Final

from firmware_bridge.transport.clock import now

_NS_PER_S: Final = 1_000_000_000


class PageTurns:
    """The turns of one process. Any thread may ask for one."""

    PAUSE_S: ClassVar[float] = 0.002

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken = False
        self._free_ns = 0

    def begin(self) -> bool:
        """Take the turn; whether it was free. If not, ask again after the pause."""
        with self._lock:
            if self._taken or now().monotonic_ns < self._free_ns:
                return False
            self._taken = True
            return True

    def end(self) -> None:
        """Give it back; the pause begins."""
        with self._lock:
            self._taken = False
            self._free_ns = now().monotonic_ns + int(self.PAUSE_S * _NS_PER_S)
