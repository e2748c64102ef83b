"""The row of 64 bytes that a sealed file holds for each card: its layout, packing and reading."""

import struct
from enum import IntEnum, IntFlag
from typing import Final

from msgspec import Struct

from controller.journal.shoe_file import ROW_BYTES

_ROW: Final = struct.Struct(">QqIBBBBBB6x16s16s")
assert _ROW.size == ROW_BYTES

# Offsets of the columns: rows[ROLE_AT::ROW_BYTES] are all roles.
COUP_AT: Final = 16
ROLE_AT: Final = 20
CARD_AT: Final = 21
CLAIMED_AT: Final = 22
FLAGS_AT: Final = 23
ENDS_AT: Final = 24
DECLARED_AT: Final = 25
TAG_AT: Final = 32
CHAIN_AT: Final = 48
TAG_BYTES: Final = 16
CHAIN_BYTES: Final = 16
NOT_READ: Final = 0


class RowRole(IntEnum):
    """What a card was used for; the places of a coup are in the order of drawing."""

    OTHER = 0  # none of these: see the records
    BURN_FIRST = 1
    BURN = 2
    PLAYER_1 = 3
    BANKER_1 = 4
    PLAYER_2 = 5
    BANKER_2 = 6
    PLAYER_3 = 7
    BANKER_3 = 8
    CUT_CARD = 9


class RowFlag(IntFlag):
    """Reasons why a card's shoe cannot be screened by rows alone."""

    NONE = 0
    IRREGULAR = 1  # an irregularity was raised at it
    SUSPENDED = 2  # drawn while the table was suspended
    CARRIED = 4  # drawn in error, held for another coup, or set aside


class RowEnd(IntEnum):
    """Result of the coup whose last card this is; NOT_LAST for every other card."""

    NOT_LAST = 0
    PLAYER = 1
    BANKER = 2
    TIE = 3
    VOID = 4
    PARTIAL = 5
    FLOOR_DECIDED = 6


class CardRow(Struct, frozen=True):
    """A card that left the shoe, or the cut card.

    `seq` is the record of its drawing, `utc_ns` the time of the input. `card` is the number of its
    face (rules.cards.FACES) plus one, so 1 to 52, or NOT_READ; the cut card has none. `claimed` is
    the role that the shoe reported, OTHER where it reports none. `declared` is a RowEnd of PLAYER,
    BANKER or TIE at a coup's last card where the dealer declared, else NOT_LAST. `tag` is the
    identity of the card's chip: SHA-256 of its text cut to 16 bytes, zeros where it has none;
    `chain` the first 16 bytes of the chain value of record `seq`.
    """

    seq: int
    utc_ns: int
    coup: int
    role: RowRole
    card: int
    claimed: RowRole
    flags: RowFlag
    ends: RowEnd
    declared: RowEnd
    tag: bytes
    chain: bytes


def row_bytes(row: CardRow) -> bytes:
    """The row packed into ROW_BYTES bytes."""
    return _ROW.pack(
        row.seq,
        row.utc_ns,
        row.coup,
        row.role,
        row.card,
        row.claimed,
        row.flags,
        row.ends,
        row.declared,
        row.tag,
        row.chain,
    )


def read_row(data: bytes, at: int = 0) -> CardRow:
    """The row at offset `at`. Raises ValueError where a number in it is not defined."""
    seq, utc_ns, coup, role, card, claimed, flags, ends, declared, tag, chain = _ROW.unpack_from(
        data, at
    )
    return CardRow(
        seq,
        utc_ns,
        coup,
        RowRole(role),
        card,
        RowRole(claimed),
        RowFlag(flags),
        RowEnd(ends),
        RowEnd(declared),
        tag,
        chain,
    )
