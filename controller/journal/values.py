"""The values a journal takes and gives, and its errors.

Responsible for: what a stored record, the head and a checkpoint are, and how a checkpoint proves
itself.
Not responsible for: the file (database), reading (reader) and writing (store).
Source: controller/journal/README.md, "Records", "Checkpoint".
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

_PAD_STEP: Final = 1024


class JournalError(Exception):
    """A journal cannot be opened or read; the message says what, where and the remedy."""


class JournalWriteFailed(JournalError):
    """Records could not be stored, so nothing may be done because of them."""


@dataclass(frozen=True, slots=True)
class Head:
    """The newest record: its number, counted from 1 (0 in an empty journal), and chain value."""

    seq: int
    chain: bytes


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One record as stored: its number, its bytes, and the chain value stored with it."""

    seq: int
    record: bytes
    chain: bytes


@dataclass(frozen=True, slots=True)
class ChainBreak:
    """The first place where the chain does not hold; `what` is a sentence."""

    seq: int
    what: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The whole state after record `seq`, so that a start need not replay from the first record.

    `started_seq` is the number of the `Started` record of the run, `software` the version that
    wrote `state`, `digest` the SHA-256 of `state`.
    """

    seq: int
    started_seq: int
    software: str
    state: bytes
    digest: bytes

    @staticmethod
    def of(seq: int, started_seq: int, software: str, state: bytes) -> "Checkpoint":
        """A checkpoint with its digest."""
        return Checkpoint(seq, started_seq, software, state, sha256(state).digest())


@dataclass(frozen=True, slots=True)
class CheckpointDamaged:
    """The stored checkpoint proves wrong and must not be used; `what` is a sentence."""

    what: str


def binding(checkpoint: Checkpoint, stored: bytes, chain: bytes) -> bytes:
    """What ties a checkpoint to its record: SHA-256 over the chain value there and its fields.

    32 bytes chain, 8 bytes `seq`, 8 bytes `started_seq` (big-endian), 32 bytes digest, 32 bytes
    SHA-256 of the state as `stored` with its padding, then `software` in UTF-8.
    """
    numbers = checkpoint.seq.to_bytes(8, "big") + checkpoint.started_seq.to_bytes(8, "big")
    digests = checkpoint.digest + sha256(stored).digest()
    return sha256(chain + numbers + digests + checkpoint.software.encode()).digest()


def padded(state: bytes) -> bytes:
    """The state as it is stored: one byte 0x80, then zeros to a multiple of 1024 bytes.

    SQLite overwrites a row in place only where its size stays the same; without this, every
    checkpoint writes twice the pages.
    """
    return state + b"\x80" + bytes(-(len(state) + 1) % _PAD_STEP)


def unpadded(stored: bytes) -> bytes:
    """The state in its stored form; damaged padding shows in the binding."""
    return stored.rstrip(b"\0").removesuffix(b"\x80")
