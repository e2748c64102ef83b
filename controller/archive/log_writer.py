"""Writes the table's evidence log beside play, in a thread of its own: no card waits for a head.

What a crash kept out of the log is added at the next start; a log that does not fit the journal
refuses the start.
Source: controller/archive/README.md, "The evidence log"; controller/journal/README.md, "Evidence
log".
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.actions.declaration import Author
from controller.archive.log_keys import (
    begin_log,
    drop_unfinished_log,
    require_key,
    sign_head,
    unsigned_at,
)
from controller.archive.log_tiles import write_tiles, written_size
from controller.archive.shoe_index import ShoeSummary, shoe_summary
from controller.archive.signer import NoSigner, Signer, SignFailed
from controller.archive.witness import Witnesses, WitnessSettings
from controller.evidence_log.checkpoint import TreeHead, short_code
from controller.evidence_log.leaf import SIGNED_BY_TABLE, Leaf, LeafKind, leaf_by
from controller.evidence_log.log import (
    REMEDY,
    EvidenceLog,
    LogRefused,
    leaves_newest_first,
)
from controller.evidence_log.note import SignatureLine
from controller.journal.database import FOLDER_MODE
from controller.journal.folder import sealed_files
from controller.journal.log_database import LOG_NAME, TILES_NAME, LogDatabase
from controller.journal.reader import JournalReader
from controller.journal.record import GENESIS
from controller.journal.store import Journal
from controller.journal.values import Head, JournalError
from controller.procedure.effects import (
    ActRecord,
    CoupClosed,
    CoupCorrected,
    ResolutionRecorded,
    SettingChanged,
)
from controller.system.atomic_file import sync_folder
from controller.tape.entries import Entry, RunBegan
from controller.tape.records import read_entry
from firmware_bridge.context_thread import ContextThread
from firmware_bridge.timestamp import Timestamp

LOG: Final = logging.getLogger("smartshoe.evidence")
RETRY_S: Final = 5.0
# As many leaves may wait for the disk; then the sealer waits.
WAITING_MAX: Final = 4096
_FAILURES: Final = (JournalError, OSError)


class LogStatus(Struct, frozen=True):
    """The state of the log: its newest head, and how many leaves wait for the next ones.

    `problem` says why they wait and what to do, `unsigned` which head the table's key did not sign.
    `absent` are the witnesses that have not cosigned the newest head offered, each with the reason.
    `code` is the short code of `day`, that of the head after its newest sealed shoe.
    """

    size: int = 0
    root: bytes = b""
    waiting: int = 0
    problem: str = ""
    unsigned: str = ""
    absent: tuple[str, ...] = ()
    day: str = ""
    code: str = ""


def leaf_of_entry(entry: Entry | None, at: Head, at_ns: int) -> Leaf | None:
    """What the log says of this entry, stored up to that head; None for most entries."""
    match entry:
        case RunBegan():
            return Leaf(LeafKind.START, at.seq, at.chain, at_ns)
        case CoupClosed(record):
            day, shoe = record.gaming_day, record.shoe
            return Leaf(LeafKind.COUP, at.seq, at.chain, at_ns, day, shoe)
        case (
            ResolutionRecorded() | CoupCorrected() | SettingChanged() | ActRecord("set-gaming-day")
        ):
            return Leaf(LeafKind.DECISION, at.seq, at.chain, at_ns)
        case _:
            return None


class WitnessAnswer(Struct, frozen=True):
    """A witness's line under the head of that size; None where it gave none."""

    size: int
    line: SignatureLine | None


class LogWriter:
    """The log of one table. `begin` opens it and starts the thread, `end` waits for its end.

    `add` may be called from any thread, and any thread may read `status`.
    """

    def __init__(
        self,
        origin: str,
        signer: Callable[[], Signer],
        clock: Callable[[], Timestamp],
        witnesses: Sequence[WitnessSettings] = (),
    ) -> None:
        self.status = LogStatus()
        self._origin = origin
        self._signer = signer
        self._clock = clock
        self._witness_settings = tuple(witnesses)
        self._witnesses: Witnesses | None = None
        self._asking = False
        self._hurried = False
        self._tiles_size = 0
        self._waiting: deque[Leaf | WitnessAnswer] = deque()
        self._unsigned_at = 0
        self._changed = threading.Condition()
        self._ended = True
        self._thread: threading.Thread | None = None

    # --- for the table ----------------------------------------------------------------------------

    def begin(self, journal: Journal) -> None:
        """Open or begin the log, and add what a crash kept out of it. Raises JournalError."""
        folder = journal.file.parent
        drop_unfinished_log(folder)
        # A crash in the middle of an earlier version's first start left an empty log, or none.
        if journal.head.seq or log_size(folder):
            log = self._continue(journal)
        else:
            log = self._commission(folder)
        self._ended = False
        self._witnesses = Witnesses(folder, self._witness_settings, self._answered)
        self._asking = True
        self._thread = ContextThread(target=self._run, args=(log,), name="evidence-log")
        self._thread.start()

    def add(self, leaf: Leaf) -> None:
        """Add a leaf soon. Waits only while WAITING_MAX of them wait."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._waiting) < WAITING_MAX or self._ended)
            if self._ended:
                return
            self._waiting.append(leaf)
            self._changed.notify_all()

    def hurry(self) -> None:
        """Let the end wait for no witness."""
        self._hurried = True

    def _answered(self, size: int, line: SignatureLine | None) -> None:
        with self._changed:
            self._waiting.append(WitnessAnswer(size, line))
            self._changed.notify_all()

    def end(self) -> None:
        """Write what waits, and end; what a full disk refuses, the next start adds."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    # --- beginning --------------------------------------------------------------------------------

    def _commission(self, folder: Path) -> EvidenceLog:
        """Begin the log of a new journal."""
        first = Leaf(LeafKind.COMMISSIONED, 0, GENESIS, self._utc_ns())
        log = begin_log(folder, self._origin, first, self._signer())
        self._require_key(log)
        return log

    def _continue(self, journal: Journal) -> EvidenceLog:
        log = continue_log(journal, self._origin, self._utc_ns(), self._require_key)
        files = log.database.file.with_name(TILES_NAME)
        self._tiles_size = written_size(files, log.database)
        return log

    def _require_key(self, log: EvidenceLog) -> None:
        signer = self._signer()
        self._unsigned_at = unsigned_at(log, require_key(log, signer), signer)

    # --- the thread -------------------------------------------------------------------------------

    def _run(self, log: EvidenceLog) -> None:
        self._publish(log.head, None)
        while (item := self._next()) is not None:
            try:
                self._write(log, item)
            except _FAILURES as error:
                self._report(f"the evidence log is behind: {error}")
                with self._changed:
                    if self._changed.wait_for(lambda: self._ended, RETRY_S):
                        break
                continue
            with self._changed:
                self._waiting.popleft()
                self._changed.notify_all()
        self._waiting.clear()
        log.close()

    def _next(self) -> Leaf | WitnessAnswer | None:
        """What is to be written next; None at the end, after the witnesses have answered."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ended)
                if self._waiting:
                    return self._waiting[0]
            if not self._asking or self._hurried or self._witnesses is None:
                return None
            self._witnesses.end()
            self._asking = False

    def _write(self, log: EvidenceLog, item: Leaf | WitnessAnswer) -> None:
        if isinstance(item, WitnessAnswer):
            if item.line is not None:
                log.add_signatures(item.size, [item.line])
            self._show_absent()
            return
        # A shoe is named once: an interrupted move, repeated, seals it with the same bytes.
        if item.seal in log.seals:
            return
        head = log.add(item)
        self._publish(head, item)
        if item.kind not in SIGNED_BY_TABLE:
            return
        self._sign(log, head.size)
        if self._witnesses is not None:
            self._witnesses.offer(head.size)
            self._show_absent()
        if item.kind is LeafKind.SHOE:
            self._write_tiles(log)

    def _write_tiles(self, log: EvidenceLog) -> None:
        """Write the files for other programs; what fails is written at the next shoe's end."""
        folder = log.database.file.with_name(TILES_NAME)
        try:
            write_tiles(folder, log.database, log.tree, log.size, self._tiles_size)
        except _FAILURES as error:
            LOG.warning("the tiles of the evidence log are not written: %s", error)
        else:
            self._tiles_size = log.size

    def _show_absent(self) -> None:
        if self._witnesses is not None:
            self.status = replace(self.status, absent=self._witnesses.absent)

    def _sign(self, log: EvidenceLog, size: int) -> None:
        signer = self._signer()
        if isinstance(signer, NoSigner):
            return
        try:
            sign_head(log, signer)
            if self._unsigned_at:
                sign_head(log, signer, self._unsigned_at)
                self._unsigned_at = 0
        except (SignFailed, *_FAILURES) as error:
            words = f"head {size} of the evidence log is not signed by the table's key: {error}"
            LOG.error("%s", words)  # noqa: TRY400 - the sentence says all, a traceback nothing
            self.status = replace(self.status, unsigned=words)
        else:
            self.status = replace(self.status, unsigned="")

    def _publish(self, head: TreeHead, leaf: Leaf | None) -> None:
        code = short_code(head)
        # People need the head of a start and the code of each shoe, not a line for each coup.
        level = logging.INFO if leaf is None else logging.DEBUG
        root = head.root.hex()
        LOG.log(level, "evidence log: head %d, code %s, root %s", head.size, code, root)
        # The leaf of this head leaves the queue once its signatures are written, too.
        behind = len(self._waiting) - (leaf is not None)
        status = replace(self.status, size=head.size, root=head.root, waiting=behind, problem="")
        if leaf is not None and leaf.kind is LeafKind.SHOE:
            status = replace(status, day=leaf.gaming_day, code=code)
            LOG.info(
                "shoe %d of %s is sealed; code of the day %s", leaf.shoe, leaf.gaming_day, code
            )
        self.status = status

    def _report(self, problem: str) -> None:
        if problem != self.status.problem:
            LOG.error("%s", problem)
        self.status = replace(self.status, problem=problem, waiting=len(self._waiting))

    def _utc_ns(self) -> int:
        return self._clock().utc_ns


def log_size(folder: Path) -> int:
    """The number of leaves of the log in a journal's folder. Raises JournalError."""
    if not (folder / LOG_NAME).exists():
        return 0
    with LogDatabase.open(folder, create=True) as log:
        return log.size


# --- the log and the journal ----------------------------------------------------------------------


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
        for leaf in missing_leaves(journal, newest, log.seals, at_ns):
            log.add(leaf)
    except BaseException:
        log.close()
        raise
    return log


def check_log(log: EvidenceLog, journal: Journal) -> Leaf:
    """Check the newest leaves against the live records; return the newest. Raises JournalError."""
    newest: Leaf | None = None
    for leaf in leaves_newest_first(log.database):
        newest = newest or leaf
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
    assert newest is not None, "an opened log has a leaf"
    return newest


def missing_leaves(
    journal: Journal, newest: Leaf, named: Collection[bytes], at_ns: int
) -> Iterator[Leaf]:
    """What the log would say if the program had not ended: of records, then of sealed files.

    `named` are the seals that it names. Raises JournalError, EncodingError.
    """
    yield from leaves_after(journal, max(newest.seq, journal.base.seq), journal.head.seq, at_ns)
    for one in unnamed_shoes(journal.file.parent, journal.base.seq, named):
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
        leaf = leaf_of_entry(read_entry(stored.record), Head(stored.seq, stored.chain), at_ns)
        if leaf is not None:
            yield leaf


def unnamed_shoes(folder: Path, base_seq: int, named: Collection[bytes]) -> list[ShoeSummary]:
    """The newest sealed shoes up to the base that the log does not name, the oldest first.

    A damaged file is passed over: a start needs none, and every verification names it.
    """
    found: list[ShoeSummary] = []
    for path in reversed(sealed_files(folder)) if base_seq else ():
        try:
            one = shoe_summary(path)
        except JournalError as error:
            LOG.warning("%s; the evidence log does not name it", error)
            continue
        if one.digest in named:
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
        for one in unnamed_shoes(folder, journal.base.seq, ()):
            heading = one.heading
            log.add(leaf_of_shoe(heading.gaming_day, heading.shoe, one.digest, head, at_ns))
        if not isinstance(signer, NoSigner):
            sign_head(log, signer)
    finally:
        log.close()
    return aside
