"""Decodes a card chip's memory into the face it names, or the reason why it names none.

Source: controller/service/commissioning/README.md, "What a card's chip holds". The checksum is
CRC-16/IBM-3740: polynomial 0x1021, initial value 0xFFFF, not reflected, most significant byte
first.

The open layout is eight bytes, the first two four-byte blocks of the chip: mark, version, rank,
suit, back colour, deck, and a two-byte checksum. The checksum proves that the chip was read and
written whole, not its origin: whoever can write a chip can write a right checksum. That a card
belongs to the batch is proven by its tag in the manifest. A maker's own layout is one more row of
LAYOUTS.
"""

import binascii
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.cards import Card, Rank, Suit

MARK: Final = 0x53
VERSION: Final = 0x01
OPEN_LAYOUT: Final = "smartshoe-1"

BACK_COLOURS: Final[Mapping[int, str]] = MappingProxyType(
    {
        1: "red",
        2: "blue",
        3: "green",
        4: "black",
        5: "yellow",
        6: "orange",
        7: "purple",
        8: "brown",
        9: "grey",
        10: "white",
    }
)

_BYTES: Final = 8
_CHECKSUM_INITIAL: Final = 0xFFFF
_SUITS: Final = MappingProxyType({ord(suit.value): suit for suit in Suit})


class ChipFace(Struct, frozen=True):
    """A decoded chip: face (None: a cut card), back ("" if not stored), deck (0 if not stored)."""

    card: Card | None
    back: str = ""
    deck: int = 0


class ChipUnread(Struct, frozen=True):
    """Why a chip names no face, as the end of a sentence: "its chip ..."."""

    reason: str


class ChipLayout(Struct, frozen=True):
    """One layout: option name, title, and a decoder that accepts any bytes."""

    name: str
    title: str
    read: Callable[[bytes], ChipFace | ChipUnread]


def _read_open(memory: bytes) -> ChipFace | ChipUnread:
    if not memory:
        return ChipUnread("did not answer")
    if len(memory) < _BYTES:
        return ChipUnread(f"gave {len(memory)} bytes; {_BYTES} are needed")
    mark, version, rank, suit, back, deck = memory[: _BYTES - 2]
    if not any(memory[:_BYTES]):
        return ChipUnread("is empty: nothing was written to it")
    if mark != MARK:
        return ChipUnread(f"has another layout: it begins with {mark:02X}, not {MARK:02X}")
    if version != VERSION:
        return ChipUnread(f"has version {version} of the layout; supported is {VERSION}")
    if int.from_bytes(memory[_BYTES - 2 : _BYTES]) != _checksum(memory[: _BYTES - 2]):
        return ChipUnread("is damaged: its checksum is wrong")
    if back and back not in BACK_COLOURS:
        return ChipUnread(f"names back colour {back}; known are 1 to {len(BACK_COLOURS)}")
    colour = BACK_COLOURS.get(back, "")
    if rank == 0 and suit == 0:
        return ChipFace(None, colour, deck)
    if not 1 <= rank <= Rank.KING or suit not in _SUITS:
        return ChipUnread(f"names no card: rank {rank}, suit {suit:02X}")
    return ChipFace(Card(Rank(rank), _SUITS[suit]), colour, deck)


def _checksum(data: bytes) -> int:
    return binascii.crc_hqx(data, _CHECKSUM_INITIAL)


LAYOUTS: Final[Mapping[str, ChipLayout]] = MappingProxyType(
    {OPEN_LAYOUT: ChipLayout(OPEN_LAYOUT, "the open layout of smartshoe", _read_open)}
)
