"""The one reader of the machine's clocks.

Source: firmware_bridge/README.md, "Time is an input".
"""

import time

from firmware_bridge.timestamp import Timestamp


def now() -> Timestamp:
    """Read both clocks."""
    return Timestamp(monotonic_ns=time.monotonic_ns(), utc_ns=time.time_ns())
