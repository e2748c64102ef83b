"""A moment on both clocks: monotonic for intervals within one boot, UTC for people and the record.

Not: reading the clocks (transport.clock); timestamps are an input.
Source: firmware_bridge/README.md, "Time is an input".
"""

from typing import Final

from msgspec import Struct

# Timestamps whose clock offsets differ by more are from different boots, or the clock was set.
_CLOCK_OFFSET_NS_MAX: Final = 5_000_000_000


class Timestamp(Struct, frozen=True):
    """One moment on both clocks, in nanoseconds; UTC counts from the Unix epoch."""

    monotonic_ns: int
    utc_ns: int

    def earlier(self, by_ns: int) -> "Timestamp":
        """The moment so long before."""
        return Timestamp(self.monotonic_ns - by_ns, self.utc_ns - by_ns)


def comparable(one: Timestamp, other: Timestamp) -> bool:
    """Whether the monotonic times of two moments may be compared."""
    offset_ns = (other.utc_ns - other.monotonic_ns) - (one.utc_ns - one.monotonic_ns)
    return abs(offset_ns) <= _CLOCK_OFFSET_NS_MAX


def same_boot(earlier: Timestamp, later: Timestamp) -> bool:
    """Whether this machine was not started again between two moments."""
    return earlier.monotonic_ns <= later.monotonic_ns and comparable(earlier, later)


def elapsed_ns(earlier: Timestamp, later: Timestamp) -> int:
    """Elapsed time by the monotonic clock; by UTC after a reboot of this machine."""
    if same_boot(earlier, later):
        return later.monotonic_ns - earlier.monotonic_ns
    return later.utc_ns - earlier.utc_ns
