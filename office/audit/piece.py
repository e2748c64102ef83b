"""Audits one piece of work: a day's sealed shoes, one sealed shoe, or a journal's open part."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from controller.journal.folder import SHOES_NAME
from controller.journal.shoe_file import SUFFIX
from controller.journal.values import JournalError
from office.audit.continuity import disagreements
from office.audit.discovery import Piece, PieceKind, sealed_in
from office.audit.findings import (
    AuditCounts,
    AuditMessage,
    PieceReport,
    ShoeLink,
    Weight,
    file_finding,
)
from office.audit.shoe import AuditSettings, ShoeAudit, ShoeReport

MESSAGES_MAX: Final = 200
"""Messages of one piece; further ones are only counted."""


class PieceAudit:
    """Audits pieces, one after the other, in one process."""

    def __init__(self, settings: AuditSettings) -> None:
        self._shoes = ShoeAudit(settings)

    def audit(self, piece: Piece) -> PieceReport:
        """The result of this piece."""
        match piece.kind:
            case PieceKind.DAY:
                return self._audit_day(piece)
            case PieceKind.SHOE:
                return self._audit_files((str(piece.path),), piece, whole=False)
            case PieceKind.OPEN_PART:
                # sqlite3 and the program's core are loaded only where there is an open part.
                from office.audit.open_part import audit_open_part  # noqa: PLC0415

                return audit_open_part(piece.path)
            case PieceKind.MONITORS:
                return self._monitor(piece)
            case PieceKind.UNREADABLE:
                finding = file_finding(piece.path, "this folder cannot be listed")
                return PieceReport(messages=(finding,))

    def _audit_day(self, piece: Piece) -> PieceReport:
        try:
            files = sealed_in(piece.path)
        except OSError as error:
            finding = file_finding(piece.path, error.strerror or "cannot be listed")
            return PieceReport(messages=(finding,))
        return self._audit_files(files, piece, whole=True)

    def _audit_files(self, files: Sequence[str], piece: Piece, *, whole: bool) -> PieceReport:
        collector = _PieceCollector()
        in_journal = whole and piece.path.parent.name == SHOES_NAME
        for path in files:
            try:
                report = self._shoes.audit(path, piece.journal)
            except (JournalError, OSError) as error:
                collector.add_unreadable(path, getattr(error, "strerror", None) or str(error))
                continue
            collector.add_shoe(report)
            if in_journal:
                collector.check_name(report, path)
        return collector.report(len(files))

    def _monitor(self, piece: Piece) -> PieceReport:
        """What the monitors note of a journal's shoes, one after another, and of its shufflers."""
        # As for a replay: they load the program's core, which few audits need.
        from office.audit.advisories import ShoeAdvisories  # noqa: PLC0415

        monitors, notes = ShoeAdvisories(), list[AuditMessage]()
        for part in piece.parts:
            try:
                files = sealed_in(part) if part.is_dir() else (str(part),)
            except OSError:
                continue  # the audit of this day says so
            for path in files:
                notes += self._shoes.monitored(path, piece.journal, monitors)
        notes += [
            replace(file_finding(piece.path, words), weight=Weight.NOTE)
            for words in monitors.shufflers()
        ]
        return PieceReport(messages=tuple(notes[:MESSAGES_MAX]))


class _PieceCollector(Struct):
    """Collects the results of a piece's files."""

    stretches: list[tuple[ShoeLink, ShoeLink]] = field(default_factory=list)
    messages: list[AuditMessage] = field(default_factory=list)
    omitted_findings: int = 0
    tallies: dict[tuple[str, str], AuditCounts] = field(default_factory=dict)

    def add_shoe(self, report: ShoeReport) -> None:
        sealed = report.sealed
        self._add_messages(report.messages)
        self._count(report.tally)
        first, last = self.stretches[-1] if self.stretches else (sealed, None)
        if last is None or sealed.first_seq != last.last_seq + 1:
            self.stretches.append((sealed, sealed))
            return
        self._add_findings(tuple(disagreements(last, sealed)))
        self.stretches[-1] = first, sealed

    def add_unreadable(self, path: str, words: str) -> None:
        """Report a file that cannot be read."""
        self._add_findings((file_finding(path, words),))

    def check_name(self, report: ShoeReport, path: str) -> None:
        """Check that a journal's file is stored under the name of its shoe."""
        link = report.sealed
        if not path.endswith(f"/{link.gaming_day}/{link.shoe:04}{SUFFIX}"):
            words = f"it holds shoe {link.shoe} of {link.gaming_day}, but has another name"
            self._add_findings((_shoe_finding(link, words),))

    def report(self, files: int) -> PieceReport:
        return PieceReport(
            tuple(self.tallies.values()),
            tuple(self.messages),
            self.omitted_findings,
            tuple(self.stretches),
            files=files,
        )

    def _add_findings(self, findings: tuple[AuditMessage, ...]) -> None:
        for one in findings:
            self._count(AuditCounts(one.table, one.gaming_day, findings=1))
        self._add_messages(findings)

    def _add_messages(self, messages: tuple[AuditMessage, ...]) -> None:
        if not messages:
            return
        room = max(0, MESSAGES_MAX - len(self.messages))
        self.messages.extend(messages[:room])
        self.omitted_findings += sum(one.weight is Weight.FINDING for one in messages[room:])

    def _count(self, counts: AuditCounts) -> None:
        key = counts.table, counts.gaming_day
        before = self.tallies.get(key)
        self.tallies[key] = counts if before is None else before.plus(counts)


def _shoe_finding(link: ShoeLink, words: str) -> AuditMessage:
    where = (link.file, link.table, link.gaming_day, link.shoe)
    return AuditMessage(Weight.FINDING, *where, 0, words)
