"""The values a journal takes and gives, and its errors.

Responsible for: what a stored record, the head, the base and a checkpoint are, and how base and
checkpoint prove themselves.
Not responsible for: the file (database), reading (reader) and writing (store).
Source: controller/journal/README.md, "Records", "Base", "Checkpoint".
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from controller.journal.record import GENESIS

_PAD_STEP: Final = 1024
_HASH_BYTES: Final = 32


class JournalError(Exception):
    """A journal cannot be opened or read; the message says what, where and the remedy."""


class JournalWriteFailed(JournalError):
    """Records could not be stored, so nothing may be done because of them."""


class SealRefused(JournalError):
    """The file does not hold what is to be moved, or another stands at its place.

    Nothing was changed; the journal goes on.
    """


class SealFailed(JournalError):
    """The file of a finished shoe could not be written; its records stay where they are.

    The journal goes on, and the same move may be tried later.
    """


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
class Base:
    """Where the live part begins: after record `seq`, the last that was sealed.

    `seal` is the digest of the last sealed file. `started` is the record, numbered `started_seq`,
    that began the run in force at `seq`. `state` is the whole state after record `seq` as version
    `software` wrote it, `digest` its SHA-256, all empty where it is not known. `ledger` is what
    another version takes over at `seq`, empty where it is not known.
    """

    seq: int = 0
    chain: bytes = GENESIS
    seal: bytes = bytes(_HASH_BYTES)
    started_seq: int = 0
    started: bytes = b""
    software: str = ""
    state: bytes = b""
    digest: bytes = b""
    ledger: bytes = b""

    @staticmethod
    def of(
        head: Head,
        seal: bytes,
        started: tuple[int, bytes],
        state: tuple[str, bytes] = ("", b""),
        ledger: bytes = b"",
    ) -> "Base":
        """A base with its digest. `started` is number and record, `state` version and bytes."""
        software, kept = state
        digest = sha256(kept).digest() if kept else b""
        return Base(head.seq, head.chain, seal, *started, software, kept, digest, ledger)

    @property
    def head(self) -> Head:
        """The last sealed record."""
        return Head(self.seq, self.chain)

    @property
    def state_holds(self) -> bool:
        """Whether there is a state, and it is the one that was stored."""
        return bool(self.state) and sha256(self.state).digest() == self.digest

    @property
    def binding(self) -> bytes:
        """SHA-256 over every field but the state, for which its digest stands."""
        numbers = self.seq.to_bytes(8, "big") + self.started_seq.to_bytes(8, "big")
        long = sha256(self.started).digest() + sha256(self.ledger).digest()
        digest = self.digest or bytes(_HASH_BYTES)
        whole = (self.chain, self.seal, numbers, long, digest, self.software.encode())
        return sha256(b"".join(whole)).digest()


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
