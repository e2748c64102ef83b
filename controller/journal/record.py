"""The envelope of a record: whether it is an input or an entry.

Responsible for: the outer CBOR array ["in" | "out", value] that every stored record has.
Not responsible for: the value inside (canonical) and for the chain.
Source: controller/journal/README.md, "Records".
"""

from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from controller.journal.encoding.codec import CanonicalError


class RecordKind(StrEnum):
    """An input is what the table was told; an entry is what the program concluded."""

    INPUT = "in"
    ENTRY = "out"


# An array of two items (0x82), then the kind as text (0x60 + its length).
_PREFIX: Final[Mapping[RecordKind, bytes]] = MappingProxyType(
    {RecordKind.INPUT: b"\x82\x62in", RecordKind.ENTRY: b"\x82\x63out"}
)


def wrap(kind: RecordKind, value: bytes) -> bytes:
    """The record to store for one canonically encoded `value` (one CBOR item)."""
    return _PREFIX[kind] + value


def unwrap(record: bytes) -> tuple[RecordKind, bytes]:
    """The kind of a record and the encoded value in it. Raises CanonicalError."""
    for kind, prefix in _PREFIX.items():
        if record.startswith(prefix):
            return kind, record[len(prefix) :]
    raise CanonicalError(f"a record begins with an input or entry mark, this with {record[:5]!r}")


GENESIS: Final = bytes(32)
"""The chain value before the first record: 32 zero bytes."""


def link(previous: bytes, record: bytes) -> bytes:
    """The chain value (32 bytes) of `record` after a record whose chain value is `previous`.

    The length stands before the record, 8 bytes big-endian, so that no two different sequences
    of records can hash the same bytes.
    """
    return sha256(previous + len(record).to_bytes(8, "big") + record).digest()
