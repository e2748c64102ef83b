"""Seals finished shoes between inputs, off the card's latency path, and keeps the evidence log.

A program that signs runs beside play: no input waits for a token. Resumes where a crash or a full
disk interrupted it. No log line of it names a card.
Source: controller/archive/README.md, "Evidence"; controller/journal/README.md, "Shoe file".
"""

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.finished_shoe import (
    FinishedShoe,
    NoFinishedShoe,
    finished_shoe,
    shoe_records,
    shoes_ended,
)
from controller.archive.log_writer import LogStatus, LogWriter, leaf_of_entry, leaf_of_shoe
from controller.archive.signer import (
    NoSigner,
    ProgramSigner,
    Signer,
    SignFailed,
    SigningSettings,
    open_signer,
)
from controller.archive.witness import WitnessSettings
from controller.evidence_log.leaf import Leaf, LeafKind
from controller.journal.encoding import EncodingError
from controller.journal.folder import shoe_path
from controller.journal.log_database import LOG_NAME
from controller.journal.shoe_file import read_shoe, shoe_bytes
from controller.journal.store import Journal
from controller.journal.values import Head, JournalError, JournalWriteFailed, SavedState
from controller.tape.entries import Entry
from firmware_bridge.timestamp import Timestamp

LOG: Final = logging.getLogger("smartshoe.evidence")
_FAILURES: Final = (SignFailed, EncodingError, NoFinishedShoe, JournalError, OSError)


def _no_progress(_text: str) -> None:
    """Default progress callback: does nothing."""


def _no_wake() -> None:
    """Default where nobody waits for a signature: does nothing."""


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

    def snapshot_fields(self) -> dict[str, object]:
        """The fields that a snapshot of the table contains."""
        return {
            "sealed": self.sealed,
            "unsealed": self.unsealed,
            "problem": self.problem or self.log.problem,
            "signer": self.signer,
            "unsigned": self.unsigned or self.log.unsigned,
            "day": self.log.day,
            "code": self.log.code,
            "heads": self.log.size,
        }


class _Sealing:
    """A shoe whose file is made and signed, the state after it, if known, and when that began."""

    def __init__(self, shoe: FinishedShoe, state: SavedState | None, began: Timestamp) -> None:
        self.shoe = shoe
        self.state = state
        self.began = began
        self.made = threading.Event()
        self._data = b""
        self._failure: SignFailed | None = None

    def make(self, signer: Signer, wake: Callable[[], object]) -> None:
        """Make and sign the file, then call `wake`. Called once, from any thread."""
        shoe, sign = self.shoe, None if isinstance(signer, NoSigner) else signer.sign
        try:
            self._data = shoe_bytes(shoe.heading, shoe.rows, shoe.parts, sign)
        except SignFailed as error:
            self._failure = error
        finally:
            self.made.set()
            wake()

    def data(self) -> bytes:
        """The bytes of the file once it is made. Raises SignFailed."""
        if self._failure is not None:
            raise self._failure
        return self._data


class Sealer:
    """Seals the shoes of one table. Used by the table's loop; any thread may read `status`."""

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
        self._sealing: _Sealing | None = None
        self._ends: list[SavedState] = []
        self.log = LogWriter(table, self._open_signer, clock, witnesses)

    @property
    def status(self) -> SealingStatus:
        return replace(self._status, log=self.log.status)

    def begin(self, journal: Journal, wake: Callable[[], object] = _no_wake) -> None:
        """Before a run: open the key and the evidence log, seal what earlier runs left.

        `wake` is called when `seal_signed` has something to do. Raises JournalError.
        """
        # Later a new key would be another than the log names: a person puts it on record.
        self._open_signer(make=not (journal.file.parent / LOG_NAME).exists())
        self.log.begin(journal)
        self._wake, self._sealing, self._ends = wake, None, []
        sealed = self._seal_all(journal, at_start=True)
        if sealed > 1:
            LOG.info("%d shoes of earlier runs are sealed", sealed)

    def add_leaves(self, entries: Iterable[Entry], head: Head, at_ns: int) -> None:
        """Say in the evidence log what was stored; `head` is the journal's after it."""
        for entry in entries:
            leaf = leaf_of_entry(entry, head, at_ns)
            if leaf is not None:
                self.log.add(leaf)

    def finish(self, journal: Journal) -> None:
        """Before an orderly end: wait for the signature in progress. Raises JournalWriteFailed."""
        while self._sealing is not None:
            self._sealing.made.wait()
            self.seal_signed(journal)

    def end(self, head: Head | None = None) -> None:
        """End the evidence log; `head` is the journal's where the run was stopped in good order."""
        if head is not None:
            at_ns = self._clock().utc_ns
            self.log.add(Leaf(LeafKind.STOP, head.seq, head.chain, at_ns))
        self.log.end()

    def seal_ended_shoes(self, journal: Journal, ends: Sequence[SavedState]) -> None:
        """After a shoe's end is stored and published; `ends` are the states after those ends.

        Raises JournalWriteFailed.
        """
        self._ends.extend(ends)
        self._seal_all(journal)

    def seal_signed(self, journal: Journal) -> None:
        """Between inputs: move a shoe whose file was signed. Raises JournalWriteFailed."""
        if self._sealing is not None:
            self._seal_all(journal)

    def _open_signer(self, *, make: bool = False) -> Signer:
        if self._signer is not None:
            return self._signer
        self._signer = signer = open_signer(self._signing, make=make)
        if not isinstance(signer, NoSigner):
            LOG.info("seals are signed by %s", signer.words)
            self._status = replace(self._status, signer=signer.words)
            return signer
        if signer.wanted:
            LOG.warning("SEALS ARE NOT SIGNED: %s", signer.words)
            self._status = replace(self._status, unsigned=signer.words)
        else:
            LOG.info("seals are not signed: %s", signer.words)
        return signer

    # --- shoes -----------------------------------------------------------------------------------

    def _seal_all(self, journal: Journal, *, at_start: bool = False) -> int:
        """Seal every shoe that has ended, one by one; return how many were sealed."""
        sealed = 0
        try:
            while self._sealing is not None or self._begin_next(journal):
                if self._sealing is None or not self._sealing.made.is_set():
                    return sealed
                one, self._sealing = self._sealing, None
                self._move(journal, one)
                sealed += 1
                self._count(one.began.monotonic_ns)
                if at_start:
                    shoes = "shoe" if sealed == 1 else "shoes"
                    self._progress(f"sealing what earlier runs left: {sealed} {shoes} done")
        except JournalWriteFailed:
            raise
        except _FAILURES as error:
            self._report_unsealed(journal, str(error))
            return sealed
        if sealed or at_start:
            self._status = replace(self._status, unsealed=0)
        return sealed

    def _begin_next(self, journal: Journal) -> bool:
        """Make and sign the file of the first shoe that has ended; False if there is none."""
        began, base = self._clock(), journal.base
        records = shoe_records(journal.records(after_seq=base.seq))
        if not records:
            return False
        signer = self._open_signer()
        named = ("", b"")
        if not isinstance(signer, NoSigner):
            named = (signer.public.algorithm.value, signer.public.raw)
        shoe = finished_shoe(self._table, base, records, named)
        self._ends = [one for one in self._ends if one.seq > base.seq]
        state = next((one for one in self._ends if one.seq == shoe.heading.last_seq), None)
        self._sealing = one = _Sealing(shoe, state or journal.saved_state(), began)
        if isinstance(signer, ProgramSigner):
            words = (signer, self._wake)
            threading.Thread(target=one.make, args=words, name="seal").start()
        else:
            one.make(signer, _no_wake)
        return True

    def _move(self, journal: Journal, one: _Sealing) -> None:
        data, heading = one.data(), one.shoe.heading
        path = shoe_path(journal.file.parent, heading.gaming_day, heading.shoe)
        moved = journal.move_sealed(path, data, one.shoe.base(read_shoe(data).digest, one.state))
        at_ns = one.began.utc_ns
        self.log.add(
            leaf_of_shoe(heading.gaming_day, heading.shoe, moved.seal, journal.head, at_ns)
        )
        self._status = replace(self._status, problem="")
        if self._status.unsigned:
            name = f"shoe {heading.shoe} of {heading.gaming_day}"
            LOG.warning("%s is sealed WITHOUT A SIGNATURE: %s", name, self._status.unsigned)

    def _count(self, began_ns: int) -> None:
        seconds = (self._clock().monotonic_ns - began_ns) / 1e9
        status = self._status
        self._status = replace(
            status,
            sealed=status.sealed + 1,
            seconds=status.seconds + seconds,
            last_seconds=seconds,
        )

    def _report_unsealed(self, journal: Journal, why: str) -> None:
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
        self._status = replace(self._status, unsealed=max(1, len(waiting)), problem=problem)
