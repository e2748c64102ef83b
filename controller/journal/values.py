"""The values and errors of a journal: record, head, base and saved state with their digests."""

from hashlib import sha256
from typing import Final

from msgspec import Struct

from controller.journal.encoding import GENESIS

_PAD_STEP: Final = 1024
_HASH_BYTES: Final = 32


class JournalError(Exception):
    """A journal cannot be opened or read; the message says what, where and the remedy."""


class JournalWriteFailed(JournalError):
    """Records could not be stored, so nothing may be done because of them."""


class DiskIsFull(JournalWriteFailed):
    """The journal's disk is full: starting again does not help before somebody makes room."""


class SealRefused(JournalError):
    """The sealed file does not hold the records to be moved, or another file is in its place.

    Nothing was changed; the journal stays usable.
    """


class SealFailed(JournalError):
    """The file of a finished shoe could not be written; its records stay in live.db.

    The journal stays usable, and the same move may be tried later.
    """


class Head(Struct, frozen=True):
    """The newest record: its number, counted from 1 (0 in an empty journal), and chain value."""

    seq: int
    chain: bytes


class StoredRecord(Struct, frozen=True):
    """One record as stored: its number, its bytes, and the chain value stored with it."""

    seq: int
    record: bytes
    chain: bytes


class ChainBreak(Struct, frozen=True):
    """The first place where the chain does not hold; `what` is a sentence."""

    seq: int
    what: str


class SavedState(Struct, frozen=True):
    """The core's whole state after record `seq`: a start need not replay from the first record.

    `started_seq` is the number of the `Started` record of the run, `software` the version that
    wrote `state`, `digest` the SHA-256 of `state`.
    """

    seq: int
    started_seq: int
    software: str
    state: bytes
    digest: bytes

    @staticmethod
    def of(seq: int, started_seq: int, software: str, state: bytes) -> "SavedState":
        """A saved state with its digest."""
        return SavedState(seq, started_seq, software, state, sha256(state).digest())


class Base(Struct, frozen=True):
    """Where the live part begins: after record `seq`, the last sealed one.

    `seal` is the digest of the last sealed file. `started` is the record, numbered `started_seq`,
    that began the run in force at `seq`. `state` is the whole state after record `seq` as version
    `software` wrote it, `digest` its SHA-256; all three are empty where the state is not known.
    `ledger` is an encoded UpgradeLedger, what another version takes over at `seq`, empty where it
    is not known.
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
        software, encoded = state
        digest = sha256(encoded).digest() if encoded else b""
        return Base(head.seq, head.chain, seal, *started, software, encoded, digest, ledger)

    @property
    def head(self) -> Head:
        """The last sealed record."""
        return Head(self.seq, self.chain)

    @property
    def state_holds(self) -> bool:
        """Whether there is a state and it matches its digest."""
        return bool(self.state) and sha256(self.state).digest() == self.digest

    @property
    def binding(self) -> bytes:
        """SHA-256 over all fields, the state represented by its digest (32 bytes)."""
        numbers = self.seq.to_bytes(8, "big") + self.started_seq.to_bytes(8, "big")
        long = sha256(self.started).digest() + sha256(self.ledger).digest()
        digest = self.digest or bytes(_HASH_BYTES)
        whole = (self.chain, self.seal, numbers, long, digest, self.software.encode())
        return sha256(b"".join(whole)).digest()


class SavedStateDamage(Struct, frozen=True):
    """Why the stored state must not be used; `what` is a sentence."""

    what: str


def binding(saved_state: SavedState, stored: bytes, chain: bytes) -> bytes:
    """The digest that binds a saved state to its record: SHA-256 over chain value and fields.

    32 bytes chain, 8 bytes `seq`, 8 bytes `started_seq` (big-endian), 32 bytes digest, 32 bytes
    SHA-256 of the state as `stored` with its padding, then `software` in UTF-8.
    """
    numbers = saved_state.seq.to_bytes(8, "big") + saved_state.started_seq.to_bytes(8, "big")
    digests = saved_state.digest + sha256(stored).digest()
    return sha256(chain + numbers + digests + saved_state.software.encode()).digest()


def padded(state: bytes) -> bytes:
    """The state as stored: followed by one byte 0x80, then zeros to a multiple of 1024 bytes.

    SQLite overwrites a row in place only if its size stays the same; without padding, saving a
    state writes twice the pages.
    """
    return state + b"\x80" + bytes(-(len(state) + 1) % _PAD_STEP)


def unpadded(stored: bytes) -> bytes:
    """The state without its padding; damaged padding is found by the binding."""
    return stored.rstrip(b"\0").removesuffix(b"\x80")
