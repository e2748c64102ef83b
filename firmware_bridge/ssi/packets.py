"""Packets of Zebra's Simple Serial Interface: a byte stream to packets, packets to bytes.

A packet has no start byte, only its length, so silence or a resend follows a damaged one.
Bounded: at most 256 bytes wait.
Source: firmware_bridge/ssi/README.md.
"""

from enum import IntEnum
from typing import TypeAlias

from msgspec import Struct

from firmware_bridge.link import LinkFault, LinkFaultKind, Unframed
from foundation.message import message

FROM_SCANNER = 0x00
FROM_HOST = 0x04

RESENT = 0x01
CONTINUES = 0x02

_HEAD_BYTES = 4
_SUM_BYTES = 2
_SOURCE_AT = 2


class Opcode(IntEnum):
    """Packets that this program sends or understands."""

    REVISION_WANTED = 0xA3
    REVISION = 0xA4
    PARAMETERS = 0xC6
    ACK = 0xD0
    NAK = 0xD1
    START_SESSION = 0xE4
    STOP_SESSION = 0xE5
    ENABLE = 0xE9
    DISABLE = 0xEA
    DECODE_DATA = 0xF3
    EVENT = 0xF6


class NakCause(IntEnum):
    """Why a packet was refused."""

    RESEND = 0x01
    BAD_CONTEXT = 0x02
    DENIED = 0x06
    CANCEL = 0x0A


class Packet(Struct, frozen=True):
    """One packet of the scanner; `opcode` is any byte."""

    opcode: int
    status: int
    data: bytes

    @property
    def resent(self) -> bool:
        """Whether the scanner resends the packet because it got no answer."""
        return bool(self.status & RESENT)

    @property
    def continues(self) -> bool:
        """Whether the message continues in the next packet."""
        return bool(self.status & CONTINUES)


PacketOrFault: TypeAlias = Packet | LinkFault

_NOISE = LinkFault(LinkFaultKind.NOISE, message("bytes_outside_any_packet"))
_BAD_SUM = LinkFault(LinkFaultKind.BAD_CHECKSUM, message("sum_does_not_match_packet"))
_CUT_OFF = LinkFault(LinkFaultKind.TRUNCATED, message("line_silent_within_packet"))


def encode(opcode: int, data: bytes = b"", *, status: int = 0, source: int = FROM_HOST) -> bytes:
    """Encode a packet with its checksum."""
    assert len(data) <= 0xFF - _HEAD_BYTES
    body = bytes((_HEAD_BYTES + len(data), opcode, source, status)) + data
    return body + (-sum(body) & 0xFFFF).to_bytes(_SUM_BYTES, "big")


def feed(unframed: Unframed, data: bytes) -> tuple[Unframed, tuple[PacketOrFault, ...]]:
    """Take the next bytes; return the packets and faults they complete, in order. None raise."""
    buffer = unframed.pending + data
    in_noise = unframed.in_noise
    found: list[PacketOrFault] = []
    at = 0
    while at < len(buffer):
        if not _may_begin(buffer, at):
            if not in_noise:
                found.append(_NOISE)
            in_noise = True
            at += 1
            continue
        end = _end(buffer, at)
        if end > len(buffer):
            break
        if _sum_fits(buffer, at, end):
            found.append(Packet(buffer[at + 1], buffer[at + 3], buffer[at + 4 : end - _SUM_BYTES]))
            in_noise = False
            at = end
            continue
        # A wrong length may have swallowed a good packet; the rest is dropped.
        found.append(_BAD_SUM)
        in_noise = True
        at = _next_good(buffer, at + 1, end)
    return Unframed(buffer[at:], in_noise), tuple(found)


def flush(unframed: Unframed) -> tuple[PacketOrFault, ...]:
    """After silence: report the truncated packet, and return packets found inside it."""
    found: list[PacketOrFault] = []
    pending = unframed.pending
    while pending:
        found.append(_CUT_OFF)
        at = _next_good(pending, 1, len(pending))
        rest, more = feed(Unframed(pending[at:], in_noise=True), b"")
        found.extend(more)
        pending = rest.pending
    return tuple(found)


def _may_begin(buffer: bytes, at: int) -> bool:
    """Whether the bytes at `at` can begin the header of a scanner's packet."""
    source_at = at + _SOURCE_AT
    known = source_at < len(buffer)
    return buffer[at] >= _HEAD_BYTES and (not known or buffer[source_at] == FROM_SCANNER)


def _end(buffer: bytes, at: int) -> int:
    return at + buffer[at] + _SUM_BYTES


def _sum_fits(buffer: bytes, at: int, end: int) -> bool:
    sum_at = end - _SUM_BYTES
    return (sum(buffer[at:sum_at]) + int.from_bytes(buffer[sum_at:end], "big")) & 0xFFFF == 0


def _next_good(buffer: bytes, start: int, end: int) -> int:
    """Where the first complete valid packet between `start` and `end` begins; else `end`."""
    for at in range(start, end):
        if _may_begin(buffer, at):
            packet_end = _end(buffer, at)
            if packet_end <= len(buffer) and _sum_fits(buffer, at, packet_end):
                return at
    return end
