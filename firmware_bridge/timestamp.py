"""When something happened, on both clocks.

Responsible for: one moment on the monotonic clock (for intervals and deadlines inside one boot) and
in UTC (for people and for the record).
Not responsible for: reading the clocks (transport.clock): stamps are an input.
Source: package README, "Time is an input".
"""

from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Timestamp:
    """One moment on both clocks, in nanoseconds; UTC counts from the Unix epoch."""

    monotonic_ns: int
    utc_ns: int
