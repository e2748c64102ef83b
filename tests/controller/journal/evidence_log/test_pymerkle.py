"""pymerkle gives the same roots and the same proofs of inclusion for every small tree.

Its consistency proofs have a form of their own; Go's packages check those (test_second_reader).
"""

import pytest
from pymerkle import InmemoryTree

from controller.journal.evidence_log.tree import EMPTY_ROOT, inclusion_proof, leaf_hash, roots_of

pytestmark = pytest.mark.needs("pymerkle")
SIZE_MAX = 40
ENTRIES = tuple(b"entry %d" % number for number in range(SIZE_MAX))
ROOT_OF = roots_of(tuple(map(leaf_hash, ENTRIES)))


@pytest.fixture(scope="module")
def other() -> InmemoryTree:
    tree = InmemoryTree(algorithm="sha256")
    for entry in ENTRIES:
        tree.append_entry(entry)
    return tree


def test_it_gives_the_same_roots(other: InmemoryTree) -> None:
    roots = [ROOT_OF(0, size) for size in range(1, SIZE_MAX + 1)]
    assert [other.get_root(size) for size in range(1, SIZE_MAX + 1)] == roots
    assert other.get_root(0) == EMPTY_ROOT


def test_it_gives_the_same_proofs_of_inclusion(other: InmemoryTree) -> None:
    """Its path begins with the leaf itself; its leaves are counted from 1."""
    for size in range(1, SIZE_MAX + 1):
        for index in range(size):
            path = other.prove_inclusion(index + 1, size).serialize()["path"]
            ours = [one.hex() for one in inclusion_proof(ROOT_OF, index, size)]
            assert path[1:] == ours, (index, size)
