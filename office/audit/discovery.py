"""Finds what there is to audit behind some paths: days of sealed shoes, single files, open parts.

In order, journal by journal and day by day, without holding them all in memory.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.journal.database import FILE_NAME
from controller.journal.folder import SHOES_NAME
from controller.journal.log_database import TILES_NAME
from controller.journal.shoe_file import SUFFIX
from controller.system.command_line.errors import CommandError


class PieceKind(StrEnum):
    """What a piece of an audit is."""

    DAY = "day"  # a folder of sealed files
    SHOE = "shoe"  # one sealed file
    OPEN_PART = "open_part"  # a live.db
    UNREADABLE = "unreadable"  # a folder that cannot be listed
    MONITORS = "monitors"  # all sealed shoes of a journal, for what shows only over many


class Piece(Struct, frozen=True):
    """A piece of work for one process. The pieces of one `journal` are consecutive and in order.

    `parts` are the days and sealed files of a journal, for the monitors alone.
    """

    kind: PieceKind
    journal: str
    path: Path
    parts: tuple[Path, ...] = ()


class NothingToAudit(CommandError):
    """A path holds nothing that can be audited; the message says so."""


_NOT_FOLLOWED: Final = (TILES_NAME,)


def pieces(paths: Sequence[Path]) -> Iterator[Piece]:
    """All pieces below these paths, in order."""
    for path in paths:
        if path.is_dir():
            yield from _in_folder(path)
        elif path.suffix == SUFFIX:
            yield Piece(PieceKind.SHOE, str(path), path)
        else:
            yield Piece(PieceKind.OPEN_PART, str(path.parent), path)


def with_monitors(found: Iterable[Piece]) -> Iterator[Piece]:
    """The same pieces, and after those of each journal one for its monitors."""
    journal, parts = "", list[Path]()
    for piece in found:
        if piece.journal != journal and parts:
            yield Piece(PieceKind.MONITORS, journal, Path(journal), tuple(parts))
            parts.clear()
        journal = piece.journal
        if piece.kind in (PieceKind.DAY, PieceKind.SHOE):
            parts.append(piece.path)
        yield piece
    if parts:
        yield Piece(PieceKind.MONITORS, journal, Path(journal), tuple(parts))


def require_something(paths: Sequence[Path]) -> None:
    """Raises NothingToAudit for the first path with nothing to audit."""
    for path in paths:
        if not path.exists():
            raise NothingToAudit(f"{path}: no such file or folder. {_ALLOWED}")
        if path.is_dir() and next(_in_folder(path), None) is None:
            raise NothingToAudit(f"{path}: it contains no journal and no sealed shoe. {_ALLOWED}")
        if path.is_file() and path.suffix != SUFFIX and path.name != FILE_NAME:
            raise NothingToAudit(
                f"{path}: this is not a sealed shoe or an open journal. {_ALLOWED}"
            )


_ALLOWED: Final = (
    f"Allowed: a journal's folder, an archive, a {SUFFIX} file, a {FILE_NAME}, or a folder that"
    " holds such folders. Remedy: correct the path"
)


def count_files(paths: Sequence[Path]) -> int:
    """The number of sealed files and open parts, for a progress bar."""
    return sum(
        len(sealed_in(piece.path)) if piece.kind is PieceKind.DAY else 1 for piece in pieces(paths)
    )


def sealed_in(folder: Path) -> tuple[str, ...]:
    """The sealed files of one day in the order of their shoes. Raises OSError."""
    with os.scandir(folder) as found:
        names = [entry.name for entry in found if entry.name.endswith(SUFFIX)]
    return tuple(f"{folder}/{name}" for name in sorted(names, key=_in_order))


def _in_order(name: str) -> tuple[int, str]:
    """Sort key that orders names by shoe number: longer numbers come later."""
    return len(name), name


def _in_folder(folder: Path, journal: str = "") -> Iterator[Piece]:
    """The pieces in a folder: sealed files before the open part, inner folders first."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in found)
    except OSError:
        yield Piece(PieceKind.UNREADABLE, journal or str(folder), folder)
        return
    folders = [name for name, inner in entries if inner and name not in _NOT_FOLLOWED]
    files = [name for name, inner in entries if not inner]
    if SHOES_NAME in folders or FILE_NAME in files:
        journal = str(folder)
    elif any(name.endswith(SUFFIX) for name in files):
        yield Piece(PieceKind.DAY, journal or str(folder.parent), folder)
    for name in folders:
        yield from _in_folder(folder / name, journal if name == SHOES_NAME or journal else "")
    if FILE_NAME in files:
        yield Piece(PieceKind.OPEN_PART, journal, folder / FILE_NAME)
