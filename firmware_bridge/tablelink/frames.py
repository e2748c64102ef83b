"""Frames of TableLink: bytes to frames, frames to bytes.

Responsible for: finding whole frames in a stream of any fragmentation, getting back in step at the
next zero, checking sum and header, and naming what is no frame. Bounded: at most 494 bytes wait.
Not responsible for: payloads (cbor, messages) and for what order frames come in (link).
Source: package README, "TableLink/1", wire.
"""

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, TypeAlias

from cobs import cobs

from firmware_bridge.checksums import crc_32c
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.values import dataclass

VERSION: Final = 1
PAYLOAD_BYTES_MAX: Final = 472
HEADER_BYTES: Final = 16
SUM_BYTES: Final = 4

_HEADER: Final = struct.Struct("<BBBBIII")
_RAW_BYTES_MIN: Final = HEADER_BYTES + SUM_BYTES
_RAW_BYTES_MAX: Final = HEADER_BYTES + PAYLOAD_BYTES_MAX + SUM_BYTES
STUFFED_BYTES_MAX: Final = 494

_SEC, _RETX, _MORE, _ACKV = 0x01, 0x02, 0x04, 0x08
_FLAGS_NOT_IN_USE: Final = 0xF0
U32: Final = 0xFFFFFFFF


class Channel(IntEnum):
    """What a frame belongs to; 3 (SMP) is refused in version 1."""

    LINK = 0
    EVENT = 1
    RPC = 2
    TRACE = 4


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; `ack` is None where it does not count. `resent`: said before."""

    channel: Channel
    type: int
    ctr: int
    seq: int = 0
    ack: int | None = None
    payload: bytes = b""
    resent: bool = False


@dataclass(frozen=True, slots=True)
class Unframed:
    """What is carried from one chunk to the next.

    `pending` may be the beginning of a frame. `dropping`: a run grew too long, and all of it up to
    the next zero goes. `told` names the troubles told since the last good frame.
    """

    pending: bytes = b""
    dropping: bool = False
    told: tuple[LinkFaultKind, ...] = ()


Found: TypeAlias = Frame | LinkFault

_NOISE: Final = LinkFault(LinkFaultKind.NOISE, "bytes that are no frame")
_BAD_SUM: Final = LinkFault(LinkFaultKind.BAD_CHECKSUM, "the checksum does not match the frame")
_TOO_LONG: Final = LinkFault(
    LinkFaultKind.LENGTH, f"more than {STUFFED_BYTES_MAX} bytes without a zero were dropped"
)


def encode(frame: Frame) -> bytes:
    """The bytes on the line."""
    assert len(frame.payload) <= PAYLOAD_BYTES_MAX
    flags = (_RETX if frame.resent else 0) | (0 if frame.ack is None else _ACKV)
    ack = frame.ack or 0
    head = _HEADER.pack(
        VERSION, flags, frame.channel, frame.type, frame.ctr & U32, frame.seq & U32, ack & U32
    )
    body = head + frame.payload
    stuffed: bytes = cobs.encode(body + crc_32c(body).to_bytes(SUM_BYTES, "little"))
    return b"\0" + stuffed + b"\0"


def decode(stuffed: bytes) -> Found:
    """What stands between two zeros. Total."""
    if len(stuffed) > STUFFED_BYTES_MAX:
        return _TOO_LONG
    try:
        raw = cobs.decode(stuffed)
    except cobs.DecodeError:
        return _NOISE
    if not _RAW_BYTES_MIN <= len(raw) <= _RAW_BYTES_MAX:
        return _NOISE
    body, written = raw[:-SUM_BYTES], raw[-SUM_BYTES:]
    if crc_32c(body) != int.from_bytes(written, "little"):
        return _BAD_SUM
    version, flags, channel, kind, ctr, seq, ack = _HEADER.unpack_from(body)
    why_not = _why_refused(version, flags, channel)
    if why_not:
        return LinkFault(LinkFaultKind.MALFORMED, f"a frame is refused: {why_not}")
    return Frame(
        channel=Channel(channel),
        type=kind,
        ctr=ctr,
        seq=seq,
        ack=ack if flags & _ACKV else None,
        payload=body[HEADER_BYTES:],
        resent=bool(flags & _RETX),
    )


def walk(buffer: bytes) -> Iterator[tuple[int, int]]:
    """Where the runs between zeros begin and end; the last one may still grow."""
    start = 0
    while (end := buffer.find(b"\0", start)) >= 0:
        if end > start:
            yield start, end
        start = end + 1
    yield start, len(buffer)


def feed(unframed: Unframed, data: bytes) -> tuple[Unframed, tuple[Found, ...]]:
    """Take the next bytes; give the frames and troubles they complete, in order. Total.

    A trouble is told once until a frame comes: a wrong speed must not fill the record.
    """
    if unframed.dropping:
        end = data.find(b"\0")
        if end < 0:
            return unframed, ()
        data = data[end:]
    buffer = unframed.pending + data
    told = unframed.told
    found: list[Found] = []
    rest = 0
    for start, end in walk(buffer):
        rest = start
        if end == len(buffer) and end - start <= STUFFED_BYTES_MAX:
            break
        one = decode(buffer[start:end])
        if isinstance(one, Frame):
            told = ()
            found.append(one)
        elif one.kind not in told:
            told = (*told, one.kind)
            found.append(one)
    pending = buffer[rest:]
    too_long = len(pending) > STUFFED_BYTES_MAX
    return Unframed(b"" if too_long else pending, too_long, told), tuple(found)


def _why_refused(version: int, flags: int, channel: int) -> str:
    if version != VERSION:
        return f"it is of version {version}, and this program speaks version {VERSION}"
    if flags & _SEC:
        return "it is sealed, which version 1 does not know"
    if flags & _MORE:
        return "it is a fragment, which version 1 does not know"
    if flags & _FLAGS_NOT_IN_USE:
        return "it has a flag that is not in use"
    if channel not in tuple(Channel):
        return f"it is of channel {channel}, which is not in use"
    return ""
