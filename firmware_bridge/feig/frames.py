"""Frames of FEIG OBID readers: a byte stream to frames and back, standard and advanced.

Bounded: the bytes that wait for their end never exceed `FRAME_BYTES_MAX`. A byte that cannot
begin a frame is skipped at once; after a bad CRC the search goes on one byte later.
Not: time; the caller reports when the line fell silent.
Source: firmware_bridge/feig/README.md, frames.
"""

from collections.abc import Iterator
from enum import IntEnum, StrEnum
from typing import TypeAlias

from msgspec import Struct

from firmware_bridge.checksums import crc_mcrf4xx
from firmware_bridge.link import LinkFault, LinkFaultKind, cut_at
from foundation.message import message

STX = 0x02
ANY_ADDRESS = 0xFF
# Limit of a standard frame; an advanced one could be longer, but no reader needs that.
STANDARD_BYTES_MAX = 255
FRAME_BYTES_MAX = 16_384

_CRC_BYTES = 2
# A reader never answers with this address.
_NO_READER = bytes((ANY_ADDRESS,))


class FeigCommand(IntEnum):
    """Requests this program may send. Discarding the buffer (33) is not one of them."""

    READ_BUFFER_OLD = 0x21
    READ_BUFFER = 0x22
    BUFFER_INFO = 0x31
    CLEAR_BUFFER = 0x32
    VERSION = 0x65
    READER_INFO = 0x66
    SYSTEM_TIMER = 0x86
    TRANSPONDER = 0xB0


# Sent by a reader unsolicited.
KEEP_ALIVE = 0x6E

# All control bytes of the product family; other bytes cannot begin a frame.
CONTROL_BYTES = frozenset(FeigCommand) | frozenset(
    {0x33, 0x52, 0x63, 0x69, 0x6A, KEEP_ALIVE, 0x72, 0x74, 0x80, 0x81, 0x82, 0x83, 0x85, 0x87, 0x88}
)


class Side(StrEnum):
    """The sender of the bytes."""

    READER = "reader"
    HOST = "host"


class FrameForm(StrEnum):
    """A standard frame has a one-byte length; an advanced one has STX and a two-byte length."""

    STANDARD = "standard"
    ADVANCED = "advanced"


class RequestFrame(Struct, frozen=True):
    """A request of the host; `command` may be one that this program never sends."""

    address: int
    command: int
    data: bytes
    form: FrameForm


class AnswerFrame(Struct, frozen=True):
    """A frame of the reader, solicited or not."""

    address: int
    command: int
    status: int
    data: bytes
    form: FrameForm


FeigFrame: TypeAlias = RequestFrame | AnswerFrame


class FeigUnframed(Struct, frozen=True):
    """Receive buffer carried from one chunk to the next.

    `pending` may be the start of a frame. `reported`: the kinds of faults reported for the current
    run of bytes outside any frame; each is reported once a run, in any fragmentation.
    """

    pending: bytes = b""
    reported: tuple[LinkFaultKind, ...] = ()


_DETAILS = {
    LinkFaultKind.NOISE: message("bytes_outside_any_frame"),
    LinkFaultKind.BAD_CHECKSUM: message("crc_does_not_match_frame"),
    LinkFaultKind.LENGTH: message("frame_declares_too_long", most=FRAME_BYTES_MAX),
    LinkFaultKind.TRUNCATED: message("line_silent_within_frame"),
}


def feed(
    unframed: FeigUnframed, data: bytes, side: Side = Side.READER
) -> tuple[FeigUnframed, tuple[FeigFrame | LinkFault, ...]]:
    """Take the next bytes; return the frames and faults they complete, in order.

    No bytes raise. The same stream gives the same frames and faults in any fragmentation.
    """
    buffer = unframed.pending + data
    reported = unframed.reported
    found: list[FeigFrame | LinkFault] = []
    rest = 0
    for _start, following, one in iterate_frames(buffer, side):
        rest = following
        reported, new = _new_faults(reported, one)
        found.extend(new)
    return FeigUnframed(buffer[rest:], reported), tuple(found)


def split(unframed: FeigUnframed, data: bytes, side: Side = Side.READER) -> tuple[bytes, ...]:
    """Cut the next bytes after each frame that they complete."""
    waiting = len(unframed.pending)
    found = iterate_frames(unframed.pending + data, side)
    ends = (end for _start, end, one in found if not isinstance(one, LinkFaultKind))
    return cut_at(data, (end - waiting for end in ends))


def flush(unframed: FeigUnframed, side: Side = Side.READER) -> tuple[FeigFrame | LinkFault, ...]:
    """After silence: drop the incomplete frame, and return frames found inside it."""
    pending, reported = unframed.pending, unframed.reported
    found: list[FeigFrame | LinkFault] = []
    while pending:
        whole_head = len(pending) >= _head_bytes(pending[0])
        is_first_fault = reported in ((), (LinkFaultKind.NOISE,))
        cut = LinkFaultKind.TRUNCATED if whole_head and is_first_fault else LinkFaultKind.NOISE
        reported, new = _new_faults(reported, cut)
        found.extend(new)
        unframed, further = feed(FeigUnframed(reported=reported), pending[1:], side)
        found.extend(further)
        pending, reported = unframed.pending, unframed.reported
    return tuple(found)


def iterate_frames(
    buffer: bytes, side: Side
) -> Iterator[tuple[int, int, FeigFrame | LinkFaultKind]]:
    """Yield (start, end, frame or fault kind) for each frame and each byte that begins none.

    Ends where more bytes are needed.
    """
    at = 0
    while at < len(buffer):
        following, one = _parse_at(buffer, at, side)
        if one is None:
            return
        yield at, following, one
        at = following


def _new_faults(
    reported: tuple[LinkFaultKind, ...], one: FeigFrame | LinkFaultKind
) -> tuple[tuple[LinkFaultKind, ...], tuple[FeigFrame | LinkFault, ...]]:
    """The kinds reported for this run after one more result, and what is newly reported."""
    if not isinstance(one, LinkFaultKind):
        return (), (one,)
    if one in reported or (reported and one is LinkFaultKind.NOISE):
        return reported, ()
    return (*reported, one), (LinkFault(one, _DETAILS[one]),)


def _head_bytes(first: int) -> int:
    """Length of the header, control byte included."""
    return 5 if first == STX else 3


def _parse_at(buffer: bytes, at: int, side: Side) -> tuple[int, FeigFrame | LinkFaultKind | None]:
    """The frame or fault at `at`, and where the rest begins; None if more bytes are needed."""
    first = buffer[at]
    head_bytes = _head_bytes(first)
    head = buffer[at : at + head_bytes]
    length = int.from_bytes(head[1:3], "big") if first == STX else first
    # An answer has a status byte.
    bytes_min = head_bytes + _CRC_BYTES + (side is Side.READER)
    if length < bytes_min and (first != STX or len(head) >= 3):
        return at + 1, LinkFaultKind.NOISE
    if side is Side.READER and head[head_bytes - 2 : head_bytes - 1] == _NO_READER:
        return at + 1, LinkFaultKind.NOISE
    if len(head) < head_bytes:
        return at, None
    if head[-1] not in CONTROL_BYTES:
        return at + 1, LinkFaultKind.NOISE
    if length > FRAME_BYTES_MAX:
        return at + 1, LinkFaultKind.LENGTH
    frame = buffer[at : at + length]
    if len(frame) < length:
        return at, None
    if crc_mcrf4xx(frame[:-_CRC_BYTES]) != int.from_bytes(frame[-_CRC_BYTES:], "little"):
        return at + 1, LinkFaultKind.BAD_CHECKSUM
    return at + length, _frame(frame, side)


def _frame(frame: bytes, side: Side) -> FeigFrame:
    advanced = frame[0] == STX
    form = FrameForm.ADVANCED if advanced else FrameForm.STANDARD
    address, command, *_ = frame[_head_bytes(frame[0]) - 2 :]
    body = frame[_head_bytes(frame[0]) : -_CRC_BYTES]
    if side is Side.HOST:
        return RequestFrame(address, command, body, form)
    return AnswerFrame(address, command, body[0], body[1:], form)


def encode_request(
    command: FeigCommand, data: bytes = b"", form: FrameForm = FrameForm.ADVANCED
) -> bytes:
    """Encode a request to whichever reader is at the port."""
    body = bytes((ANY_ADDRESS, command)) + data
    if form is FrameForm.STANDARD:
        length = 1 + len(body) + _CRC_BYTES
        assert length <= STANDARD_BYTES_MAX
        framed = bytes((length,)) + body
    else:
        length = 3 + len(body) + _CRC_BYTES
        framed = bytes((STX,)) + length.to_bytes(2, "big") + body
    return framed + crc_mcrf4xx(framed).to_bytes(_CRC_BYTES, "little")
