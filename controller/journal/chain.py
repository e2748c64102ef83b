"""The chain: every record vouches for all records before it.

Responsible for: the one formula that links a record to the one before it.
Not responsible for: storing records (store) and for the regulator's check (verify has its own
copy of this formula on purpose, so that one mistake cannot hide in both).
Source: controller/journal/README.md, "Chain"; FIPS 180-4 (SHA-256).
"""

from hashlib import sha256
from typing import Final

GENESIS: Final = bytes(32)
"""The chain value before the first record: 32 zero bytes."""


def link(previous: bytes, record: bytes) -> bytes:
    """The chain value (32 bytes) of `record` after a record whose chain value is `previous`.

    The length stands before the record, 8 bytes big-endian, so that no two different sequences
    of records can hash the same bytes.
    """
    return sha256(previous + len(record).to_bytes(8, "big") + record).digest()
