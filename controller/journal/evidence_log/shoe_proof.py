"""What the evidence log says of sealed shoes: their leaves, codes of days, proofs of inclusion.

Source: C2SP tlog-proof.
"""

import base64
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from controller.journal.evidence_log.checkpoint import TreeHead, short_code
from controller.journal.evidence_log.leaf import LEAVES, Leaf, LeafKind
from controller.journal.evidence_log.log import leaves_of_kinds, read_head, tree_of
from controller.journal.evidence_log.tree import inclusion_proof
from controller.journal.log_database import LogDatabase

PROOF_FORM: Final = "c2sp.org/tlog-proof@v1"


class ShoeLeaf(Struct, frozen=True):
    """The leaf of a sealed shoe, and its number."""

    number: int
    leaf: Leaf

    @property
    def entry(self) -> bytes:
        """The leaf as stored."""
        return LEAVES.encode(self.leaf)


class ShoeProof(Struct, frozen=True):
    """The proof that a sealed shoe is in the log with a signed head, as a file of its own."""

    leaf: ShoeLeaf
    head: TreeHead
    text: bytes

    @property
    def code(self) -> str:
        return short_code(self.head)


def shoe_leaves(database: LogDatabase) -> Iterator[ShoeLeaf]:
    """The leaves of sealed shoes in order. Raises JournalError."""
    return (ShoeLeaf(*found) for found in leaves_of_kinds(database, LeafKind.SHOE))


def shoe_proof(database: LogDatabase, seal: bytes) -> ShoeProof | None:
    """The proof for the shoe with that seal; None where the log does not name it.

    It leads to the head that gives its gaming day its code. Raises JournalError.
    """
    leaves = tuple(shoe_leaves(database))
    leaf = next((one for one in leaves if one.leaf.seal == seal), None)
    if leaf is None:
        return None
    day = leaf.leaf.gaming_day
    newest = max(one.number for one in leaves if one.leaf.gaming_day == day)
    head, note = read_head(database, newest + 1)
    proof = inclusion_proof(tree_of(database, head).root, leaf.number, head.size)
    lines = [PROOF_FORM, f"index {leaf.number}"]
    lines += [base64.b64encode(one).decode() for one in proof]
    text = "".join(f"{line}\n" for line in lines).encode() + b"\n" + note.to_bytes()
    return ShoeProof(leaf, head, text)
