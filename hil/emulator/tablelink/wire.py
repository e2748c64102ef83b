"""Encodes and decodes TableLink frames: COBS stuffing, CRC-32C and the frame header.

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
COBS_BLOCK_BYTES = 254
LOW_32 = 0xFFFFFFFF
# Flags in use: REPEATED and ACK_COUNTS.
FLAGS_IN_USE = 0x0A
# The polynomial of CRC-32C, bits reversed.
POLYNOMIAL = 0x82F63B78


class Flag(IntFlag):
    """The second byte of a header. Only REPEATED and ACK_COUNTS are in use."""

    SEALED = 1
    REPEATED = 2
    FRAGMENT = 4
    ACK_COUNTS = 8


class FrameChannel(IntEnum):
    LINK = 0
    EVENT = 1
    REQUEST = 2
    UPDATE = 3
    TRACE = 4


class LinkType(IntEnum):
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


class EventKind(IntEnum):
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


class RequestType(IntEnum):
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


class RequestStatus(IntEnum):
    """The status of an answered request."""

    DONE = 0
    REFUSED = 1
    UNKNOWN = 2
    FAILED = 3


class WrongFrame(ValueError):
    """Bytes that are not a frame of version 1; the message says why."""


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
class RefusedFrame:
    """A whole frame that this version does not accept; `why` is for people."""

    why: str


FoundFrames: TypeAlias = tuple[Frame | RefusedFrame, ...]


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
    """CRC-32C, as in iSCSI."""
    register = LOW_32
    for value in data:
        register = register >> 8 ^ CRC_TABLE[(register ^ value) & 0xFF]
    return register ^ LOW_32


def cobs_encode(data: bytes) -> bytes:
    """COBS: encode bytes without zeros."""
    out = bytearray()
    parts = data.split(b"\0")
    for at, part in enumerate(parts):
        while len(part) > COBS_BLOCK_BYTES or (
            len(part) == COBS_BLOCK_BYTES and at < len(parts) - 1
        ):
            out += b"\xff" + part[:COBS_BLOCK_BYTES]
            part = part[COBS_BLOCK_BYTES:]
        if len(part) == COBS_BLOCK_BYTES:
            out += b"\xff" + part
        else:
            out += bytes((len(part) + 1,)) + part
    return bytes(out)


def cobs_decode(run: bytes) -> bytes:
    """COBS: decode bytes. Raises WrongFrame."""
    out = bytearray()
    at = 0
    while at < len(run):
        code = run[at]
        part = run[at + 1 : at + code]
        if code == 0 or len(part) != code - 1:
            raise WrongFrame("the stuffing points past the end")
        out += part
        at += code
        if code <= COBS_BLOCK_BYTES and at < len(run):
            out.append(0)
    return bytes(out)


def raw_frame(frame: Frame) -> bytes:
    """Header, payload and checksum."""
    assert len(frame.payload) <= PAYLOAD_BYTES_MAX, "the payload is too long"
    head = HEADER.pack(
        VERSION, frame.flags, frame.channel, frame.type, frame.ctr, frame.seq, frame.ack
    )
    data = head + frame.payload
    return data + crc32c(data).to_bytes(CHECK_BYTES, "little")


def encode_frame(frame: Frame) -> bytes:
    """Encode a frame as it is sent: stuffed, between zeros."""
    return b"\0" + cobs_encode(raw_frame(frame)) + b"\0"


def parse_frame(raw: bytes) -> Frame | RefusedFrame:
    """Decode a frame, or why this version does not accept it. Raises WrongFrame."""
    if not HEADER.size + CHECK_BYTES <= len(raw) <= RAW_BYTES_MAX:
        raise WrongFrame("too short or too long for a frame")
    data, check = raw[:-CHECK_BYTES], raw[-CHECK_BYTES:]
    if crc32c(data) != int.from_bytes(check, "little"):
        raise WrongFrame("the checksum does not match")
    version, flags, channel, type_, ctr, seq, ack = HEADER.unpack_from(data)
    if version != VERSION:
        return RefusedFrame("version")
    if flags & ~FLAGS_IN_USE:
        return RefusedFrame("flags")
    if channel not in (
        FrameChannel.LINK,
        FrameChannel.EVENT,
        FrameChannel.REQUEST,
        FrameChannel.TRACE,
    ):
        return RefusedFrame("channel")
    return Frame(channel, type_, data[HEADER.size :], seq, flags, ack, ctr)


class FrameFinder:
    """Finds frames in a byte stream. `bad_runs` counts runs between zeros that were not frames."""

    def __init__(self) -> None:
        self.bad_runs = 0
        self._run = bytearray()
        self._too_long = False

    def receive(self, data: bytes) -> FoundFrames:
        """The frames completed by these bytes, and those of a version that is not accepted."""
        found: list[Frame | RefusedFrame] = []
        for at, part in enumerate(data.split(b"\0")):
            if at:
                found.extend(self._complete())
            self._run += part
            if len(self._run) > RUN_BYTES_MAX:
                self._too_long = True
                self._run.clear()
        return tuple(found)

    def reset(self) -> None:
        """Drop an incomplete frame."""
        self._run.clear()
        self._too_long = False

    def _complete(self) -> FoundFrames:
        run, too_long = bytes(self._run), self._too_long
        self.reset()
        if too_long:
            self.bad_runs += 1
        if not run or too_long:
            return ()
        try:
            return (parse_frame(cobs_decode(run)),)
        except WrongFrame:
            self.bad_runs += 1
            return ()
