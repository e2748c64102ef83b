"""Seals finished shoes between inputs, off the card's latency path, and keeps the evidence log.

Resumes where a crash or a full disk interrupted it. No log line of it names a card.
Source: controller/archive/README.md, "Evidence"; controller/journal/README.md, "Shoe file".
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.finished_shoe import (
    NoFinishedShoe,
    finished_shoe,
    shoe_records,
    shoes_ended,
)
from controller.archive.log_writer import LogStatus, LogWriter, leaf_of_entry, leaf_of_shoe
from controller.archive.signer import NoSigner, Signer, SignFailed, SigningSettings, open_signer
from controller.archive.witness import WitnessSettings
from controller.evidence_log.leaf import Leaf, LeafKind
from controller.journal.encoding import EncodingError
from controller.journal.folder import shoe_path
from controller.journal.shoe_file import read_shoe, shoe_bytes
from controller.journal.store import Journal
from controller.journal.values import Head, JournalError, JournalWriteFailed, SavedState
from controller.tape.entries import Entry
from firmware_bridge.timestamp import Timestamp

LOG: Final = logging.getLogger("smartshoe.evidence")
_FAILURES: Final = (SignFailed, EncodingError, NoFinishedShoe, JournalError, OSError)


def _no_progress(_text: str) -> None:
    """Default progress callback: does nothing."""


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
        self.log = LogWriter(table, self._open_signer, clock, witnesses)

    @property
    def status(self) -> SealingStatus:
        return replace(self._status, log=self.log.status)

    def begin(self, journal: Journal) -> None:
        """Before a run: open the key and the evidence log, seal what earlier runs left.

        Raises JournalError.
        """
        self._open_signer()
        self.log.begin(journal)
        sealed = self._seal_all(journal, (), at_start=True)
        if sealed > 1:
            LOG.info("%d shoes of earlier runs are sealed", sealed)

    def add_leaves(self, entries: Iterable[Entry], head: Head, at_ns: int) -> None:
        """Say in the evidence log what was stored; `head` is the journal's after it."""
        for entry in entries:
            leaf = leaf_of_entry(entry, head, at_ns)
            if leaf is not None:
                self.log.add(leaf)

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
        self._seal_all(journal, ends, at_start=False)

    def _open_signer(self) -> Signer:
        if self._signer is not None:
            return self._signer
        self._signer = signer = open_signer(self._signing, make=True)
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

    def _seal_all(self, journal: Journal, ends: Sequence[SavedState], *, at_start: bool) -> int:
        """Seal every shoe that has ended, one by one; return how many were sealed."""
        sealed = 0
        try:
            while True:
                began = self._clock()
                if not self._seal_next(journal, ends, began.utc_ns):
                    break
                sealed += 1
                self._count(began.monotonic_ns)
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

    def _seal_next(self, journal: Journal, ends: Sequence[SavedState], at_ns: int) -> bool:
        """Seal the first shoe that has ended; False if there is none."""
        base = journal.base
        records = shoe_records(journal.records(after_seq=base.seq))
        if not records:
            return False
        signer = self._open_signer()
        named = ("", b"")
        if not isinstance(signer, NoSigner):
            named = (signer.public.algorithm.value, signer.public.raw)
        shoe = finished_shoe(self._table, base, records, named)
        sign = None if isinstance(signer, NoSigner) else signer.sign
        data = shoe_bytes(shoe.heading, shoe.rows, shoe.parts, sign)
        state = next((one for one in ends if one.seq == shoe.heading.last_seq), None)
        if state is None:
            state = journal.saved_state()
        heading = shoe.heading
        path = shoe_path(journal.file.parent, heading.gaming_day, heading.shoe)
        moved = journal.move_sealed(path, data, shoe.base(read_shoe(data).digest, state))
        self.log.add(
            leaf_of_shoe(heading.gaming_day, heading.shoe, moved.seal, journal.head, at_ns)
        )
        self._status = replace(self._status, problem="")
        if self._status.unsigned:
            name = f"shoe {heading.shoe} of {heading.gaming_day}"
            LOG.warning("%s is sealed WITHOUT A SIGNATURE: %s", name, self._status.unsigned)
        return True

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
