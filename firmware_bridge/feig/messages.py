"""Content of FEIG readers' answers: status, timer, inventory and data blocks.

Not: the buffer's records (records).
Source: firmware_bridge/README.md, "FEIG OBID", commands and status.
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct

from firmware_bridge.feig.items import TagInventoried

OK: Final = 0x00
NO_TRANSPONDER: Final = 0x01
NO_VALID_DATA: Final = 0x92
OVERFLOW: Final = 0x93
MORE_DATA: Final = 0x94

STATUS_WORDS = MappingProxyType(
    {
        OK: "ok",
        NO_TRANSPONDER: "no transponder",
        0x02: "data false",
        0x03: "write error",
        0x04: "address error",
        0x05: "wrong transponder type",
        0x08: "authentication error",
        0x0B: "collision",
        0x0E: "general error",
        0x10: "EEPROM error",
        0x11: "parameter out of range",
        0x13: "log-in requested",
        0x14: "log-in error",
        0x15: "read protected",
        0x16: "write protected",
        0x80: "unknown command",
        0x81: "wrong length",
        0x82: "command not available",
        0x83: "radio communication error",
        0x84: "radio warning",
        0x85: "EPC error",
        NO_VALID_DATA: "no valid data",
        OVERFLOW: "data buffer overflow",
        MORE_DATA: "more data",
        0x95: "ISO 15693 error",
        0x96: "ISO 14443 error",
        0xF1: "hardware warning",
    }
)

# Statuses of a reading that contains records; 83 to 85 are warnings.
WITH_RECORDS = frozenset({OK, 0x83, 0x84, 0x85, OVERFLOW, MORE_DATA})

DAY_MS: Final = 86_400_000

# Transponder types whose inventory entry is type, DSFID and an identity of eight bytes, and those
# whose entry is type, identity type, length and identity.
_OF_EIGHT = frozenset({0x00, 0x01, 0x03, 0x07})
_OF_LENGTH = frozenset({0x09, 0x84})


class MalformedContent(Struct, frozen=True):
    """The invalid content of a good frame; the reason shows none of its bytes."""

    reason: str


def status_text(status: int) -> str:
    """The status byte with its meaning."""
    return f"{status:02X}, {STATUS_WORDS.get(status, 'unknown to this program')}"


def clock_ms(timer: bytes) -> int:
    """The system timer (hour, minute, u16 of milliseconds) in milliseconds of its day."""
    return timer[0] * 3_600_000 + timer[1] * 60_000 + int.from_bytes(timer[2:4], "big")


def parse_timer(data: bytes) -> int | MalformedContent:
    """Parse the answer to 86."""
    if len(data) != 4:
        return MalformedContent(f"the timer has {len(data)} bytes instead of 4")
    return clock_ms(data)


def parse_inventory(data: bytes) -> tuple[TagInventoried, ...] | MalformedContent:
    """Parse the answer to B0 01: a count, then each tag."""
    if not data:
        return MalformedContent("an inventory without a count")
    count, rest = data[0], data[1:]
    tags: list[TagInventoried] = []
    for number in range(1, count + 1):
        if not rest:
            return MalformedContent(f"an inventory of {count} ends before tag {number}")
        kind = rest[0]
        if kind in _OF_EIGHT:
            end, begin = 10, 2
        elif kind in _OF_LENGTH and len(rest) >= 3:
            end, begin = 3 + rest[2], 3
        else:
            return MalformedContent(f"tag {number} has the unknown type {kind:02X}")
        if len(rest) < end:
            return MalformedContent(f"tag {number} of an inventory is truncated")
        tags.append(TagInventoried(kind, rest[begin:end]))
        rest = rest[end:]
    return MalformedContent("bytes after the last tag of an inventory") if rest else tuple(tags)


def parse_blocks(data: bytes, count: int) -> bytes | MalformedContent:
    """Parse the answer to B0 23: number and size of blocks, each after its security byte."""
    if len(data) < 2:
        return MalformedContent("blocks without number and size")
    given, size = data[0], data[1]
    if given != count:
        return MalformedContent(f"{given} blocks instead of {count}")
    if not size or len(data) != 2 + given * (1 + size):
        return MalformedContent("the length of the blocks does not match their number and size")
    starts = range(3, len(data), 1 + size)
    return b"".join(data[start : start + size] for start in starts)
