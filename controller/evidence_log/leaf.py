"""The leaves of the evidence log: what each of them says about the journal.

Source: controller/journal/README.md, "Evidence log".
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.journal.encoding import Codec


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
    KEY = "key"  # the table has another key from now on
    REVOKED = "revoked"
    RETIRED = "retired"


# The heads after these leaves are signed by the table's key, too, and offered to witnesses.
SIGNED_BY_TABLE: Final = frozenset(LeafKind) - {LeafKind.COUP, LeafKind.DECISION}
# These name the table's key from then on.
KEY_NAMED: Final = frozenset(
    {LeafKind.COMMISSIONED, LeafKind.BEGUN_ANEW, LeafKind.RESTORED, LeafKind.KEY}
)


class Leaf(Struct, frozen=True):
    """One leaf: the journal up to record `seq` has the chain value `chain`.

    `at_ns` is UTC. `gaming_day` and `shoe` are those of a coup or shoe; `seal` is the digest of a
    sealed file. `next_key` (32 bytes, Ed25519) signs the next head. `key` is the table's public key
    from now on, the number of its algorithm before it, where the leaf says so; `witness_key` a
    second one (Ed25519) beside a key of another algorithm. `person` did it, where a person did.
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


LEAVES: Final[Codec[Leaf]] = Codec(Leaf)


def beginning_of(kind: LeafKind) -> bytes:
    """How the entry of a leaf of that kind begins: its first field is the kind."""
    head = bytes([0x80 | len(Leaf.__struct_fields__)])
    return head + b"\xa4kind" + bytes([0xA0 | len(kind.value)]) + kind.value.encode()
