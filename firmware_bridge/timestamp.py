"""A moment on both clocks: monotonic for intervals within one boot, UTC for people and the record.

Not: reading the clocks (transport.clock); timestamps are an input.
Source: firmware_bridge/README.md, "Time is an input".
"""

from msgspec import Struct


class Timestamp(Struct, frozen=True):
    """One moment on both clocks, in nanoseconds; UTC counts from the Unix epoch."""

    monotonic_ns: int
    utc_ns: int
