"""What FEIG readers' answers hold, apart from the buffer's records.

Responsible for: the status byte in words, the timer, the version, tags in the field, data blocks.
Not responsible for: records (records) and for what is asked when (link).
Source: package README, "FEIG OBID", commands and status.
"""

from types import MappingProxyType
from typing import Final

from firmware_bridge.feig.items import TagInventoried
from firmware_bridge.values import dataclass

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

# With these a reading of the buffer holds records; 83 to 85 are warnings beside them.
WITH_RECORDS = frozenset({OK, 0x83, 0x84, 0x85, OVERFLOW, MORE_DATA})

DAY_MS: Final = 86_400_000

# Kinds of transponder whose entry in an inventory is kind, DSFID and an identity of eight bytes,
# and those whose entry is kind, a byte for the identity's own kind, its length and the identity.
_OF_EIGHT = frozenset({0x00, 0x01, 0x03, 0x07})
_OF_LENGTH = frozenset({0x09, 0x84})


@dataclass(frozen=True, slots=True)
class Malformed:
    """A good frame whose content does not fit; the reason shows none of its bytes."""

    reason: str


def status_text(status: int) -> str:
    """The status byte with its meaning."""
    return f"{status:02X}, {STATUS_WORDS.get(status, 'unknown to this program')}"


def clock_ms(timer: bytes) -> int:
    """The system timer, hour, minute and u16 of milliseconds, as milliseconds of its day."""
    return timer[0] * 3_600_000 + timer[1] * 60_000 + int.from_bytes(timer[2:4], "big")


def parse_timer(data: bytes) -> int | Malformed:
    """The answer to 86."""
    if len(data) != 4:
        return Malformed(f"the timer has {len(data)} bytes where 4 are due")
    return clock_ms(data)


def parse_inventory(data: bytes) -> tuple[TagInventoried, ...] | Malformed:
    """The answer to B0 01: how many, then each tag."""
    if not data:
        return Malformed("an inventory without a count")
    count, rest = data[0], data[1:]
    tags: list[TagInventoried] = []
    for number in range(1, count + 1):
        if not rest:
            return Malformed(f"an inventory of {count} ends before tag {number}")
        kind = rest[0]
        if kind in _OF_EIGHT:
            end, begin = 10, 2
        elif kind in _OF_LENGTH and len(rest) >= 3:
            end, begin = 3 + rest[2], 3
        else:
            return Malformed(f"tag {number} is of kind {kind:02X}, whose entry is not known")
        if len(rest) < end:
            return Malformed(f"tag {number} of an inventory is cut short")
        tags.append(TagInventoried(kind, rest[begin:end]))
        rest = rest[end:]
    return Malformed("bytes after the last tag of an inventory") if rest else tuple(tags)


def parse_blocks(data: bytes, count: int) -> bytes | Malformed:
    """The answer to B0 23: how many blocks, how long, and each with its security byte before it."""
    if len(data) < 2:
        return Malformed("blocks without number and size")
    given, size = data[0], data[1]
    if given != count:
        return Malformed(f"{given} blocks where {count} were asked for")
    if not size or len(data) != 2 + given * (1 + size):
        return Malformed("the blocks are not as long as their number and size say")
    starts = range(3, len(data), 1 + size)
    return b"".join(data[start : start + size] for start in starts)
