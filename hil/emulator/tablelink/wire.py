"""The wire of TableLink: stuffing, checksum and the header of a frame.

Responsible for: frames to bytes and back, the numbers of channels, types, kinds and requests, and
finding frames in whatever comes.
Not responsible for: payloads (tablelink_cbor) and what is said when (tablelink_device).
Source: wire document of TableLink/1, "Wire"; S. Cheshire and M. Baker, "Consistent Overhead Byte
Stuffing" (1999); RFC 3720, appendix B.4 (CRC-32C).
"""

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import TypeAlias

VERSION = 1
HEADER = struct.Struct("<BBBBIII")
CHECK_BYTES = 4
PAYLOAD_BYTES_MAX = 472
RAW_BYTES_MAX = HEADER.size + PAYLOAD_BYTES_MAX + CHECK_BYTES
RUN_BYTES_MAX = 495
RUN_OF_DATA = 254
LOW_32 = 0xFFFFFFFF
# Flags: said before, and `ack` counts.
IN_USE = 0x0A
# The polynomial of CRC-32C, bits reversed.
POLYNOMIAL = 0x82F63B78


class Flag(IntFlag):
    """The second byte of a header. Only SAID_BEFORE and ACK_COUNTS are in use."""

    SEALED = 1
    SAID_BEFORE = 2
    FRAGMENT = 4
    ACK_COUNTS = 8


class Channel(IntEnum):
    LINK = 0
    EVENT = 1
    REQUEST = 2
    UPDATE = 3
    TRACE = 4


class Say(IntEnum):
    """Types of the link channel."""

    HELLO = 1
    HELLO_ACK = 2
    ACK = 3
    NAK = 4
    PING = 5
    PONG = 6
    TIME_REQ = 7
    TIME_RSP = 8
    ATTEST_REQ = 10
    ATTEST_RSP = 11
    BYE = 12
    ERROR = 13


class Kind(IntEnum):
    """Kinds of events."""

    CARD_OUT = 1
    CARD_RETRACTED = 2
    READ_FAIL = 3
    DOUBLE_FEED = 4
    CUT_CARD = 5
    SHOE_LOADED = 6
    SHOE_EMPTY = 7
    LID = 8
    JAM = 9
    BATCH_STARTED = 10
    BATCH_DONE = 11
    BATCH_ABORTED = 12
    SELFTEST = 13
    POWER_UP = 14
    TAMPER = 15
    OVERFLOW = 16
    CONFIG_CHANGED = 17
    FW_CHANGED = 18
    CHECKPOINT = 19
    COMPARTMENT = 20
    MODE = 21
    WARNING = 22
    RESIDUAL = 23


class Ask(IntEnum):
    """Requests by their type."""

    LOAD = 1
    COUNT = 2
    SHUFFLE = 3
    STORE = 4
    RELEASE = 5
    STATUS = 6
    SELF_TEST = 7
    ABORT = 8
    MODE = 9
    LOCK = 16
    UNLOCK = 17


class Answer(IntEnum):
    """The status of an answered request."""

    DONE = 0
    REFUSED = 1
    UNKNOWN = 2
    FAILED = 3


class WrongFrame(ValueError):
    """Bytes that are no frame of version 1; the message says why."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame. `ack` counts where flag ACK_COUNTS is set."""

    channel: int
    type: int
    payload: bytes = b""
    seq: int = 0
    flags: int = 0
    ack: int = 0
    ctr: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """A frame that came whole and is not of this version; `why` is for people."""

    why: str


Found: TypeAlias = tuple[Frame | Refused, ...]


def _table() -> tuple[int, ...]:
    entries: list[int] = []
    for value in range(256):
        register = value
        for _ in range(8):
            register = register >> 1 ^ (POLYNOMIAL if register & 1 else 0)
        entries.append(register)
    return tuple(entries)


CRC_TABLE = _table()


def crc32c(data: bytes) -> int:
    """CRC-32C, as iSCSI has it."""
    register = LOW_32
    for value in data:
        register = register >> 8 ^ CRC_TABLE[(register ^ value) & 0xFF]
    return register ^ LOW_32


def stuffed(data: bytes) -> bytes:
    """COBS: the same bytes without a zero."""
    out = bytearray()
    parts = data.split(b"\0")
    for at, part in enumerate(parts):
        while len(part) > RUN_OF_DATA or (len(part) == RUN_OF_DATA and at < len(parts) - 1):
            out += b"\xff" + part[:RUN_OF_DATA]
            part = part[RUN_OF_DATA:]
        if len(part) == RUN_OF_DATA:
            out += b"\xff" + part
        else:
            out += bytes((len(part) + 1,)) + part
    return bytes(out)


def unstuffed(run: bytes) -> bytes:
    """What was stuffed. Raises WrongFrame."""
    out = bytearray()
    at = 0
    while at < len(run):
        code = run[at]
        part = run[at + 1 : at + code]
        if code == 0 or len(part) != code - 1:
            raise WrongFrame("the stuffing points behind the end")
        out += part
        at += code
        if code <= RUN_OF_DATA and at < len(run):
            out.append(0)
    return bytes(out)


def raw_frame(frame: Frame) -> bytes:
    """Header, payload and checksum."""
    assert len(frame.payload) <= PAYLOAD_BYTES_MAX, "the payload is too long"
    head = HEADER.pack(
        VERSION, frame.flags, frame.channel, frame.type, frame.ctr, frame.seq, frame.ack
    )
    told = head + frame.payload
    return told + crc32c(told).to_bytes(CHECK_BYTES, "little")


def on_wire(frame: Frame) -> bytes:
    """A frame as it goes over the line."""
    return b"\0" + stuffed(raw_frame(frame)) + b"\0"


def frame_of(raw: bytes) -> Frame | Refused:
    """The frame these bytes are, or why this version has none such. Raises WrongFrame."""
    if not HEADER.size + CHECK_BYTES <= len(raw) <= RAW_BYTES_MAX:
        raise WrongFrame("no frame is so short or so long")
    told, check = raw[:-CHECK_BYTES], raw[-CHECK_BYTES:]
    if crc32c(told) != int.from_bytes(check, "little"):
        raise WrongFrame("the checksum does not fit")
    version, flags, channel, type_, ctr, seq, ack = HEADER.unpack_from(told)
    if version != VERSION:
        return Refused("version")
    if flags & ~IN_USE:
        return Refused("flags")
    if channel not in (Channel.LINK, Channel.EVENT, Channel.REQUEST, Channel.TRACE):
        return Refused("channel")
    return Frame(channel, type_, told[HEADER.size :], seq, flags, ack, ctr)


class FrameFinder:
    """Frames in a stream of bytes. `troubles` counts the runs between zeros that were none."""

    def __init__(self) -> None:
        self.troubles = 0
        self._run = bytearray()
        self._too_long = False

    def receive(self, data: bytes) -> Found:
        """The frames that ended in these bytes, and those of a version that is not spoken here."""
        found: list[Frame | Refused] = []
        for at, part in enumerate(data.split(b"\0")):
            if at:
                found.extend(self._end())
            self._run += part
            if len(self._run) > RUN_BYTES_MAX:
                self._too_long = True
                self._run.clear()
        return tuple(found)

    def forget(self) -> None:
        """What has begun will not end."""
        self._run.clear()
        self._too_long = False

    def _end(self) -> Found:
        run, too_long = bytes(self._run), self._too_long
        self.forget()
        if too_long:
            self.troubles += 1
        if not run or too_long:
            return ()
        try:
            return (frame_of(unstuffed(run)),)
        except WrongFrame:
            self.troubles += 1
            return ()
