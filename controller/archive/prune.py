"""Taking finished shoes from the table's disk, within limits that protect evidence.

Responsible for: which gaming days may go and why the others stay, taking them away in their order,
and holds: a named person keeps a shoe as evidence.
Not responsible for: copying (journal_archive), and for the shoe in play, which is never touched.
Source: package README, "Journal commands"; flock(2).
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.archive.copies import checked
from controller.archive.day_list import FOLDER_NAME, SUFFIX
from controller.archive.shoe_index import SealedShoe, ShoeName, sealed_shoes
from controller.journal.encoding.codec import CanonicalError
from controller.journal.folder import read_sealed
from controller.journal.store import open_read_only
from controller.journal.values import JournalError, StoredRecord
from controller.procedure.effects import ResolutionRecorded
from controller.procedure.verdicts import Irregularity
from controller.system.atomic_file import store_text, sync_folder
from controller.system.json_document import time_text
from controller.tape.entries import Judged
from controller.tape.records import read_older_entry

KEEP_DAYS: Final = 30
KEEP_DAYS_MIN: Final = 7
NS_PER_DAY: Final = 86_400 * 1_000_000_000
LOCK_NAME: Final = "prune.lock"
HOLDS_NAME: Final = "holds"
HOLD_FORM: Final = "smartshoe-hold-1"
_FOLDER_MODE: Final = 0o750
_PIECE_BYTES: Final = 1 << 20

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Judgement:
    """One sealed shoe: `why` it stays, empty where it may go."""

    shoe: SealedShoe
    why: str


# --- holds ----------------------------------------------------------------------------------------


def hold(folder: Path, name: ShoeName, person: str, reason: str, at_ns: int) -> Path:
    """Keep a shoe that is still here as evidence. Raises JournalError."""
    if not any(one.name == name for one in sealed_shoes(folder)):
        raise JournalError(f"{folder}: shoe {name} is not sealed here; `smartshoe journal list`")
    path = _hold_path(folder, name)
    if path.exists():
        raise JournalError(f"{path}: shoe {name} is held already: {held_by(folder, name)}")
    _store(path, name, {"person": person, "reason": reason, "at": time_text(at_ns)})
    return path


def release(folder: Path, name: ShoeName, person: str, reason: str, at_ns: int) -> Path:
    """End a hold; who held and who released is kept beside. Raises JournalError."""
    path = _hold_path(folder, name)
    if not path.exists():
        raise JournalError(f"{folder}: shoe {name} is not held")
    ended = path.with_name(f"{path.stem}.released-{at_ns}.json")
    held = _read(path)
    released = {"released_by": person, "released_why": reason, "released_at": time_text(at_ns)}
    _store(ended, name, {**held, **released})
    path.unlink()
    sync_folder(path.parent)
    return ended


def held_by(folder: Path, name: ShoeName) -> str:
    """Who holds a shoe and why; empty where nobody does. Raises JournalError."""
    path = _hold_path(folder, name)
    if not path.exists():
        return ""
    fields = _read(path)
    return f"held by {fields.get('person', '?')}: {fields.get('reason', '?')}"


def _hold_path(folder: Path, name: ShoeName) -> Path:
    return folder / HOLDS_NAME / f"{name.gaming_day}-{name.shoe}.json"


def _read(path: Path) -> dict[str, object]:
    try:
        fields = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        fields = None
    # A hold that cannot be read still holds.
    return fields if isinstance(fields, dict) else {"reason": f"{path} cannot be read"}


def _store(path: Path, name: ShoeName, fields: dict[str, object]) -> None:
    named = {"form": HOLD_FORM, "gaming_day": name.gaming_day, "shoe": name.shoe}
    text = json.dumps({**named, **fields}, indent=2, ensure_ascii=False) + "\n"
    path.parent.mkdir(_FOLDER_MODE, exist_ok=True)
    sync_folder(path.parent.parent)
    store_text(path, text)


# --- what may go ----------------------------------------------------------------------------------


@contextlib.contextmanager
def prune_lock(folder: Path) -> Iterator[None]:
    """One prune of a folder at a time; a table that runs there is not hindered.

    Raises JournalError.
    """
    path = folder / LOCK_NAME
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    except OSError as error:
        raise JournalError(f"{path}: cannot be made: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise JournalError(
            f"{folder}: another prune is at work on this journal. Wait until it has ended"
        ) from error
    try:
        yield
    finally:
        os.close(descriptor)


def judged(
    folder: Path,
    archived: Path,
    at_ns: int,
    keep_days: int = KEEP_DAYS,
    progress: Progress = lambda _done, _total: None,
) -> tuple[Judgement, ...]:
    """Which sealed shoes may go. Raises JournalError, OSError.

    Whole gaming days go, the oldest first and none after one that stays, so that what is left is
    one unbroken row of records. Copies are compared byte for byte only where nothing else keeps
    a day.
    """
    assert keep_days >= KEEP_DAYS_MIN
    shoes = tuple(sealed_shoes(folder))
    before_ns = at_ns - keep_days * NS_PER_DAY
    found: list[Judgement] = []
    stays = ""
    for day in _days(shoes):
        progress(len(found), len(shoes))
        of_day = [Judgement(one, _why(folder, one, shoes, before_ns, stays)) for one in day]
        if not any(one.why for one in of_day):
            of_day = _by_copies(folder, archived, day)
        kept = next((one for one in of_day if one.why), None)
        if kept is not None and not stays:
            stays = f"{kept.shoe.name} stays, and no gap is made"
            of_day = [one if one.why else Judgement(one.shoe, stays) for one in of_day]
        found += of_day
    progress(len(shoes), len(shoes))
    return tuple(found)


def _by_copies(folder: Path, archived: Path, day: Sequence[SealedShoe]) -> list[Judgement]:
    of_day = [Judgement(one, _unlike(folder, archived, one)) for one in day]
    if any(one.why for one in of_day):
        return of_day
    listed = _unlisted(folder, archived, day[0].heading.gaming_day)
    return [Judgement(one, listed) for one in day]


def _days(shoes: Iterable[SealedShoe]) -> Iterator[list[SealedShoe]]:
    day: list[SealedShoe] = []
    for one in shoes:
        if day and day[-1].path.parent != one.path.parent:
            yield day
            day = []
        day.append(one)
    if day:
        yield day


def _why(
    folder: Path, one: SealedShoe, shoes: Sequence[SealedShoe], before_ns: int, stays: str
) -> str:
    """Why a shoe stays, whatever the archive has."""
    if one is shoes[-1]:
        return "the newest sealed shoe: the table goes on from it"
    if one.heading.until_ns > before_ns:
        return f"not old enough: it ended {time_text(one.heading.until_ns)[:10]}"
    if held := held_by(folder, one.name):
        return held
    if stays:
        return stays
    open_ones = _undecided(one, shoes) if one.heading.irregularities else ()
    if open_ones:
        return f"irregularity {', '.join(map(str, open_ones))} waits for a decision"
    return ""


def _undecided(one: SealedShoe, shoes: Sequence[SealedShoe]) -> tuple[int, ...]:
    """The irregularities raised in a shoe that nobody decided, there or later."""
    raised: dict[int, None] = {}
    _follow(read_sealed(one.path).records(), raised, raising=True)
    for later in shoes[shoes.index(one) + 1 :]:
        if not raised:
            return ()
        _follow(read_sealed(later.path).records(), raised, raising=False)
    folder = one.path.parents[2]
    if raised and (folder / "live.db").exists():
        with open_read_only(folder) as journal:
            _follow(journal.records(after_seq=journal.base.seq), raised, raising=False)
    return tuple(raised)


def _follow(records: Iterable[StoredRecord], raised: dict[int, None], *, raising: bool) -> None:
    for stored in records:
        try:
            entry = read_older_entry(stored.record)
        except CanonicalError:
            continue
        if isinstance(entry, ResolutionRecorded):
            for number in entry.closed:
                raised.pop(number, None)
        elif raising and isinstance(entry, Judged):
            for verdict in entry.verdicts:
                if isinstance(verdict, Irregularity):
                    raised[verdict.number] = None


def _unlike(folder: Path, archived: Path, one: SealedShoe) -> str:
    """What is wrong with the copy of a shoe; empty where it is whole, and the same."""
    copy = archived / one.path.relative_to(folder)
    if not copy.is_file():
        return "not archived"
    if not _same(one.path, copy):
        return f"{copy} is not the same: keep both as evidence"
    found = checked(copy)
    return f"its copy is not intact: {found}" if found else ""


def _unlisted(folder: Path, archived: Path, gaming_day: str) -> str:
    """What is wrong with the copies of the lists of a day."""
    for path in _lists(folder, gaming_day):
        copy = archived / path.relative_to(folder)
        if not copy.is_file() or not _same(path, copy):
            return f"its list of seals, {path.name}, is not archived as it is here"
    return ""


def _lists(folder: Path, gaming_day: str) -> tuple[Path, ...]:
    return tuple(sorted((folder / FOLDER_NAME).glob(f"{gaming_day}{SUFFIX}*")))


def _same(one: Path, other: Path) -> bool:
    """Whether two files hold the same bytes; those of the copy come from its disk."""
    with one.open("rb") as here, other.open("rb") as there:
        os.posix_fadvise(there.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while piece := here.read(_PIECE_BYTES):
            if there.read(_PIECE_BYTES) != piece:
                return False
        return not there.read(1)


# --- taking away ----------------------------------------------------------------------------------


def take_away(folder: Path, judgements: Sequence[Judgement]) -> int:
    """Delete what may go, in order, each day's list before its shoes; the bytes. Raises OSError.

    Cut short at any moment it leaves an unbroken row, and is finished by the next prune.
    """
    freed = 0
    for day in _days(one.shoe for one in judgements if not one.why):
        lists = _lists(folder, day[0].heading.gaming_day)
        for path in (*lists, *(one.path for one in day)):
            freed += path.stat().st_size
            path.unlink()
        here = day[0].path.parent
        sync_folder(here)
        # A file that is not of ours keeps the folder.
        with contextlib.suppress(OSError):
            here.rmdir()
        for parent in (folder / FOLDER_NAME, here.parent):
            if parent.is_dir():
                sync_folder(parent)
    return freed
