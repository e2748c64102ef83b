"""Runs a whole audit: all pieces in order, the neighbours across pieces, and the totals.

An interrupted audit reports what was done until then.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from firmware_bridge.transport.clock import now
from office.audit.continuity import check_first_shoe, check_open_part, disagreements
from office.audit.discovery import Piece, pieces, require_something, with_monitors
from office.audit.findings import (
    AuditCounts,
    AuditMessage,
    LivePart,
    PieceReport,
    ShoeLink,
    Weight,
)
from office.audit.piece import PieceAudit
from office.audit.shoe import AuditSettings
from office.audit.worker_pool import worker_pool

MESSAGES_MAX: Final = 5_000
Progress = Callable[[int], None]


class AuditReport(Struct):
    """The result of an audit. `findings` and `notes` count more than `messages` may hold.

    `files` were read; `open_records` are in open parts. `whole` is False if the audit was
    interrupted: the report then covers what was done until then.
    """

    tallies: dict[tuple[str, str], AuditCounts] = field(default_factory=dict)
    messages: list[AuditMessage] = field(default_factory=list)
    findings: int = 0
    notes: int = 0
    files: int = 0
    journals: int = 0
    open_records: int = 0
    whole: bool = False
    elapsed_ns: int = 0

    @property
    def total(self) -> AuditCounts:
        """All tables and days together."""
        total = AuditCounts("", "")
        for tally in self.tallies.values():
            total = total.plus(tally)
        return total

    @property
    def cards_per_s(self) -> int:
        return self.total.cards * 1_000_000_000 // max(1, self.elapsed_ns)


def audit(
    paths: Sequence[Path],
    settings: AuditSettings,
    jobs: int = 1,
    progress: Progress = lambda _files: None,
) -> AuditReport:
    """Audit everything below these paths. Raises NothingToAudit, WorkerLost.

    `progress` is called with the number of files done. Ctrl-C ends the audit with a partial report.
    """
    require_something(paths)
    run = _AuditRun()
    began_ns = now().monotonic_ns
    try:
        with worker_pool(jobs, lambda: PieceAudit(settings).audit) as workers:
            found = pieces(paths)
            for piece, report in workers.reports(with_monitors(found) if settings.deep else found):
                run.add_piece(piece, report)
                progress(run.report.files)
            run.report.whole = True
    except KeyboardInterrupt:
        pass
    run.compare_stretches()
    run.report.elapsed_ns = now().monotonic_ns - began_ns
    return run.report


class _AuditRun(Struct):
    """A running audit: its report, and the ends of the journals read so far."""

    report: AuditReport = field(default_factory=AuditReport)
    journal: str = ""
    last: ShoeLink | None = None
    stretches: list[tuple[ShoeLink, ShoeLink]] = field(default_factory=list)
    # The newest file of every journal read before, by its last chain value: another folder may
    # continue it.
    ends: dict[bytes, ShoeLink] = field(default_factory=dict)

    def add_piece(self, piece: Piece, report: PieceReport) -> None:
        if piece.journal != self.journal:
            self.compare_stretches()
            if self.last is not None:
                self.ends[self.last.chain_after] = self.last
            self.journal, self.last = piece.journal, None
            self.report.journals += 1
        self.report.files += report.files
        for tally in report.tallies:
            self._count(tally)
        counted = sum(tally.findings for tally in report.tallies)
        listed = sum(one.weight is Weight.FINDING for one in report.messages)
        # Messages on an open part or a folder are not part of any counts.
        self._add_messages(report.messages, findings=max(counted, listed))
        self.stretches += report.stretches
        if report.live is not None:
            self.compare_stretches()
            self.report.open_records += report.live.records
            self._add_neighbour_messages(tuple(self._check_live(report.live)))

    def compare_stretches(self) -> None:
        """Compare where stretches of the journal meet, in the order of their records."""
        for first, last in sorted(self.stretches, key=lambda one: one[0].first_seq):
            self._add_neighbour_messages(tuple(self._check_first(first)))
            self.last = last
        self.stretches = []

    def _check_first(self, first: ShoeLink) -> Iterator[AuditMessage]:
        before = self.last or self.ends.get(first.chain_before)
        return check_first_shoe(first) if before is None else disagreements(before, first)

    def _check_live(self, live: LivePart) -> Iterator[AuditMessage]:
        before = self.last or self.ends.get(live.chain)
        if before is not None:
            yield from check_open_part(before, live)
        elif live.seq:
            words = f"the sealed files before its record {live.seq + 1} are not here"
            yield AuditMessage(Weight.NOTE, live.file, "", "", 0, 0, words)

    def _add_neighbour_messages(self, messages: tuple[AuditMessage, ...]) -> None:
        findings = [one for one in messages if one.weight is Weight.FINDING]
        for one in findings:
            self._count(AuditCounts(one.table, one.gaming_day, findings=1))
        self._add_messages(messages, findings=len(findings))

    def _add_messages(self, messages: Sequence[AuditMessage], *, findings: int) -> None:
        self.report.findings += findings
        self.report.notes += sum(one.weight is Weight.NOTE for one in messages)
        room = max(0, MESSAGES_MAX - len(self.report.messages))
        self.report.messages.extend(messages[:room])

    def _count(self, counts: AuditCounts) -> None:
        key = counts.table, counts.gaming_day
        before = self.report.tallies.get(key)
        self.report.tallies[key] = counts if before is None else before.plus(counts)
