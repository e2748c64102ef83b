"""Limits the new reports of a shoe's port: faster than any hand deals, it is closed for a time.

Source: goal P17.
"""

from typing import ClassVar, Final

from controller.core.tape.inputs import ReportsExceeded
from firmware_bridge.transport.port import PortShut
from foundation.message import message
from foundation.timestamp import Timestamp

_NS_PER_S: Final = 1_000_000_000


class ReportLimit:
    """Counts the new reports of one port against `limit` a second. Used by its reader's thread.

    What a port brings at once, after a host or a serial server stood still, is no excess: of a
    burst no more counts than the limit of BURST_S.
    """

    FOR_S: ClassVar[int] = 10
    # Twice what the buffer of a serial server holds. Each report raises what a person has to
    # decide, and that is kept in memory.
    AHEAD_MAX: ClassVar[int] = 4096
    BURST_S: ClassVar[int] = 5
    PAUSE_S: ClassVar[float] = 60.0
    PAUSE_S_MAX: ClassVar[float] = 600.0

    def __init__(self, limit: int) -> None:
        self._limit = limit
        # How many reports the port is ahead of its limit, in units of a report a nanosecond.
        self._ahead = 0
        self._counted_ns = 0
        self._since_ns: int | None = None
        self._count = 0
        self._pause_s = self.PAUSE_S
        self._shut_ns: int | None = None

    def exceeded(self, port: str, count: int, at: Timestamp) -> ReportsExceeded | None:
        """Count new reports; what is to be recorded where there were too many for FOR_S.

        At AHEAD_MAX it is recorded before.
        """
        now_ns = at.monotonic_ns
        drained = (now_ns - self._counted_ns) * self._limit
        self._counted_ns = now_ns
        self._ahead = max(0, self._ahead - drained)
        if self._ahead <= _NS_PER_S:
            self._since_ns, self._count = None, 0
        most = self.BURST_S * self._limit * _NS_PER_S
        self._ahead = min(most, self._ahead + count * _NS_PER_S)
        self._count += count
        if self._since_ns is None and self._ahead > _NS_PER_S:
            self._since_ns = now_ns
        if self._since_ns is None:
            return None
        lasted_ns = now_ns - self._since_ns
        if lasted_ns < self.FOR_S * _NS_PER_S and self._count < self.AHEAD_MAX:
            return None
        seconds = max(1, lasted_ns // _NS_PER_S)
        found = ReportsExceeded(port, at, self._count, seconds, self._limit)
        self._ahead, self._since_ns, self._count = 0, None, 0
        return found

    def shut(self, at: Timestamp) -> PortShut:
        """What closes the port: for twice as long as last time, if that is not long ago."""
        now_ns, before_ns = at.monotonic_ns, self._shut_ns
        pause_s = self._pause_s
        if before_ns is not None and now_ns - before_ns > self.PAUSE_S_MAX * _NS_PER_S:
            pause_s = self.PAUSE_S
        self._shut_ns = now_ns + int(pause_s * _NS_PER_S)
        self._pause_s = min(2 * pause_s, self.PAUSE_S_MAX)
        return PortShut(
            message("port_shut_for_reports", limit=self._limit, seconds=int(pause_s)), pause_s
        )
