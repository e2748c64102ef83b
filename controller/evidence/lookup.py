"""Finding the sealed shoe of a coup in a journal's folder.

Responsible for: how people name a coup, which sealed file holds it, and saying what is there where
it is not; what earlier sealed files tell of the cards in it.
Not responsible for: reading the coup (evidence_shoe, evidence_coup).
Source: package README, "Evidence bundle"; controller/journal/README.md, "Folder".
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from controller.commissioning.shuffle_receipt_file import RecordedShuffle
from controller.evidence.sealed_shoe import EntryT
from controller.journal.database import FILE_NAME
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.record import RecordKind, unwrap
from controller.journal.shoe_file import SUFFIX, ShoeFile, ShoeFileError, read_shoe
from controller.journal.store import open_read_only
from controller.journal.values import JournalError, StoredRecord
from controller.procedure.effects import ShoeEnded, ShoeOpened, ShuffleRecorded
from controller.tape.entries import BatchBound
from controller.tape.records import inputs_in, read_older_entry, read_older_input

ShoeT = TypeVar("ShoeT", ShoeOpened, ShoeEnded)

FORMS: Final = "2026-11-21/7/34 (gaming day, shoe, coup), or 7/34 for the newest gaming day"
_COUP: Final = re.compile(r"(?:(\d{4}-\d\d-\d\d)/)?(\d{1,9})/(\d{1,9})", re.ASCII)
_NAMED_MAX: Final = 12
# Two batches alternate, so the shuffle of a batch stands in its own file or in the one before it.
_EARLIER_FILES: Final = 4


class NoSuchCoup(JournalError):
    """A coup is not to be had; the message says why and what is there."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A coup as somebody asks for it; `day` is empty for the newest that has it."""

    day: str
    shoe: int
    coup: int

    @staticmethod
    def of(text: str) -> "Wanted":
        """Raises NoSuchCoup."""
        found = _COUP.fullmatch(text.strip())
        if found is None:
            raise NoSuchCoup(f"{text!r} names no coup. Allowed: {FORMS}")
        return Wanted(found[1] or "", int(found[2]), int(found[3]))


@dataclass(frozen=True, slots=True)
class FoundShoe:
    """The sealed file that holds a coup; `folder` is the journal's."""

    folder: Path
    path: Path
    data: bytes
    file: ShoeFile


def find_shoe(journal: Path, wanted: Wanted) -> FoundShoe:
    """The sealed shoe of a coup. Raises NoSuchCoup, JournalError, OSError."""
    folder = journal.parent if journal.is_file() else journal
    if not folder.is_dir():
        raise NoSuchCoup(f"{journal}: no such folder; name a journal's folder, or its live.db")
    paths = sealed_files(folder)
    there = [path for path in paths if _shoe_of(path) == wanted.shoe]
    if wanted.day:
        there = [path for path in there if path.parent.name == wanted.day]
    for path in reversed(there):
        data = path.read_bytes()
        file = read_named(path, data)
        if 1 <= wanted.coup <= file.heading.coups:
            return FoundShoe(folder, path, data, file)
    raise NoSuchCoup(_why_not(folder, wanted, paths, there))


def read_named(path: Path, data: bytes) -> ShoeFile:
    """The sealed file of these bytes. Raises ShoeFileError that names it."""
    try:
        return read_shoe(data)
    except ShoeFileError as error:
        raise ShoeFileError(
            f"{path}: {error}. Remedy: `smartshoe verify {path}` says more; take the file from the"
            " archive"
        ) from error


def _shoe_of(path: Path) -> int:
    return int(path.name.removesuffix(SUFFIX))


# --- why a coup is not there ----------------------------------------------------------------------


def _why_not(folder: Path, wanted: Wanted, paths: Sequence[Path], there: Sequence[Path]) -> str:
    if there:
        told = ", ".join(f"{_name(path)} has coups 1 to {_coups(path)}" for path in there)
        return f"{folder}: no coup {wanted.coup} in that shoe: {told}"
    live = _in_live_part(folder, wanted)
    if live:
        return f"{folder}: {live}"
    if not paths:
        return (
            f"{folder}: no sealed shoe is here. Remedy: name the journal, or where it is archived"
        )
    day = f" of {wanted.day}" if wanted.day else ""
    return f"{folder}: no shoe {wanted.shoe}{day} is here. Sealed are {_listed(wanted, paths)}"


def _listed(wanted: Wanted, paths: Sequence[Path]) -> str:
    """What there is instead: the shoes of that day, else the newest days with theirs."""
    of_day = [path for path in paths if path.parent.name == wanted.day]
    named = [_name(path) for path in of_day or paths][-_NAMED_MAX:]
    more = len(of_day or paths) - len(named)
    return ", ".join(named) + (f" and {more} older" if more else "")


def _name(path: Path) -> str:
    return f"{path.parent.name}/{_shoe_of(path)}"


def _coups(path: Path) -> int:
    return read_named(path, path.read_bytes()).heading.coups


def _in_live_part(folder: Path, wanted: Wanted) -> str:
    """Why the shoe has no bundle where live.db tells of it, else empty."""
    if not (folder / FILE_NAME).is_file():
        return ""
    with open_read_only(folder) as live:
        opened = _first(_entries_of(live.records(live.base.seq), ShoeOpened), wanted)
        ended = _first(_entries_of(live.records(live.base.seq), ShoeEnded), wanted)
    if ended is not None:
        return (
            f"shoe {ended.gaming_day}/{ended.shoe} is over and not sealed yet. Remedy: a table"
            " seals what is over when it starts; `smartshoe status` and the log say what hinders it"
        )
    if opened is not None:
        return (
            f"shoe {opened.gaming_day}/{opened.shoe} is not sealed: its records still stand in"
            f" {FILE_NAME}, and among them cards that nobody has seen. A bundle is made of a sealed"
            " shoe. Remedy: wait for the shoe's end, or have it closed (`smartshoe close-shoe`),"
            " and ask again"
        )
    return ""


def _first(found: Iterable[ShoeT], wanted: Wanted) -> ShoeT | None:
    """The first that is about the wanted shoe."""
    of_it = (one for one in found if one.shoe == wanted.shoe and wanted.day in ("", one.gaming_day))
    return next(of_it, None)


def _entries_of(records: Iterable[StoredRecord], kind: type[EntryT]) -> Iterator[EntryT]:
    """Every entry of a kind. Other records are not decoded."""
    name = kind.__name__.encode()
    for stored in records:
        entry = read_older_entry(stored.record) if name in stored.record else None
        if isinstance(entry, kind):
            yield entry


# --- what is said of the batch --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BatchPapers:
    """Receipts of a batch's shuffles before or in a shoe, and how the batch was bound last."""

    shuffles: tuple[RecordedShuffle, ...] = ()
    bound: BatchBound | None = None


def batch_papers(found: FoundShoe) -> BatchPapers:
    """What this sealed file, or the nearest one before it, says of the cards dealt from it.

    A batch is known by the colour of its backs: that is what every one of these entries names.
    """
    back = found.file.heading.back
    paths = sealed_files(found.folder) if back else ()
    at = paths.index(found.path) if back else 0
    papers = BatchPapers()
    for path in reversed(paths[max(0, at - _EARLIER_FILES) : at + 1]):
        file = found.file if path == found.path else read_sealed(path)
        bound = [one for one in _entries_of(file.records(), BatchBound) if one.back == back]
        shuffles = tuple(one for one in _shuffles(file) if one.recorded.batch == back)
        papers = BatchPapers(
            papers.shuffles or shuffles, papers.bound or (bound[-1] if bound else None)
        )
        if papers.bound is not None and papers.shuffles:
            break
    return papers


def _shuffles(file: ShoeFile) -> Iterator[RecordedShuffle]:
    """The receipts of shuffles in a sealed file, in order."""
    heard = b""
    for stored in file.records():
        kind, _ = unwrap(stored.record)
        if kind is RecordKind.INPUT:
            heard = stored.record
        elif b"ShuffleRecorded" in stored.record:
            entry = read_older_entry(stored.record)
            if isinstance(entry, ShuffleRecorded):
                yield RecordedShuffle(stored.seq, _utc_ns(heard), entry)


def _utc_ns(record: bytes) -> int:
    """When the input came that an entry was concluded from."""
    item = read_older_input(record) if record else None
    return inputs_in(item)[-1].at.utc_ns if item is not None else 0
