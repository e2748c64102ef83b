"""Deletes finished shoes from the table's disk once archived, within limits that protect evidence.

A hold by a named person keeps a shoe as evidence. The shoe in play is never touched.
Source: flock(2).
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.archive.consumers import cursor_path, cursors
from controller.archive.copies import logged_seals, verify_file
from controller.archive.shoe_index import ShoeName, ShoeSummary, shoe_summaries
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.records import read_entry
from controller.journal.encoding import EncodingError
from controller.journal.folder import read_sealed
from controller.journal.log_database import LOG_NAME
from controller.journal.people import PeopleFile, put_names
from controller.journal.store import open_read_only
from controller.journal.values import JournalError, StoredRecord
from controller.procedure.effects import ResolutionRecorded
from controller.procedure.verdicts import Irregularity
from controller.record.people import proof_words
from controller.rules.actions.declaration import Author, Proof
from controller.system.atomic_file import store_text, sync_folder
from controller.system.json_document import time_text
from controller.system.named_file import open_file, read_file, require_regular

KEEP_DAYS: Final = 30
KEEP_DAYS_MIN: Final = 7
NS_PER_DAY: Final = 86_400 * 1_000_000_000
LOCK_NAME: Final = "prune.lock"
HOLDS_NAME: Final = "holds"
HOLD_FORM: Final = "smartshoe-hold-1"
_FOLDER_MODE: Final = 0o750
_PIECE_BYTES: Final = 1 << 20

Progress = Callable[[int, int], None]


class PruneDecision(Struct, frozen=True):
    """One sealed shoe: `why` it stays; empty if it may be deleted."""

    shoe: ShoeSummary
    why: str


# --- holds ----------------------------------------------------------------------------------------


def hold_shoe(folder: Path, name: ShoeName, by: Author, reason: str, at_ns: int) -> Path:
    """Keep a shoe that is still on this disk as evidence. Raises JournalError."""
    if not any(one.name == name for one in shoe_summaries(folder)):
        raise JournalError(
            f"{folder}: shoe {name} is not sealed here. Remedy: name a shoe that `smartshoe journal"
            " list` shows"
        )
    path = _hold_path(folder, name)
    if path.exists():
        raise JournalError(
            f"{path}: shoe {name} is held already: {describe_hold(folder, name)}. Remedy: none is"
            " needed; to hold it for another reason, release it first"
        )
    person = PeopleFile(folder).id_of(by.person)
    held = {"person": person, "proof": by.proof.value, "reason": reason, "at": time_text(at_ns)}
    _store(path, name, held)
    return path


def release_hold(folder: Path, name: ShoeName, by: Author, reason: str, at_ns: int) -> Path:
    """End a hold; who held and who released is kept in a file beside it. Raises JournalError."""
    path = _hold_path(folder, name)
    if not path.exists():
        raise JournalError(
            f"{folder}: shoe {name} is not held. Remedy: name a held shoe; `smartshoe journal list`"
            " marks them"
        )
    ended = path.with_name(f"{path.stem}.released-{at_ns}.json")
    held = _read(path)
    released = {
        "released_by": PeopleFile(folder).id_of(by.person),
        "released_proof": by.proof.value,
        "released_why": reason,
        "released_at": time_text(at_ns),
    }
    _store(ended, name, {**held, **released})
    path.unlink()
    sync_folder(path.parent)
    return ended


def describe_hold(folder: Path, name: ShoeName) -> str:
    """Who holds a shoe and why, in a sentence; empty if nobody does. Raises JournalError."""
    path = _hold_path(folder, name)
    if not path.exists():
        return ""
    fields = _read(path)
    known = (proof for proof in Proof if proof == fields.get("proof"))
    how = proof_words(next(known, Proof.NONE))
    held = f"held by {fields.get('person', '?')} ({how}): {fields.get('reason', '?')}"
    return put_names(held, PeopleFile(folder).names())


def _hold_path(folder: Path, name: ShoeName) -> Path:
    return folder / HOLDS_NAME / f"{name.gaming_day}-{name.shoe}.json"


def _read(path: Path) -> dict[str, object]:
    try:
        fields = json.loads(read_file(path))
    except (OSError, ValueError):
        fields = None
    # A hold that cannot be read still holds.
    return fields if isinstance(fields, dict) else {"reason": f"{path} cannot be read"}


def _store(path: Path, name: ShoeName, fields: Mapping[str, object]) -> None:
    named = {"form": HOLD_FORM, "gaming_day": name.gaming_day, "shoe": name.shoe}
    text = json.dumps({**named, **fields}, indent=2, ensure_ascii=False) + "\n"
    path.parent.mkdir(_FOLDER_MODE, exist_ok=True)
    sync_folder(path.parent.parent)
    store_text(path, text)


# --- what may be deleted --------------------------------------------------------------------------


@contextlib.contextmanager
def prune_lock(folder: Path) -> Iterator[None]:
    """Allow one prune of a folder at a time; a table running there is not affected.

    Raises JournalError.
    """
    path = folder / LOCK_NAME
    try:
        require_regular(path)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise JournalError(
            f"{path}: cannot be created: {error.strerror}. Remedy: let this account write there"
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise JournalError(
            f"{folder}: another prune of this journal is running. Remedy: wait until it has ended"
        ) from error
    try:
        yield
    finally:
        os.close(descriptor)


def decide_prune(
    folder: Path,
    archived: Path,
    at_ns: int,
    keep_days: int = KEEP_DAYS,
    progress: Progress = lambda _done, _total: None,
) -> tuple[PruneDecision, ...]:
    """Decide for each sealed shoe whether it may be deleted. Raises JournalError, OSError.

    Whole gaming days are deleted, the oldest first and none after one that stays, so that the
    remaining records have no gap. Copies in the archive are compared byte for byte only if nothing
    else keeps a day. `progress` is called with shoes done and total shoes.
    """
    assert keep_days >= KEEP_DAYS_MIN
    shoes = tuple(shoe_summaries(folder))
    before_ns = at_ns - keep_days * NS_PER_DAY
    found: list[PruneDecision] = []
    stays = ""
    for day in _group_by_day(shoes):
        progress(len(found), len(shoes))
        of_day = [
            PruneDecision(one, _reason_to_keep(folder, one, shoes, before_ns, stays)) for one in day
        ]
        if not any(one.why for one in of_day):
            of_day = _decide_by_copies(folder, archived, day)
        kept = next((one for one in of_day if one.why), None)
        if kept is not None and not stays:
            stays = f"{kept.shoe.name} stays, and deleting this would leave a gap"
            of_day = [one if one.why else PruneDecision(one.shoe, stays) for one in of_day]
        found += of_day
    progress(len(shoes), len(shoes))
    return tuple(found)


def _decide_by_copies(
    folder: Path, archived: Path, day: Sequence[ShoeSummary]
) -> list[PruneDecision]:
    of_day = [PruneDecision(one, _copy_problem(folder, archived, one)) for one in day]
    if any(one.why for one in of_day):
        return of_day
    logged = logged_seals(archived)
    words = f"the archive's evidence log, {LOG_NAME}, does not name it: archive again"
    return [PruneDecision(one, "" if one.digest in logged else words) for one in day]


def _group_by_day(shoes: Iterable[ShoeSummary]) -> Iterator[list[ShoeSummary]]:
    day: list[ShoeSummary] = []
    for one in shoes:
        if day and day[-1].path.parent != one.path.parent:
            yield day
            day = []
        day.append(one)
    if day:
        yield day


def _reason_to_keep(
    folder: Path, one: ShoeSummary, shoes: Sequence[ShoeSummary], before_ns: int, stays: str
) -> str:
    """Why a shoe stays regardless of the archive; empty if nothing keeps it."""
    if one is shoes[-1]:
        return "the newest sealed shoe: the table continues from it"
    if one.heading.until_ns > before_ns:
        return f"not old enough: it ended {time_text(one.heading.until_ns)[:10]}"
    if held := describe_hold(folder, one.name):
        return held
    if stays:
        return stays
    if behind := _behind(folder, one):
        return behind
    open_ones = _undecided(one, shoes) if one.heading.irregularities else ()
    if open_ones:
        numbers = ", ".join(map(str, open_ones))
        if len(open_ones) == 1:
            return f"irregularity {numbers} waits for a decision"
        return f"irregularities {numbers} wait for a decision"
    return ""


def _behind(folder: Path, one: ShoeSummary) -> str:
    """Which consumer of the floor feed has not got a shoe; empty if each has."""
    for consumer, cursor in cursors(folder):
        if cursor.record < one.heading.last_seq:
            return (
                f"the feed {consumer} has not got it: wait until its broker answers, or remove"
                f" {cursor_path(folder, consumer)} if there is no such consumer any more"
            )
    return ""


def _undecided(one: ShoeSummary, shoes: Sequence[ShoeSummary]) -> tuple[int, ...]:
    """The numbers of irregularities raised in a shoe and not decided there or later."""
    raised: dict[int, None] = {}
    _track_irregularities(read_sealed(one.path).records(), raised, raising=True)
    for later in shoes[shoes.index(one) + 1 :]:
        if not raised:
            return ()
        _track_irregularities(read_sealed(later.path).records(), raised, raising=False)
    folder = one.path.parents[2]
    if raised and (folder / "live.db").exists():
        with open_read_only(folder) as journal:
            _track_irregularities(
                journal.records(after_seq=journal.base.seq), raised, raising=False
            )
    return tuple(raised)


def _track_irregularities(
    records: Iterable[StoredRecord], raised: dict[int, None], *, raising: bool
) -> None:
    for stored in records:
        try:
            entry = read_entry(stored.record)
        except EncodingError:
            continue
        if isinstance(entry, ResolutionRecorded):
            for number in entry.closed:
                raised.pop(number, None)
        elif raising and isinstance(entry, EventVerdicts):
            for verdict in entry.verdicts:
                if isinstance(verdict, Irregularity):
                    raised[verdict.number] = None


def _copy_problem(folder: Path, archived: Path, one: ShoeSummary) -> str:
    """What is wrong with the copy of a shoe; empty if it is intact and equal."""
    copy = archived / one.path.relative_to(folder)
    if not copy.is_file():
        return "not archived"
    if not _same_bytes(one.path, copy):
        return f"{copy} is not the same: keep both as evidence"
    problem = verify_file(copy)
    return f"its copy is not intact: {problem}" if problem else ""


def _same_bytes(one: Path, other: Path) -> bool:
    """Whether two files hold the same bytes; the second is read from its disk, not the cache."""
    with open_file(one) as here, open_file(other) as there:
        os.posix_fadvise(there.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while piece := here.read(_PIECE_BYTES):
            if there.read(_PIECE_BYTES) != piece:
                return False
        return not there.read(1)


# --- deleting -------------------------------------------------------------------------------------


def delete_pruned(decisions: Sequence[PruneDecision]) -> int:
    """Delete what may be deleted, day by day; return the bytes freed.

    Interrupted at any moment, it leaves no gap, and the next prune finishes it. Raises OSError.
    """
    freed = 0
    for day in _group_by_day(one.shoe for one in decisions if not one.why):
        for one in day:
            freed += one.path.stat().st_size
            one.path.unlink()
        here = day[0].path.parent
        sync_folder(here)
        # A file of somebody else keeps the folder.
        with contextlib.suppress(OSError):
            here.rmdir()
        sync_folder(here.parent)
    return freed
