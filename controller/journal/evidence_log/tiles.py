"""The files of a log: tiles of 256 hashes, and the entries under them; full ones never change.

Source: C2SP tlog-tiles.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from controller.journal.evidence_log.tree import HASH_BYTES, frontier_of

TILE_WIDTH: Final = 256
CHECKPOINT_NAME: Final = "checkpoint"
ENTRY_BYTES_MAX: Final = (1 << 16) - 1
_GROUP: Final = 1000


class TileError(ValueError):
    """The bytes of a tile are damaged; the message says how."""


class Tile(Struct, frozen=True):
    """A tile of hashes: `width` below 256 is a partial one. Level 0 has the leaf hashes.

    A hash of level n + 1 is the root of a full tile of level n.
    """

    level: int
    index: int
    width: int = TILE_WIDTH

    @property
    def path(self) -> str:
        """Its path in the log's folder."""
        return f"tile/{self.level}/{_number(self.index)}{_partial(self.width)}"


def entries_path(index: int, width: int = TILE_WIDTH) -> str:
    """The path of the entries whose leaf hashes are in tile `index` of level 0."""
    return f"tile/entries/{_number(index)}{_partial(width)}"


def _number(index: int) -> str:
    """Groups of three digits, all but the last with an x before: 1234067 is x001/x234/067."""
    groups = [f"{index % _GROUP:03}"]
    while index := index // _GROUP:
        groups.insert(0, f"x{index % _GROUP:03}")
    return "/".join(groups)


def _partial(width: int) -> str:
    assert 0 < width <= TILE_WIDTH, "empty tiles do not exist"
    return "" if width == TILE_WIDTH else f".p/{width}"


def tiles_of(size: int, before: int = 0) -> Iterator[Tile]:
    """The tiles that a log of `size` leaves has and one of its first `before` has not."""
    level = 0
    while size:
        for index in range(before // TILE_WIDTH, -(-size // TILE_WIDTH)):
            width = min(TILE_WIDTH, size - index * TILE_WIDTH)
            if index * TILE_WIDTH + width > before:
                yield Tile(level, index, width)
        level, size, before = level + 1, size // TILE_WIDTH, before // TILE_WIDTH


def tile_hashes(leaves: Sequence[bytes], tile: Tile) -> tuple[bytes, ...]:
    """The hashes of a tile of the tree with these leaf hashes."""
    span = TILE_WIDTH**tile.level
    first = tile.index * TILE_WIDTH
    return tuple(
        frontier_of(leaves[number * span : (number + 1) * span]).root
        for number in range(first, first + tile.width)
    )


def tile_bytes(hashes: Sequence[bytes]) -> bytes:
    """The bytes of a tile."""
    return b"".join(hashes)


def read_tile(data: bytes, width: int) -> tuple[bytes, ...]:
    """The hashes of a tile. Raises TileError."""
    if len(data) != width * HASH_BYTES:
        raise TileError(f"a tile of {width} hashes has {width * HASH_BYTES} bytes, not {len(data)}")
    return tuple(data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES))


def entries_bytes(entries: Sequence[bytes]) -> bytes:
    """The bytes of the entries under a tile: each with its length before it."""
    assert all(len(one) <= ENTRY_BYTES_MAX for one in entries), "leaves are small"
    return b"".join(len(one).to_bytes(2, "big") + one for one in entries)


def read_entries(data: bytes, width: int) -> tuple[bytes, ...]:
    """The entries under a tile of that width. Raises TileError."""
    found: list[bytes] = []
    at = 0
    while at < len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        if end > len(data):
            raise TileError(f"entry {len(found)} of a tile is cut off")
        found.append(data[at + 2 : end])
        at = end
        if len(found) > width:
            break
    if len(found) != width:
        raise TileError(f"a tile of {width} entries has {len(found)}")
    return tuple(found)
