"""Frames of FEIG OBID readers: bytes to frames and back, standard and advanced.

Responsible for: finding whole frames in a stream of any fragmentation, checking their CRC, naming
what is no frame, and getting back in step. Bounded: what waits for its end never exceeds
`FRAME_BYTES_MAX`. A byte that no frame can begin with is passed over at once; after a bad CRC the
next frame is looked for one byte further on.
Not responsible for: what a frame means (messages) and for time: who calls says when the line fell
silent.
Source: package README, "FEIG OBID", frames.
"""

from collections.abc import Iterator
from enum import IntEnum, StrEnum
from typing import TypeAlias

from firmware_bridge.checksums import crc_mcrf4xx
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.values import dataclass

STX = 0x02
ANY_ADDRESS = 0xFF
# A standard frame cannot be longer; an advanced one could, but no reader needs to be.
STANDARD_BYTES_MAX = 255
FRAME_BYTES_MAX = 16_384

_CRC_BYTES = 2
# The address a reader never answers with.
_NO_ONE = bytes((ANY_ADDRESS,))


class Command(IntEnum):
    """What this program may ask. To drop the buffer (33) is not among it."""

    READ_BUFFER_OLD = 0x21
    READ_BUFFER = 0x22
    BUFFER_INFO = 0x31
    CLEAR_BUFFER = 0x32
    VERSION = 0x65
    READER_INFO = 0x66
    SYSTEM_TIMER = 0x86
    TRANSPONDER = 0xB0


# Sent by a reader unasked.
KEEP_ALIVE = 0x6E

# The control bytes of the family: a frame with another one is none.
CONTROL_BYTES = frozenset(Command) | frozenset(
    {0x33, 0x52, 0x63, 0x69, 0x6A, KEEP_ALIVE, 0x72, 0x74, 0x80, 0x81, 0x82, 0x83, 0x85, 0x87, 0x88}
)


class Side(StrEnum):
    """Who sends the bytes."""

    READER = "reader"
    HOST = "host"


class Form(StrEnum):
    """A standard frame has one byte of length, an advanced one STX and two."""

    STANDARD = "standard"
    ADVANCED = "advanced"


@dataclass(frozen=True, slots=True)
class Request:
    """What the host asks; `command` may be one this program never sends."""

    address: int
    command: int
    data: bytes
    form: Form


@dataclass(frozen=True, slots=True)
class Answer:
    """What the reader says, asked or unasked."""

    address: int
    command: int
    status: int
    data: bytes
    form: Form


Frame: TypeAlias = Request | Answer


@dataclass(frozen=True, slots=True)
class Unframed:
    """What is carried from one chunk to the next.

    `pending` may be the beginning of a frame. `told` are the kinds of faults that the present run
    of bytes without a frame has given: each is told once a run, in any fragmentation.
    """

    pending: bytes = b""
    told: tuple[LinkFaultKind, ...] = ()


_DETAILS = {
    LinkFaultKind.NOISE: "bytes that belong to no frame",
    LinkFaultKind.BAD_CHECKSUM: "the CRC does not match the frame",
    LinkFaultKind.LENGTH: f"a frame says that it is longer than {FRAME_BYTES_MAX} bytes",
    LinkFaultKind.TRUNCATED: "the line fell silent within a frame",
}


def feed(
    unframed: Unframed, data: bytes, side: Side = Side.READER
) -> tuple[Unframed, tuple[Frame | LinkFault, ...]]:
    """Take the next bytes; give the frames and faults they complete, in order.

    Total: no bytes raise. The same stream gives the same frames and faults in any fragmentation.
    """
    buffer = unframed.pending + data
    told = unframed.told
    found: list[Frame | LinkFault] = []
    rest = 0
    for _start, following, one in walk(buffer, side):
        rest = following
        told, new = _told(told, one)
        found.extend(new)
    return Unframed(buffer[rest:], told), tuple(found)


def silence(unframed: Unframed, side: Side = Side.READER) -> tuple[Frame | LinkFault, ...]:
    """The line is silent: what waits for its end is no frame, but one may stand further on."""
    pending, told = unframed.pending, unframed.told
    found: list[Frame | LinkFault] = []
    while pending:
        whole_head = len(pending) >= _head_bytes(pending[0])
        first_trouble = told in ((), (LinkFaultKind.NOISE,))
        cut = LinkFaultKind.TRUNCATED if whole_head and first_trouble else LinkFaultKind.NOISE
        told, new = _told(told, cut)
        found.extend(new)
        unframed, further = feed(Unframed(told=told), pending[1:], side)
        found.extend(further)
        pending, told = unframed.pending, unframed.told
    return tuple(found)


def walk(buffer: bytes, side: Side) -> Iterator[tuple[int, int, Frame | LinkFaultKind]]:
    """Each frame and each byte that begins none: where it stands, where the rest begins.

    Ends where it cannot be told yet what the next byte begins.
    """
    at = 0
    while at < len(buffer):
        following, one = _take(buffer, at, side)
        if one is None:
            return
        yield at, following, one
        at = following


def _told(
    told: tuple[LinkFaultKind, ...], one: Frame | LinkFaultKind
) -> tuple[tuple[LinkFaultKind, ...], tuple[Frame | LinkFault, ...]]:
    """What a run of bytes has told after one more find, and what is new in it."""
    if not isinstance(one, LinkFaultKind):
        return (), (one,)
    if one in told or (told and one is LinkFaultKind.NOISE):
        return told, ()
    return (*told, one), (LinkFault(one, _DETAILS[one]),)


def _head_bytes(first: int) -> int:
    """Up to the control byte."""
    return 5 if first == STX else 3


def _take(buffer: bytes, at: int, side: Side) -> tuple[int, Frame | LinkFaultKind | None]:
    """What stands at `at`, and where the rest begins; None while that cannot be told."""
    first = buffer[at]
    head_bytes = _head_bytes(first)
    head = buffer[at : at + head_bytes]
    length = int.from_bytes(head[1:3], "big") if first == STX else first
    # An answer has a status byte.
    bytes_min = head_bytes + _CRC_BYTES + (side is Side.READER)
    if length < bytes_min and (first != STX or len(head) >= 3):
        return at + 1, LinkFaultKind.NOISE
    if side is Side.READER and head[head_bytes - 2 : head_bytes - 1] == _NO_ONE:
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


def _frame(frame: bytes, side: Side) -> Frame:
    advanced = frame[0] == STX
    form = Form.ADVANCED if advanced else Form.STANDARD
    address, command, *_ = frame[_head_bytes(frame[0]) - 2 :]
    body = frame[_head_bytes(frame[0]) : -_CRC_BYTES]
    if side is Side.HOST:
        return Request(address, command, body, form)
    return Answer(address, command, body[0], body[1:], form)


def encode_request(command: Command, data: bytes = b"", form: Form = Form.ADVANCED) -> bytes:
    """A whole request to whichever reader is at the port."""
    body = bytes((ANY_ADDRESS, command)) + data
    if form is Form.STANDARD:
        length = 1 + len(body) + _CRC_BYTES
        assert length <= STANDARD_BYTES_MAX
        framed = bytes((length,)) + body
    else:
        length = 3 + len(body) + _CRC_BYTES
        framed = bytes((STX,)) + length.to_bytes(2, "big") + body
    return framed + crc_mcrf4xx(framed).to_bytes(_CRC_BYTES, "little")
