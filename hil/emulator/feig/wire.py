"""Encodes answers and records of FEIG OBID readers and decodes requests sent to them.

Source: wire document of FEIG OBID readers.
"""

from dataclasses import dataclass
from enum import IntEnum

ADVANCED_MARK = 0x02
ANY_ADDRESS = 0xFF
STANDARD_BYTES_MIN, STANDARD_BYTES_MAX = 5, 255
ADVANCED_BYTES_MIN = 7
# No request a host may send is longer.
REQUEST_BYTES_MAX = 512
CHECK_BYTES = 2
MINUTE_MS = 60_000


class AnswerStatus(IntEnum):
    """The status byte of an answer."""

    OK = 0x00
    NO_TRANSPONDER = 0x01
    PARAMETER_RANGE = 0x11
    UNKNOWN_COMMAND = 0x80
    LENGTH = 0x81
    NO_VALID_DATA = 0x92
    OVERFLOW = 0x93
    MORE_DATA = 0x94
    ISO15693 = 0x95


class TrType(IntEnum):
    """The kind of a transponder (TR-TYPE)."""

    NONE = 0x00
    ISO15693 = 0x03
    ISO14443A = 0x04
    ISO18000_3M3 = 0x09
    EPC_C1G2 = 0x84


@dataclass(frozen=True, slots=True)
class Request:
    """A whole request of the host; `advanced`: it came in an advanced frame."""

    address: int
    command: int
    data: bytes
    advanced: bool


def crc16(data: bytes) -> bytes:
    """CRC-16/MCRF4XX, least significant byte first."""
    register = 0xFFFF
    for value in data:
        register = register >> 8 ^ _CRC_OF_BYTE[(register ^ value) & 0xFF]
    return register.to_bytes(CHECK_BYTES, "little")


def _crc_of_byte(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ 0x8408 if value & 1 else value >> 1
    return value


_CRC_OF_BYTE = tuple(map(_crc_of_byte, range(256)))


def answer_frame(
    address: int, command: int, status: int, data: bytes = b"", *, advanced: bool
) -> bytes:
    """Encode an answer; in an advanced frame if the request was in one, or if it would not fit."""
    body = bytes((address, command, status)) + data
    standard_bytes = 1 + len(body) + CHECK_BYTES
    if advanced or standard_bytes > STANDARD_BYTES_MAX:
        length = 3 + len(body) + CHECK_BYTES
        head = bytes((ADVANCED_MARK,)) + length.to_bytes(2, "big")
    else:
        head = bytes((standard_bytes,))
    return head + body + crc16(head + body)


def is_answer(frame: bytes) -> bool:
    """Whether these bytes are exactly one frame, whole and with a right check."""
    if len(frame) < STANDARD_BYTES_MIN or crc16(frame[:-CHECK_BYTES]) != frame[-CHECK_BYTES:]:
        return False
    if frame[0] == ADVANCED_MARK:
        return int.from_bytes(frame[1:3], "big") == len(frame)
    return frame[0] == len(frame)


def split_answers(data: bytes) -> tuple[bytes, ...]:
    """Split the bytes a reader sends together at frame borders."""
    frames = []
    while data:
        advanced = data[0] == ADVANCED_MARK
        length = int.from_bytes(data[1:3], "big") if advanced else data[0]
        frames.append(data[: max(length, 1)])
        data = data[max(length, 1) :]
    return tuple(frames)


class RequestFinder:
    """Finds whole requests in the host's bytes. A broken one is skipped."""

    def __init__(self) -> None:
        self._waiting = b""

    @property
    def unfinished(self) -> bool:
        """Whether an incomplete request is waiting."""
        return bool(self._waiting)

    def drop_incomplete(self) -> None:
        """Drop an incomplete request."""
        self._waiting = b""

    def receive(self, data: bytes) -> tuple[Request, ...]:
        """Take bytes in any fragmentation."""
        found = []
        rest = self._waiting + data
        while True:
            place = self._first_whole(rest)
            if place is None:
                break
            start, end = place
            found.append(_request(rest[start:end]))
            rest = rest[end:]
        self._waiting = rest[-REQUEST_BYTES_MAX:]
        return tuple(found)

    @staticmethod
    def _first_whole(data: bytes) -> tuple[int, int] | None:
        """Start and end of the first whole request."""
        for start in range(len(data)):
            length = _length(data[start : start + 3])
            frame = data[start : start + length]
            if length and len(frame) == length and crc16(frame[:-2]) == frame[-2:]:
                return start, start + length
        return None


def _length(head: bytes) -> int:
    """The length of the frame with this head; 0 where there is none, or it is not known yet."""
    if head[0] == ADVANCED_MARK:
        length = int.from_bytes(head[1:3], "big") if len(head) == 3 else 0
        return length if ADVANCED_BYTES_MIN <= length <= REQUEST_BYTES_MAX else 0
    return head[0] if head[0] >= STANDARD_BYTES_MIN else 0


def _request(frame: bytes) -> Request:
    advanced = frame[0] == ADVANCED_MARK
    body = frame[3 if advanced else 1 : -CHECK_BYTES]
    return Request(body[0], body[1], body[2:], advanced)


class RecordField(IntEnum):
    """A field of a record: a bit of TR-DATA1, or of TR-DATA2 shifted by eight."""

    IDENTITY = 0x0001
    ANTENNA = 0x0010
    TIMER = 0x0020
    EXTENDED = 0x0080
    INPUT = 0x0100


@dataclass(frozen=True, slots=True)
class BufferRecord:
    """One record of the reader: a tag, or an input change (then `identity` is empty)."""

    identity: bytes
    tr_type: int
    antenna: int
    time_ms: int
    inputs_changed: int
    inputs: int


def encode_timer(time_ms: int) -> bytes:
    """Encode the timer: hour, minute, and the milliseconds of that minute in two bytes."""
    minutes, in_minute_ms = divmod(time_ms, MINUTE_MS)
    return bytes((minutes // 60 % 24, minutes % 60)) + in_minute_ms.to_bytes(2, "big")


def encode_record(content: BufferRecord, fields: int) -> bytes:
    """Encode one data set, preceded by its length, which includes itself."""
    body = b""
    if fields & RecordField.IDENTITY:
        body += bytes((content.tr_type, 0, len(content.identity))) + content.identity
    if fields & RecordField.TIMER:
        body += encode_timer(content.time_ms)
    if fields & RecordField.ANTENNA:
        body += bytes((content.antenna,))
    if fields & RecordField.INPUT:
        body += bytes((content.inputs_changed, content.inputs))
    return (2 + len(body)).to_bytes(2, "big") + body


def encode_old_record(content: BufferRecord, fields: int) -> bytes:
    """Encode one data set of an older reader: no length, an identity of eight bytes."""
    body = bytes((content.tr_type,)) + content.identity
    if fields & RecordField.TIMER:
        body += encode_timer(content.time_ms)
    if fields & RecordField.ANTENNA:
        body += bytes((content.antenna,))
    return body


def encode_old_data_sets(records: tuple[bytes, ...], fields: int) -> bytes:
    """Encode the answer data of an older reader: one byte of fields, one of the count."""
    return bytes((fields, len(records))) + b"".join(records)


def encode_data_sets(records: tuple[bytes, ...], fields: int) -> bytes:
    """Encode the answer data of READ BUFFER: fields, count, and the records."""
    head = bytes((fields & 0xFF,))
    if fields & RecordField.EXTENDED:
        head += bytes((fields >> 8,))
    return head + len(records).to_bytes(2, "big") + b"".join(records)
