"""Copying finished shoes and lists of seals elsewhere, each copy read back and checked.

Responsible for: what is to be copied, that a copy is whole and on its disk before it counts, going
on where a copy was interrupted, never writing over a different file, and the note in the archive.
Not responsible for: taking shoes from the table's disk (retention), and for the live part: of the
shoe in play nothing is copied.
Source: package README, "Journal commands"; POSIX.1-2017, fsync(), posix_fadvise().
"""

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from controller.archive.day_list import FOLDER_NAME, SUFFIX, DayList, read_day
from controller.archive.shoe_index import SealedShoe, sealed_shoes, trailer
from controller.journal.database import FILE_MODE, FOLDER_MODE
from controller.journal.values import JournalError
from controller.journal.verify import CannotRead, verify
from controller.system.atomic_file import SmallFileError, store_text, sync_folder, write_synced
from controller.system.json_document import time_text
from controller.version import VERSION

NOTE_NAME: Final = "archived.json"
NOTE_FORM: Final = "smartshoe-archive-1"
_PART_NAME: Final = "archiving.part"
_PIECE_BYTES: Final = 1 << 20

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class ArchiveReport:
    """What was done: files copied and checked, files that were there already, and what was not.

    `problems` are sentences; where there is one the archive is not complete.
    """

    copied: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    copied_bytes: int = 0


def archive(
    journal: Path,
    to: Path,
    at_ns: int,
    older_than_ns: int = 0,
    progress: Progress = lambda _done, _total: None,
) -> ArchiveReport:
    """Copy what was sealed longer than `older_than_ns` ago. Raises JournalError, OSError.

    A gaming day is copied whole or not at all. `progress` gets bytes done and bytes in all.
    """
    _other_folder(journal, to)
    report = ArchiveReport()
    # Lists first: a shoe that is sealed meanwhile is in none of them and waits for the next time.
    lists = _lists(journal)
    days = _days(sealed_shoes(journal))
    old = [day for day in days if all(_old(one, at_ns, older_than_ns) for one in day)]
    report.waiting = [str(one.name) for day in days if day not in old for one in day]
    wanted = [one for day in old for one in day if not _just_sealed(one, days, lists)]
    _same_table(to, wanted)
    total, done = sum(one.size for one in wanted), 0
    progress(0, total)
    for one in wanted:
        _copied_shoe(report, journal, to, one)
        done += one.size
        progress(done, total)
    _copied_lists(report, journal, to, [day[0].heading.gaming_day for day in old], lists)
    if wanted:
        _note(to, wanted[-1], at_ns)
    return report


def _other_folder(journal: Path, to: Path) -> None:
    inside = (to.resolve(), *to.resolve().parents)
    if journal.resolve() in inside:
        raise JournalError(
            f"{to}: it is in the journal's own folder. Name a folder on another disk"
        )
    if (to / "live.db").exists() or (to / "lock").exists():
        raise JournalError(f"{to}: it is the folder of a table. Name a folder for the archive")


def _days(shoes: Iterable[SealedShoe]) -> list[list[SealedShoe]]:
    days: dict[str, list[SealedShoe]] = {}
    for one in shoes:
        days.setdefault(one.path.parent.name, []).append(one)
    return list(days.values())


def _old(one: SealedShoe, at_ns: int, older_than_ns: int) -> bool:
    return older_than_ns == 0 or one.heading.until_ns <= at_ns - older_than_ns


def _just_sealed(
    one: SealedShoe, days: Sequence[Sequence[SealedShoe]], lists: dict[str, bytes]
) -> bool:
    """Whether it is the newest shoe and its list, which does not name it yet, is being written."""
    name = f"{one.heading.gaming_day}{SUFFIX}"
    return one is days[-1][-1] and one.digest.hex().encode() not in lists.get(name, b"")


def _same_table(to: Path, wanted: Sequence[SealedShoe]) -> None:
    """One archive, one table: their gaming days and numbers are alike."""
    path = to / NOTE_NAME
    if not wanted or not path.exists():
        return
    table, stands = wanted[0].heading.table, _table_noted(path)
    if stands != table:
        raise JournalError(
            f"{to}: it is the archive of table {stands}, and these are shoes of {table}. Name"
            " another folder: one for each table"
        )


def _table_noted(path: Path) -> str:
    try:
        return str(json.loads(path.read_text("utf-8"))["table"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise JournalError(
            f"{path}: the archive's note cannot be read. Move it away: it is written anew"
        ) from error


# --- shoes ----------------------------------------------------------------------------------------


def _copied_shoe(report: ArchiveReport, journal: Path, to: Path, one: SealedShoe) -> None:
    """Copy and check one shoe, or see that it is there."""
    name = one.path.relative_to(journal).as_posix()
    target = to / name
    if target.exists():
        if has_copy(to, one):
            report.there.append(name)
        else:
            report.problems.append(
                f"{target}: another file than {one.path} stands there. Nothing was written over it:"
                " keep both as evidence, and run `smartshoe verify` on both"
            )
        return
    data = one.path.read_bytes()
    found = checked(one.path)
    if found:
        report.problems.append(f"{one.path}: not copied: {found}. Keep it as evidence")
        return
    put(to, target, data)
    found = "" if read_back(target) == sha256(data).digest() else "the disk gives other bytes back"
    found = found or checked(target)
    if found:
        report.problems.append(
            f"{target}: the copy is not good: {found}. Look after the archive's disk, move this"
            " file away, and archive again"
        )
        return
    report.copied.append(name)
    report.copied_bytes += one.size


def checked(path: Path) -> str:
    """What the regulator's verifier finds wrong with one sealed file; empty where it is intact."""
    try:
        told = verify(path)
    except CannotRead as error:
        return str(error)
    return "" if told.intact else str(told.problems[0])


def put(to: Path, target: Path, data: bytes) -> None:
    """Make a new file, whole and on the disk, or none. Raises OSError."""
    part = to / _PART_NAME
    target.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    try:
        write_synced(part, data, FILE_MODE)
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        part.rename(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()
    for folder in (target.parent, target.parent.parent, to):
        sync_folder(folder)


def read_back(path: Path) -> bytes:
    """The digest of a file as its disk gives it, not as memory still holds it. Raises OSError."""
    digest = sha256()
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while piece := file.read(_PIECE_BYTES):
            digest.update(piece)
    return digest.digest()


# --- lists of seals -------------------------------------------------------------------------------


def _lists(journal: Path) -> dict[str, bytes]:
    """All lists of seals, those laid aside included, by name."""
    folder = journal / FOLDER_NAME
    if not folder.is_dir():
        return {}
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.is_file() and SUFFIX in path.name and not path.name.startswith(".")
    }


def _copied_lists(
    report: ArchiveReport, journal: Path, to: Path, days: Sequence[str], lists: dict[str, bytes]
) -> None:
    for name, data in lists.items():
        if name.partition(".")[0] not in days:
            continue
        target = to / FOLDER_NAME / name
        shown = f"{FOLDER_NAME}/{name}"
        if not target.exists():
            put(to, target, data)
        elif target.read_bytes() == data:
            report.there.append(shown)
            continue
        elif not _grown(target, journal / FOLDER_NAME / name):
            report.problems.append(
                f"{target}: it names other seals than {journal / FOLDER_NAME / name}. Nothing was"
                " written over it: keep both, and run `smartshoe verify` on both folders"
            )
            continue
        else:
            store_text(target, data.decode())
        if read_back(target) != sha256(data).digest():
            report.problems.append(f"{target}: the disk gives other bytes back than were written")
            continue
        report.copied.append(shown)
        report.copied_bytes += len(data)


def _grown(before: Path, after: Path) -> bool:
    """Whether a list only went on, and nobody signed the longer one who did not sign the other."""
    try:
        one, two = read_day(before), read_day(after)
    except SmallFileError:
        return False
    same = _whose(one) == _whose(two) or not one.signer
    return same and two.seals[: len(one.seals)] == one.seals


def _whose(day: DayList) -> tuple[str, str, bytes]:
    return day.table, day.gaming_day, day.signer


def _note(to: Path, newest: SealedShoe, at_ns: int) -> None:
    fields = {
        "form": NOTE_FORM,
        "table": newest.heading.table,
        "archived_at": time_text(at_ns),
        "by": f"smartshoe {VERSION}",
        "newest": {
            "gaming_day": newest.heading.gaming_day,
            "shoe": newest.heading.shoe,
            "digest": newest.digest.hex(),
        },
    }
    store_text(to / NOTE_NAME, json.dumps(fields, indent=2, ensure_ascii=False) + "\n")


def has_copy(archived: Path, one: SealedShoe) -> bool:
    """Whether a file of that shoe's size and seal stands in the archive; no more is looked at."""
    copy = archived / one.path.relative_to(one.path.parents[2])
    try:
        return copy.stat().st_size == one.size and trailer(copy) == trailer(one.path)
    except OSError:
        return False
