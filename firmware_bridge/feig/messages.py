"""Content of FEIG readers' answers: status, timer, inventory and data blocks.

Not: the buffer's records (records).
Source: firmware_bridge/feig/README.md, commands and status.
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct

from firmware_bridge.feig.items import TagInventoried
from firmware_bridge.link import LinkFaultKind
from foundation.message import Message, message

OK: Final = 0x00
NO_TRANSPONDER: Final = 0x01
NO_VALID_DATA: Final = 0x92
OVERFLOW: Final = 0x93
MORE_DATA: Final = 0x94

_STATUS_MEANINGS = MappingProxyType(
    {
        OK: message("status_ok"),
        NO_TRANSPONDER: message("status_no_transponder"),
        0x02: message("status_data_false"),
        0x03: message("status_write_error"),
        0x04: message("status_address_error"),
        0x05: message("status_wrong_transponder_type"),
        0x08: message("status_authentication_error"),
        0x0B: message("status_collision"),
        0x0E: message("status_general_error"),
        0x10: message("status_eeprom_error"),
        0x11: message("status_parameter_out_of_range"),
        0x13: message("status_log_in_requested"),
        0x14: message("status_log_in_error"),
        0x15: message("status_read_protected"),
        0x16: message("status_write_protected"),
        0x80: message("unknown_command"),
        0x81: message("wrong_length"),
        0x82: message("status_command_not_available"),
        0x83: message("status_radio_communication_error"),
        0x84: message("status_radio_warning"),
        0x85: message("status_epc_error"),
        NO_VALID_DATA: message("status_no_valid_data"),
        OVERFLOW: message("status_data_buffer_overflow"),
        MORE_DATA: message("status_more_data"),
        0x95: message("status_iso_15693_error"),
        0x96: message("status_iso_14443_error"),
        0xF1: message("status_hardware_warning"),
    }
)
_UNKNOWN_STATUS: Final = message("status_unknown")

# Statuses of a reading that contains records; 83 to 85 are warnings.
WITH_RECORDS = frozenset({OK, 0x83, 0x84, 0x85, OVERFLOW, MORE_DATA})

DAY_MS: Final = 86_400_000

# Transponder types whose inventory entry is type, DSFID and an identity of eight bytes, and those
# whose entry is type, identity type, length and identity.
_OF_EIGHT = frozenset({0x00, 0x01, 0x03, 0x07})
_OF_LENGTH = frozenset({0x09, 0x84})


class MalformedContent(Struct, frozen=True):
    """The invalid content of a good frame; the reason shows none of its bytes."""

    reason: Message
    kind: LinkFaultKind = LinkFaultKind.MALFORMED


def status_meaning(status: int) -> Message:
    """The meaning of the status byte."""
    return _STATUS_MEANINGS.get(status, _UNKNOWN_STATUS)


def describe_status(status: int) -> Message:
    """The status byte with its meaning."""
    return message("status_with_meaning", status=f"{status:02X}", meaning=status_meaning(status))


def clock_ms(timer: bytes) -> int:
    """The system timer (hour, minute, u16 of milliseconds) in milliseconds of its day."""
    return timer[0] * 3_600_000 + timer[1] * 60_000 + int.from_bytes(timer[2:4], "big")


def parse_timer(data: bytes) -> int | MalformedContent:
    """Parse the answer to 86."""
    if len(data) != 4:
        return MalformedContent(message("timer_length", length=len(data)))
    return clock_ms(data)


def parse_inventory(data: bytes) -> tuple[TagInventoried, ...] | MalformedContent:
    """Parse the answer to B0 01: a count, then each tag."""
    if not data:
        return MalformedContent(message("inventory_without_count"))
    count, rest = data[0], data[1:]
    tags: list[TagInventoried] = []
    for number in range(1, count + 1):
        if not rest:
            return MalformedContent(message("inventory_ends_early", tags=count, number=number))
        kind = rest[0]
        if kind in _OF_EIGHT:
            end, begin = 10, 2
        elif kind in _OF_LENGTH and len(rest) >= 3:
            end, begin = 3 + rest[2], 3
        else:
            return MalformedContent(
                message("inventory_tag_type_unknown", number=number, type=f"{kind:02X}")
            )
        if len(rest) < end:
            return MalformedContent(message("inventory_tag_truncated", number=number))
        tags.append(TagInventoried(kind, rest[begin:end]))
        rest = rest[end:]
    return MalformedContent(message("bytes_after_inventory")) if rest else tuple(tags)


def parse_blocks(data: bytes, count: int) -> bytes | MalformedContent:
    """Parse the answer to B0 23: number and size of blocks, each after its security byte."""
    if len(data) < 2:
        return MalformedContent(message("blocks_without_number_and_size"))
    given, size = data[0], data[1]
    if given != count:
        return MalformedContent(message("blocks_number", given=given, expected=count))
    if not size or len(data) != 2 + given * (1 + size):
        return MalformedContent(message("blocks_length"))
    starts = range(3, len(data), 1 + size)
    return b"".join(data[start : start + size] for start in starts)
