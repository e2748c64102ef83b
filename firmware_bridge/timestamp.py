"""When something happened: the one reader of the clock.

Responsible for: stamping what the rim takes in, with the monotonic clock (for intervals and
deadlines inside one boot) and UTC (for people and for the record).
Not responsible for: deciding anything from time. Everything above receives stamps as input.
Source: package README, "Time is an input".
"""

import time

from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Timestamp:
    """One moment on both clocks, in nanoseconds; UTC counts from the Unix epoch."""

    monotonic_ns: int
    utc_ns: int


def now() -> Timestamp:
    """Read both clocks. Only threads at the rim may call this."""
    return Timestamp(monotonic_ns=time.monotonic_ns(), utc_ns=time.time_ns())
