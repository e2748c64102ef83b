"""Records of a FEIG reader's buffer: the data of answers 22 and 21 to records, each given once.

Each record has a mark by which a record that is delivered again is recognised. A reader returns its
first records until they are cleared, so records delivered before can only be at the front of a
reading, in the order in which they were delivered. A reading that begins with another record proves
that all before it are gone.
Source: firmware_bridge/feig/README.md, records and delivery.
"""

import hashlib
from collections.abc import Callable

from msgspec import Struct

from firmware_bridge.feig.frames import FeigCommand
from firmware_bridge.feig.items import BufferRecord
from firmware_bridge.feig.messages import MalformedContent, clock_ms
from firmware_bridge.feig.settings import BufferLayout
from firmware_bridge.link import LinkFaultKind
from foundation.message import Message, MessageError, message

# More than the records of the longest frame.
_MARKS_MAX = 2048


MARK_BYTES = 8

# TR-DATA1.
_IDD, _DB, _LSB_FIRST, _ANT, _TIMER, _DATE, _EXTENDED = 0x01, 0x02, 0x08, 0x10, 0x20, 0x40, 0x80
# TR-DATA2.
_IN, _MAC, _AFI, _STATISTICS, _ANT_EXT, _DIRECTION = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
# Behind ANT these stand, and the tag statistics before or behind them: no source says which.
_BESIDE_STATISTICS = _IN | _MAC | _ANT_EXT | _DIRECTION

_ISO15693 = 0x03
# The only transponder type whose identity is not always eight bytes in old records: its first two
# bits distinguish 96 from 64 bits.
_EPC = 0x06

# Parts of the data; the others have names of their own in the reader's manual.
_IDENTITY_HEAD = message("fields_before_identity")
_IDENTITY = message("field_identity")
_BLOCKS_HEAD = message("fields_before_blocks")
_SET = message("data_set")
_SET_LENGTH = message("length_of_data_set")
_STATISTICS_UNREADABLE = MalformedContent(
    message("reader_sends_tag_statistics"), LinkFaultKind.CONFIGURATION
)


class Record(Struct, frozen=True):
    """A record and its mark; `timed`: the mark contains a time and is therefore unique."""

    item: BufferRecord
    mark: bytes
    timed: bool


class _FormatError(MessageError):
    """The bytes are not valid data sets; the reason shows none of them."""


class _ByteReader:
    """Reads bytes from the front."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def remaining(self) -> int:
        return len(self._data) - self._at

    def take(self, count: int, name: str | Message, of_set: int | None = None) -> bytes:
        """The next bytes; `of_set` numbers the data set. Raises _FormatError."""
        if self.remaining < count:
            if of_set is None:
                raise _FormatError(message("field_truncated", field=name))
            raise _FormatError(message("numbered_field_truncated", field=name, number=of_set))
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self, count: int, name: str | Message, of_set: int | None = None) -> int:
        return int.from_bytes(self.take(count, name, of_set), "big")


def parse_records(
    command: int, data: bytes, layout: BufferLayout
) -> tuple[Record, ...] | MalformedContent:
    """Parse the data of an answer to reading the buffer. No bytes raise."""
    if not data:
        return ()
    try:
        if command == FeigCommand.READ_BUFFER_OLD:
            return _old_sets(_ByteReader(data), layout)
        return _sets(_ByteReader(data), layout)
    except _FormatError as error:
        return MalformedContent(error.why)


def _sets(data: _ByteReader, layout: BufferLayout) -> tuple[Record, ...] | MalformedContent:
    one = data.number(1, "TR-DATA1")
    two = data.number(1, "TR-DATA2") if one & _EXTENDED else 0
    if two & _STATISTICS and two & _BESIDE_STATISTICS:
        return _STATISTICS_UNREADABLE

    def next_set(number: int) -> Record:
        length = data.number(2, _SET_LENGTH, number)
        if length < 2:
            raise _FormatError(message("data_set_shorter_than_length", number=number))
        # Bytes after the known fields are reserved for later readers.
        return _record(_ByteReader(data.take(length - 2, _SET, number)), one, two, layout)

    return _all_of(data, data.number(2, "DATA-SETS"), next_set)


def _old_sets(data: _ByteReader, layout: BufferLayout) -> tuple[Record, ...]:
    one = data.number(1, "TR-DATA")
    count = data.number(1, "DATA-SETS")
    return _all_of(data, count, lambda _number: _old_record(data, one, layout))


def _all_of(data: _ByteReader, count: int, next_set: Callable[[int], Record]) -> tuple[Record, ...]:
    records = tuple(next_set(number) for number in range(1, count + 1))
    if data.remaining:
        raise _FormatError(message("bytes_after_data_sets", bytes=data.remaining, sets=count))
    return records


def _record(data: _ByteReader, one: int, two: int, layout: BufferLayout) -> Record:
    kind, identity = 0, b""
    if one & _IDD:
        kind, _, length = data.take(3, _IDENTITY_HEAD)
        identity = data.take(length, "IDD")
        if two & _AFI and kind == _ISO15693:
            identity = identity[2:]
    blocks = b""
    if one & _DB:
        count, size = data.number(2, "DB-N"), data.number(1, "DB-SIZE")
        blocks = _blocks(data, count, size, lsb_first=bool(one & _LSB_FIRST))
    time = data.take(4, "TIME") if one & _TIMER else b""
    date = data.take(5, "DATE") if one & _DATE else b""
    antenna = data.number(1, "ANT") if one & _ANT else None
    inputs = data.take(2, "IN") if two & _IN else b""
    if two & _MAC:
        data.take(6, "MAC")
    if two & _ANT_EXT:
        antennas = [data.take(6, "ANT-EXT")[0] for _ in range(data.number(1, "ANT-EXT"))]
        antenna = antennas[0] if antennas and antenna is None else antenna
    if two & _DIRECTION:
        data.take(1, "DIRECTION")
    item = BufferRecord(
        identity,
        kind if identity else None,
        antenna if identity else None,
        inputs[layout.levels_at] if inputs else None,
        clock_ms(time) if time else None,
        blocks,
    )
    return Record(item, _mark(bytes((kind,)), identity, time, date, inputs), bool(time))


def _old_record(data: _ByteReader, one: int, layout: BufferLayout) -> Record:
    kind, identity = 0, b""
    if one & _IDD:
        kind = data.number(1, "TR-TYPE")
        start = data.take(8, _IDENTITY)
        long = kind == _EPC and start[0] >> 6 == 0
        identity = start + (data.take(4, _IDENTITY) if long else b"")
    blocks = b""
    if one & _DB:
        _first, count = data.take(2, _BLOCKS_HEAD)
        blocks = _blocks(data, count, layout.block_bytes, lsb_first=bool(one & _LSB_FIRST))
    time = data.take(4, "TIME") if one & _TIMER else b""
    date = data.take(5, "DATE") if one & _DATE else b""
    antenna = data.number(1, "ANT") if one & _ANT else None
    item = BufferRecord(
        identity,
        kind if identity else None,
        antenna,
        None,
        clock_ms(time) if time else None,
        blocks,
    )
    return Record(item, _mark(bytes((kind,)), identity, time, date), bool(time))


def _blocks(data: _ByteReader, count: int, size: int, *, lsb_first: bool) -> bytes:
    """Data blocks, each with its most significant byte first."""
    memory = data.take(count * size, "DB")
    if not lsb_first or not size:
        return memory
    starts = range(0, len(memory), size)
    return b"".join(memory[start : start + size][::-1] for start in starts)


def _mark(*parts: bytes) -> bytes:
    """Hash of identity, time and inputs; an antenna may still be added to a waiting record."""
    digest = hashlib.blake2b(digest_size=MARK_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(2, "big") + part)
    return digest.digest()


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
