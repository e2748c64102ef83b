"""The one reader of the machine's clocks.

Source: firmware_bridge/README.md, "Time is an input".
"""

import time

from foundation.timestamp import Timestamp


def now() -> Timestamp:
    """Read both clocks."""
    return Timestamp(monotonic_ns=time.monotonic_ns(), utc_ns=time.time_ns())


def thread_cpu_ns() -> int:
    """What the calling thread has used of a processor, in ns."""
    return time.thread_time_ns()
