"""The journal's SQLite file: durable settings, schema, identity, error texts, writer's lock.

Opening for reading changes no byte of the file or its folder.
Source: SQLite documentation, "Write-Ahead Logging" (sections 4 and 5) and "Uniform Resource
Identifiers".
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Final, Self, assert_never

from msgspec import Struct

from controller.journal.values import Base, JournalError
from controller.journal.wal_check import LogEnd, log_end, valid_frames
from controller.system.named_file import require_regular, sqlite_files

FILE_NAME: Final = "live.db"
APPLICATION_ID: Final = 0x534D5348  # "SMSH"
# Formats 1 and 2 (to version 0.5) had records in CBOR, format 3 (0.6) a copy of each action in the
# entry of its verdicts, format 4 (0.7) no evidence log beside it: they are refused. Format 6 is
# format 5 beside an evidence log of format 2: a verifier that reads neither says so.
FORMATS: Final = (5, 6)

_RECORDS: Final = (
    "CREATE TABLE records(seq INTEGER PRIMARY KEY, record BLOB NOT NULL, chain BLOB NOT NULL)"
)
_CHECKPOINT: Final = (
    "CREATE TABLE checkpoint(only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL,"
    " started_seq INTEGER NOT NULL, software TEXT NOT NULL, state BLOB NOT NULL,"
    " digest BLOB NOT NULL, binding BLOB NOT NULL)"
)
_BASE: Final = (
    "CREATE TABLE base(only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL,"
    " chain BLOB NOT NULL, seal BLOB NOT NULL, started_seq INTEGER NOT NULL,"
    " started BLOB NOT NULL, software TEXT NOT NULL, state BLOB NOT NULL, digest BLOB NOT NULL,"
    " ledger BLOB NOT NULL, binding BLOB NOT NULL)"
)
SET_BASE: Final = "INSERT OR REPLACE INTO base VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_GET_BASE: Final = (
    "SELECT seq, chain, seal, started_seq, started, software, state, digest, ledger, binding"
    " FROM base LIMIT 1"
)
_BaseRow = tuple[int, bytes, bytes, int, bytes, str, bytes, bytes, bytes, bytes]


class FileKind(Struct, frozen=True):
    """A kind of SQLite file: what it is called, how it names itself, and its tables.

    `formats` are those that are read, in order: a file is made, and goes on, as the last one.
    """

    name: str
    application_id: int
    formats: tuple[int, ...]
    tables: tuple[str, ...]


JOURNAL: Final = FileKind("journal", APPLICATION_ID, FORMATS, (_RECORDS, _CHECKPOINT, _BASE))
LOG_MARKS: Final = "CREATE TABLE marks(number INTEGER PRIMARY KEY, kind TEXT NOT NULL)"
EVIDENCE_LOG: Final = FileKind(
    "evidence log",
    0x534D534C,  # "SMSL"
    (1, 2),
    (
        "CREATE TABLE leaves(number INTEGER PRIMARY KEY, entry BLOB NOT NULL)",
        "CREATE TABLE heads(size INTEGER PRIMARY KEY, note BLOB NOT NULL)",
        LOG_MARKS,
    ),
)
# A commit of one card writes its records to new pages, and the page above them and the first one
# again: the smallest pages make the smallest commits. Over a whole shoe a card writes 16.7 KB with
# pages of 1 KiB, 14.8 with these, 24 with `psow=0`. Every 2000 pages they are copied into the file.
_PAGE_BYTES: Final = 512
_COPY_EVERY_PAGES: Final = 2000
_LOG_BYTES_KEPT: Final = 2 * _COPY_EVERY_PAGES * _PAGE_BYTES
_BUSY_S: Final = 1.0
_GO_ON: Final = (
    "restore the last backup, or go on dealing in another folder: docs/damaged-journal.md, "
    '"The journal is damaged"'
)
DAMAGED_REMEDY: Final = (
    f"Remedy: keep the file as it is, and run verify on a copy of its folder; {_GO_ON}"
)
READABLE: Final = "Remedy: name a journal that this account may read, and check the disk"
# The journal holds cards that nobody has seen yet: the account of the table alone may read it.
FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
# SQLite puts names from a damaged file into its messages; its lack of memory is Python's own error.
DAMAGE: Final = (sqlite3.Error, UnicodeDecodeError, MemoryError)

_WORDS: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "the file or its disk is read-only",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is not a journal",
    sqlite3.SQLITE_BUSY: "another program has locked the file",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_PERM: "access is denied",
    sqlite3.SQLITE_NOMEM: "there is not enough memory",
}
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def error_kind(error: Exception) -> int:
    """SQLite's primary result code of an error in DAMAGE, 0 where it has none."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    if isinstance(error, MemoryError):
        return sqlite3.SQLITE_NOMEM
    return sqlite3.SQLITE_CORRUPT if isinstance(error, UnicodeDecodeError) else code & 0xFF


def describe_error(error: Exception) -> str:
    """An error of SQLite or of the system in plain words, followed by its own text and name."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    own = f"{error}; {name}" if str(error) else name
    return f"{_WORDS.get(error_kind(error), 'SQLite failed')} ({own})"


class OpenFile:
    """A file of the journal until it is closed, or its `with` block ends."""

    def __init__(self, connection: sqlite3.Connection, file: Path, close: Callable[[], None]):
        self.file = file
        self._connection = connection
        self._close = close

    def close(self) -> None:
        """Close the file. May be called twice."""
        close, self._close = self._close, _do_nothing
        close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _do_nothing() -> None:
    return None


class _Writer(sqlite3.Connection):
    """A connection that closes its descriptor of the index after itself, never before.

    Closing a descriptor drops every lock of this process on that file, SQLite's own too (POSIX,
    fcntl): the next reader would find no writer, truncate the index, and end the writer.
    """

    index: int | None = None
    keeps_log = False

    def close(self) -> None:
        if self.keeps_log:
            self._close_beside_a_reader()
        super().close()
        if self.index is not None:
            os.close(self.index)
            self.index = None

    def _close_beside_a_reader(self) -> None:
        """Close it, and leave the log as it is: the last writer that closes would delete it.

        Who only reads cannot, and while it reads nobody else may.
        """
        (name,) = (row[2] for row in self.execute("PRAGMA database_list"))
        with closing(sqlite3.connect(f"{Path(name).as_uri()}?mode=ro", uri=True)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
            super().close()


def open_writer(file: Path, kind: FileKind = JOURNAL, *, create: bool) -> sqlite3.Connection:
    """A connection whose commits are durable. Raises JournalError.

    It may be handed to another thread but must be used by one thread at a time.
    """
    if not create and not file.is_file():
        raise JournalError(
            f"{file}: there is no {kind.name} here. Remedy: name the folder of an existing one"
        )
    try:
        require_regular(*sqlite_files(file))
        if create:
            # SQLite creates files that everybody may read, and gives its log the file's mode.
            os.close(
                os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
            )
        connection = sqlite3.connect(
            file, timeout=_BUSY_S, isolation_level=None, check_same_thread=False, factory=_Writer
        )
    except (*DAMAGE, OSError) as error:
        raise _cannot_open(file, error) from error
    try:
        connection.execute("PRAGMA synchronous = FULL")
        # Deleted records are in a sealed file; overwriting them with zeros would only cost time.
        connection.execute("PRAGMA secure_delete = OFF")
        if create and _is_new(connection):
            _create(connection, kind)
        _require_format(connection, file, kind)
        connection.execute("PRAGMA journal_mode = WAL")
        _check_log(connection, file)
        connection.execute(f"PRAGMA wal_autocheckpoint = {_COPY_EVERY_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES_KEPT}")
    except (*DAMAGE, OSError) as error:
        connection.close()
        raise _cannot_open(file, error) from error
    except JournalError:
        connection.close()
        raise
    return connection


def _check_log(connection: _Writer, file: Path) -> None:
    """Raises JournalError where damage in the log cuts off records that were durable."""
    log, index = (file.with_name(file.name + suffix) for suffix in ("-wal", "-shm"))
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not index.exists():
        return
    connection.index = os.open(index, os.O_RDONLY | os.O_CLOEXEC)
    match log_end(log, valid_frames(connection.index)):
        case LogEnd.CLEAN:
            return
        case LogEnd.TORN:
            # Start a new log: the torn ends of two crashes would one day look like damage.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        case LogEnd.DAMAGED:
            connection.keeps_log = True
            raise JournalError(
                f"{log}: the log is damaged before its end: records stored after that place cannot"
                f" be read. Remedy: keep both files as they are, with a copy elsewhere; {_GO_ON}"
            )
        case end:
            assert_never(end)


def _cannot_open(file: Path, error: Exception) -> JournalError:
    place = (
        "Remedy: check that the folder exists, belongs to this program's account and has room; keep"
        " the file as it is."
    )
    remedy = _remedy(error, place)
    return JournalError(f"{file}: cannot open the journal: {describe_error(error)}. {remedy}")


def _remedy(error: Exception, otherwise: str) -> str:
    return DAMAGED_REMEDY if error_kind(error) in _DAMAGED else otherwise


def stored_format(connection: sqlite3.Connection) -> int:
    """The format of the file. Raises one of DAMAGE."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def go_on_as_newest(connection: sqlite3.Connection, kind: FileKind) -> None:
    """Write the number of the newest format into the file. Raises one of DAMAGE."""
    connection.execute(f"PRAGMA user_version = {kind.formats[-1]}")


def _is_new(connection: sqlite3.Connection) -> bool:
    """Whether the file is still empty: just created, or its creation was interrupted."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    return bool(tables == 0 and application_id == 0)


def _create(connection: sqlite3.Connection, kind: FileKind) -> None:
    """One transaction under SQLite's rollback journal: the file is complete or still empty."""
    connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
    connection.execute("BEGIN EXCLUSIVE")
    _make_tables(connection, kind)
    if kind is JOURNAL:
        connection.execute(SET_BASE, base_row(Base()))
    connection.execute("COMMIT")


def _make_tables(connection: sqlite3.Connection, kind: FileKind) -> None:
    for statement in kind.tables:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {kind.application_id}")
    go_on_as_newest(connection, kind)


def base_row(base: Base) -> _BaseRow:
    """The base as it is stored."""
    return (
        base.seq,
        base.chain,
        base.seal,
        base.started_seq,
        base.started,
        base.software,
        base.state,
        base.digest,
        base.ledger,
        base.binding,
    )


def stored_base(connection: sqlite3.Connection) -> Base | None:
    """The base; None where it is damaged."""
    return _base_from_row(connection.execute(_GET_BASE).fetchone())


def _base_from_row(row: tuple[object, ...] | None) -> Base | None:
    match row:
        case (
            int(seq),
            bytes(chain),
            bytes(seal),
            int(started_seq),
            bytes(started),
            str(software),
            bytes(state),
            bytes(digest),
            bytes(ledger),
            bytes(binding),
        ) if 0 <= started_seq <= seq < 1 << 63:
            base = Base(seq, chain, seal, started_seq, started, software, state, digest, ledger)
            return base if base.binding == binding else None
        case _:
            return None


def open_in_memory(base: Base) -> sqlite3.Connection:
    """An empty live part after `base`, to read sealed files without their live.db."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _make_tables(connection, JOURNAL)
    connection.execute(SET_BASE, base_row(base))
    return connection


def _require_format(connection: sqlite3.Connection, file: Path, kind: FileKind) -> None:
    """Raises JournalError for another program's file or another format."""
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    if application_id != kind.application_id:
        raise JournalError(
            f"{file}: not a journal, but an SQLite file of another program, or a damaged one."
            f" Remedy: name a journal's folder; where it is one: {DAMAGED_REMEDY[8:]}"
        )
    if (version := stored_format(connection)) not in kind.formats:
        formats = " and ".join(str(one) for one in kind.formats)
        raise JournalError(
            f"{file}: the {kind.name} has format {version}; this program reads formats {formats}"
            " alone. Remedy: read it with the release that wrote it; to go on dealing, start in"
            " another folder."
        )


class ReadOnlyFile(Struct):
    """A connection that cannot write, and the private copy it reads from, if it needs one."""

    connection: sqlite3.Connection
    copy: tempfile.TemporaryDirectory[str] | None

    def close(self) -> None:
        self.connection.close()
        if self.copy is not None:
            self.copy.cleanup()


def open_reader(file: Path, kind: FileKind = JOURNAL) -> ReadOnlyFile:
    """Open for reading without writing to the file or its folder. Raises JournalError.

    SQLite keeps the newest commits in a second file (live.db-wal), so there are three cases:
    - a log with its index (live.db-shm): a program may be running; read beside it under SQLite's
      own locks;
    - no log: everything is in the file; it is read as immutable, so that SQLite creates no files
      and a read-only disk is enough;
    - a log without index (both copied from elsewhere): SQLite would have to create the index, so
      a private copy is read.
    """
    if not file.is_file():
        raise JournalError(
            f"{file}: no such file. Remedy: name a journal's folder or its {file.name}"
        )
    log, index = (file.with_name(file.name + suffix) for suffix in ("-wal", "-shm"))
    copy = None
    options = "mode=ro"
    try:
        require_regular(log, index)
        if not log.exists():
            options = "mode=ro&immutable=1"
        elif not index.exists():
            copy = tempfile.TemporaryDirectory(prefix="smartshoe-journal-")
            file = Path(shutil.copy(file, copy.name))
            shutil.copy(log, copy.name)
            options = "mode=rw"
        connection = sqlite3.connect(
            f"{file.resolve().as_uri()}?{options}",
            uri=True,
            timeout=_BUSY_S,
            isolation_level=None,
            check_same_thread=False,
        )
    except (*DAMAGE, OSError) as error:
        if copy is not None:
            copy.cleanup()
        raise JournalError(f"{file}: cannot read the journal: {error}. {READABLE}") from error
    opened = ReadOnlyFile(connection, copy)
    try:
        _require_format(connection, file, kind)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
    except DAMAGE as error:
        opened.close()
        raise JournalError(
            f"{file}: cannot read the journal: {describe_error(error)}. {_remedy(error, READABLE)}"
        ) from error
    except JournalError:
        opened.close()
        raise
    return opened


def copy_database(file: Path, to: Path) -> None:
    """Copy an SQLite file as of this moment, whoever writes into it. Raises JournalError.

    The copy is one file, for this account alone unless it exists, and not synced.
    """
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        os.close(os.open(to, flags, FILE_MODE))
        url = f"{file.absolute().as_uri()}?mode=ro"
        with (
            closing(sqlite3.connect(url, uri=True)) as source,
            closing(sqlite3.connect(to)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except (*DAMAGE, OSError) as error:
        raise JournalError(
            f"{file}: cannot be copied to {to}: {describe_error(error)}. Remedy: run it as the"
            " account that may read the file, make room, and check the disk"
        ) from error
