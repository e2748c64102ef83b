"""The desk at which finished shoes are sealed: beside play, never in a card's path.

Responsible for: sealing each shoe that ended and is not sealed yet, at its end and at a start; the
list of seals of its day; going on where a crash or a full disk left it; and saying in the log and
to whoever asks which shoe is not sealed, why, and what to do.
Not responsible for: what stands in a file (sealing), moving records (journal.store), and for keys
(signer). No line tells of a card.
Source: package README, "Evidence"; controller/journal/README.md, "Shoe file", "List of seals".
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from controller.archive.day_list import (
    DayList,
    Seal,
    day_path,
    read_day,
    seal_of,
    short_code,
    signed,
    store_day,
    verifies,
    with_seal,
)
from controller.archive.finished_shoe import NoShoe, finished_shoe, shoe_records, shoes_ended
from controller.archive.signer import NoSigner, Signer, SignFailed, SigningSettings, open_signer
from controller.journal.encoding.codec import CanonicalError
from controller.journal.folder import SHOES_NAME, read_sealed, shoe_path
from controller.journal.shoe_file import SUFFIX, ShoeFileError, read_shoe, shoe_bytes
from controller.journal.store import Journal
from controller.journal.values import Checkpoint, JournalError, JournalWriteFailed
from controller.system.atomic_file import SmallFileError
from firmware_bridge.timestamp import Timestamp

LOG: Final = logging.getLogger("smartshoe.evidence")
_FAILURES: Final = (SignFailed, CanonicalError, NoShoe, JournalError, OSError)


def _nobody_waits(_words: str) -> None:
    """Who starts without being watched."""


@dataclass(frozen=True, slots=True)
class SealStanding:
    """How sealing stands. `sealed` and `seconds` count since the program began.

    `unsealed` shoes have ended and wait in live.db; `problem` says why and what to do, or what is
    wrong with the list of the day, empty where all is well. `signer` says who signs, `unsigned` why
    nobody does where somebody should. `code` is the short code of the list of `day`.
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

    def shown(self) -> dict[str, object]:
        """What a snapshot tells of it."""
        return {
            "sealed": self.sealed,
            "unsealed": self.unsealed,
            "problem": self.problem,
            "signer": self.signer,
            "unsigned": self.unsigned,
            "day": self.day,
            "code": self.code,
        }


class SealDesk:
    """Seals the shoes of one table. Used by the table's loop; `standing` may be read by anyone."""

    def __init__(
        self,
        table: str,
        signing: SigningSettings,
        clock: Callable[[], Timestamp],
        progress: Callable[[str], None] = _nobody_waits,
    ) -> None:
        """`progress` is told, shoe by shoe, what a start waits for."""
        self._table = table
        self._progress = progress
        self._signing = signing
        self._clock = clock
        self._signer: Signer | None = None
        self.standing = SealStanding()

    def started(self, journal: Journal) -> None:
        """Before a run: open the key, seal what earlier runs left. Raises JournalWriteFailed."""
        signer = self._open_signer()
        sealed = self._seal_all(journal, (), at_start=True)
        if sealed > 1:
            LOG.info("%d shoes of earlier runs are sealed", sealed)
        if not sealed and not isinstance(signer, NoSigner):
            self._complete_last_day(journal)

    def shoes_ended(self, journal: Journal, ends: Sequence[Checkpoint]) -> None:
        """After a shoe's end is stored and told; `ends` are the states after those ends.

        Raises JournalWriteFailed.
        """
        self._seal_all(journal, ends, at_start=False)

    def _open_signer(self) -> Signer:
        if self._signer is not None:
            return self._signer
        self._signer = signer = open_signer(self._signing, make=True)
        if not isinstance(signer, NoSigner):
            LOG.info("seals are signed by %s", signer.words)
            self.standing = replace(self.standing, signer=signer.words)
            return signer
        if signer.wanted:
            LOG.warning("SEALS ARE NOT SIGNED: %s", signer.words)
            self.standing = replace(self.standing, unsigned=signer.words)
        else:
            LOG.info("seals are not signed: %s", signer.words)
        return signer

    # --- shoes -----------------------------------------------------------------------------------

    def _seal_all(self, journal: Journal, ends: Sequence[Checkpoint], *, at_start: bool) -> int:
        """Seal one shoe after another until none is left that ended; how many were sealed."""
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
                    self._progress(f"sealing what earlier runs left: {sealed} shoes done")
        except JournalWriteFailed:
            raise
        except _FAILURES as error:
            self._not_sealed(journal, str(error))
            return sealed
        if sealed or at_start:
            self.standing = replace(self.standing, unsealed=0)
        return sealed

    def _seal_next(self, journal: Journal, ends: Sequence[Checkpoint]) -> Seal | None:
        base = journal.base
        records = shoe_records(journal.records(after_seq=base.seq))
        if not records:
            return None
        signer = self._open_signer()
        unsigned = isinstance(signer, NoSigner)
        public = b"" if isinstance(signer, NoSigner) else signer.public.raw
        shoe = finished_shoe(self._table, base, records, public)
        sign = None if isinstance(signer, NoSigner) else signer.sign
        data = shoe_bytes(shoe.heading, shoe.rows, shoe.parts, sign)
        sealed = read_shoe(data)
        state = next((one for one in ends if one.seq == shoe.heading.last_seq), None)
        if state is None:
            state = journal.checkpoint()
        said = shoe.heading
        folder = journal.file.parent
        path = shoe_path(folder, said.gaming_day, said.shoe)
        moved = journal.move_sealed(path, data, shoe.base(sealed.digest, state))
        seal = replace(seal_of(sealed), digest=moved.seal)
        words = f"shoe {said.shoe} of {said.gaming_day}"
        self.standing = replace(self.standing, problem="")
        day = self._listed(folder, said.gaming_day)
        if day is not None:
            LOG.info("%s is sealed; code of the day %s", words, short_code(day))
        if unsigned and self.standing.unsigned:
            LOG.warning("%s is sealed WITHOUT A SIGNATURE: %s", words, self.standing.unsigned)
        return seal

    def _count(self, began_ns: int) -> None:
        seconds = (self._clock().monotonic_ns - began_ns) / 1e9
        standing = self.standing
        self.standing = replace(
            standing,
            sealed=standing.sealed + 1,
            seconds=standing.seconds + seconds,
            last_seconds=seconds,
        )

    def _not_sealed(self, journal: Journal, why: str) -> None:
        """Play goes on; the records stay where they are."""
        try:
            waiting = shoes_ended(journal.records(after_seq=journal.base.seq))
        except (JournalError, CanonicalError):
            waiting = ()
        first = f"shoe {waiting[0].shoe} of {waiting[0].gaming_day}" if waiting else "a shoe"
        problem = (
            f"{first} is not sealed: {why.removesuffix('.')}. Its records stay in {journal.file},"
            " play goes on, and sealing is tried again at the next shoe's end and the next start"
        )
        LOG.error("%s", problem)
        self.standing = replace(self.standing, unsealed=max(1, len(waiting)), problem=problem)

    # --- the list of the day ---------------------------------------------------------------------

    def _complete_last_day(self, journal: Journal) -> None:
        """A crash may have come between a seal and its line in the list."""
        folder = journal.file.parent
        try:
            days = sorted(one.name for one in (folder / SHOES_NAME).iterdir() if one.is_dir())
        except OSError:
            return
        if days:
            self._listed(folder, days[-1])

    def _listed(self, folder: Path, gaming_day: str) -> DayList | None:
        """Write the list of that day where a seal is missing in it; None where it cannot be."""
        try:
            there = self._believed(folder, gaming_day)
            day = there or DayList(self._table, gaming_day)
            for seal in _seals_beside(folder, day):
                day = with_seal(day, seal)
            if day != there:
                day = self._signed(day)
                store_day(folder, day)
        except (SmallFileError, SignFailed, OSError) as error:
            problem = f"the list of seals of {gaming_day} is not written: {error}"
            LOG.error("%s", problem)  # noqa: TRY400 - the words are the whole of it
            self.standing = replace(self.standing, problem=problem)
            return None
        self.standing = replace(self.standing, day=gaming_day, code=short_code(day))
        return day

    def _signed(self, day: DayList) -> DayList:
        signer = self._open_signer()
        if isinstance(signer, NoSigner):
            return day
        return signed(day, signer.public.raw, signer.sign)

    def _believed(self, folder: Path, gaming_day: str) -> DayList | None:
        """The list as this table's key signed it. Any other is laid aside and written anew, from

        the sealed files.
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
                # Nothing says who wrote it, and nobody here can say more: it stays as it is.
                return replace(day, signer=b"", signature=b"") if day.signer else day
            elif day.signer == signer.public.raw and verifies(day):
                return day
            else:
                why = f"{path}: this table's key did not sign it"
        aside = path.with_name(f"{path.name}.{path.stat().st_mtime_ns}")
        path.rename(aside)
        LOG.warning("%s. It is kept as %s, and a new one is written", why, aside.name)
        return None


def _seals_beside(folder: Path, day: DayList) -> tuple[Seal, ...]:
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
