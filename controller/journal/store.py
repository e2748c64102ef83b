"""The evidence store: records become durable here before anything is done because of them.

Responsible for: the open journal of one table: appending records in one durable transaction,
one writer at a time, and refusing to go on after a failed write.
Not responsible for: what records mean, and when a checkpoint is due (loop); reading without
writing is in reader, the chain's formula in chain.
Source: package README, "Store before you act"; controller/journal/README.md.
"""

import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from controller.journal.database import (
    DAMAGE,
    FILE_NAME,
    SET_BASE,
    FolderLock,
    base_row,
    error_kind,
    in_memory,
    in_words,
    make_folder,
    open_reader,
    open_writer,
)
from controller.journal.folder import (
    base_after,
    drop_part,
    is_sealed,
    put_sealed,
    read_sealed,
    sealed_files,
    sync_file,
    sync_names,
)
from controller.journal.reader import KEEP, JournalReader
from controller.journal.record import link
from controller.journal.shoe_file import ShoeFile, ShoeFileError, read_shoe
from controller.journal.tape_file import TapeReader, is_tape
from controller.journal.values import (
    Base,
    ChainBreak,
    Checkpoint,
    CheckpointDamaged,
    Head,
    JournalError,
    JournalWriteFailed,
    SealFailed,
    SealRefused,
    StoredRecord,
    binding,
    padded,
)

__all__ = [
    "Base",
    "ChainBreak",
    "Checkpoint",
    "CheckpointDamaged",
    "Head",
    "Journal",
    "JournalError",
    "JournalReader",
    "JournalWriteFailed",
    "SealFailed",
    "SealRefused",
    "StoredRecord",
    "open_read_only",
]

_INSERT = "INSERT INTO records(seq, record, chain) VALUES (?, ?, ?)"
# Without a condition SQLite gives the pages back unread: 5 pages are written instead of 80.
_DELETE_ALL = "DELETE FROM records"
_UPSERT = (
    "INSERT INTO checkpoint(only, seq, started_seq, software, state, digest, binding)"
    " VALUES (1, ?, ?, ?, ?, ?, ?) ON CONFLICT(only) DO UPDATE SET seq = excluded.seq,"
    " started_seq = excluded.started_seq, software = excluded.software, state = excluded.state,"
    " digest = excluded.digest, binding = excluded.binding"
)


class Journal(JournalReader):
    """The open journal of one table. To be used by one thread at a time."""

    def __init__(self, connection: sqlite3.Connection, file: Path, lock: FolderLock) -> None:
        """Use `Journal.open`."""
        super().__init__(connection, file, lambda: _close(connection, lock))
        self._failure = ""

    @classmethod
    def open(cls, folder: Path, *, create: bool = True) -> "Journal":
        """Open the journal in `folder`, making it where `create` says so. Raises JournalError.

        The records after the checkpoint are checked against the chain; all of them where there
        is no good checkpoint, for then a start replays them all. `verify_all` checks the rest.
        """
        if create:
            make_folder(folder)
        elif not folder.is_dir():
            raise JournalError(f"{folder}: no such folder. Name the folder of a journal.")
        lock = FolderLock(folder)
        try:
            connection = open_writer(folder / FILE_NAME, create=create)
        except JournalError:
            lock.release()
            raise
        try:
            journal = cls(connection, folder / FILE_NAME, lock)
            journal._check_tail()
            with contextlib.suppress(OSError):
                drop_part(folder)
        except JournalError:
            _close(connection, lock)
            raise
        return journal

    def append(self, records: Sequence[bytes], checkpoint: Checkpoint | None = None) -> None:
        """Store records in this order, and the state after one of them, in one transaction.

        On return all of it is durable. Raises JournalWriteFailed, and from then on always.
        """
        if self._failure:
            raise JournalWriteFailed(f"{self._failure} Since then nothing is stored.")
        if not records and checkpoint is None:
            return
        seq, chain = self._head.seq, self._head.chain
        rows: list[tuple[int, bytes, bytes]] = []
        for record in records:
            seq, chain = seq + 1, link(chain, record)
            rows.append((seq, record, chain))
        state = self._checkpoint_row(checkpoint, rows) if checkpoint is not None else None
        execute = self._connection.execute
        try:
            execute("BEGIN IMMEDIATE")
            self._connection.executemany(_INSERT, rows)
            if state is not None:
                execute(_UPSERT, state)
            execute("COMMIT")
        except DAMAGE as error:
            self._fail(error)
            raise JournalWriteFailed(self._failure) from error
        self._head = Head(seq, chain)

    def move_sealed(self, path: Path, data: bytes, base: Base) -> Base:
        """Move the records up to `base.seq` into the sealed file `path`; the new base.

        `data` are the bytes of that file. One that is there already and holds the same records is
        kept, and its digest becomes the base's seal: so a move that was cut short is finished.
        Raises SealRefused or SealFailed, and then nothing has moved and the journal goes on, or
        JournalWriteFailed, as `append` does.
        """
        if self._failure:
            raise JournalWriteFailed(f"{self._failure} Since then nothing is stored.")
        try:
            sealed = read_shoe(data)
            self._check_moves(sealed, base)
        except ShoeFileError as error:
            raise SealRefused(f"{path}: this shoe cannot be sealed: {error}") from error
        folder = self.file.parent
        try:
            if path.exists():
                sealed = _the_same(path, sealed)
                sync_file(path)
                sync_names(folder, path)
            else:
                put_sealed(folder, path, data)
        except OSError as error:
            raise SealFailed(
                f"{path}: cannot write the file of a finished shoe: {in_words(error)}. Its records"
                f" stay in {self.file} and it is tried again later. Make room, and see that the"
                " folder belongs to this program's account."
            ) from error
        base = replace(base, seal=sealed.digest)
        self._rebase(base)
        return base

    def _check_moves(self, sealed: ShoeFile, base: Base) -> None:
        """Nothing is deleted that the file does not hold: its own records lead to its chain value.

        Raises ShoeFileError.
        """
        heading = sealed.heading
        reached = Head(heading.first_seq - 1, heading.chain_before)
        for stored in sealed.records():
            reached = Head(stored.seq, stored.chain)
        if Head(heading.first_seq - 1, heading.chain_before) != self._base.head:
            raise ShoeFileError(
                f"it begins after record {heading.first_seq - 1}, and the live part after record"
                f" {self._base.seq}, or after another chain value"
            )
        if reached != base.head or self._chain_at(reached.seq) != reached.chain:
            raise ShoeFileError(f"its records are not those of the journal up to {base.seq}")
        if heading.previous != self._base.seal:
            raise ShoeFileError("it names another seal before it than the last one")

    def _rebase(self, base: Base) -> None:
        """One transaction: the records up to the base go, the base is another."""
        execute = self._connection.execute
        try:
            execute("BEGIN IMMEDIATE")
            if base.seq == self._head.seq:
                execute(_DELETE_ALL)
            else:
                execute("DELETE FROM records WHERE seq <= ?", (base.seq,))
            execute("DELETE FROM checkpoint WHERE seq < ?", (base.seq,))
            execute(SET_BASE, base_row(base))
            execute("COMMIT")
        except DAMAGE as error:
            self._fail(error)
            raise JournalWriteFailed(self._failure) from error
        self._base = base

    def _checkpoint_row(
        self, checkpoint: Checkpoint, rows: Sequence[tuple[int, bytes, bytes]]
    ) -> tuple[int, int, str, bytes, bytes, bytes]:
        """The row of a checkpoint that stands after one of `rows` or an earlier record."""
        behind = checkpoint.seq - self._head.seq
        chain = rows[behind - 1][2] if behind > 0 else self._chain_at(checkpoint.seq)
        assert chain is not None
        assert 0 <= checkpoint.started_seq <= checkpoint.seq
        stored = padded(checkpoint.state)
        return (
            checkpoint.seq,
            checkpoint.started_seq,
            checkpoint.software,
            stored,
            checkpoint.digest,
            binding(checkpoint, stored, chain),
        )

    def _fail(self, error: Exception) -> None:
        """Undo what can be undone and remember why; what reached the log is not committed."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.rollback()
        stored = "Nothing was stored"
        if error_kind(error) == sqlite3.SQLITE_IOERR:
            stored = "It counts as not stored (the next start looks what the disk holds)"
        self._failure = (
            f"{self.file}: cannot store: {in_words(error)}. {stored}, and nothing was done because"
            " of it. Remove the cause, then start the table again."
        )

    def _check_tail(self) -> None:
        checkpoint = self.checkpoint()
        start = checkpoint.seq if checkpoint is not None else self._base.seq
        chain = self._chain_at(start)
        assert chain is not None
        found = self._verify(Head(start, chain))
        if found is not None:
            raise JournalError(
                f"{self.file}: the journal is broken: {found.what}. {KEEP} To go on dealing, start"
                " in another folder; the gap will be declared."
            )


def _the_same(path: Path, sealed: ShoeFile) -> ShoeFile:
    """The file that stands at `path`, if it holds the same records. Raises SealRefused, OSError."""
    try:
        there = read_sealed(path)
        for _ in there.records():
            pass
    except ShoeFileError as error:
        raise _another(path, str(error)) from error
    if _moved(there) != _moved(sealed):
        raise _another(path, "it holds other records")
    return there


def _moved(sealed: ShoeFile) -> tuple[int, int, bytes, bytes, bytes]:
    said = sealed.heading
    return said.first_seq, said.last_seq, said.chain_before, said.chain_after, said.previous


def _another(path: Path, why: str) -> SealRefused:
    return SealRefused(
        f"{path}: another file stands where this shoe is to be sealed: {why}. Keep it as evidence:"
        " move it away by hand; the shoe is sealed at the next start."
    )


def _close(connection: sqlite3.Connection, lock: FolderLock) -> None:
    connection.close()
    lock.release()


def open_read_only(path: Path) -> JournalReader:
    """Open a journal to read it. Raises JournalError.

    It is given by its folder, by its live.db, by one sealed file alone, by a tape, or by a folder
    that has only shoes in it. Neither a file nor a folder is changed; a copy of live.db alone will
    do for the records in it, and so will a read-only disk. What is read is the journal at the
    moment of opening.
    """
    file = path / FILE_NAME if path.is_dir() else path
    try:
        if is_sealed(file):
            return _only_sealed(file, (file,))
        if is_tape(file):
            return TapeReader(file)
        if not file.exists() and (archived := sealed_files(path)):
            return _only_sealed(path, archived)
    except OSError as error:
        raise JournalError(f"{path}: cannot read the journal: {in_words(error)}.") from error
    opened = open_reader(file)
    try:
        return JournalReader(opened.connection, file, opened.close)
    except JournalError:
        opened.close()
        raise


def _only_sealed(path: Path, files: tuple[Path, ...]) -> JournalReader:
    """Sealed files without a live part. Raises JournalError, OSError."""
    last = read_sealed(files[-1])
    connection = in_memory(base_after(last))
    return JournalReader(connection, path, connection.close, files)
