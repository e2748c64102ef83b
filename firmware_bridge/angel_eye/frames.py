"""Frames of the Angel Eye II-EX: a byte stream to frames, commands to bytes.

Bounded: the bytes that wait for their end never exceed `FRAME_BYTES_MAX` plus three. Linear: each
byte is examined a bounded number of times.
Source: firmware_bridge/angel_eye/README.md, framing.
"""

import re
from enum import IntEnum, StrEnum
from typing import TypeAlias

from msgspec import Struct

from firmware_bridge.checksums import HEX_DIGITS, xor_of
from firmware_bridge.link import LinkFault, LinkFaultKind, Unframed, cut_at
from foundation.message import message

STX = 0x02
ETX = 0x03
ENQ = 0x05
ACK = 0x06
NAK = 0x15

# Maximum bytes of a frame before its ETX, start byte included.
FRAME_BYTES_MAX = 128


class BccReading(StrEnum):
    """Whether the BCC of a frame that starts with STX counts the STX."""

    STX_COUNTED = "stx_counted"  # as in the one published example
    STX_NOT_COUNTED = "stx_not_counted"  # as in the specification's sentence


class NakCode(IntEnum):
    """Why the shoe refuses a command."""

    FRAMING = 0x01
    BCC = 0x02
    NO_ETX = 0x03
    LENGTH = 0x11
    ADDRESS = 0x12
    COMMAND = 0x13
    TYPE = 0x14
    BUSY = 0x21
    WRITE_IN_PROGRESS = 0x22
    OTHER = 0xFF


class ReportFrame(Struct, frozen=True):
    """An unsolicited report of the shoe: SEQ character and DATA (code and payload, not empty)."""

    seq: str
    data: bytes


class AckFrame(Struct, frozen=True):
    """The shoe accepted the command."""


class NakFrame(Struct, frozen=True):
    """The shoe refused the command."""

    code: NakCode


class ReadReplyFrame(Struct, frozen=True):
    """The shoe's answer to a query: everything between STX and ETX (not empty)."""

    data: bytes


AngelEyeFrame: TypeAlias = ReportFrame | AckFrame | NakFrame | ReadReplyFrame


_NOISE = LinkFault(LinkFaultKind.NOISE, message("bytes_outside_any_frame"))
_TRUNCATED = LinkFault(LinkFaultKind.TRUNCATED, message("new_frame_began_before_end"))
_NO_END = LinkFault(LinkFaultKind.NO_END, message("bytes_without_etx", most=FRAME_BYTES_MAX))
_BAD_CHECKSUM = LinkFault(LinkFaultKind.BAD_CHECKSUM, message("bcc_does_not_match_frame"))
_EMPTY = LinkFault(LinkFaultKind.MALFORMED, message("frame_without_content"))

_NAK_CODES = {code.value: code for code in NakCode}
_ACKED = AckFrame()
_START = re.compile(rb"[\x02\x05\x06\x15]")
_WHOLE_REPORT = re.compile(rb"\x05([^\x03\x05]{2,127})\x03([0-9A-F]{2})")
# Payloads without bit 7 may hold ETX and ENQ, such as a third card of Player or error 5: there the
# known length decides, if the checksum fits.
_PLAIN_REPORT = re.compile(
    rb"\x05([^\x03\x05](?:[DRd][\x00-\x7F]{2}|[GEeL][\x00-\x7F]))\x03([0-9A-F]{2})", re.DOTALL
)
_PLAIN_UNFINISHED = re.compile(
    rb"\x05[^\x03\x05](?:[DRd](?:[\x00-\x7F]{0,1}|[\x00-\x7F]{2}(?:\x03[0-9A-F]?)?)"
    rb"|[GEeL](?:[\x00-\x7F](?:\x03[0-9A-F]?)?)?)\Z",
    re.DOTALL,
)
_UNFINISHED = re.compile(rb"[\x02\x05][^\x03\x05]{0,127}\Z")
_BODY = re.compile(rb"[^\x03\x05]{0,128}")
_DIGITS = re.compile(rb"[0-9A-Fa-f]{0,2}")


def feed(
    unframed: Unframed,
    data: bytes,
    reading: BccReading = BccReading.STX_COUNTED,
    *,
    plain: bool = False,
) -> tuple[Unframed, tuple[AngelEyeFrame | LinkFault, ...]]:
    """Take the next bytes; return the frames and faults they complete, in order.

    `plain`: payloads may lack bit 7, so that their bytes may look like ENQ and ETX.
    No bytes raise. The same stream gives the same frames and faults in any fragmentation.
    A good report is never lost to garbage before it, because ENQ always starts a new frame.
    """
    buffer = unframed.pending + data
    in_noise = unframed.in_noise
    found: list[AngelEyeFrame | LinkFault] = []
    at, end = 0, len(buffer)
    while at < end:
        whole = _good_report(buffer, at, plain=plain)
        if whole is not None:
            body = whole[1]
            found.append(ReportFrame(chr(body[0]), body[1:]))
            at = whole.end()
            in_noise = False
            continue
        if _UNFINISHED.match(buffer, at) or (plain and _PLAIN_UNFINISHED.match(buffer, at)):
            break
        following, one = _parse_at(buffer, at, reading)
        if one is None:
            break
        if one is not _NOISE or not in_noise:
            found.append(one)
        # The rest of a broken frame belongs to the same fault and is not reported again.
        in_noise = isinstance(one, LinkFault)
        at = following
    return Unframed(buffer[at:], in_noise), tuple(found)


def _good_report(buffer: bytes, at: int, *, plain: bool) -> re.Match[bytes] | None:
    """The report at `at` whose end has come and whose checksum fits."""
    for pattern in (_PLAIN_REPORT, _WHOLE_REPORT) if plain else (_WHOLE_REPORT,):
        whole = pattern.match(buffer, at)
        if whole is not None and HEX_DIGITS[xor_of(whole[1], ETX)] == whole[2]:
            return whole
    return None


def split(unframed: Unframed, data: bytes, *, plain: bool = False) -> tuple[bytes, ...]:
    """Cut the next bytes after each report that they complete."""
    buffer, waiting = unframed.pending + data, len(unframed.pending)
    if not plain and _WHOLE_REPORT.fullmatch(buffer):
        return (data,)
    ends: list[int] = []
    at = buffer.find(ENQ)
    while at >= 0:
        whole = _good_report(buffer, at, plain=plain) or _WHOLE_REPORT.match(buffer, at)
        ends += [] if whole is None else [whole.end() - waiting]
        at = buffer.find(ENQ, at + 1 if whole is None else whole.end())
    return cut_at(data, ends)


def _parse_at(
    buffer: bytes, at: int, reading: BccReading
) -> tuple[int, AngelEyeFrame | LinkFault | None]:
    """The frame or fault at `at`, and where the rest begins; None while its end is missing."""
    lead = buffer[at]
    if lead == ACK:
        return at + 1, _ACKED
    if lead == NAK:
        if at + 1 == len(buffer):
            return at, None
        code = _NAK_CODES.get(buffer[at + 1])
        return (at + 1, _NOISE) if code is None else (at + 2, NakFrame(code))
    if lead in (ENQ, STX):
        return _parse_framed(buffer, at, reading)
    start = _START.search(buffer, at + 1)
    return (len(buffer) if start is None else start.start()), _NOISE


def _parse_framed(
    buffer: bytes, at: int, reading: BccReading
) -> tuple[int, AngelEyeFrame | LinkFault | None]:
    body_end = _end(_BODY, buffer, at + 1)
    if body_end - at > FRAME_BYTES_MAX:
        return body_end, _NO_END
    if body_end == len(buffer):
        return at, None
    if buffer[body_end] == ENQ:
        # Nothing was truncated between two start bytes.
        return body_end, (_NOISE if body_end == at + 1 else _TRUNCATED)
    digits_end = _end(_DIGITS, buffer, body_end + 1)
    if digits_end < body_end + 3:
        if digits_end == len(buffer):
            return at, None
        return digits_end, (_TRUNCATED if buffer[digits_end] == ENQ else _BAD_CHECKSUM)
    body = buffer[at + 1 : body_end]
    lead = buffer[at]
    counted = ETX ^ STX if lead == STX and reading is BccReading.STX_COUNTED else ETX
    if HEX_DIGITS[xor_of(body, counted)] != buffer[body_end + 1 : digits_end]:
        return digits_end, _BAD_CHECKSUM
    if lead == STX:
        return digits_end, (ReadReplyFrame(body) if body else _EMPTY)
    return digits_end, (ReportFrame(chr(body[0]), body[1:]) if len(body) > 1 else _EMPTY)


def _end(pattern: re.Pattern[bytes], buffer: bytes, at: int) -> int:
    """The end of the longest match of a pattern that also matches the empty string."""
    match = pattern.match(buffer, at)
    assert match is not None
    return match.end()


def encode_command(kind: str, data: str, reading: BccReading) -> bytes:
    """Encode a command frame from its two-letter type and two-digit data."""
    assert len(kind) == 2
    assert len(data) == 2
    body = b"OP" + kind.encode("ascii") + data.encode("ascii") + bytes((ETX,))
    initial = STX if reading is BccReading.STX_COUNTED else 0
    return bytes((STX,)) + body + HEX_DIGITS[xor_of(body, initial)]
