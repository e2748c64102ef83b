"""The envelope of a record (["in" | "out", value]) and the hash chain over records."""

from enum import StrEnum
from hashlib import sha256
from typing import Final

from controller.journal.encoding import EncodingError


class RecordKind(StrEnum):
    """An input is what reached the program; an entry is what it concluded from inputs."""

    INPUT = "in"
    ENTRY = "out"


# An array of two items (0x92), then the kind as text (0xA0 + its length).
_INPUT: Final = b"\x92\xa2in"
_ENTRY: Final = b"\x92\xa3out"


def wrap(kind: RecordKind, value: bytes) -> bytes:
    """The record to store for one encoded `value` (one MessagePack item)."""
    return (_INPUT if kind is RecordKind.INPUT else _ENTRY) + value


def is_input(record: bytes) -> bool:
    """Whether a record holds an input, as its first bytes say."""
    return record.startswith(_INPUT)


def unwrap(record: bytes) -> tuple[RecordKind, bytes]:
    """The kind of a record and the encoded value in it. Raises EncodingError."""
    if record.startswith(_INPUT):
        return RecordKind.INPUT, record[len(_INPUT) :]
    if record.startswith(_ENTRY):
        return RecordKind.ENTRY, record[len(_ENTRY) :]
    raise EncodingError(f"a record begins with an input or entry mark, this with {record[:5]!r}")


GENESIS: Final = bytes(32)
"""The chain value before the first record: 32 zero bytes."""


def link(previous: bytes, record: bytes) -> bytes:
    """The chain value (32 bytes) of `record` after a record whose chain value is `previous`.

    The record is hashed after its length, 8 bytes big-endian, so that no two different sequences
    of records hash the same bytes.
    """
    return sha256(previous + len(record).to_bytes(8, "big") + record).digest()
