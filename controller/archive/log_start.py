"""What the evidence log says of the journal, and the two compared where a run begins.

A log that does not fit the journal refuses the start; what a crash kept out of it is added.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from controller.archive.log_keys import begin_log, sign_head
from controller.archive.shoe_index import ShoeSummary, shoe_summary
from controller.archive.signer import NoSigner, Signer
from controller.core.tape.entries import Entry, EventVerdicts, RunBegan
from controller.core.tape.records import read_entry
from controller.journal.database import FOLDER_MODE
from controller.journal.evidence_log.leaf import Leaf, LeafKind, leaf_by
from controller.journal.evidence_log.log import (
    REMEDY,
    EvidenceLog,
    LogRefused,
    leaves_newest_first,
    seals_named_since,
)
from controller.journal.folder import sealed_files
from controller.journal.log_database import LOG_NAME, TILES_NAME, LogDatabase
from controller.journal.reader import JournalReader
from controller.journal.store import Journal
from controller.journal.values import Head, JournalError
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupClosed,
    CoupCorrected,
    ResolutionRecorded,
    SettingChanged,
    ShoeOpened,
)
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.declaration import Author
from controller.system.atomic_file import sync_folder

LOG: Final = logging.getLogger("smartshoe.evidence")


def leaves_of_entry(entry: Entry | None, at: Head, at_ns: int) -> Iterator[Leaf]:
    """What the log says of this entry, stored up to that head; nothing of most entries."""
    match entry:
        case RunBegan():
            yield Leaf(LeafKind.START, at.seq, at.chain, at_ns)
        case ShoeOpened(day, shoe):
            yield Leaf(LeafKind.OPENING, at.seq, at.chain, at_ns, day, shoe)
        case BurnDone():
            yield Leaf(LeafKind.BURN, at.seq, at.chain, at_ns)
        case EventVerdicts(_, verdicts):
            for one in verdicts:
                if isinstance(one, Irregularity):
                    yield Leaf(LeafKind.IRREGULARITY, at.seq, at.chain, at_ns)
        case CoupClosed(record):
            day, shoe = record.gaming_day, record.shoe
            yield Leaf(LeafKind.COUP, at.seq, at.chain, at_ns, day, shoe)
        case (
            ResolutionRecorded() | CoupCorrected() | SettingChanged() | ActRecord("set-gaming-day")
        ):
            yield Leaf(LeafKind.DECISION, at.seq, at.chain, at_ns)
        case _:
            return


def log_size(folder: Path) -> int:
    """The number of leaves of the log in a journal's folder. Raises JournalError."""
    if not (folder / LOG_NAME).exists():
        return 0
    with LogDatabase.open(folder, create=True) as log:
        return log.size


def continue_log(
    journal: Journal, origin: str, at_ns: int, check: Callable[[EvidenceLog], None]
) -> EvidenceLog:
    """Open the log, compare it with the journal, and add what a crash kept out of it.

    `check` comes before anything is added. Raises JournalError, OSError.
    """
    folder = journal.file.parent
    if not (folder / LOG_NAME).exists():
        raise LogRefused(f"{folder}: there are records, but no evidence log ({LOG_NAME}). {REMEDY}")
    log = EvidenceLog.open(folder, origin)
    try:
        newest = check_log(log, journal)
        check(log)
        named_since = partial(seals_named_since, log.database)
        for leaf in missing_leaves(journal, newest, named_since, at_ns):
            log.add(leaf)
    except BaseException:
        log.close()
        raise
    return log


def check_log(log: EvidenceLog, journal: Journal) -> int:
    """Check the newest leaves against the live records; return the newest record of theirs.

    It is not always the newest leaf's: versions before 0.11 could write them out of order. Raises
    JournalError.
    """
    newest = 0
    for leaf in leaves_newest_first(log.database):
        newest = max(newest, leaf.seq)
        if leaf.seq < journal.base.seq:
            break
        if leaf.seq > journal.head.seq:
            raise LogRefused(
                f"{journal.file}: the evidence log speaks of record {leaf.seq}, and the"
                f" newest record here is {journal.head.seq}: records were removed, or this is an"
                f" older {journal.file.name}. {REMEDY}"
            )
        if journal.chain_at(leaf.seq) != leaf.chain:
            raise LogRefused(
                f"{journal.file}: record {leaf.seq} or one before it was changed after the"
                f" evidence log spoke of it. {REMEDY}"
            )
    return newest


def missing_leaves(
    journal: Journal,
    newest: int,
    named_since: Callable[[int], Collection[bytes]],
    at_ns: int,
) -> Iterator[Leaf]:
    """What the log would say if the program had not ended: of records, then of sealed files.

    `newest` is the newest record that it speaks of. Raises JournalError, EncodingError.
    """
    yield from leaves_after(journal, max(newest, journal.base.seq), journal.head.seq, at_ns)
    for one in unnamed_shoes(journal.file.parent, journal.base.seq, named_since):
        heading = one.heading
        yield leaf_of_shoe(heading.gaming_day, heading.shoe, one.digest, journal.head, at_ns)


def leaves_after(
    journal: JournalReader, after_seq: int, until_seq: int, at_ns: int
) -> Iterator[Leaf]:
    """What the log says of the records after the one up to the other number.

    Raises JournalError, EncodingError.
    """
    for stored in journal.records(after_seq):
        if stored.seq > until_seq:
            return
        head = Head(stored.seq, stored.chain)
        yield from leaves_of_entry(read_entry(stored.record), head, at_ns)


def unnamed_shoes(
    folder: Path, base_seq: int, named_since: Callable[[int], Collection[bytes]]
) -> list[ShoeSummary]:
    """The newest sealed shoes up to the base that the log does not name, the oldest first.

    `named_since` gives the seals that it names of that record or a later one. A damaged file is
    passed over: a start needs none, and every verification names it.
    """
    found: list[ShoeSummary] = []
    for path in reversed(sealed_files(folder)) if base_seq else ():
        try:
            one = shoe_summary(path)
        except JournalError as error:
            LOG.warning("%s; the evidence log does not name it", error)
            continue
        if one.digest in named_since(min(one.heading.last_seq, base_seq)):
            break
        # A file after the base is one whose move was interrupted: it is sealed again.
        if one.heading.last_seq <= base_seq:
            found.append(one)
    return found[::-1]


def leaf_of_shoe(gaming_day: str, shoe: int, seal: bytes, head: Head, at_ns: int) -> Leaf:
    """What the log says of a sealed shoe while the journal has that head."""
    kind = LeafKind.SHOE
    return Leaf(kind, head.seq, head.chain, at_ns, gaming_day, shoe, seal)


def begin_log_anew(journal: Journal, origin: str, signer: Signer, by: Author, at_ns: int) -> Path:
    """A named person begins a new log over the journal as it is; the old files are set aside.

    Returns the folder they are in. It says the newest record and every sealed shoe that is here.
    Raises JournalError, OSError.
    """
    folder = journal.file.parent
    aside = folder / f"log-ended-{at_ns}"
    old = [path for path in sorted(folder.glob(f"{LOG_NAME}*")) if path.is_file()]
    if (tiles := folder / TILES_NAME).is_dir():
        old.append(tiles)
    aside.mkdir(FOLDER_MODE)
    for path in old:
        path.rename(aside / path.name)
    sync_folder(folder)
    head = journal.head
    first = leaf_by(by, LeafKind.BEGUN_ANEW, head, at_ns)
    log = begin_log(folder, origin, first, signer)
    try:
        for one in unnamed_shoes(folder, journal.base.seq, lambda _seq: ()):
            heading = one.heading
            log.add(leaf_of_shoe(heading.gaming_day, heading.shoe, one.digest, head, at_ns))
        if not isinstance(signer, NoSigner):
            sign_head(log, signer)
    finally:
        log.close()
    return aside
