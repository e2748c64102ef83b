"""At-least-once made exactly-once: which records of a reading were given before.

Responsible for: remembering the records given last until the reader let go of them, and finding
them again at the front of a reading.
Not responsible for: bytes (records) and for asking the reader to let go of them (link).

A reader gives its first records until they are cleared, so what was given before can stand only at
the front of a reading, in the order in which it was given. A reading that begins with another
record shows that all before it is gone.
Source: package README, "FEIG OBID", delivery.
"""

from firmware_bridge.feig.records import MARK_BYTES, Record
from firmware_bridge.values import dataclass

# More than the records of the longest frame.
_MARKS_MAX = 2048


@dataclass(frozen=True, slots=True)
class Delivered:
    """`marks` of the records given last, in order; `cleared`: the reader has let go of them."""

    marks: bytes = b""
    cleared: bool = True


@dataclass(frozen=True, slots=True)
class Sifted:
    """A reading: how many records were given before, and the others."""

    delivered: Delivered
    repeats: int
    new: tuple[Record, ...]


def sift(delivered: Delivered, records: tuple[Record, ...]) -> Sifted:
    """The records of a reading that were not given before; all of it waits to be cleared."""
    repeats = _repeats(delivered, records)
    new = records[repeats:]
    if not records:
        return Sifted(delivered, 0, ())
    gone = delivered.cleared or not repeats
    marks = b"".join(record.mark for record in (records if gone else new))
    if not gone:
        marks = delivered.marks + marks
    elif not new:
        marks = delivered.marks
    return Sifted(Delivered(marks[-_MARKS_MAX * MARK_BYTES :], cleared=False), repeats, new)


def _repeats(delivered: Delivered, records: tuple[Record, ...]) -> int:
    """The longest front of the reading that was given before, in one piece.

    A record without a time may look like an earlier one; it is taken for that one only while the
    reader may still hold it.
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
