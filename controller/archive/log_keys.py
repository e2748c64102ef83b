"""Who signs heads of the evidence log as the table: the table's key, and the one for witnesses.

A run goes on with the key that the log names alone: a named person changes it (`key_life`).
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.signer import NoSigner, Signer, SignFailed
from controller.journal.database import FOLDER_MODE
from controller.journal.evidence_log.head_keys import HEAD_KEYS_NAME
from controller.journal.evidence_log.leaf import KEY_NAMED, Leaf, LeafKind
from controller.journal.evidence_log.log import EvidenceLog, LogRefused, leaves_of_kinds
from controller.journal.evidence_log.note import SignatureLine, sign_line, table_key
from controller.journal.log_database import LOG_NAME, LogDatabase
from controller.journal.shoe_file import ALGORITHMS
from controller.system.atomic_file import sync_folder
from controller.system.keys import (
    KeyAlgorithm,
    KeyFileError,
    PublicKey,
    TableKey,
    fingerprint_text,
    load_key,
    make_key,
)
from foundation.context_thread import ContextThread

# Beside the journal: a key of Ed25519 for witnesses where the table's own is of ECDSA.
WITNESS_KEY_NAME: Final = "witness.key"
# Where a log is begun, until it is whole.
_MAKING_NAME: Final = "log.begun"


class KeysOnRecord(Struct, frozen=True):
    """What the log says of the table's keys.

    `key` is the table's key now, the number of its algorithm before it, empty where it has none;
    head `named_at` follows the leaf that names it. `others` were the table's key before.
    """

    key: bytes
    witness_key: bytes
    named_at: int
    others: frozenset[bytes]
    revoked: frozenset[bytes]


def keys_on_record(database: LogDatabase) -> KeysOnRecord:
    """What a log says of the table's keys. Raises JournalError."""
    newest, named_at = Leaf(LeafKind.COMMISSIONED, 0, b"", 0), 0
    named, revoked = set[bytes](), set[bytes]()
    for number, leaf in leaves_of_kinds(database, *KEY_NAMED, LeafKind.REVOKED):
        if leaf.kind is LeafKind.REVOKED:
            revoked.add(leaf.key)
        else:
            newest, named_at = leaf, number + 1
            named.add(leaf.key)
    others = frozenset(named - {newest.key, b""})
    return KeysOnRecord(newest.key, newest.witness_key, named_at, others, frozenset(revoked))


def numbered(public: PublicKey) -> bytes:
    """A public key as a leaf names it: the number of its algorithm, then the key."""
    return bytes([ALGORITHMS[public.algorithm]]) + public.raw


def numbered_key(signer: Signer) -> bytes:
    """The table's public key as a leaf names it; empty where nobody signs."""
    return b"" if isinstance(signer, NoSigner) else numbered(signer.public)


def key_words(key: bytes) -> str:
    """A key of a leaf in words."""
    return f"key {fingerprint_text(PublicKey(key[1:]).fingerprint)}" if key else "no key"


def witness_key(folder: Path, signer: Signer, *, make: bool = False) -> TableKey | None:
    """The table's key for witnesses; None where its own is of Ed25519. Raises LogRefused."""
    if isinstance(signer, NoSigner) or signer.public.algorithm is KeyAlgorithm.ED25519:
        return None
    path = folder / WITNESS_KEY_NAME
    try:
        return make_key(path) if make and not path.exists() else load_key(path)
    except KeyFileError as error:
        raise LogRefused(f"{error}. {PUT_ON_RECORD}") from error


PUT_ON_RECORD: Final = (
    "Remedy: put the key back that the log names; or stop the table, and a named person puts the"
    " new one on record: `smartshoe keys rotate`, or `smartshoe keys lost` where the old one is"
    " gone"
)


def with_keys(leaf: Leaf, folder: Path, signer: Signer) -> Leaf:
    """The leaf with the keys that sign from it on; makes that for witnesses. Raises LogRefused."""
    witness = witness_key(folder, signer, make=True)
    raw = b"" if witness is None else witness.public.raw
    return replace(leaf, key=numbered_key(signer), witness_key=raw)


def begin_log(folder: Path, origin: str, first: Leaf, signer: Signer) -> EvidenceLog:
    """Begin a log with this leaf; the table's key signs its head. Raises JournalError, OSError.

    In one step: it is made whole in a folder of its own, and then gets its name. Whatever ends the
    program before leaves no log, and the next start begins it again.
    """
    drop_unfinished_log(folder)
    making = folder / _MAKING_NAME
    making.mkdir(FOLDER_MODE)
    log = EvidenceLog.begin(making, origin, with_keys(first, folder, signer))
    try:
        if not isinstance(signer, NoSigner):
            # A token that fails now signs it with a later head; the start's own head says so.
            with contextlib.suppress(SignFailed):
                _sign_head(log, signer, witness_key(folder, signer), log.size)
    finally:
        log.close()
    if (making / f"{LOG_NAME}-wal").exists():
        # As it closes the file, SQLite says of no failure; it keeps then what it could not copy.
        raise LogRefused(
            f"{folder / LOG_NAME}: the evidence log cannot be begun: the disk refused to write it."
            " Remedy: make room, and check the disk; then start it again"
        )
    # The log last: without it its keys are of no use, and are made again.
    for name in (HEAD_KEYS_NAME, LOG_NAME):
        (making / name).rename(folder / name)
        sync_folder(folder)
    drop_unfinished_log(folder)
    return EvidenceLog.open(folder, origin)


def drop_unfinished_log(folder: Path) -> None:
    """Remove what a crash left of a log that was being begun, if anything. Raises OSError."""
    making = folder / _MAKING_NAME
    if making.is_dir():
        for path in making.iterdir():
            path.unlink()
        making.rmdir()


def sign_head(log: EvidenceLog, signer: Signer, size: int = 0) -> None:
    """Sign a head, the newest where no size is given, as the table.

    Raises SignFailed, JournalError, OSError.
    """
    witness = witness_key(log.database.file.parent, signer)
    _sign_head(log, signer, witness, size or log.size)


def _sign_head(log: EvidenceLog, signer: Signer, witness: TableKey | None, size: int) -> None:
    text = log.note(size).text
    for line in _table_lines(log.origin, signer, witness, text):
        log.add_signatures(size, [line])


def _table_lines(
    origin: str, signer: Signer, witness: TableKey | None, text: str
) -> Iterator[SignatureLine]:
    """The lines of the table's keys under that text. Raises SignFailed, OSError."""
    assert not isinstance(signer, NoSigner), "somebody signs"
    # First the one that is always at hand: witnesses are asked also where a token failed.
    for key in (witness, signer) if witness is not None else (signer,):
        yield sign_line(table_key(origin, key.public), text, key.sign)


class SignedHead(Struct, frozen=True):
    """The lines of the table's keys under the head of that size; `problem`: why one is missing."""

    size: int
    lines: tuple[SignatureLine, ...]
    problem: str = ""


class HeadSigner:
    """Signs heads as the table from a thread of its own, in turn: no leaf waits for a token.

    `signed` is called, from that thread, once for each head.
    """

    def __init__(
        self,
        origin: str,
        folder: Path,
        signer: Callable[[], Signer],
        signed: Callable[[SignedHead], None],
    ) -> None:
        self._origin = origin
        self._folder = folder
        self._signer = signer
        self._signed = signed
        self._heads: SimpleQueue[tuple[int, str]] = SimpleQueue()
        self._ending = False
        # A daemon: a token that hangs keeps no process from its end.
        self._thread = ContextThread(target=self._run, name="table-key", daemon=True)
        self._thread.start()

    def sign(self, size: int, text: str) -> None:
        """Sign the head of that size, of which this is the text, soon."""
        self._heads.put((size, text))

    def end(self, timeout_s: float | None) -> None:
        """Sign what waits, for so long, but ask a key that has failed for nothing more."""
        self._ending = True
        self._heads.put((0, ""))
        self._thread.join(timeout_s)

    def _run(self) -> None:
        problem = ""
        while (head := self._heads.get())[0]:
            if self._ending and problem:
                self._signed(SignedHead(head[0], (), problem))
                continue
            problem = self._sign(*head)

    def _sign(self, size: int, text: str) -> str:
        """Sign one head; what failed."""
        lines, problem = list[SignatureLine](), ""
        try:
            signer = self._signer()
            witness = witness_key(self._folder, signer)
            lines.extend(_table_lines(self._origin, signer, witness, text))
        except (SignFailed, LogRefused, OSError) as error:
            problem = str(error)
        self._signed(SignedHead(size, tuple(lines), problem))
        return problem


def unsigned_at(log: EvidenceLog, found: KeysOnRecord, signer: Signer) -> int:
    """The head that names the table's key, where the token failed then; else 0."""
    if isinstance(signer, NoSigner):
        return 0
    key_id = table_key(log.origin, signer.public).id
    signed = key_id in {one.key_id for one in log.note(found.named_at).signatures}
    return 0 if signed else found.named_at


def require_key(log: EvidenceLog, signer: Signer) -> KeysOnRecord:
    """Check that the table goes on with the keys that the log names. Raises LogRefused."""
    require_in_service(log)
    file, found = log.database.file, keys_on_record(log.database)
    if isinstance(signer, NoSigner):
        return found
    if numbered_key(signer) != found.key:
        raise LogRefused(
            f"{file}: the table has {key_words(numbered_key(signer))}, and the evidence log names"
            f" {key_words(found.key)}. Allowed: the key that the log names. {PUT_ON_RECORD}"
        )
    witness = witness_key(file.parent, signer)
    if witness is not None and witness.public.raw != found.witness_key:
        raise LogRefused(
            f"{file.with_name(WITNESS_KEY_NAME)}: this is not the key for witnesses that the"
            f" evidence log names. {PUT_ON_RECORD}"
        )
    return found


def require_in_service(log: EvidenceLog) -> None:
    """Raises LogRefused: the table was retired."""
    if log.newest().kind is LeafKind.RETIRED:
        raise LogRefused(
            f"{log.database.file}: this table was retired. Allowed: no further run. Remedy: keep"
            " this folder as evidence, and begin another table in another folder"
        )
