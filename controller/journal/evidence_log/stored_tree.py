"""The tree of a log whose entries are stored: its frontier, and the roots of its full tiles.

Source: RFC 6962, section 2.1; C2SP tlog-tiles.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Final

from controller.journal.evidence_log.tiles import TILE_WIDTH, Tile, read_tile
from controller.journal.evidence_log.tree import Frontier, frontier_of, leaf_hash, node_hash, split

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
