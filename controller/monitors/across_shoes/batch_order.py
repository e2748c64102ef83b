"""The order in which a batch was dealt before, as far as a poor shuffle leaves it.

For each face: the faces that came after its copies, before them, beside them, and in the same coup
or the next. Discards are picked up coup by coup, so the order inside a coup need not stay.
"""

from typing import Final, TypeAlias

from msgspec import Struct

from controller.monitors.faces import FACES, GAP
from controller.monitors.past import PastShoe, blocks_of

PARTS: Final = 8
# A card of the same coup counts three times one of the coups beside.
_SAME_COUP: Final = 3
# For each face, how often each other one is expected.
Table: TypeAlias = tuple[tuple[int, ...], ...]


class BatchOrder(Struct, frozen=True):
    """What a shoe of a batch says of its next one.

    `after`, `before` and `mates` count for each face the faces expected with it; `parts` the faces
    in each of eight equal parts of the shoe.
    """

    after: Table
    before: Table
    mates: Table
    parts: Table


def batch_order(shoe: PastShoe) -> BatchOrder:
    """What this shoe says of the next one of its batch."""
    after = [[0] * FACES for _ in range(FACES)]
    for first, second in zip(shoe.cards, shoe.cards[1:], strict=False):
        if GAP not in (first, second):
            after[first][second] += 1
    before = [list(column) for column in zip(*after, strict=True)]
    parts = [[0] * FACES for _ in range(PARTS)]
    for at, face in enumerate(shoe.cards):
        if face != GAP:
            parts[at * PARTS // len(shoe.cards)][face] += 1
    return BatchOrder(_frozen(after), _frozen(before), _frozen(_mates(shoe)), _frozen(parts))


def _mates(shoe: PastShoe) -> list[list[int]]:
    mates = [[0] * FACES for _ in range(FACES)]
    blocks = [block for _, block in blocks_of(shoe)]
    for at, block in enumerate(blocks):
        beside = b"".join((*blocks[at + 1 : at + 2], *(blocks[at - 1 : at] if at else ())))
        for place, face in enumerate(block):
            row = mates[face]
            for other in block[:place] + block[place + 1 :]:
                row[other] += _SAME_COUP
            for other in beside:
                row[other] += 1
    return mates


def _frozen(table: list[list[int]]) -> Table:
    return tuple(tuple(row) for row in table)
