"""Finds the gaming days of sealed shoes behind some paths, table by table, each shoe once.

A journal and its archive may both be named, and so may a folder of many tables' archives.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from controller.archive.shoe_index import trailer
from controller.journal.folder import read_heading_of_file
from controller.journal.shoe_file import ShoeHeading
from controller.journal.values import JournalError
from controller.version import software_identifier, source_digest
from office.analytics.arrow import TablesError
from office.analytics.parts import SealedDay
from office.analytics.schema import SCHEMA_VERSION
from office.audit.discovery import PieceKind, pieces, sealed_in

_WHOLE: Final = (
    "Allowed: a journal's folder, an archive, or a folder that holds such folders. Remedy: name"
    " the folder"
)

# What makes rows of records, besides what an identifier counts: a change writes each day again.
_SOURCES: Final = ("office/analytics/*.py", "controller/archive/*.py", "controller/record/*.py")

# By table and gaming day, the files of sealed shoes by their number, each with its heading.
_Shoes: TypeAlias = dict[tuple[str, str], dict[int, tuple[ShoeHeading, Path]]]


class FoundParts(Struct, frozen=True):
    """Days of sealed shoes, open parts, and sentences on what cannot be read."""

    days: tuple[SealedDay, ...]
    open_parts: tuple[Path, ...]
    problems: tuple[str, ...]


def find_parts(paths: Sequence[Path]) -> FoundParts:
    """Everything below these paths. Raises TablesError where two journals contradict each other."""
    shoes: _Shoes = {}
    open_parts: list[Path] = []
    problems: list[str] = []
    for piece in pieces(paths):
        match piece.kind:
            case PieceKind.DAY:
                try:
                    _add_day(shoes, piece.path)
                except (JournalError, OSError) as error:
                    problems.append(problem_of(piece.path, error))
            case PieceKind.OPEN_PART:
                open_parts.append(piece.path)
            case PieceKind.SHOE:
                raise TablesError(f"{piece.path}: this is a single shoe of its day. {_WHOLE}")
            case PieceKind.UNREADABLE:
                problems.append(f"{piece.path}: this folder cannot be listed")
    _require_one_journal_each(shoes)
    made_by = f"{SCHEMA_VERSION} {software_identifier()}\n".encode() + source_digest(_SOURCES)
    days = tuple(
        _sealed_day(table, day, [files[number][1] for number in sorted(files)], made_by)
        for (table, day), files in sorted(shoes.items())
    )
    return FoundParts(days, tuple(open_parts), tuple(problems))


def _add_day(shoes: _Shoes, folder: Path) -> None:
    for path in map(Path, sealed_in(folder)):
        heading = read_heading_of_file(path)
        day = shoes.setdefault((heading.table, heading.gaming_day), {})
        _, other = day.setdefault(heading.shoe, (heading, path))
        if other != path and trailer(other)[0] != trailer(path)[0]:
            raise TablesError(
                f"{path}: another file is shoe {heading.shoe} of {heading.gaming_day} of table"
                f" {heading.table}, too: {other}. Allowed: tables of different names. Remedy: find"
                " out which is the table's (`smartshoe verify`), and leave the other out"
            )


def _require_one_journal_each(shoes: _Shoes) -> None:
    """Raise TablesError where the shoes of one table name are of two journals.

    Records of a journal are numbered and chained from shoe to shoe. Where shoes between are
    missing, the key that signed shows whose they are.
    """
    by_table: dict[str, list[tuple[ShoeHeading, Path]]] = {}
    for (table, _), files in shoes.items():
        by_table.setdefault(table, []).extend(files.values())
    for table, found in by_table.items():
        found.sort(key=lambda one: one[0].first_seq)
        for (before, path), (heading, other) in pairwise(found):
            missing = heading.first_seq - before.last_seq - 1
            chained = heading.chain_before == before.chain_after
            alike = heading.signer == before.signer if missing > 0 else missing == 0 and chained
            if not alike:
                raise TablesError(
                    f"{other}: it is of another journal than {path}, and both are named table"
                    f" {table}. Allowed: one journal of each name. Remedy: export each into a"
                    " folder of its own; or name the days between, where the key was changed"
                )


def _sealed_day(table: str, day: str, files: Sequence[Path], made_by: bytes) -> SealedDay:
    digest = sha256(made_by)
    for path in files:
        digest.update(trailer(path)[0])
    return SealedDay(table, day, tuple(files), digest.hexdigest())


def problem_of(path: Path, error: Exception) -> str:
    """Why a part cannot be read, as a sentence."""
    return f"{path}: {error.strerror}" if isinstance(error, OSError) else str(error)


def tables_of(days: Sequence[SealedDay]) -> tuple[str, ...]:
    """The tables of these days, each once."""
    return tuple(dict.fromkeys(one.table for one in days))
