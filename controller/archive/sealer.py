"""Seals finished shoes between inputs, off the card's latency path, and lists the day's seals.

Resumes where a crash or a full disk interrupted it. No log line of it names a card.
Source: controller/archive/README.md, "Evidence"; controller/journal/README.md, "Shoe file", "List
of seals".
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.day_list import (
    DayList,
    Seal,
    day_path,
    read_day,
    seal_of,
    short_code,
    sign_day,
    signature_holds,
    store_day,
    with_seal,
)
from controller.archive.finished_shoe import (
    NoFinishedShoe,
    finished_shoe,
    shoe_records,
    shoes_ended,
)
from controller.archive.signer import NoSigner, Signer, SignFailed, SigningSettings, open_signer
from controller.journal.encoding import EncodingError
from controller.journal.folder import SHOES_NAME, read_sealed, shoe_path
from controller.journal.shoe_file import SUFFIX, ShoeFileError, read_shoe, shoe_bytes
from controller.journal.store import Journal
from controller.journal.values import JournalError, JournalWriteFailed, SavedState
from controller.system.atomic_file import SmallFileError
from firmware_bridge.timestamp import Timestamp

LOG: Final = logging.getLogger("smartshoe.evidence")
_FAILURES: Final = (SignFailed, EncodingError, NoFinishedShoe, JournalError, OSError)


def _no_progress(_text: str) -> None:
    """Default progress callback: does nothing."""


class SealingStatus(Struct, frozen=True):
    """The state of sealing. `sealed` and `seconds` are totals since the program began.

    `unsealed` shoes have ended and wait in live.db; `problem` says why and what to do, or what is
    wrong with the list of the day; it is empty where all is well. `signer` says who signs,
    `unsigned` why nobody does although somebody should. `code` is the short code of `day`'s list.
    """

    sealed: int = 0
    unsealed: int = 0
    seconds: float = 0.0
    last_seconds: float = 0.0
    problem: str = ""
    signer: str = ""
    unsigned: str = ""
    day: str = ""
    code: str = ""

    def snapshot_fields(self) -> dict[str, object]:
        """The fields that a snapshot of the table contains."""
        return {
            "sealed": self.sealed,
            "unsealed": self.unsealed,
            "problem": self.problem,
            "signer": self.signer,
            "unsigned": self.unsigned,
            "day": self.day,
            "code": self.code,
        }


class Sealer:
    """Seals the shoes of one table. Used by the table's loop; any thread may read `status`."""

    def __init__(
        self,
        table: str,
        signing: SigningSettings,
        clock: Callable[[], Timestamp],
        progress: Callable[[str], None] = _no_progress,
    ) -> None:
        """`progress` receives a sentence after each shoe that is sealed at a start."""
        self._table = table
        self._progress = progress
        self._signing = signing
        self._clock = clock
        self._signer: Signer | None = None
        self.status = SealingStatus()

    def seal_earlier_shoes(self, journal: Journal) -> None:
        """Before a run: open the key, seal what earlier runs left. Raises JournalWriteFailed."""
        signer = self._open_signer()
        sealed = self._seal_all(journal, (), at_start=True)
        if sealed > 1:
            LOG.info("%d shoes of earlier runs are sealed", sealed)
        if not sealed and not isinstance(signer, NoSigner):
            self._complete_last_day(journal)

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
            self.status = replace(self.status, signer=signer.words)
            return signer
        if signer.wanted:
            LOG.warning("SEALS ARE NOT SIGNED: %s", signer.words)
            self.status = replace(self.status, unsigned=signer.words)
        else:
            LOG.info("seals are not signed: %s", signer.words)
        return signer

    # --- shoes -----------------------------------------------------------------------------------

    def _seal_all(self, journal: Journal, ends: Sequence[SavedState], *, at_start: bool) -> int:
        """Seal every shoe that has ended, one by one; return how many were sealed."""
        sealed = 0
        try:
            while True:
                began_ns = self._clock().monotonic_ns
                seal = self._seal_next(journal, ends)
                if seal is None:
                    break
                sealed += 1
                self._count(began_ns)
                if at_start:
                    shoes = "shoe" if sealed == 1 else "shoes"
                    self._progress(f"sealing what earlier runs left: {sealed} {shoes} done")
        except JournalWriteFailed:
            raise
        except _FAILURES as error:
            self._report_unsealed(journal, str(error))
            return sealed
        if sealed or at_start:
            self.status = replace(self.status, unsealed=0)
        return sealed

    def _seal_next(self, journal: Journal, ends: Sequence[SavedState]) -> Seal | None:
        base = journal.base
        records = shoe_records(journal.records(after_seq=base.seq))
        if not records:
            return None
        signer = self._open_signer()
        unsigned = isinstance(signer, NoSigner)
        public = ("", b"")
        if not isinstance(signer, NoSigner):
            public = (signer.public.algorithm.value, signer.public.raw)
        shoe = finished_shoe(self._table, base, records, public)
        sign = None if isinstance(signer, NoSigner) else signer.sign
        data = shoe_bytes(shoe.heading, shoe.rows, shoe.parts, sign)
        sealed = read_shoe(data)
        state = next((one for one in ends if one.seq == shoe.heading.last_seq), None)
        if state is None:
            state = journal.saved_state()
        heading = shoe.heading
        folder = journal.file.parent
        path = shoe_path(folder, heading.gaming_day, heading.shoe)
        moved = journal.move_sealed(path, data, shoe.base(sealed.digest, state))
        seal = replace(seal_of(sealed), digest=moved.seal)
        name = f"shoe {heading.shoe} of {heading.gaming_day}"
        self.status = replace(self.status, problem="")
        day = self._update_list(folder, heading.gaming_day)
        if day is not None:
            LOG.info("%s is sealed; code of the day %s", name, short_code(day))
        if unsigned and self.status.unsigned:
            LOG.warning("%s is sealed WITHOUT A SIGNATURE: %s", name, self.status.unsigned)
        return seal

    def _count(self, began_ns: int) -> None:
        seconds = (self._clock().monotonic_ns - began_ns) / 1e9
        status = self.status
        self.status = replace(
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
        self.status = replace(self.status, unsealed=max(1, len(waiting)), problem=problem)

    # --- the list of the day ---------------------------------------------------------------------

    def _complete_last_day(self, journal: Journal) -> None:
        """Add a seal that is missing because a crash came between seal and list."""
        folder = journal.file.parent
        try:
            days = sorted(one.name for one in (folder / SHOES_NAME).iterdir() if one.is_dir())
        except OSError:
            return
        if days:
            self._update_list(folder, days[-1])

    def _update_list(self, folder: Path, gaming_day: str) -> DayList | None:
        """Write the list of that day if a seal is missing in it; None where that fails."""
        try:
            trusted = self._trusted_list(folder, gaming_day)
            day = trusted or DayList(self._table, gaming_day)
            for seal in _unlisted_seals(folder, day):
                day = with_seal(day, seal)
            if day != trusted:
                day = self._sign_list(day)
                store_day(folder, day)
        except (SmallFileError, SignFailed, OSError) as error:
            problem = f"the list of seals of {gaming_day} is not written: {error}"
            LOG.error("%s", problem)  # noqa: TRY400 - the sentence says all, a traceback nothing
            self.status = replace(self.status, problem=problem)
            return None
        self.status = replace(self.status, day=gaming_day, code=short_code(day))
        return day

    def _sign_list(self, day: DayList) -> DayList:
        signer = self._open_signer()
        if isinstance(signer, NoSigner):
            return day
        return sign_day(day, signer.public.raw, signer.sign)

    def _trusted_list(self, folder: Path, gaming_day: str) -> DayList | None:
        """The list if this table's key signed it.

        Any other is renamed and set aside; it is then written again from the sealed files.
        """
        path = day_path(folder, gaming_day)
        if not path.exists():
            return None
        signer = self._open_signer()
        try:
            day = read_day(path)
        except SmallFileError as error:
            why = str(error)
        else:
            if (day.table, day.gaming_day) != (self._table, gaming_day):
                why = f"{path}: it is of table {day.table}, {day.gaming_day}"
            elif isinstance(signer, NoSigner):
                # Without a key of its own the table cannot check who wrote the list: it is kept.
                return replace(day, signer=b"", signature=b"") if day.signer else day
            elif day.signer == signer.public.raw and signature_holds(day):
                return day
            else:
                why = f"{path}: this table's key did not sign it"
        aside = path.with_name(f"{path.name}.{path.stat().st_mtime_ns}")
        path.rename(aside)
        LOG.warning("%s. It is kept as %s, and a new one is written", why, aside.name)
        return None


def _unlisted_seals(folder: Path, day: DayList) -> tuple[Seal, ...]:
    """The seals of that day's files that the list does not name."""
    named = {f"{seal.shoe:04}{SUFFIX}" for seal in day.seals}
    found = []
    for path in sorted((folder / SHOES_NAME / day.gaming_day).glob(f"*{SUFFIX}")):
        if path.name in named:
            continue
        try:
            found.append(seal_of(read_sealed(path)))
        except ShoeFileError as error:
            LOG.error("%s; it is not in the list of its day", error)  # noqa: TRY400
    return tuple(found)
