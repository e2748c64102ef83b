"""The SQLite file of the evidence log: its leaves, and the signed head after each."""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from controller.journal.database import (
    DAMAGE,
    EVIDENCE_LOG,
    LOG_MARKS,
    OpenFile,
    describe_error,
    go_on_as_newest,
    open_reader,
    open_writer,
    stored_format,
)
from controller.journal.values import JournalError

LOG_NAME: Final = "log.db"
# The log as files for other programs.
TILES_NAME: Final = "log"


class LogDatabase(OpenFile):
    """Leaves from number 0, heads from size 1. To be used by one thread at a time.

    Leaves that are looked for among all are marked with their kind; format 1 has no marks. Use
    `open` or `open_read_only`.
    """

    @classmethod
    def open(cls, folder: Path, *, create: bool) -> "LogDatabase":
        """Open the log in a journal's folder for writing. Raises JournalError."""
        connection = open_writer(folder / LOG_NAME, EVIDENCE_LOG, create=create)
        return cls(connection, folder / LOG_NAME, connection.close)

    @classmethod
    def open_read_only(cls, folder: Path) -> "LogDatabase":
        """Open the log as of this moment; nothing is written. Raises JournalError."""
        opened = open_reader(folder / LOG_NAME, EVIDENCE_LOG)
        return cls(opened.connection, folder / LOG_NAME, opened.close)

    @property
    def size(self) -> int:
        """The number of leaves. Raises JournalError."""
        with self._reading():
            (newest,) = self._connection.execute("SELECT max(number) FROM leaves").fetchone()
        return 0 if newest is None else int(newest) + 1

    def entries(self, first: int = 0) -> Iterator[bytes]:
        """The entries of the leaves from number `first` on. Raises JournalError."""
        query = "SELECT entry FROM leaves WHERE number >= ? ORDER BY number"
        with self._reading(), closing(self._connection.execute(query, (first,))) as rows:
            for (entry,) in rows:
                yield entry

    def entries_beginning(self, *beginnings: bytes) -> Iterator[tuple[int, bytes]]:
        """Number and entry of the leaves whose entries begin so, in order. Raises JournalError."""
        begins = " OR ".join("substr(entry, 1, ?) = ?" for _ in beginnings)
        query = f"SELECT number, entry FROM leaves WHERE {begins} ORDER BY number"  # noqa: S608
        values = [value for one in beginnings for value in (len(one), one)]
        with self._reading(), closing(self._connection.execute(query, values)) as rows:
            yield from rows

    @property
    def is_marked(self) -> bool:
        """Whether the leaves that are looked for are marked. Raises JournalError."""
        with self._reading():
            return stored_format(self._connection) > 1

    def marked(self, *kinds: str, newest_first: bool = False) -> Iterator[tuple[int, bytes]]:
        """Number and entry of the leaves that are marked so, in order. Raises JournalError."""
        wanted = ", ".join("?" for _ in kinds)
        order = "DESC" if newest_first else "ASC"
        query = (
            "SELECT number, entry FROM marks JOIN leaves USING (number)"  # noqa: S608 - no values
            f" WHERE kind IN ({wanted}) ORDER BY number {order}"
        )
        with self._reading(), closing(self._connection.execute(query, kinds)) as rows:
            yield from rows

    def go_on_as_newest(self, marks: Iterable[tuple[int, str]]) -> None:
        """Make a log of an older format one of the newest, in one step. Raises JournalError."""
        with self._transaction():
            self._connection.execute(LOG_MARKS)
            self._connection.executemany("INSERT INTO marks VALUES (?, ?)", marks)
            go_on_as_newest(self._connection, EVIDENCE_LOG)

    def newest_first(self) -> Iterator[bytes]:
        """The entries of the leaves, the newest first. Raises JournalError."""
        query = "SELECT entry FROM leaves ORDER BY number DESC"
        with self._reading(), closing(self._connection.execute(query)) as rows:
            for (entry,) in rows:
                yield entry

    def note(self, size: int) -> bytes | None:
        """The signed head of that size. Raises JournalError."""
        with self._reading():
            query = "SELECT note FROM heads WHERE size = ?"
            row = self._connection.execute(query, (size,)).fetchone()
        return row[0] if row is not None else None

    def note_text(self, size: int) -> bytes:
        """What is signed in the head of that size, empty if it is not here. Raises JournalError."""
        return (self.note(size) or b"").rpartition(b"\n\n")[0]

    def append(self, number: int, entry: bytes, note: bytes, mark: str = "") -> None:
        """Store a leaf and the head after it, durable on return. Raises JournalError."""
        with self._transaction():
            self._connection.execute("INSERT INTO leaves VALUES (?, ?)", (number, entry))
            if mark:
                self._connection.execute("INSERT INTO marks VALUES (?, ?)", (number, mark))
            self._connection.execute("INSERT INTO heads VALUES (?, ?)", (number + 1, note))

    def set_note(self, size: int, note: bytes) -> None:
        """Store that head with further signatures. Raises JournalError."""
        with self._transaction():
            self._connection.execute("UPDATE heads SET note = ? WHERE size = ?", (note, size))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except DAMAGE as error:
            with contextlib.suppress(sqlite3.Error):
                self._connection.rollback()
            raise JournalError(
                f"{self.file}: cannot store: {describe_error(error)}. Remedy: make room on the"
                " disk, and see that the file belongs to this program's account"
            ) from error

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except DAMAGE as error:
            raise JournalError(
                f"{self.file}: cannot be read: {describe_error(error)}. Remedy: keep the file as it"
                " is, and run verify on a copy of it to find the damage"
            ) from error
