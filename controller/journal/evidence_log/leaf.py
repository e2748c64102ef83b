"""The leaves of the evidence log: what each of them says about the journal."""

from enum import StrEnum
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from controller.journal.encoding import Codec
from controller.journal.values import Head
from controller.rules.actions.declaration import Author, Proof


class LeafKind(StrEnum):
    """Why a leaf was added."""

    COMMISSIONED = "commissioned"
    BEGUN_ANEW = "begun-anew"  # by a person, in place of a log that is gone
    RESTORED = "restored"  # a spare machine goes on
    START = "start"
    STOP = "stop"
    COUP = "coup"
    DECISION = "decision"
    SHOE = "shoe"  # it is sealed
    OPENING = "opening"  # of a shoe
    BURN = "burn"
    IRREGULARITY = "irregularity"
    RECORDS = "records"  # conclusions of which no other leaf spoke in time
    KEY = "key"  # the table has another key from now on
    REVOKED = "revoked"
    RETIRED = "retired"


# The heads after these leaves are signed by the table's key, too, and offered to witnesses.
SIGNED_BY_TABLE: Final = frozenset(LeafKind) - {
    LeafKind.COUP,
    LeafKind.DECISION,
    LeafKind.RECORDS,
}
# These name the table's key from then on.
KEY_NAMED: Final = frozenset(
    {LeafKind.COMMISSIONED, LeafKind.BEGUN_ANEW, LeafKind.RESTORED, LeafKind.KEY}
)
# These are looked for among all leaves: their numbers stand in a table of their own.
MARKED: Final = KEY_NAMED | {LeafKind.SHOE, LeafKind.REVOKED}


class Leaf(Struct, frozen=True):
    """One leaf: the journal up to record `seq` has the chain value `chain`.

    `at_ns` is UTC. `gaming_day` and `shoe` are those of a coup, opening or shoe; `seal` is the
    digest of a sealed file. `next_key` (32 bytes, Ed25519) signs the next head. `key` is the
    table's public key from now on, the number of its algorithm before it, where the leaf says so;
    `witness_key` a second one (Ed25519) beside a key of another algorithm. `person` did it, where a
    person did; `proof`: how that is known, left out where it is not.
    """

    kind: LeafKind
    seq: int
    chain: bytes
    at_ns: int
    gaming_day: str = ""
    shoe: int = 0
    seal: bytes = b""
    next_key: bytes = b""
    key: bytes = b""
    witness_key: bytes = b""
    person: str = ""
    proof: Proof | UnsetType = UNSET


LEAVES: Final[Codec[Leaf]] = Codec(Leaf)


def leaf_by(by: Author, kind: LeafKind, head: Head, at_ns: int) -> Leaf:
    """What a person does while the journal has that head."""
    proof = UNSET if by.proof is Proof.NONE else by.proof
    return Leaf(kind, head.seq, head.chain, at_ns, person=by.person, proof=proof)


def beginnings_of(kind: LeafKind) -> tuple[bytes, ...]:
    """How the entries of leaves of that kind begin, without and with `proof`: by the kind."""
    said = b"\xa4kind" + bytes([0xA0 | len(kind.value)]) + kind.value.encode()
    most = 0x80 | len(Leaf.__struct_fields__)
    return bytes([most - 1]) + said, bytes([most]) + said
