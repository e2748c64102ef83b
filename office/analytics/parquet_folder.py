"""A folder of tables as Parquet files in Hive partitions: whole files or none, and which are there.

A run of shoes gives one file for each table, and the file of its shoes, renamed last, names the
others: it says that all of them are there, and of what they were made.
Source: Apache Parquet; POSIX.1-2017, rename() and fsync().
"""

import contextlib
import errno
import json
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from office.analytics.arrow import TablesError, arrow_schema, load_arrow
from office.analytics.piece_rows import Row
from office.analytics.schema import SCHEMA_VERSION, TABLES, TableName

MARK_NAME: Final = "smartshoe-tables.json"
OPEN_NAME: Final = "open"
_NEW: Final = ".new"
_FILES_KEY: Final = b"smartshoe.files"
_OF_KEY: Final = b"smartshoe.made_of"
# The last renamed.
_ORDER: Final = (*(one for one in TABLES if one is not TableName.SHOES), TableName.SHOES)
_COMPRESSION: Final = "zstd"


class ParquetFolder:
    """A folder that holds the tables of one or many tables of play, and nothing of others."""

    def __init__(self, folder: Path) -> None:
        """Use a folder that does not exist, is empty or holds tables. Raises TablesError."""
        self.folder = folder
        mark = folder / MARK_NAME
        try:
            if folder.is_dir() and any(folder.iterdir()):
                _check_mark(mark)
                return
            folder.mkdir(parents=True, exist_ok=True)
            mark.write_text(json.dumps({"schema": SCHEMA_VERSION}) + "\n")
        except OSError as error:
            raise _failed(folder, error) from error

    def holds(self, table: str, day: str, made_of: str) -> bool:
        """Whether the files of that day are there, whole, and made of just this."""
        path = self._path(TableName.SHOES, table, day, f"sealed-{day}")
        if not path.is_file():
            return False
        try:
            found = load_arrow().parquet.read_metadata(path).metadata or {}
        except (OSError, ValueError):
            # It is damaged or cut short: it is written again.
            return False
        if found.get(_OF_KEY, b"").decode() != made_of:
            return False
        files: dict[str, int] = json.loads(found.get(_FILES_KEY, b"{}"))
        return all(_size(self.folder / name) == size for name, size in files.items())

    def drop_open(self, table: str) -> None:
        """Remove what is there of a shoe in play: it may be sealed by now. Raises TablesError."""
        try:
            for name in TABLES:
                days = self.folder / name.value / f"table={_escaped(table)}"
                for path in days.glob(f"*/{OPEN_NAME}.parquet"):
                    path.unlink()
        except OSError as error:
            raise _failed(self.folder, error) from error

    def drop_unfinished(self) -> None:
        """Remove what an interruption left of files under way."""
        for path in self.folder.rglob(f".*.parquet{_NEW}"):
            with contextlib.suppress(OSError):
                path.unlink()

    def store(self, part: "TablesPart", made_of: str) -> int:
        """Write all files of a part; an existing one is replaced. Their bytes. Raises TablesError.

        What an interruption leaves is no `.parquet` file.
        """
        new: list[tuple[Path, Path]] = []
        sizes: dict[str, int] = {}
        try:
            for name in _ORDER:
                for day in sorted(part.days(name)):
                    path = self._path(name, part.table, day, part.file)
                    metadata: dict[bytes, str] = {}
                    last = name is TableName.SHOES and day == part.day and bool(made_of)
                    if last:
                        metadata = {_OF_KEY: made_of, _FILES_KEY: json.dumps(sizes)}
                    fresh = path.with_name(f".{path.name}{_NEW}")
                    new.append((fresh, path))
                    path.parent.mkdir(parents=True, exist_ok=True)
                    _write(fresh, part.columns(name, day), metadata)
                    if not last:
                        sizes[path.relative_to(self.folder).as_posix()] = fresh.stat().st_size
            for fresh, path in new:
                fresh.replace(path)
            return sum(path.stat().st_size for _, path in new)
        except OSError as error:
            raise _failed(self.folder, error) from error
        finally:
            for fresh, _ in new:
                with contextlib.suppress(OSError):
                    fresh.unlink(missing_ok=True)

    def _path(self, name: TableName, table: str, day: str, file: str) -> Path:
        folders = (name.value, f"table={_escaped(table)}", f"gaming_day={day}")
        return self.folder.joinpath(*folders, f"{file}.parquet")


class TablesPart:
    """What goes into the files of one name: the rows of each table, by gaming day.

    Every table has a file for `day`, also without a row, so that a query finds its columns.
    """

    def __init__(self, table: str, day: str, file: str) -> None:
        self.table = table
        self.day = day
        self.file = file
        self._rows: dict[tuple[TableName, str], list[Row]] = {}
        self._batches: dict[tuple[TableName, str], list[Any]] = {}

    def add(self, name: TableName, row: Row) -> None:
        """Add a row; one of no gaming day is of `day`."""
        self._rows.setdefault((name, str(row["gaming_day"] or self.day)), []).append(row)

    def add_batch(self, name: TableName, day: str, batch: Any) -> None:
        """Add columns (a RecordBatch)."""
        self._rows.setdefault((name, day), [])
        self._batches.setdefault((name, day), []).append(batch)

    def pack(self) -> None:
        """Turn the rows so far into columns, which take a tenth of the memory."""
        for (name, day), rows in self._rows.items():
            if rows:
                self._batches.setdefault((name, day), []).append(_columns_of(name, rows))
                rows.clear()

    def days(self, name: TableName) -> Iterable[str]:
        """The gaming days of which there is a file."""
        return {self.day, *(day for table, day in self._rows if table is name)}

    def columns(self, name: TableName, day: str) -> Any:
        """The whole table of one day, sorted by record."""
        self.pack()
        return load_arrow().Table.from_batches(
            self._batches.get((name, day), []), schema=arrow_schema(name)
        )

    @property
    def counts(self) -> Mapping[TableName, int]:
        """How many rows each table has."""
        self.pack()
        found = dict.fromkeys(TABLES, 0)
        for (name, _), batches in self._batches.items():
            found[name] += sum(one.num_rows for one in batches)
        return found


def _columns_of(name: TableName, rows: list[Row]) -> Any:
    arrow, schema = load_arrow(), arrow_schema(name)
    columns = [
        arrow.array([row.get(one.name) for row in rows], one.type, from_pandas=False)
        for one in schema
    ]
    return arrow.RecordBatch.from_arrays(columns, schema=schema)


def _write(path: Path, table: Any, metadata: Mapping[bytes, str]) -> None:
    """Write one file and make it durable."""
    if table.num_rows or metadata:
        table = table.replace_schema_metadata({**table.schema.metadata, **metadata})
        data = _parquet_bytes(table)
    else:
        data = _without_rows(table.schema)
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _parquet_bytes(table: Any) -> Any:
    arrow = load_arrow()
    sink = arrow.BufferOutputStream()
    arrow.parquet.write_table(table, sink, compression=_COMPRESSION)
    return sink.getvalue()


# Most days have no correction: the same bytes serve for all of them.
@lru_cache(maxsize=len(TABLES))
def _without_rows(schema: Any) -> Any:
    return _parquet_bytes(schema.empty_table())


def _check_mark(mark: Path) -> None:
    """Raise TablesError unless the folder holds tables of this schema."""
    try:
        schema = json.loads(mark.read_text())["schema"]
    except (OSError, ValueError, KeyError, TypeError):
        raise TablesError(
            f"{mark.parent}: there are files of something else in it. Allowed: a new or an empty"
            " folder, or one that an earlier export made. Remedy: name another folder"
        ) from None
    if schema != SCHEMA_VERSION:
        raise TablesError(
            f"{mark.parent}: it holds tables of schema {schema}, and this program writes schema"
            f" {SCHEMA_VERSION}. Remedy: export into a new folder"
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _escaped(table: str) -> str:
    """The table's name as the value of a partition."""
    return quote(table, safe=" ")


def _failed(folder: Path, error: OSError) -> TablesError:
    reason = error.strerror or str(error)
    room = "make room on its disk" if error.errno == errno.ENOSPC else "let this account write it"
    return TablesError(
        f"{folder}: the tables cannot be written: {reason}. Remedy: {room}, and export again: what"
        " is complete is kept"
    )
