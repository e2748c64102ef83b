"""One piece of an audit: the sealed shoes of a day, one sealed shoe, or the open part of a journal.

Responsible for: reading its files one after the other, comparing neighbours within it and the day's
list with what is there, and saying of a file that cannot be read why.
Not responsible for: a shoe (shoe_audit), neighbours in different pieces (run).
Source: package README, "Audit".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from controller.audit.continuity import disagreements
from controller.audit.discovery import Piece, PieceKind, list_path, sealed_in
from controller.audit.findings import LivePart, PieceReport, Said, Sealed, Tally, Weight
from controller.audit.shoe import AuditSettings, ShoeAudit, ShoeReport
from controller.audit.signatures import NO_LIST, SignedDay, list_words, signed_day
from controller.journal.folder import SHOES_NAME
from controller.journal.shoe_file import SUFFIX
from controller.journal.values import JournalError

SAID_MAX: Final = 200
"""What one piece says at most: beyond it only the number grows."""


class PieceAudit:
    """Audits pieces, one after the other, in one process."""

    def __init__(self, settings: AuditSettings) -> None:
        self._shoes = ShoeAudit(settings)

    def audit(self, piece: Piece) -> PieceReport:
        """What this piece comes to."""
        match piece.kind:
            case PieceKind.DAY:
                return self._day(piece)
            case PieceKind.SHOE:
                return self._sealed((str(piece.path),), piece, NO_LIST, whole=False)
            case PieceKind.OPEN_PART:
                return _open_part(piece)
            case PieceKind.UNREADABLE:
                return PieceReport(said=(_of_file(piece.path, "this folder cannot be listed"),))

    def _day(self, piece: Piece) -> PieceReport:
        try:
            files = sealed_in(piece.path)
        except OSError as error:
            return PieceReport(said=(_of_file(piece.path, error.strerror or "cannot be listed"),))
        return self._sealed(files, piece, signed_day(list_path(piece.path)), whole=True)

    def _sealed(
        self, files: Sequence[str], piece: Piece, day: SignedDay, *, whole: bool
    ) -> PieceReport:
        gathered = _Gathered()
        kept = whole and piece.path.parent.name == SHOES_NAME
        for path in files:
            try:
                report = self._shoes.audit(path, piece.journal, day)
            except (JournalError, OSError) as error:
                gathered.cannot(path, getattr(error, "strerror", None) or str(error))
                continue
            gathered.take(report)
            if kept:
                gathered.place(report, path)
        if whole:
            gathered.compare(day, list_path(piece.path))
        return gathered.report(len(files))


@dataclass(slots=True)
class _Gathered:
    """What has been read of a piece."""

    first: Sealed | None = None
    last: Sealed | None = None
    said: list[Said] = field(default_factory=list)
    unsaid: int = 0
    seals: dict[bytes, int] = field(default_factory=dict)
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    unread: int = 0

    def take(self, report: ShoeReport) -> None:
        sealed = report.sealed
        self._say(report.said)
        self._count(report.tally)
        self.seals[sealed.digest] = sealed.shoe
        if self.last is not None:
            self._find(tuple(disagreements(self.last, sealed)))
        self.first = self.first or sealed
        self.last = sealed

    def cannot(self, path: str, words: str) -> None:
        """A file that cannot be read: what follows it has no neighbour before it."""
        self.unread += 1
        self._find((_of_file(path, words),))

    def place(self, report: ShoeReport, path: str) -> None:
        """Whether the file of a journal stands where it keeps that shoe."""
        said = report.sealed
        if not path.endswith(f"/{said.gaming_day}/{said.shoe:04}{SUFFIX}"):
            words = f"it holds shoe {said.shoe} of {said.gaming_day}, and its name is another"
            self._find((_of(said, words),))

    def compare(self, day: SignedDay, path: Path) -> None:
        """The day's list with the files that are there."""
        if not self.unread:
            self._find(tuple(_of_file(path, words) for words in list_words(day, self.seals)))

    def report(self, files: int) -> PieceReport:
        return PieceReport(
            tuple(self.tallies.values()),
            tuple(self.said),
            self.unsaid,
            self.first,
            self.last,
            files=files,
        )

    def _find(self, said: tuple[Said, ...]) -> None:
        for one in said:
            self._count(Tally(one.table, one.gaming_day, findings=1))
        self._say(said)

    def _say(self, said: tuple[Said, ...]) -> None:
        if not said:
            return
        room = max(0, SAID_MAX - len(self.said))
        self.said.extend(said[:room])
        self.unsaid += sum(one.weight is Weight.FINDING for one in said[room:])

    def _count(self, tally: Tally) -> None:
        place = tally.table, tally.gaming_day
        before = self.tallies.get(place)
        self.tallies[place] = tally if before is None else before.plus(tally)


def _of(sealed: Sealed, words: str) -> Said:
    where = (sealed.file, sealed.table, sealed.gaming_day, sealed.shoe)
    return Said(Weight.FINDING, *where, 0, words)


def _of_file(path: Path | str, words: str) -> Said:
    return Said(Weight.FINDING, str(path), "", "", 0, 0, words)


# --- the open part --------------------------------------------------------------------------------


def _open_part(piece: Piece) -> PieceReport:
    """The chain of the open part and a replay of it."""
    # sqlite3 and the program's core are loaded only where there is an open part.
    from controller.audit.replay_check import tell_open_part  # noqa: PLC0415
    from controller.journal.store import open_read_only  # noqa: PLC0415

    file = str(piece.path)
    said: list[Said] = []
    live = None
    try:
        with open_read_only(piece.path) as journal:
            base = journal.base
            records = journal.head.seq - base.seq
            live = LivePart(file, base.seq, base.chain, base.seal, records)
            broken = journal.verify_all()
            if broken is not None:
                said.append(_of_file(piece.path, broken.what))
            else:
                told = tell_open_part(journal)
                said += [_of_file(piece.path, words) for words in told.different]
                notes = [f"of another version: {words}" for words in told.otherwise]
                notes += [f"not told again: {told.untold}"] if told.untold and records else []
                said += [
                    replace(_of_file(piece.path, words), weight=Weight.NOTE) for words in notes
                ]
    except (JournalError, OSError) as error:
        said.append(_of_file(piece.path, str(error)))
    return PieceReport(said=tuple(said), live=live, files=1)
