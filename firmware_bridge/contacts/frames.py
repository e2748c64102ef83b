"""Readings of contacts as bytes: the levels of up to four lines in one byte that checks itself.

Source: firmware_bridge/contacts/README.md.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.link import LinkFault, LinkFaultKind, Unframed
from foundation.message import message

LINES_MAX: Final = 4

_LEVELS: Final = (1 << LINES_MAX) - 1
_NOISE: Final = LinkFault(LinkFaultKind.NOISE, message("byte_is_no_reading_of_contacts"))


class ContactFrame(Struct, frozen=True):
    """One reading; bit n of `levels` is the level of the n-th line, 1 for high."""

    levels: int


def encode(high: Sequence[bool]) -> bytes:
    """The byte of a reading; a line that is not there is low."""
    assert len(high) <= LINES_MAX
    levels = sum(1 << number for number, one in enumerate(high) if one)
    return bytes(((~levels & _LEVELS) << LINES_MAX | levels,))


def feed(state: Unframed, data: bytes) -> tuple[Unframed, tuple[ContactFrame | LinkFault, ...]]:
    """The readings in these bytes, and a fault for each run of others. No bytes raise."""
    found: list[ContactFrame | LinkFault] = []
    in_noise = state.in_noise
    for byte in data:
        levels = byte & _LEVELS
        if byte >> LINES_MAX == ~levels & _LEVELS:
            found.append(ContactFrame(levels))
            in_noise = False
        elif not in_noise:
            found.append(_NOISE)
            in_noise = True
    return replace(state, in_noise=in_noise), tuple(found)
