"""The files of a log, tiles of 256 hashes and the entries under them, and the tree that they store.

Full ones never change.
Source: C2SP tlog-tiles; RFC 6962, section 2.1.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.journal.evidence_log.tree import (
    HASH_BYTES,
    Frontier,
    frontier_of,
    leaf_hash,
    node_hash,
    split,
)

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


_NO_LEAVES: Final = Frontier()


class StoredTree:
    """A tree that grows. `entries_from` returns the stored entries from a number on.

    `tile_roots` are those of its first full tiles, where they are known: who gives them compares
    the root with a signed head.
    """

    def __init__(
        self, entries_from: Callable[[int], Iterable[bytes]], tile_roots: Sequence[bytes] = ()
    ) -> None:
        self._entries_from = entries_from
        self._tile_roots = list(tile_roots)
        known = frontier_of(self._tile_roots)
        self._frontier, self._tile = Frontier(known.size * TILE_WIDTH, known.roots), _NO_LEAVES
        for entry in entries_from(self._frontier.size):
            self.add(leaf_hash(entry))

    @property
    def frontier(self) -> Frontier:
        return self._frontier

    def add(self, leaf: bytes) -> None:
        """Add the next leaf, by its hash."""
        self._frontier = self._frontier.with_leaf(leaf)
        self._tile = self._tile.with_leaf(leaf)
        if self._tile.size == TILE_WIDTH:
            self._tile_roots.append(self._tile.root)
            self._tile = _NO_LEAVES

    def root(self, start: int, end: int) -> bytes:
        """The root of the leaves from `start` up to `end`, a part of the tree as it is split."""
        if end - start <= TILE_WIDTH:
            tile, within = divmod(start, TILE_WIDTH)
            if end - start == TILE_WIDTH and not within and tile < len(self._tile_roots):
                return self._tile_roots[tile]
            return frontier_of(self.leaves(start, end)).root
        middle = start + split(end - start)
        return node_hash(self.root(start, middle), self.root(middle, end))

    def leaves(self, start: int, end: int) -> list[bytes]:
        """The hashes of these leaves."""
        return [leaf_hash(entry) for entry in islice(self._entries_from(start), end - start)]


def tile_roots_of(folder: Path) -> list[bytes]:
    """The roots of the full tiles of leaf hashes, by the files of a log; none where any is damaged.

    They are the hashes of the tiles of level 1.
    """
    found: list[bytes] = []
    try:
        for index in count():
            path = folder / Tile(1, index).path
            whole = path.is_file()
            partial = path.with_name(f"{path.name}.p")
            widths = sorted(int(one.name) for one in partial.glob("*")) if not whole else ()
            width = TILE_WIDTH if whole else max(widths, default=0)
            if not width:
                break
            found += read_tile((path if whole else partial / str(width)).read_bytes(), width)
            if not whole:
                break
    except (OSError, ValueError):
        return []
    return found
