"""The Merkle tree of a log: its root, and proofs of inclusion and of consistency.

Source: RFC 6962, section 2.1 (the tree), 2.1.1 (inclusion), 2.1.2 (consistency).
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final

from msgspec import Struct

EMPTY_ROOT: Final = sha256(b"").digest()
HASH_BYTES: Final = 32

# The root of the leaves from the first index up to the second, which is left out.
RootOf = Callable[[int, int], bytes]


def leaf_hash(entry: bytes) -> bytes:
    """The hash of one entry of the log."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees side by side."""
    return sha256(b"\x01" + left + right).digest()


def split(size: int) -> int:
    """The largest power of two below `size`: so many leaves lie to the left."""
    return 1 << (size - 1).bit_length() - 1


class Frontier(Struct, frozen=True):
    """The roots of the full subtrees of a tree, the largest first: enough to add leaves.

    There is one for each bit that is set in `size`.
    """

    size: int = 0
    roots: tuple[bytes, ...] = ()

    def with_leaf(self, leaf: bytes) -> "Frontier":
        """The frontier after one more leaf, given by its hash."""
        roots, size = [*self.roots, leaf], self.size
        while size & 1:
            right, left = roots.pop(), roots.pop()
            roots.append(node_hash(left, right))
            size >>= 1
        return Frontier(self.size + 1, tuple(roots))

    @property
    def root(self) -> bytes:
        """The root of the whole tree."""
        if not self.roots:
            return EMPTY_ROOT
        *others, found = self.roots
        for left in reversed(others):
            found = node_hash(left, found)
        return found


def frontier_of(leaves: Sequence[bytes]) -> Frontier:
    """The frontier of the tree of these leaf hashes."""
    frontier = Frontier()
    for leaf in leaves:
        frontier = frontier.with_leaf(leaf)
    return frontier


def roots_of(leaves: Sequence[bytes]) -> RootOf:
    """The roots of parts of a tree whose leaf hashes are all at hand."""

    def root(start: int, end: int) -> bytes:
        return frontier_of(leaves[start:end]).root

    return root


def inclusion_proof(root_of: RootOf, index: int, size: int) -> tuple[bytes, ...]:
    """The hashes that lead from leaf `index` to the root of the tree of `size` leaves."""
    assert 0 <= index < size, "a leaf of the tree"
    start, end, found = 0, size, []
    while end - start > 1:
        middle = start + split(end - start)
        if index < middle:
            found.append(root_of(middle, end))
            end = middle
        else:
            found.append(root_of(start, middle))
            start = middle
    return tuple(reversed(found))


def includes(root: bytes, size: int, index: int, leaf: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the proof shows that this leaf hash is leaf `index` of the tree with that root."""
    if not 0 <= index < size:
        return False
    found, last, hashes = leaf, size - 1, list(proof)
    while last:
        if index & 1 or index == last:
            if not hashes:
                return False
            found = node_hash(hashes.pop(0), found)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            if not hashes:
                return False
            found = node_hash(found, hashes.pop(0))
        index, last = index >> 1, last >> 1
    return not hashes and found == root


def consistency_proof(root_of: RootOf, older: int, size: int) -> tuple[bytes, ...]:
    """The hashes that show that a tree of `size` leaves only appends to its first `older`."""
    assert 0 < older <= size, "an older head of the same log"
    start, end, found, whole = 0, size, [], True
    while older != end - start:
        middle = start + split(end - start)
        if older <= middle - start:
            found.append(root_of(middle, end))
            end = middle
        else:
            found.append(root_of(start, middle))
            older, start, whole = older - (middle - start), middle, False
    if not whole:
        found.append(root_of(start, end))
    return tuple(reversed(found))


def is_consistent(
    older_root: bytes, older: int, root: bytes, size: int, proof: Sequence[bytes]
) -> bool:
    """Whether the proof shows that the tree of `size` leaves begins with the older tree."""
    if older == size:
        return not proof and older_root == root
    if not 0 < older < size:
        return False
    hashes = list(proof)
    # The older tree's last full subtree begins the proof, unless it is the older tree itself.
    if older & (older - 1) == 0:
        hashes.insert(0, older_root)
    if not hashes:
        return False
    index, last = older - 1, size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    of_older = of_newer = hashes.pop(0)
    while hashes:
        if not last:
            return False
        one = hashes.pop(0)
        if index & 1 or index == last:
            of_older, of_newer = node_hash(one, of_older), node_hash(one, of_newer)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            of_newer = node_hash(of_newer, one)
        index, last = index >> 1, last >> 1
    return not last and of_older == older_root and of_newer == root
