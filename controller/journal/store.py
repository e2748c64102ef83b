"""The open journal of one table: appends records durably before anything is done because of them.

One writer at a time; after a failed write nothing more is stored.
"""

import contextlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from controller.journal.database import (
    DAMAGE,
    DAMAGED_REMEDY,
    FILE_NAME,
    JOURNAL,
    READABLE,
    SET_BASE,
    base_row,
    describe_error,
    error_kind,
    go_on_as_newest,
    open_in_memory,
    open_reader,
    open_writer,
    stored_format,
)
from controller.journal.encoding import link
from controller.journal.folder import (
    FolderLock,
    base_after,
    drop_part,
    is_sealed,
    make_folder,
    read_sealed,
    sealed_files,
    sync_file,
    sync_names,
    write_sealed,
)
from controller.journal.reader import JournalReader
from controller.journal.shoe_file import ShoeFile, ShoeFileError, read_shoe
from controller.journal.tape_file import TapeReader, is_tape
from controller.journal.values import (
    Base,
    ChainBreak,
    DiskIsFull,
    Head,
    JournalError,
    JournalWriteFailed,
    SavedState,
    SavedStateDamage,
    SealFailed,
    SealRefused,
    StoredRecord,
    binding,
    padded,
)

__all__ = [
    "Base",
    "ChainBreak",
    "Head",
    "Journal",
    "JournalError",
    "JournalReader",
    "JournalWriteFailed",
    "SavedState",
    "SavedStateDamage",
    "SealFailed",
    "SealRefused",
    "StoredRecord",
    "open_read_only",
]

_INSERT = "INSERT INTO records(seq, record, chain) VALUES (?, ?, ?)"
# Without a condition SQLite frees the pages unread: 5 pages are written instead of 80.
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
        self._failed_as: type[JournalWriteFailed] = JournalWriteFailed

    @classmethod
    def open(cls, folder: Path, *, create: bool = True) -> "Journal":
        """Open the journal in `folder`; `create` makes a missing one. Raises JournalError.

        The records after the saved state are checked against the chain; all of them where there
        is no good saved state, for then a start replays them all. `verify_all` checks the rest.
        """
        if create:
            make_folder(folder)
        elif not folder.is_dir():
            raise JournalError(f"{folder}: no such folder. Remedy: name the folder of a journal")
        lock = FolderLock(folder)
        try:
            if not (folder / FILE_NAME).exists():
                require_live_records(folder, 0)
            connection = open_writer(folder / FILE_NAME, create=create)
        except JournalError:
            lock.release()
            raise
        try:
            journal = cls(connection, folder / FILE_NAME, lock)
            require_live_records(folder, journal.head.seq)
            journal._check_tail()
            journal._go_on_as_newest()
            with contextlib.suppress(OSError):
                drop_part(folder)
        except JournalError:
            _close(connection, lock)
            raise
        return journal

    def append(self, records: Sequence[bytes], saved_state: SavedState | None = None) -> None:
        """Store records in this order, and the state after one of them, in one transaction.

        On return all of it is durable. Raises JournalWriteFailed, then on every later call too.
        """
        self._check_not_failed()
        if not records and saved_state is None:
            return
        seq, chain = self._head.seq, self._head.chain
        execute = self._connection.execute
        try:
            rows: list[tuple[int, bytes, bytes]] = []
            for record in records:
                seq, chain = seq + 1, link(chain, record)
                rows.append((seq, record, chain))
            state_row = None if saved_state is None else self._saved_state_row(saved_state, rows)
            execute("BEGIN IMMEDIATE")
            self._connection.executemany(_INSERT, rows)
            if state_row is not None:
                execute(_UPSERT, state_row)
            execute("COMMIT")
        except DAMAGE as error:
            raise self._fail(error) from error
        self._head = Head(seq, chain)

    def move_sealed(self, path: Path, data: bytes, base: Base) -> Base:
        """Move the records up to `base.seq` into the sealed file `path`; return the new base.

        `data` are the bytes of that file. A file that exists already and holds the same records is
        kept, and its digest becomes the base's seal: this finishes an interrupted move. Raises
        SealRefused or SealFailed, when nothing has moved and the journal stays usable, or
        JournalWriteFailed, as `append` does.
        """
        self._check_not_failed()
        try:
            sealed = read_shoe(data)
            self._check_move(sealed, base)
        except ShoeFileError as error:
            raise SealRefused(f"{path}: this shoe cannot be sealed: {error}") from error
        folder = self.file.parent
        try:
            if path.exists():
                sealed = _existing_copy(path, sealed)
                sync_file(path)
                sync_names(folder, path)
            else:
                write_sealed(folder, path, data)
        except OSError as error:
            raise SealFailed(
                f"{path}: cannot write the file of a finished shoe: {describe_error(error)}. Its"
                f" records stay in {self.file}, and sealing is tried again later. Make room, and"
                " see that the folder belongs to this program's account."
            ) from error
        base = replace(base, seal=sealed.digest)
        self._set_base(base)
        return base

    def _check_move(self, sealed: ShoeFile, base: Base) -> None:
        """Check that the file holds every record that the move deletes, by chain value.

        Raises ShoeFileError.
        """
        heading = sealed.heading
        reached = Head(heading.first_seq - 1, heading.chain_before)
        for stored in sealed.records():
            reached = Head(stored.seq, stored.chain)
        if Head(heading.first_seq - 1, heading.chain_before) != self._base.head:
            raise ShoeFileError(
                f"it begins after record {heading.first_seq - 1}, but the live part begins after"
                f" record {self._base.seq}, or after another chain value"
            )
        if reached != base.head or self.chain_at(reached.seq) != reached.chain:
            raise ShoeFileError(f"its records are not those of the journal up to {base.seq}")

    def _set_base(self, base: Base) -> None:
        """Delete the records up to the new base and store it, in one transaction."""
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
            raise self._fail(error) from error
        self._base = base

    def _saved_state_row(
        self, saved_state: SavedState, rows: Sequence[tuple[int, bytes, bytes]]
    ) -> tuple[int, int, str, bytes, bytes, bytes]:
        """The row of a state after one of `rows`, which are new, or after an earlier record."""
        new = saved_state.seq - self._head.seq
        chain = rows[new - 1][2] if new > 0 else self.chain_at(saved_state.seq)
        assert chain is not None
        assert 0 <= saved_state.started_seq <= saved_state.seq
        stored = padded(saved_state.state)
        return (
            saved_state.seq,
            saved_state.started_seq,
            saved_state.software,
            stored,
            saved_state.digest,
            binding(saved_state, stored, chain),
        )

    def _check_not_failed(self) -> None:
        """Raises JournalWriteFailed."""
        if self._failure:
            raise self._failed_as(f"{self._failure} Since then nothing is stored.")

    def _fail(self, error: Exception) -> JournalWriteFailed:
        """Roll back and remember why; what reached the log is not committed."""
        with contextlib.suppress(*DAMAGE):
            self._connection.rollback()
        stored = "Nothing was stored"
        if error_kind(error) == sqlite3.SQLITE_IOERR:
            stored = "It counts as not stored (the next start reads what the disk holds)"
        self._failure = (
            f"{self.file}: cannot store: {describe_error(error)}. {stored}, and nothing was done"
            " because of it. Remedy: remove the cause, then start the table again"
        )
        if error_kind(error) == sqlite3.SQLITE_FULL:
            self._failed_as = DiskIsFull
        return self._failed_as(self._failure)

    def _go_on_as_newest(self) -> None:
        if stored_format(self._connection) == JOURNAL.formats[-1]:
            return
        try:
            go_on_as_newest(self._connection, JOURNAL)
        except DAMAGE as error:
            self._fail(error)
            raise JournalError(self._failure) from error

    def _check_tail(self) -> None:
        saved_state = self.saved_state()
        start = saved_state.seq if saved_state is not None else self._base.seq
        chain = self.chain_at(start)
        assert chain is not None
        found = self._verify(Head(start, chain))
        if found is not None:
            raise JournalError(
                f"{self.file}: the journal is broken: {found.what}. {DAMAGED_REMEDY}"
            )


def require_live_records(folder: Path, newest: int) -> None:
    """Refuse to begin a journal anew beside sealed shoes; `newest`: the newest record of live.db.

    They are records, which it continues: it is gone, or another. Raises JournalError.
    """
    shoes = () if newest else sealed_files(folder)
    if shoes:
        raise JournalError(
            f"{folder / FILE_NAME}: it is missing or holds no record, and the journal has the"
            f" sealed shoe {shoes[-1].relative_to(folder)}: what was stored after it is gone."
            f" Allowed: a journal with its own live.db, or a new folder. {DAMAGED_REMEDY}"
        )


def _existing_copy(path: Path, sealed: ShoeFile) -> ShoeFile:
    """The existing file at `path`, if it holds the same records. Raises SealRefused, OSError."""
    try:
        existing = read_sealed(path)
        for _ in existing.records():
            pass
    except ShoeFileError as error:
        raise _place_taken(path, str(error)) from error
    if _record_range(existing) != _record_range(sealed):
        raise _place_taken(path, "it holds other records")
    return existing


def _record_range(sealed: ShoeFile) -> tuple[int, int, bytes, bytes]:
    of = sealed.heading
    return of.first_seq, of.last_seq, of.chain_before, of.chain_after


def _place_taken(path: Path, why: str) -> SealRefused:
    return SealRefused(
        f"{path}: another file exists where this shoe is to be sealed: {why}. Keep it as evidence:"
        " move it away by hand; the shoe is sealed at the next start."
    )


def _close(connection: sqlite3.Connection, lock: FolderLock) -> None:
    connection.close()
    lock.release()


def open_read_only(path: Path) -> JournalReader:
    """Open a journal for reading. Raises JournalError.

    `path` is its folder, its live.db, a single sealed file, a tape, or a folder that holds only
    shoes. No file or folder is changed; a copy of live.db alone is enough for the records in it,
    and so is a read-only disk. The reader sees the journal as of the moment of opening.
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
        raise JournalError(
            f"{path}: cannot read the journal: {describe_error(error)}. {READABLE}"
        ) from error
    opened = open_reader(file)
    try:
        return JournalReader(opened.connection, file, opened.close)
    except JournalError:
        opened.close()
        raise


def _only_sealed(path: Path, files: tuple[Path, ...]) -> JournalReader:
    """Sealed files without a live part. Raises JournalError, OSError."""
    last = read_sealed(files[-1])
    connection = open_in_memory(base_after(last))
    return JournalReader(connection, path, connection.close, files)
