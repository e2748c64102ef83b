"""Frames of TableLink: a byte stream to frames, frames to bytes.

Resynchronises at the next zero. Bounded: at most 494 bytes wait.
Source: firmware_bridge/tablelink/README.md, wire.
"""

import re
import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, TypeAlias

from cobs import cobs
from msgspec import Struct

from firmware_bridge.checksums import crc_32c
from firmware_bridge.link import LinkFault, LinkFaultKind, cut_at
from foundation.message import Message, message

VERSION: Final = 1
PAYLOAD_BYTES_MAX: Final = 472
HEADER_BYTES: Final = 16
SUM_BYTES: Final = 4

_FRAME_END: Final = re.compile(rb"[^\0]\0")
_HEADER: Final = struct.Struct("<BBBBIII")
_RAW_BYTES_MIN: Final = HEADER_BYTES + SUM_BYTES
_RAW_BYTES_MAX: Final = HEADER_BYTES + PAYLOAD_BYTES_MAX + SUM_BYTES
STUFFED_BYTES_MAX: Final = 494

_SEC, _RETX, _MORE, _ACKV = 0x01, 0x02, 0x04, 0x08
_FLAGS_NOT_IN_USE: Final = 0xF0
U32: Final = 0xFFFFFFFF


class FrameChannel(IntEnum):
    """The channel of a frame; 3 (SMP) is refused in version 1."""

    LINK = 0
    EVENT = 1
    RPC = 2
    TRACE = 4


class TableLinkFrame(Struct, frozen=True):
    """One frame; `ack` is None without the flag ACKV. `resent`: the flag RETX."""

    channel: FrameChannel
    type: int
    ctr: int
    seq: int = 0
    ack: int | None = None
    payload: bytes = b""
    resent: bool = False


class TableLinkUnframed(Struct, frozen=True):
    """Receive buffer carried from one chunk to the next.

    `pending` may be the start of a frame. `dropping`: a run was too long and is dropped up to the
    next zero. `reported`: the kinds of faults reported since the last good frame.
    """

    pending: bytes = b""
    dropping: bool = False
    reported: tuple[LinkFaultKind, ...] = ()


FrameOrFault: TypeAlias = TableLinkFrame | LinkFault

_NOISE: Final = LinkFault(LinkFaultKind.NOISE, message("bytes_not_a_frame"))
_BAD_SUM: Final = LinkFault(LinkFaultKind.BAD_CHECKSUM, message("checksum_does_not_match_frame"))
_TOO_LONG: Final = LinkFault(
    LinkFaultKind.LENGTH, message("bytes_without_zero", most=STUFFED_BYTES_MAX)
)


def encode(frame: TableLinkFrame) -> bytes:
    """Encode a frame as bytes on the line."""
    assert len(frame.payload) <= PAYLOAD_BYTES_MAX
    flags = (_RETX if frame.resent else 0) | (0 if frame.ack is None else _ACKV)
    ack = frame.ack or 0
    head = _HEADER.pack(
        VERSION, flags, frame.channel, frame.type, frame.ctr & U32, frame.seq & U32, ack & U32
    )
    body = head + frame.payload
    stuffed: bytes = cobs.encode(body + crc_32c(body).to_bytes(SUM_BYTES, "little"))
    return b"\0" + stuffed + b"\0"


def decode(stuffed: bytes) -> FrameOrFault:
    """Decode the bytes between two zeros. None raise."""
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
    why = _refusal_reason(version, flags, channel)
    if why is not None:
        return LinkFault(LinkFaultKind.MALFORMED, message("frame_refused", why=why))
    return TableLinkFrame(
        channel=FrameChannel(channel),
        type=kind,
        ctr=ctr,
        seq=seq,
        ack=ack if flags & _ACKV else None,
        payload=body[HEADER_BYTES:],
        resent=bool(flags & _RETX),
    )


def runs_between_zeros(buffer: bytes) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each run between zeros; the last one may be incomplete."""
    start = 0
    while (end := buffer.find(b"\0", start)) >= 0:
        if end > start:
            yield start, end
        start = end + 1
    yield start, len(buffer)


def feed(
    unframed: TableLinkUnframed, data: bytes
) -> tuple[TableLinkUnframed, tuple[FrameOrFault, ...]]:
    """Take the next bytes; return the frames and faults they complete, in order. None raise.

    A kind of fault is reported once until the next frame: a wrong speed must not fill the record.
    """
    if unframed.dropping:
        end = data.find(b"\0")
        if end < 0:
            return unframed, ()
        data = data[end:]
    buffer = unframed.pending + data
    reported = unframed.reported
    found: list[FrameOrFault] = []
    rest = 0
    for start, end in runs_between_zeros(buffer):
        rest = start
        if end == len(buffer) and end - start <= STUFFED_BYTES_MAX:
            break
        one = decode(buffer[start:end])
        if isinstance(one, TableLinkFrame):
            reported = ()
            found.append(one)
        elif one.kind not in reported:
            reported = (*reported, one.kind)
            found.append(one)
    pending = buffer[rest:]
    too_long = len(pending) > STUFFED_BYTES_MAX
    return TableLinkUnframed(b"" if too_long else pending, too_long, reported), tuple(found)


def split(unframed: TableLinkUnframed, data: bytes) -> tuple[bytes, ...]:
    """Cut the next bytes after each zero that ends a frame."""
    waiting = len(unframed.pending)
    found = _FRAME_END.finditer(unframed.pending + data)
    return cut_at(data, (one.end() - waiting for one in found))


def _refusal_reason(version: int, flags: int, channel: int) -> Message | None:
    if version != VERSION:
        return message("frame_of_other_version", version=version, supported=VERSION)
    if flags & _SEC:
        return message("frame_encrypted")
    if flags & _MORE:
        return message("frame_is_fragment")
    if flags & _FLAGS_NOT_IN_USE:
        return message("frame_has_reserved_flag")
    if channel not in tuple(FrameChannel):
        return message("frame_of_unused_channel", channel=channel)
    return None
