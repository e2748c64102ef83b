"""The one reader of the machine's clocks.

Responsible for: stamping what the rim takes in.
Not responsible for: deciding anything from time: everything below the rim receives stamps.
Source: package README, "Time is an input".
"""

import time

from firmware_bridge.timestamp import Timestamp


def now() -> Timestamp:
    """Read both clocks."""
    return Timestamp(monotonic_ns=time.monotonic_ns(), utc_ns=time.time_ns())
