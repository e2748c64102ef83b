"""The log's tree: the roots that everybody has, and proofs that hold for nothing else."""

from hashlib import sha256
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.evidence_log.tree import (
    EMPTY_ROOT,
    consistency_proof,
    frontier_of,
    includes,
    inclusion_proof,
    is_consistent,
    leaf_hash,
    roots_of,
)

# The entries of Google's Certificate Transparency tests, and how the roots of their trees begin.
ENTRIES = tuple(
    bytes.fromhex(one)
    for one in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
)
ROOTS = (
    "e3b0c442",
    "6e340b9c",
    "fac54203",
    "aeb6bcfe",
    "d37ee418",
    "4e3bbb1f",
    "76e67dad",
    "ddb89be4",
    "5dc9da79",
)
SIZE_MAX = 33
LEAVES = tuple(leaf_hash(bytes([number])) for number in range(SIZE_MAX))
ROOT_OF = roots_of(LEAVES)
OTHER = sha256(b"another").digest()


@pytest.mark.parametrize(("size", "beginning"), list(enumerate(ROOTS)))
def test_the_roots_of_the_published_entries(size: int, beginning: str) -> None:
    root = frontier_of([leaf_hash(one) for one in ENTRIES[:size]]).root
    assert root.hex()[:8] == beginning


def test_a_log_without_entries_has_the_hash_of_nothing() -> None:
    assert frontier_of(()).root == EMPTY_ROOT == sha256(b"").digest()


def test_every_leaf_of_every_tree_is_proved() -> None:
    for size in range(1, SIZE_MAX + 1):
        root = ROOT_OF(0, size)
        for index in range(size):
            proof = inclusion_proof(ROOT_OF, index, size)
            assert len(proof) <= (size - 1).bit_length()
            assert includes(root, size, index, LEAVES[index], proof)


def test_a_proof_of_inclusion_holds_for_no_other_leaf_place_or_tree() -> None:
    for size in range(1, 18):
        root = ROOT_OF(0, size)
        for index in range(size):
            proof = inclusion_proof(ROOT_OF, index, size)
            assert not includes(root, size, index, OTHER, proof)
            assert not includes(OTHER, size, index, LEAVES[index], proof)
            assert not includes(root, size, index, LEAVES[index], (*proof, OTHER))
            if proof:
                assert not includes(root, size, index, LEAVES[index], proof[:-1])
            for elsewhere in set(range(-1, size + 1)) - {index}:
                assert not includes(root, size, elsewhere, LEAVES[index], proof)


def test_every_older_tree_is_proved_to_be_the_beginning() -> None:
    for size, older in product(range(1, SIZE_MAX + 1), repeat=2):
        if older > size:
            continue
        proof = consistency_proof(ROOT_OF, older, size)
        assert len(proof) <= (size - 1).bit_length() + 1
        assert is_consistent(ROOT_OF(0, older), older, ROOT_OF(0, size), size, proof)


def test_a_tree_that_was_written_again_is_not_consistent() -> None:
    for size in range(2, 18):
        for older in range(1, size):
            proof = consistency_proof(ROOT_OF, older, size)
            before, now = ROOT_OF(0, older), ROOT_OF(0, size)
            assert not is_consistent(OTHER, older, now, size, proof)
            assert not is_consistent(before, older, OTHER, size, proof)
            assert not is_consistent(before, older, now, size, (*proof, OTHER))
            assert not is_consistent(before, older, now, size, proof[:-1])
            assert not is_consistent(now, size, before, older, proof)
            for at in range(len(proof)):
                changed = (*proof[:at], OTHER, *proof[at + 1 :])
                assert not is_consistent(before, older, now, size, changed)


@given(st.lists(st.binary(max_size=3), max_size=70), st.data())
def test_trees_of_any_entries_are_proved(entries: list[bytes], data: st.DataObject) -> None:
    leaves = [leaf_hash(one) for one in entries]
    root_of, size = roots_of(leaves), len(leaves)
    if not size:
        return
    index = data.draw(st.integers(0, size - 1))
    older = data.draw(st.integers(1, size))
    root = frontier_of(leaves).root
    assert includes(root, size, index, leaves[index], inclusion_proof(root_of, index, size))
    proof = consistency_proof(root_of, older, size)
    assert is_consistent(root_of(0, older), older, root, size, proof)
