"""Finds the sealed shoe of a coup, receipts of its batch before it, and acts about it after it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from controller.core.tape.entries import BatchBound, EventVerdicts
from controller.core.tape.records import read_as
from controller.journal.database import FILE_NAME
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.shoe_file import SHOE_BYTES_MAX, SUFFIX, ShoeFile, ShoeFileError, read_shoe
from controller.journal.store import open_read_only
from controller.journal.values import JournalError, StoredRecord
from controller.procedure.effects import ResolutionRecorded, ShoeEnded, ShoeOpened
from controller.procedure.verdicts import Irregularity
from controller.service.commissioning.shuffle_receipt_file import RecordedShuffle, shuffles_in
from controller.system.named_file import read_file
from office.evidence.sealed_shoe import EntryT, ShoeEntry, later_acts_in

ShoeT = TypeVar("ShoeT", ShoeOpened, ShoeEnded)

COUP_FORMATS: Final = "2026-11-21/7/34 (gaming day, shoe, coup), or 7/34 for the newest gaming day"
_COUP: Final = re.compile(r"(?:(\d{4}-\d\d-\d\d)/)?(\d{1,9})/(\d{1,9})", re.ASCII)
SHOE_FORMATS: Final = "2026-11-21/7 (gaming day, shoe), or 7 for the newest gaming day"
_SHOE: Final = re.compile(r"(?:(\d{4}-\d\d-\d\d)/)?(\d{1,9})", re.ASCII)
_NOTHING_SEALED: Final = "Remedy: name the journal or its archive"
_NAMED_MAX: Final = 12
# Two batches alternate, so a batch's shuffle is recorded in its own file or in the one before it.
_EARLIER_FILES: Final = 4
# A coup is corrected on the gaming day on which it ended; a clock change makes one of 25 hours.
# A decision is looked for as long.
_LONGEST_DAY_NS: Final = 25 * 3600 * 10**9


class NoSuchCoup(JournalError):
    """A coup cannot be found; the message says why and which coups there are."""


class CoupReference(Struct, frozen=True):
    """A coup as the user names it; an empty `day` means the newest gaming day that has it."""

    day: str
    shoe: int
    coup: int

    @staticmethod
    def parse(text: str) -> "CoupReference":
        """Raises NoSuchCoup."""
        found = _COUP.fullmatch(text.strip())
        if found is None:
            raise NoSuchCoup(f"{text!r} does not name a coup. Allowed: {COUP_FORMATS}")
        return CoupReference(found[1] or "", int(found[2]), int(found[3]))


class ShoeReference(Struct, frozen=True):
    """A shoe as the user names it; an empty `day` means the newest gaming day that has it."""

    day: str
    shoe: int

    @staticmethod
    def parse(text: str) -> "ShoeReference":
        """Raises NoSuchCoup."""
        found = _SHOE.fullmatch(text.strip())
        if found is None:
            raise NoSuchCoup(f"{text!r} does not name a shoe. Allowed: {SHOE_FORMATS}")
        return ShoeReference(found[1] or "", int(found[2]))


class FoundShoe(Struct, frozen=True):
    """The sealed file that holds a coup; `folder` is the journal's."""

    folder: Path
    path: Path
    data: bytes
    file: ShoeFile


def find_shoe(journal: Path, wanted: CoupReference) -> FoundShoe:
    """The sealed shoe of a coup. Raises NoSuchCoup, JournalError, OSError."""
    folder = _folder_of(journal)
    paths = sealed_files(folder)
    there = _files_of_shoe(paths, wanted)
    for path in reversed(there):
        data = read_file(path, SHOE_BYTES_MAX)
        file = read_named(path, data)
        if 1 <= wanted.coup <= file.heading.coups:
            return FoundShoe(folder, path, data, file)
    raise NoSuchCoup(_reason_not_found(folder, wanted, paths, there))


def find_whole_shoe(journal: Path, wanted: ShoeReference) -> FoundShoe:
    """A sealed shoe, whatever was dealt from it. Raises NoSuchCoup, JournalError, OSError."""
    folder = _folder_of(journal)
    paths = sealed_files(folder)
    named = CoupReference(wanted.day, wanted.shoe, 0)
    there = _files_of_shoe(paths, named)
    if not there:
        raise NoSuchCoup(_reason_not_found(folder, named, paths, ()))
    return _read_found(folder, there[-1])


def find_day(journal: Path, day: str) -> tuple[FoundShoe, ...]:
    """The sealed shoes of a gaming day in order; an empty day means the newest one.

    Raises NoSuchCoup, JournalError, OSError.
    """
    folder = _folder_of(journal)
    paths = sealed_files(folder)
    days = tuple(dict.fromkeys(path.parent.name for path in paths))
    of_day = day or (days[-1] if days else "")
    found = tuple(_read_found(folder, path) for path in paths if path.parent.name == of_day)
    if found:
        return found
    if unsealed := unsealed_shoes(folder, day):
        raise NoSuchCoup(f"{folder}: {reason_if_live(folder, CoupReference(day, unsealed[0], 0))}")
    known = f"Gaming days: {', '.join(days[-_NAMED_MAX:])}" if days else _NOTHING_SEALED
    raise NoSuchCoup(f"{folder}: no shoe of {day or 'any gaming day'} is sealed here. {known}")


def unsealed_shoes(folder: Path, day: str) -> tuple[int, ...]:
    """The shoes of a gaming day that were opened and are not sealed."""
    if not (folder / FILE_NAME).is_file():
        return ()
    with open_read_only(folder) as live:
        opened = tuple(_entries_of(live.records(live.base.seq), ShoeOpened))
    return tuple(dict.fromkeys(one.shoe for one in opened if day in ("", one.gaming_day)))


def _folder_of(journal: Path) -> Path:
    folder = journal.parent if journal.is_file() else journal
    if not folder.is_dir():
        raise NoSuchCoup(f"{journal}: no such folder; name a journal's folder, or its live.db")
    return folder


def _files_of_shoe(paths: Sequence[Path], wanted: CoupReference) -> list[Path]:
    there = [path for path in paths if _shoe_number(path) == wanted.shoe]
    return [path for path in there if wanted.day in ("", path.parent.name)]


def _read_found(folder: Path, path: Path) -> FoundShoe:
    data = read_file(path, SHOE_BYTES_MAX)
    return FoundShoe(folder, path, data, read_named(path, data))


def read_named(path: Path, data: bytes) -> ShoeFile:
    """The sealed file of these bytes. Raises ShoeFileError that names it."""
    try:
        return read_shoe(data)
    except ShoeFileError as error:
        raise ShoeFileError(
            f"{path}: {error}. Remedy: `smartshoe verify {path}` says more; take the file from the"
            " archive"
        ) from error


def _shoe_number(path: Path) -> int:
    return int(path.name.removesuffix(SUFFIX))


# --- why a coup is not there ----------------------------------------------------------------------


def _reason_not_found(
    folder: Path, wanted: CoupReference, paths: Sequence[Path], there: Sequence[Path]
) -> str:
    if there:
        coups = ", ".join(
            f"{_shoe_text(path)} has coups 1 to {_coup_count(path)}" for path in there
        )
        return f"{folder}: no coup {wanted.coup} in that shoe: {coups}"
    live = reason_if_live(folder, wanted)
    if live:
        return f"{folder}: {live}"
    if not paths:
        return f"{folder}: there is no sealed shoe here. {_NOTHING_SEALED}"
    day = f" of {wanted.day}" if wanted.day else ""
    return (
        f"{folder}: there is no shoe {wanted.shoe}{day}. Sealed shoes: {_shoes_text(wanted, paths)}"
    )


def _shoes_text(wanted: CoupReference, paths: Sequence[Path]) -> str:
    """The sealed shoes of that gaming day; without any, the newest ones."""
    of_day = [path for path in paths if path.parent.name == wanted.day]
    named = [_shoe_text(path) for path in of_day or paths][-_NAMED_MAX:]
    more = len(of_day or paths) - len(named)
    return ", ".join(named) + (f" and {more} older" if more else "")


def _shoe_text(path: Path) -> str:
    return f"{path.parent.name}/{_shoe_number(path)}"


def _coup_count(path: Path) -> int:
    return read_named(path, read_file(path, SHOE_BYTES_MAX)).heading.coups


def reason_if_live(folder: Path, wanted: CoupReference) -> str:
    """Why the shoe has no bundle if it is still in live.db, else empty."""
    if not (folder / FILE_NAME).is_file():
        return ""
    with open_read_only(folder) as live:
        opened = _first_of_shoe(_entries_of(live.records(live.base.seq), ShoeOpened), wanted)
        ended = _first_of_shoe(_entries_of(live.records(live.base.seq), ShoeEnded), wanted)
    if ended is not None:
        return (
            f"shoe {ended.gaming_day}/{ended.shoe} has ended and is not sealed yet. Remedy: a table"
            " seals ended shoes when it starts; `smartshoe status` and the log say what prevents it"
        )
    if opened is not None:
        return (
            f"shoe {opened.gaming_day}/{opened.shoe} is not sealed: its records are still in"
            f" {FILE_NAME}, among them cards that nobody has seen. Bundles and reports are made"
            " from sealed shoes. Remedy: wait for the shoe's end, or have it closed (`smartshoe"
            " close-shoe`), and try again"
        )
    return ""


def _first_of_shoe(found: Iterable[ShoeT], wanted: CoupReference) -> ShoeT | None:
    """The first that is about the wanted shoe."""
    of_it = (one for one in found if one.shoe == wanted.shoe and wanted.day in ("", one.gaming_day))
    return next(of_it, None)


def _entries_of(records: Iterable[StoredRecord], kind: type[EntryT]) -> Iterator[EntryT]:
    """Every entry of one type. Other records are not decoded."""
    entries = (read_as(stored.record, kind) for stored in records)
    return (one for one in entries if one is not None)


# --- receipts of the batch ------------------------------------------------------------------------


class BatchReceipts(Struct, frozen=True):
    """Receipts of a batch's shuffles before or in a shoe, and the batch's last binding."""

    shuffles: tuple[RecordedShuffle, ...] = ()
    bound: BatchBound | None = None


def find_batch_receipts(found: FoundShoe) -> BatchReceipts:
    """Shuffles and binding of the shoe's batch, from this sealed file or the nearest before it.

    The back colour identifies the batch: every one of these entries names it.
    """
    back = found.file.heading.back
    paths = sealed_files(found.folder) if back else ()
    at = paths.index(found.path) if back else 0
    receipts = BatchReceipts()
    for path in reversed(paths[max(0, at - _EARLIER_FILES) : at + 1]):
        file = found.file if path == found.path else read_sealed(path)
        bound = [one for one in _entries_of(file.records(), BatchBound) if one.back == back]
        recorded = shuffles_in(file.records(), file.parts().started)
        shuffles = tuple(one for one in recorded if one.recorded.batch == back)
        receipts = BatchReceipts(
            receipts.shuffles or shuffles, receipts.bound or (bound[-1] if bound else None)
        )
        if receipts.bound is not None and receipts.shuffles:
            break
    return receipts


# --- corrections and decisions after the shoe's end -----------------------------------------------


class LaterActs(Struct, frozen=True):
    """Corrections of a shoe's coups and decisions on its irregularities after its end, in order.

    `holding` are the sealed files of later shoes that hold some of them; `files` are all from the
    next shoe's to the last of those, with their bytes, because each names the one before it.
    `provisional`: the last of them are not sealed yet.
    """

    entries: tuple[ShoeEntry, ...] = ()
    holding: tuple[Path, ...] = ()
    files: tuple[tuple[Path, bytes], ...] = ()
    provisional: bool = False


def find_later_acts(found: FoundShoe) -> LaterActs:
    """Those that later sealed files and live.db hold. Raises JournalError."""
    heading, undecided = found.file.heading, _undecided(found.file)
    until_ns = heading.until_ns + _LONGEST_DAY_NS
    paths = sealed_files(found.folder)
    entries: list[ShoeEntry] = []
    holding: list[Path] = []
    files: list[tuple[Path, bytes]] = []
    needed = 0
    for path in paths[paths.index(found.path) + 1 :]:
        data = read_file(path, SHOE_BYTES_MAX)
        file = read_named(path, data)
        if file.heading.from_ns > until_ns:
            return LaterActs(tuple(entries), tuple(holding), tuple(files[:needed]))
        files.append((path, data))
        if acts := later_acts_in(file.records(), heading, undecided):
            entries.extend(acts)
            holding.append(path)
            needed = len(files)
    unsealed: tuple[ShoeEntry, ...] = ()
    if (found.folder / FILE_NAME).is_file():
        with open_read_only(found.folder) as live:
            unsealed = later_acts_in(live.records(live.base.seq), heading, undecided)
    return LaterActs((*entries, *unsealed), tuple(holding), tuple(files[:needed]), bool(unsealed))


def _undecided(file: ShoeFile) -> frozenset[int]:
    """The numbers of the irregularities that are raised in this file and not decided in it."""
    raised = {
        one.number
        for judged in _entries_of(file.records(), EventVerdicts)
        for one in judged.verdicts
        if isinstance(one, Irregularity)
    }
    made = _entries_of(file.records(), ResolutionRecorded) if raised else ()
    return frozenset(raised.difference(*(one.closed for one in made)))
