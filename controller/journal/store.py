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
from pathlib import Path

from controller.journal.chain import link
from controller.journal.database import (
    DAMAGE,
    FILE_NAME,
    FolderLock,
    error_kind,
    in_words,
    make_folder,
    open_reader,
    open_writer,
)
from controller.journal.reader import KEEP, JournalReader
from controller.journal.values import (
    ChainBreak,
    Checkpoint,
    CheckpointDamaged,
    Head,
    JournalError,
    JournalWriteFailed,
    StoredRecord,
    binding,
    padded,
)

__all__ = [
    "ChainBreak",
    "Checkpoint",
    "CheckpointDamaged",
    "Head",
    "Journal",
    "JournalError",
    "JournalReader",
    "JournalWriteFailed",
    "StoredRecord",
    "open_read_only",
]

_INSERT = "INSERT INTO records(seq, record, chain) VALUES (?, ?, ?)"
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
        start = checkpoint.seq if checkpoint is not None else 0
        chain = self._chain_at(start)
        assert chain is not None
        found = self._verify(Head(start, chain))
        if found is not None:
            raise JournalError(
                f"{self.file}: the journal is broken: {found.what}. {KEEP} To go on dealing, start"
                " in another folder; the gap will be declared."
            )


def _close(connection: sqlite3.Connection, lock: FolderLock) -> None:
    connection.close()
    lock.release()


def open_read_only(path: Path) -> JournalReader:
    """Open a journal, given by its folder or by its file, to read it. Raises JournalError.

    Neither the file nor its folder is changed; a copy of the file alone will do, and so will a
    read-only disk. What is read is the journal at the moment of opening.
    """
    file = path / FILE_NAME if path.is_dir() else path
    opened = open_reader(file)
    try:
        return JournalReader(opened.connection, file, opened.close)
    except JournalError:
        opened.close()
        raise
