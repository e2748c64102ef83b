"""The table's evidence log: what records add to it, compared at the start, written beside play.

No card waits for a head: a thread of its own signs it. What a crash kept out of the log is added at
the next start; a log that does not fit the journal refuses the start.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.log_keys import (
    HeadSigner,
    SignedHead,
    begin_log,
    drop_unfinished_log,
    require_key,
    sign_head,
    unsigned_at,
)
from controller.archive.shoe_index import ShoeSummary, shoe_summary
from controller.archive.signer import NoSigner, Signer
from controller.archive.witness import Witnesses, WitnessSettings
from controller.core.tape.entries import Entry, EventVerdicts, RunBegan
from controller.core.tape.records import read_entry
from controller.journal.database import FOLDER_MODE
from controller.journal.encoding import GENESIS
from controller.journal.evidence_log.checkpoint import TreeHead, short_code
from controller.journal.evidence_log.leaf import SIGNED_BY_TABLE, Leaf, LeafKind, leaf_by
from controller.journal.evidence_log.log import (
    REMEDY,
    EvidenceLog,
    LogRefused,
    leaves_newest_first,
    seals_named_since,
)
from controller.journal.evidence_log.note import SignatureLine
from controller.journal.evidence_log.tile_files import write_tiles, written_size
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
from foundation.context_thread import ContextThread
from foundation.timestamp import Timestamp


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


LOG: Final = logging.getLogger("smartshoe.evidence")
RETRY_S: Final = 5.0
# As many leaves may wait for the disk; then the sealer waits.
WAITING_MAX: Final = 4096
# No conclusion is older than 30 s without a leaf that speaks of it: the disk has the rest. (A table
# that deals a coup in half a minute needs one leaf for each, with 20 s here two.)
SPOKEN_WITHIN_NS: Final = 27_000_000_000
# As the power fails, the table's key is given so long for its last signature.
HURRY_S: Final = 0.25
# After the time of an end, for the leaf that is being written.
LAST_LEAF_S: Final = 0.2
# The heads after these are lines for people in the log; those of coups would drown them.
_SAID: Final = (LeafKind.START, LeafKind.STOP, LeafKind.IRREGULARITY, LeafKind.DECISION)
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


class WitnessAnswer(Struct, frozen=True):
    """A witness's line under the head of that size; None where it gave none."""

    size: int
    line: SignatureLine | None


# What the thread writes into the log, one after the other.
LogItem: TypeAlias = Leaf | SignedHead | WitnessAnswer


class LogWriter:
    """The log of one table. `begin` opens it and starts the thread, `end` waits for its end.

    One thread at a time calls `add` and `concluded`, in the order of records; any may read
    `status`.
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
        self._head_signer: HeadSigner | None = None
        self._hurried = False
        # What is waited for at the end, once nothing else is to be written.
        self._ends: list[Callable[[], None]] = []
        # How many leaves the files for other programs have, and how many they are to have.
        self._tiles_size = self._tiles_due = 0
        self._waiting: deque[LogItem] = deque()
        # The newest record of which a leaf was added, and the newest one with a conclusion of which
        # none was; when the oldest of these conclusions was stored.
        self._spoken_seq = 0
        self._unspoken: Head | None = None
        self._unspoken_since_ns = 0
        self._seals = set[bytes]()
        self._unsigned_at = 0
        self._changed = threading.Condition()
        self._ended = True
        self._until_ns: int | None = None
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
        self._seals = set(seals_named_since(log.database, journal.base.seq))
        self._spoken_seq, self._unspoken = 0, None
        self._ended, self._until_ns = False, None
        self._witnesses = Witnesses(folder, self._witness_settings, self._answered)
        self._head_signer = HeadSigner(self._origin, folder, self._signer, self._append)
        self._ends = [self._end_signer, self._end_witnesses]
        self._thread = ContextThread(
            target=self._run, args=(log,), name="evidence-log", daemon=True
        )
        self._thread.start()

    def add(self, leaf: Leaf) -> None:
        """Add a leaf soon. Waits only while WAITING_MAX of them wait."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._waiting) < WAITING_MAX or self._ended)
            if self._ended:
                return
            assert leaf.seq >= self._spoken_seq, "leaves are added in the order of records"
            self._append_leaf(leaf)

    def concluded(self, head: Head, at: Timestamp) -> None:
        """Conclusions were stored up to that record of which no leaf is added: one is in time."""
        with self._changed:
            if self._ended:
                return
            self._speak_if_due(at)
            if self._unspoken is None:
                self._unspoken_since_ns = at.monotonic_ns
                self._changed.notify_all()
            self._unspoken = head

    def hurry(self) -> None:
        """Let the end wait for no witness, and for the table's key no longer than HURRY_S."""
        self._hurried = True

    def end(self, within_s: float | None = None) -> None:
        """Write what waits, and end, within that time; what is left, the next start adds."""
        with self._changed:
            if within_s is not None:
                self._until_ns = self._clock().monotonic_ns + int(within_s * 1e9)
            self._ended = True
            self._changed.notify_all()
        if self._thread is not None:
            # One leaf may be on its way to the disk.
            self._thread.join(None if within_s is None else within_s + LAST_LEAF_S)
            self._thread = None

    def _left_s(self) -> float | None:
        """How long the end may still take; None: as long as it takes."""
        if self._until_ns is None:
            return None
        return max(0.0, (self._until_ns - self._clock().monotonic_ns) / 1e9)

    def _answered(self, size: int, line: SignatureLine | None) -> None:
        self._append(WitnessAnswer(size, line))

    def _append(self, item: LogItem) -> None:
        with self._changed:
            self._waiting.append(item)
            self._changed.notify_all()

    def _append_leaf(self, leaf: Leaf) -> None:
        self._spoken_seq, self._unspoken = leaf.seq, None
        self._waiting.append(leaf)
        self._changed.notify_all()

    def _speak_if_due(self, now: Timestamp) -> float | None:
        """Add a leaf for conclusions that waited long enough; else in how many seconds, if any."""
        head = self._unspoken
        if head is None:
            return None
        due_ns = self._unspoken_since_ns + SPOKEN_WITHIN_NS - now.monotonic_ns
        if due_ns > 0:
            return due_ns / 1e9
        self._append_leaf(Leaf(LeafKind.RECORDS, head.seq, head.chain, now.utc_ns))
        return None

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
        self._tiles_size = self._tiles_due = written_size(files, log.database)
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
        if self._ends and self._head_signer is not None:
            self._head_signer.end(0.0)
        log.close()

    def _next(self) -> LogItem | None:
        """What is to be written next; None at the end, once key and witnesses have answered."""
        with self._changed:
            while not self._waiting and not self._ended:
                if (due_s := self._speak_if_due(self._clock())) is None and self._waiting:
                    break
                self._changed.wait(due_s)
            if self._left_s() == 0.0:
                return None
            if self._waiting:
                return self._waiting[0]
        if not self._ends:
            return None
        self._ends.pop(0)()
        return self._next()

    def _end_signer(self) -> None:
        if self._head_signer is not None:
            self._head_signer.end(HURRY_S if self._hurried else self._left_s())

    def _end_witnesses(self) -> None:
        if self._witnesses is not None and not self._hurried:
            self._witnesses.end(self._left_s())

    def _write(self, log: EvidenceLog, item: LogItem) -> None:
        match item:
            case Leaf():
                self._write_leaf(log, item)
            case SignedHead():
                self._write_signed(log, item)
            case WitnessAnswer(size, line):
                if line is not None:
                    log.add_signatures(size, [line])
                self._show_absent()

    def _write_leaf(self, log: EvidenceLog, leaf: Leaf) -> None:
        # A shoe is named once: an interrupted move, repeated, seals it with the same bytes.
        if leaf.seal in self._seals:
            return
        head = log.add(leaf)
        if leaf.seal:
            self._seals.add(leaf.seal)
        self._publish(head, leaf)
        if leaf.kind is LeafKind.SHOE:
            self._tiles_due = head.size
        if leaf.kind in SIGNED_BY_TABLE:
            self._sign(log, head)

    def _sign(self, log: EvidenceLog, head: TreeHead) -> None:
        """Have a head signed by the table's key, and then offered to witnesses."""
        signer = self._head_signer
        if signer is None or isinstance(self._signer(), NoSigner):
            self._hand_out(log, head.size)
            return
        signer.sign(head.size, head.text())
        # The head that names the table's key, too, where that failed when it was named.
        if self._unsigned_at:
            signer.sign(self._unsigned_at, log.note(self._unsigned_at).text)

    def _write_signed(self, log: EvidenceLog, signed: SignedHead) -> None:
        size = signed.size
        if signed.lines:
            log.add_signatures(size, signed.lines)
        words = f"head {size} of the evidence log is not signed by the table's key: "
        if signed.problem:
            LOG.error("%s%s", words, signed.problem)
        self.status = replace(self.status, unsigned=signed.problem and words + signed.problem)
        if size != self._unsigned_at:
            self._hand_out(log, size)
        elif not signed.problem:
            self._unsigned_at = 0

    def _hand_out(self, log: EvidenceLog, size: int) -> None:
        """Offer a head to witnesses, and after a shoe write the files for other programs.

        What of these fails is tried with the next head again.
        """
        if self._witnesses is not None:
            self._witnesses.offer(size)
            self._show_absent()
        if size < self._tiles_due or self._tiles_due == self._tiles_size:
            return
        folder = log.database.file.with_name(TILES_NAME)
        try:
            write_tiles(folder, log.database, log.tree, self._tiles_due, self._tiles_size)
        except _FAILURES as error:
            LOG.warning("the tiles of the evidence log are not written: %s", error)
        else:
            self._tiles_size = self._tiles_due

    def _show_absent(self) -> None:
        if self._witnesses is not None:
            self.status = replace(self.status, absent=self._witnesses.absent)

    def _publish(self, head: TreeHead, leaf: Leaf | None) -> None:
        code = short_code(head)
        level = logging.INFO if leaf is not None and leaf.kind in _SAID else logging.DEBUG
        kind = "opened" if leaf is None else leaf.kind.value
        root = head.root.hex()
        LOG.log(level, "evidence log: head %d, %s, code %s, root %s", head.size, kind, code, root)
        # The leaf of this head leaves the queue once it is written.
        behind = self._leaves_waiting() - (leaf is not None)
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
        self.status = replace(self.status, problem=problem, waiting=self._leaves_waiting())

    def _leaves_waiting(self) -> int:
        """Leaves alone: a signature that waits for the log says nothing new."""
        with self._changed:
            return sum(isinstance(one, Leaf) for one in self._waiting)

    def _utc_ns(self) -> int:
        return self._clock().utc_ns
