"""Writes the evidence log as files that other programs read: tiles, entries, and a checkpoint.

A full tile is written once; partial ones and the checkpoint are those of one signed head.
Source: C2SP tlog-tiles.
"""

import shutil
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.journal.database import FILE_MODE, FOLDER_MODE
from controller.journal.evidence_log.checkpoint import parse_checkpoint
from controller.journal.evidence_log.log import read_head
from controller.journal.evidence_log.note import NoteError, parse_note
from controller.journal.evidence_log.tiles import (
    CHECKPOINT_NAME,
    TILE_WIDTH,
    StoredTree,
    Tile,
    entries_bytes,
    entries_path,
    tile_bytes,
    tiles_of,
)
from controller.journal.log_database import LogDatabase
from controller.system.atomic_file import sync_folder, write_synced

_PART_NAME = "tile.part"


class TileModes(Struct, frozen=True):
    """The modes of folders and files: by default those of the journal, for its account alone."""

    folder: int = FOLDER_MODE
    file: int = FILE_MODE


OWN: Final = TileModes()


def write_tiles(
    folder: Path,
    log: LogDatabase,
    tree: StoredTree,
    size: int,
    before: int = 0,
    modes: TileModes = OWN,
) -> None:
    """Write the files of the log's first `size` leaves; those of its first `before` are there.

    The checkpoint comes last, so that a reader finds every tile of the one it has. Raises
    JournalError, OSError.
    """
    for tile in tiles_of(size, before):
        _write(folder, tile.path, tile_bytes(_hashes(tree, tile)), modes)
        if tile.level == 0:
            entries = islice(log.entries(tile.index * TILE_WIDTH), tile.width)
            data = entries_bytes(tuple(entries))
            _write(folder, entries_path(tile.index, tile.width), data, modes)
    _, note = read_head(log, size)
    _write(folder, CHECKPOINT_NAME, note.to_bytes(), modes)


def _hashes(tree: StoredTree, tile: Tile) -> list[bytes]:
    first = tile.index * TILE_WIDTH
    if tile.level == 0:
        return tree.leaves(first, first + tile.width)
    span = TILE_WIDTH**tile.level
    numbers = range(first, first + tile.width)
    return [tree.root(number * span, (number + 1) * span) for number in numbers]


def _write(folder: Path, name: str, data: bytes, modes: TileModes) -> None:
    """Write a file whole or not at all, and remove the narrower ones that it replaces."""
    path = folder / name
    place = folder
    for name_of_folder in ("", *path.parent.relative_to(folder).parts):
        place = place / name_of_folder
        place.mkdir(modes.folder, parents=True, exist_ok=True)
    part = folder / _PART_NAME
    write_synced(part, data, modes.file)
    part.replace(path)
    sync_folder(path.parent)
    if path.parent.suffix == ".p":
        for narrower in path.parent.iterdir():
            if narrower != path:
                narrower.unlink()
    else:
        shutil.rmtree(path.with_name(f"{path.name}.p"), ignore_errors=True)


def newest_signed(log: LogDatabase) -> int:
    """The size of the newest head that a lasting key signed; the newest of all where none did.

    A head after a coup has the signature of its one-time key alone. Raises JournalError.
    """
    newest = log.size
    for size in range(newest, 0, -1):
        _, note = read_head(log, size)
        if len(note.signatures) > (size > 1):
            return size
    return newest


def written_size(folder: Path, log: LogDatabase) -> int:
    """How many leaves the files there have, if they are this log's; else 0. Raises JournalError."""
    try:
        text = parse_note((folder / CHECKPOINT_NAME).read_bytes(), unsigned=True).text
        size = parse_checkpoint(text).size
    except (OSError, NoteError):
        return 0
    same = 0 < size <= log.size and read_head(log, size)[1].text == text
    return size if same else 0
