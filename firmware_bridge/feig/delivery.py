"""Exactly-once delivery from an at-least-once buffer: which records were delivered before.

A reader returns its first records until they are cleared, so records delivered before can only be
at the front of a reading, in the order in which they were delivered. A reading that begins with
another record proves that all before it are gone.
Source: firmware_bridge/feig/README.md, delivery.
"""

from msgspec import Struct

from firmware_bridge.feig.records import MARK_BYTES, Record

# More than the records of the longest frame.
_MARKS_MAX = 2048


class DeliveredMarks(Struct, frozen=True):
    """`marks` of the records delivered last, in order; `cleared`: the reader has cleared them."""

    marks: bytes = b""
    cleared: bool = True


class DeduplicatedRecords(Struct, frozen=True):
    """A reading without repeats: the new marks, the number of repeats, the new records."""

    delivered: DeliveredMarks
    repeats: int
    new: tuple[Record, ...]


def deduplicate(delivered: DeliveredMarks, records: tuple[Record, ...]) -> DeduplicatedRecords:
    """Split a reading into repeats and new records; all of it waits to be cleared."""
    repeats = _repeats(delivered, records)
    new = records[repeats:]
    if not records:
        return DeduplicatedRecords(delivered, 0, ())
    gone = delivered.cleared or not repeats
    marks = b"".join(record.mark for record in (records if gone else new))
    if not gone:
        marks = delivered.marks + marks
    elif not new:
        marks = delivered.marks
    return DeduplicatedRecords(
        DeliveredMarks(marks[-_MARKS_MAX * MARK_BYTES :], cleared=False), repeats, new
    )


def _repeats(delivered: DeliveredMarks, records: tuple[Record, ...]) -> int:
    """Length of the longest front of the reading that was delivered before, contiguously.

    A record without a time may equal an earlier one; it counts as a repeat only while the reader
    may still hold that one.
    """
    marks = delivered.marks
    longest = 0
    for start in range(0, len(marks), MARK_BYTES):
        count, at = 0, start
        for record in records:
            same = marks[at : at + MARK_BYTES] == record.mark
            if not same or (delivered.cleared and not record.timed):
                break
            count, at = count + 1, at + MARK_BYTES
        longest = max(longest, count)
        if longest * MARK_BYTES >= len(marks) - start:
            break
    return longest
