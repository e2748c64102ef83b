"""Earlier shoes of a table, of either batch, and where in them each face is.

Discards are picked up hand by hand: the order of coups stays, the order inside one does not. So a
shoe is kept as blocks of a coup's cards, beside its cards in order.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from controller.monitors.faces import FACES, GAP
from foundation.recorded_text import Identifier

# Two of each batch.
PAST_SHOES_MAX: Final = 4
# A coup has at most six cards; more stand together where burn cards came before it.
BLOCK_CARDS_MAX: Final = 6
_SEPARATOR: Final = bytes((GAP,))


class PastShoe(Struct, frozen=True):
    """A finished shoe: its cards, and how many had left it at the end of each coup."""

    number: int
    batch: Identifier
    cards: bytes
    coup_ends: tuple[int, ...]


class PastShoes(Struct, frozen=True):
    """The last shoes, oldest first, with an index.

    `text` is all their cards, a `GAP` between shoes; `blocks` are the cards of their coups, an
    empty block between shoes. Bit n of `places[face]`, little-endian, says that block n has the
    face.
    """

    shoes: tuple[PastShoe, ...] = ()
    text: bytes = b""
    blocks: tuple[bytes, ...] = ()
    places: tuple[bytes, ...] = ()


NO_PAST: Final = PastShoes()


def add_shoe(past: PastShoes, shoe: PastShoe) -> PastShoes:
    """The earlier shoes after one more has ended; the oldest is forgotten."""
    shoes = (*past.shoes, shoe)[-PAST_SHOES_MAX:]
    text = _SEPARATOR.join(one.cards for one in shoes)
    blocks: list[bytes] = []
    for one in shoes:
        blocks += [faces for _, faces in blocks_of(one)] + [b""]
    length = (len(blocks) + 7) // 8
    bits = [0] * FACES
    for at, block in enumerate(blocks):
        for face in block:
            bits[face] |= 1 << at
    places = tuple(one.to_bytes(length, "little") for one in bits)
    return PastShoes(shoes, text, tuple(blocks), places)


def blocks_of(shoe: PastShoe) -> Iterator[tuple[int, bytes]]:
    """The coups of a shoe, each with the number of its first card, counted from one.

    What is longer than a coup (burn cards, or a shoe whose coups have no ends) is cut from its end.
    """
    begin = 0
    for end in (*shoe.coup_ends, len(shoe.cards)):
        while begin < end:
            cut = begin + ((end - begin) % BLOCK_CARDS_MAX or BLOCK_CARDS_MAX)
            if faces := shoe.cards[begin:cut].replace(_SEPARATOR, b""):
                yield begin + 1, faces
            begin = cut


def card_of_block(past: PastShoes, block: int) -> tuple[int, int]:
    """The number of the shoe in which a block is, and of the block's first card."""
    for shoe in past.shoes:
        blocks = tuple(blocks_of(shoe))
        if block < len(blocks):
            return shoe.number, blocks[block][0]
        block -= len(blocks) + 1
    raise AssertionError("a block is in a shoe")


def card_of_text(past: PastShoes, at: int) -> tuple[int, int]:
    """The number of the shoe in which a place of the text is, and of its card."""
    for shoe in past.shoes:
        if at < len(shoe.cards):
            return shoe.number, at + 1
        at -= len(shoe.cards) + 1
    raise AssertionError("a place is in a shoe")
