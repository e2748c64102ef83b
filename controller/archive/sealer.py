"""Seals finished shoes beside play and keeps the evidence log, as a subscriber of what is stored.

What it was too slow for it reads on from the journal. Resumes where a crash or a full disk
interrupted it. No log line of it names a card.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.finished_shoe import (
    NoFinishedShoe,
    finished_shoe,
    shoe_records,
    shoes_ended,
)
from controller.archive.log_writer import (
    LogStatus,
    LogWriter,
    leaf_of_shoe,
    leaves_after,
    leaves_of_entry,
)
from controller.archive.signer import (
    NoSigner,
    ProgramSigner,
    Signer,
    SignFailed,
    SigningSettings,
    open_signer,
)
from controller.archive.witness import WitnessSettings
from controller.core.state import Stored
from controller.journal.encoding import EncodingError
from controller.journal.evidence_log.leaf import Leaf, LeafKind
from controller.journal.folder import shoe_path
from controller.journal.log_database import LOG_NAME
from controller.journal.reader import JournalReader
from controller.journal.shoe_file import ShoeHeading, read_shoe, shoe_bytes
from controller.journal.store import Journal, open_read_only
from controller.journal.values import Base, Head, JournalError, JournalWriteFailed, SavedState
from controller.record.snapshot_devices import SealsView
from foundation.timestamp import Timestamp

LOG: Final = logging.getLogger("smartshoe.evidence")
# Runs a job in the thread of `stored`, behind what was handed on before.
InOrder = Callable[[Callable[[], object]], object]
_FAILURES: Final = (SignFailed, EncodingError, NoFinishedShoe, JournalError, OSError)


def _no_progress(_text: str) -> None:
    """Default progress callback: does nothing."""


def _no_wake() -> None:
    """Default where nobody waits for a shoe's file: does nothing."""


def _at_once(job: Callable[[], object]) -> object:
    """Default where one thread does everything: the order of calls is that of the records."""
    return job()


class SealingStatus(Struct, frozen=True):
    """The state of sealing. `sealed` and `seconds` are totals since the program began.

    `unsealed` shoes have ended and wait in live.db; `problem` says why and what to do; it is empty
    where all is well. `signer` says who signs, `unsigned` why nobody does although somebody should.
    """

    sealed: int = 0
    unsealed: int = 0
    seconds: float = 0.0
    last_seconds: float = 0.0
    problem: str = ""
    signer: str = ""
    unsigned: str = ""
    log: LogStatus = LogStatus()

    def view(self) -> SealsView:
        """What a snapshot of the table shows of it."""
        return SealsView(
            sealed=self.sealed,
            unsealed=self.unsealed,
            problem=self.problem or self.log.problem,
            signer=self.signer,
            unsigned=self.unsigned or self.log.unsigned,
            day=self.log.day,
            code=self.log.code,
            heads=self.log.size,
        )


class _MadeShoe(Struct, frozen=True):
    """A shoe whose file is made and signed, the base after it, and when that began."""

    heading: ShoeHeading
    data: bytes
    base: Base
    began: Timestamp


class Sealer:
    """Seals the shoes of one table. `stored` may run in a thread of its own, all else in the loop.

    The thread of `stored` alone adds leaves, in the order of records: a sealed shoe and the stop
    reach it behind the transactions that were stored before them. Any thread may read `status`.
    """

    name: ClassVar[str] = "sealing"

    def __init__(
        self,
        table: str,
        signing: SigningSettings,
        clock: Callable[[], Timestamp],
        progress: Callable[[str], None] = _no_progress,
        witnesses: Sequence[WitnessSettings] = (),
    ) -> None:
        """`progress` receives a sentence after each shoe that is sealed at a start."""
        self._table = table
        self._progress = progress
        self._signing = signing
        self._clock = clock
        self._signer: Signer | None = None
        self._status = SealingStatus()
        self._wake: Callable[[], object] = _no_wake
        self._in_order: InOrder = _at_once
        self._changing = threading.Lock()
        self._folder = Path()
        # The newest record whose leaves are written, or that an earlier run stored.
        self._logged_seq = 0
        # What is to be said once the leaves of every record before it are written.
        self._unlogged: deque[Leaf] = deque()
        self._made: deque[_MadeShoe] = deque()
        # The base after the newest made shoe; None where the journal's own is to be taken.
        self._made_base: Base | None = None
        self._earlier = self._making_failed = False
        self._ends: list[SavedState] = []
        self.log = LogWriter(table, self._open_signer, clock, witnesses)

    @property
    def status(self) -> SealingStatus:
        return replace(self._status, log=self.log.status)

    def begin(
        self,
        journal: Journal,
        wake: Callable[[], object] = _no_wake,
        in_order: InOrder = _at_once,
    ) -> None:
        """Before a run: open the key and the evidence log, seal what earlier runs left.

        `wake` is called when `move_made` has something to do. `in_order` runs a job in the thread
        of `stored`, behind every transaction that was handed on before. Raises JournalError.
        """
        self._folder = journal.file.parent
        # Later a new key would be another than the log names: a person puts it on record.
        first = not (self._folder / LOG_NAME).exists()
        makes_key = first and self._signing.makes_key
        signer = self._open_signer(make=first)
        if makes_key and isinstance(signer, NoSigner):
            # The log would name no key, and the one made by a later start would be refused.
            self._signer = None
            why = signer.words
            raise JournalError(
                f"the table's key cannot be made, and its first start names it: {why}"
            )
        self.log.begin(journal)
        self._wake, self._in_order = _no_wake, in_order
        self._ends, self._logged_seq = [], journal.head.seq
        self._unlogged.clear()
        self._drop_made()
        # A start waits for no token: what earlier runs left is sealed beside play.
        self._earlier = isinstance(signer, ProgramSigner)
        if not self._earlier:
            self._seal_earlier(journal)
        self._wake = wake

    def stored(self, stored: Stored) -> None:
        """Say in the evidence log what was stored, and make the files of the shoes that ended.

        Transactions that were left out are read from the journal. Raises JournalError.
        """
        self._log_waiting()
        missed = self._logged_seq < stored.after_seq
        self._log_up_to(stored.after_seq, stored.at.utc_ns)
        self._log_conclusions(stored, missed=missed)
        self._ends.extend(stored.shoe_ends)
        if stored.shoe_ended or missed or self._earlier:
            self._earlier = False
            self._make_ended()

    def move_made(self, journal: Journal) -> None:
        """Between inputs: move the shoes whose files are made. Raises JournalWriteFailed."""
        while self._made:
            try:
                self._move(journal, self._made[0])
            except JournalWriteFailed:
                raise
            except _FAILURES as error:
                self._drop_made()
                self._report_unsealed(journal, str(error))
                return
            self._made.popleft()
            if not self._made and not self._making_failed:
                self._note(unsealed=0, problem="")

    def stop(self, head: Head) -> None:
        """Say, behind what is stored, that the run was stopped in good order with that head."""
        self._say(Leaf(LeafKind.STOP, head.seq, head.chain, self._clock().utc_ns))

    def end(self, head: Head | None = None, within_s: float | None = None) -> None:
        """End the evidence log; `head` is the journal's where the run was stopped in good order.

        What it lacks after `within_s` (None: however long it takes), the next start adds.
        """
        if head is not None:
            self.stop(head)
        self.log.end(within_s)

    # --- leaves, in the order of records ---------------------------------------------------------

    def _say(self, leaf: Leaf) -> None:
        """Add a leaf behind those of every record stored until now."""

        def say() -> None:
            self._unlogged.append(leaf)
            self._log_waiting()

        self._in_order(say)

    def _log_waiting(self) -> None:
        while self._unlogged:
            leaf = self._unlogged[0]
            self._log_up_to(leaf.seq, leaf.at_ns)
            self.log.add(leaf)
            self._unlogged.popleft()

    def _log_conclusions(self, stored: Stored, *, missed: bool) -> None:
        spoken = False
        for entry in (entry for one in stored.conclusions for entry in one.entries):
            for leaf in leaves_of_entry(entry, stored.head, stored.at.utc_ns):
                self.log.add(leaf)
                spoken = True
        if not spoken and (stored.conclusions or missed):
            self.log.concluded(stored.head, stored.at)
        self._logged_seq = stored.head.seq

    def _log_up_to(self, seq: int, at_ns: int) -> None:
        """Add the leaves of records that were left out, from the journal. Raises JournalError."""
        if self._logged_seq >= seq:
            return
        with open_read_only(self._folder) as reader:
            for leaf in leaves_after(reader, self._logged_seq, seq, at_ns):
                self.log.add(leaf)
        self._logged_seq = seq

    def _open_signer(self, *, make: bool = False) -> Signer:
        if self._signer is not None:
            return self._signer
        self._signer = signer = open_signer(self._signing, make=make)
        if not isinstance(signer, NoSigner):
            LOG.info("seals are signed by %s", signer.words)
            self._note(signer=signer.words)
            return signer
        if signer.wanted:
            LOG.warning("SEALS ARE NOT SIGNED: %s", signer.words)
            self._note(unsigned=signer.words)
        else:
            LOG.info("seals are not signed: %s", signer.words)
        return signer

    # --- shoes -----------------------------------------------------------------------------------

    def _seal_earlier(self, journal: Journal) -> None:
        """At a start: seal every shoe that has ended, one by one. Raises JournalWriteFailed."""
        before = self._status.sealed
        self._note(unsealed=0)
        while not self._status.unsealed and self._make_next(journal):
            self.move_made(journal)
            sealed = self._status.sealed - before
            if not self._status.unsealed:
                shoes = "shoe" if sealed == 1 else "shoes"
                self._progress(f"sealing what earlier runs left: {sealed} {shoes} done")
        if (sealed := self._status.sealed - before) > 1:
            LOG.info("%d shoes of earlier runs are sealed", sealed)

    def _make_ended(self) -> None:
        """Make the file of each shoe that has ended and has none. Raises JournalError."""
        self._making_failed, more = False, True
        while more:
            with open_read_only(self._folder) as reader:
                more = self._make_next(reader)
            if more and isinstance(self._signer, ProgramSigner):
                # A token may be slow: what was stored meanwhile has its leaves first.
                self._in_order(self._make_ended)
                return

    def _drop_made(self) -> None:
        self._made.clear()
        self._made_base = None

    def _make_next(self, journal: JournalReader) -> bool:
        """Make and sign the file of the first shoe that has ended and has none; whether it did."""
        try:
            made = self._make(journal)
        except _FAILURES as error:
            self._making_failed = True
            self._report_unsealed(journal, str(error))
            return False
        if made is None:
            return False
        self._made_base = made.base
        self._made.append(made)
        self._wake()
        return True

    def _make(self, journal: JournalReader) -> _MadeShoe | None:
        began = self._clock()
        base = max(self._made_base or journal.base, journal.base, key=lambda one: one.seq)
        records = shoe_records(journal.records(after_seq=base.seq))
        if not records:
            return None
        signer = self._open_signer()
        sign, named = None, ("", b"")
        if not isinstance(signer, NoSigner):
            sign, named = signer.sign, (signer.public.algorithm.value, signer.public.raw)
        shoe = finished_shoe(self._table, base, records, named)
        self._ends = [one for one in self._ends if one.seq > base.seq]
        state = next((one for one in self._ends if one.seq == shoe.heading.last_seq), None)
        data = shoe_bytes(shoe.heading, shoe.rows, shoe.parts, sign)
        after = shoe.base(read_shoe(data).digest, state or journal.saved_state())
        return _MadeShoe(shoe.heading, data, after, began)

    def _move(self, journal: Journal, made: _MadeShoe) -> None:
        heading = made.heading
        path = shoe_path(journal.file.parent, heading.gaming_day, heading.shoe)
        moved = journal.move_sealed(path, made.data, made.base)
        day, shoe, at_ns = heading.gaming_day, heading.shoe, made.began.utc_ns
        self._say(leaf_of_shoe(day, shoe, moved.seal, journal.head, at_ns))
        if self._status.unsigned:
            name = f"shoe {heading.shoe} of {heading.gaming_day}"
            LOG.warning("%s is sealed WITHOUT A SIGNATURE: %s", name, self._status.unsigned)
        seconds = (self._clock().monotonic_ns - made.began.monotonic_ns) / 1e9
        self._note(
            sealed=self._status.sealed + 1,
            seconds=self._status.seconds + seconds,
            last_seconds=seconds,
        )

    def _note(self, **changes: object) -> None:
        """Change the status: both threads do."""
        with self._changing:
            self._status = replace(self._status, **changes)

    def _report_unsealed(self, journal: JournalReader, why: str) -> None:
        """Log and publish the problem. Play goes on; the records stay in live.db."""
        try:
            waiting = shoes_ended(journal.records(after_seq=journal.base.seq))
        except (JournalError, EncodingError):
            waiting = ()
        first = f"shoe {waiting[0].shoe} of {waiting[0].gaming_day}" if waiting else "a shoe"
        problem = (
            f"{first} is not sealed: {why.removesuffix('.')}. Its records stay in {journal.file},"
            " play goes on, and sealing is tried again at the next shoe's end and the next start"
        )
        LOG.error("%s", problem)
        self._note(unsealed=max(1, len(waiting)), problem=problem)
