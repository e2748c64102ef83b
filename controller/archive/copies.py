"""Copies finished shoes and the evidence log to an archive; each shoe is read back and verified.

An interrupted run is resumed by the next; a different file is never overwritten.
Source: POSIX.1-2017, fsync(), posix_fadvise().
"""

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterable, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from controller.archive.shoe_index import ShoeSummary, shoe_summaries, trailer
from controller.journal.database import copy_database
from controller.journal.evidence_log.shoe_proof import shoe_leaves
from controller.journal.evidence_log.tile_files import (
    TileModes,
    newest_signed,
    write_tiles,
    written_size,
)
from controller.journal.evidence_log.tiles import StoredTree
from controller.journal.folder import sync_file
from controller.journal.log_database import LOG_NAME, TILES_NAME, LogDatabase
from controller.journal.shoe_file import SHOE_BYTES_MAX
from controller.journal.values import JournalError
from controller.journal.verify import CannotRead, verify
from controller.system.atomic_file import store_text, sync_folder, write_synced
from controller.system.json_document import time_text
from controller.system.named_file import open_file, read_file
from controller.version import software_identifier

NOTE_NAME: Final = "archived.json"
NOTE_FORM: Final = "smartshoe-archive-1"
_PART_NAME: Final = "archiving.part"
_PIECE_BYTES: Final = 1 << 20
# An archive holds finished shoes alone: its group may read it, other than the journal.
_FOLDER_MODE: Final = 0o750
_FILE_MODE: Final = 0o640

Progress = Callable[[int, int], None]


class ArchiveReport(Struct):
    """Names of files copied and verified, files present already, and shoes that are too young.

    `problems` are sentences; if there is one, the archive is not complete.
    """

    copied: list[str] = field(default_factory=list)
    present: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    copied_bytes: int = 0


def archive_shoes(
    journal: Path,
    to: Path,
    at_ns: int,
    older_than_ns: int = 0,
    progress: Progress = lambda _done, _total: None,
) -> ArchiveReport:
    """Copy what was sealed longer than `older_than_ns` ago. Raises JournalError, OSError.

    A gaming day is copied whole or not at all. `progress` is called with bytes done and total.
    """
    _require_other_folder(journal, to)
    report = ArchiveReport()
    # The log first: a shoe sealed meanwhile is not in it and waits for the next run.
    logged = logged_seals(journal)
    days = _group_by_day(shoe_summaries(journal))
    old = [day for day in days if all(_is_old(one, at_ns, older_than_ns) for one in day)]
    report.waiting = [str(one.name) for day in days if day not in old for one in day]
    wanted = [one for day in old for one in day if one.digest in logged or one is not days[-1][-1]]
    _require_same_table(to, wanted)
    total, done = sum(one.size for one in wanted), 0
    progress(0, total)
    for one in wanted:
        _copy_shoe(report, journal, to, one)
        done += one.size
        progress(done, total)
    _copy_log(report, journal, to)
    if wanted:
        _write_note(to, wanted[-1], at_ns)
    return report


def _require_other_folder(journal: Path, to: Path) -> None:
    inside = (to.resolve(), *to.resolve().parents)
    if journal.resolve() in inside:
        raise JournalError(
            f"{to}: this is inside the journal's own folder. Remedy: name a folder on another disk"
        )
    if (to / "live.db").exists() or (to / "lock").exists():
        raise JournalError(
            f"{to}: this is the folder of a table. Remedy: name a folder for the archive"
        )


def _group_by_day(shoes: Iterable[ShoeSummary]) -> list[list[ShoeSummary]]:
    days: dict[str, list[ShoeSummary]] = {}
    for one in shoes:
        days.setdefault(one.path.parent.name, []).append(one)
    return list(days.values())


def _is_old(one: ShoeSummary, at_ns: int, older_than_ns: int) -> bool:
    return older_than_ns == 0 or one.heading.until_ns <= at_ns - older_than_ns


def _require_same_table(to: Path, wanted: Sequence[ShoeSummary]) -> None:
    """One archive per table: shoes of two tables have the same gaming days and numbers."""
    path = to / NOTE_NAME
    if not wanted or not path.exists():
        return
    table, noted = wanted[0].heading.table, _noted_table(path)
    if noted != table:
        raise JournalError(
            f"{to}: this is the archive of table {noted}, but these are shoes of {table}."
            " Allowed: one archive for each table. Remedy: name another folder"
        )


def _noted_table(path: Path) -> str:
    try:
        return str(json.loads(read_file(path))["table"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise JournalError(
            f"{path}: the archive's note cannot be read. Remedy: move it away; it is written again"
        ) from error


# --- shoes ----------------------------------------------------------------------------------------


def _copy_shoe(report: ArchiveReport, journal: Path, to: Path, one: ShoeSummary) -> None:
    """Copy and verify one shoe, or find that it is present already."""
    name = one.path.relative_to(journal).as_posix()
    target = to / name
    if target.exists():
        if has_copy(to, one):
            report.present.append(name)
        else:
            report.problems.append(
                f"{target}: this file differs from {one.path}. It was not overwritten: keep both as"
                " evidence, and run `smartshoe verify` on both"
            )
        return
    data = read_file(one.path, SHOE_BYTES_MAX)
    problem = verify_file(one.path)
    if problem:
        report.problems.append(f"{one.path}: not copied: {problem}. Keep it as evidence")
        return
    write_copy(to, target, data)
    same = read_back(target) == sha256(data).digest()
    problem = verify_file(target) if same else "the disk returns other bytes than were written"
    if problem:
        report.problems.append(
            f"{target}: the copy is not good: {problem}. Check the archive's disk, move this"
            " file away, and archive again"
        )
        return
    report.copied.append(name)
    report.copied_bytes += one.size


def verify_file(path: Path) -> str:
    """The first problem that the regulator's verifier finds in a sealed file; empty if intact."""
    try:
        report = verify(path)
    except CannotRead as error:
        return str(error)
    return "" if report.intact else str(report.problems[0])


def write_copy(to: Path, target: Path, data: bytes) -> None:
    """Create a new file, complete and durable, or none. Raises OSError."""
    part = to / _PART_NAME
    target.parent.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
    try:
        write_synced(part, data, _FILE_MODE)
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        part.rename(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
    for folder in (target.parent, target.parent.parent, to):
        sync_folder(folder)


def read_back(path: Path) -> bytes:
    """SHA-256 of a file as read from its disk, not from the page cache. Raises OSError."""
    digest = sha256()
    with open_file(path) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while piece := file.read(_PIECE_BYTES):
            digest.update(piece)
    return digest.digest()


# --- the evidence log -----------------------------------------------------------------------------


def logged_seals(folder: Path) -> frozenset[bytes]:
    """The digests of the sealed shoes that the evidence log there names; none without a log.

    Raises JournalError.
    """
    if not (folder / LOG_NAME).is_file():
        return frozenset()
    with LogDatabase.open_read_only(folder) as log:
        return frozenset(one.leaf.seal for one in shoe_leaves(log))


def _copy_log(report: ArchiveReport, journal: Path, to: Path) -> None:
    """Copy the log as of now in place of a shorter one that it continues."""
    if not (journal / LOG_NAME).is_file():
        return
    target = to / LOG_NAME
    with LogDatabase.open_read_only(journal) as log:
        if target.exists() and (difference := _log_difference(log, to)) is not None:
            if difference:
                report.problems.append(difference)
            else:
                report.present.append(LOG_NAME)
            return
    part = to / _PART_NAME
    to.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
    part.unlink(missing_ok=True)
    # Who reads an archive reads its log: the copy keeps the mode of the file that is there.
    write_synced(part, b"", _FILE_MODE)
    copy_database(journal / LOG_NAME, part)
    with part.open("rb") as written:
        digest = file_digest(written, "sha256").digest()
    sync_file(part)
    part.replace(target)
    sync_folder(to)
    if read_back(target) != digest:
        report.problems.append(f"{target}: the disk returns other bytes than were written")
        return
    report.copied.append(LOG_NAME)
    report.copied_bytes += target.stat().st_size
    with LogDatabase.open_read_only(to) as log:
        modes = TileModes(_FOLDER_MODE, _FILE_MODE)
        files = to / TILES_NAME
        tree, before = StoredTree(log.entries), written_size(files, log)
        write_tiles(files, log, tree, newest_signed(log), before, modes)


def _log_difference(log: LogDatabase, to: Path) -> str | None:
    """Why the copy stays as it is: another log (a sentence), or the same ("").

    None where the log continues the copy.
    """
    with LogDatabase.open_read_only(to) as copy:
        size = copy.size
        if size and (size > log.size or copy.note_text(size) != log.note_text(size)):
            return (
                f"{copy.file}: this is another log than {log.file}, or a newer one. It was not"
                " overwritten: keep both, and run `smartshoe verify` on both folders"
            )
        same = size == log.size and copy.note(size) == log.note(size)
    return "" if same else None


def _write_note(to: Path, newest: ShoeSummary, at_ns: int) -> None:
    fields = {
        "form": NOTE_FORM,
        "table": newest.heading.table,
        "archived_at": time_text(at_ns),
        "by": f"smartshoe {software_identifier()}",
        "newest": {
            "gaming_day": newest.heading.gaming_day,
            "shoe": newest.heading.shoe,
            "digest": newest.digest.hex(),
        },
    }
    store_text(to / NOTE_NAME, json.dumps(fields, indent=2, ensure_ascii=False) + "\n")


def has_copy(archived: Path, one: ShoeSummary) -> bool:
    """Whether the archive has a file with that shoe's size and trailer; nothing more is checked."""
    copy = archived / one.path.relative_to(one.path.parents[2])
    try:
        return copy.stat().st_size == one.size and trailer(copy) == trailer(one.path)
    except OSError:
        return False
