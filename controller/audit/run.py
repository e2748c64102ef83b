"""A whole audit: every piece, the neighbours of pieces, and the sum of it.

Responsible for: going through all pieces in order, comparing where one journal's pieces meet,
adding up, and a report also of what was done until somebody broke it off.
Not responsible for: a piece (piece_audit), processes (crew), and how it is shown (cli_audit).
Source: package README, "Audit".
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controller.audit.continuity import begins, disagreements, open_part
from controller.audit.discovery import Piece, pieces, require_something
from controller.audit.findings import LivePart, PieceReport, Said, Sealed, Tally, Weight
from controller.audit.shoe import AuditSettings
from controller.audit.worker_pool import crew
from firmware_bridge.transport.clock import now

SAID_MAX: Final = 5_000
Progress = Callable[[int], None]


@dataclass(slots=True)
class AuditReport:
    """What an audit came to. `files` were read; `unsaid` findings and notes are only counted.

    `open_records` stand in open parts. `whole` False: it was broken off, and this is what had been
    done.
    """

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)
    findings: int = 0
    notes: int = 0
    files: int = 0
    journals: int = 0
    open_records: int = 0
    whole: bool = False
    elapsed_ns: int = 0

    @property
    def total(self) -> Tally:
        """All tables and days together."""
        total = Tally("", "")
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
    """Audit all that stands behind these paths. Raises NothingThere, WorkerLost.

    Ctrl-C ends it with what was done so far.
    """
    require_something(paths)
    summing = _Summing()
    began_ns = now().monotonic_ns
    try:
        with crew(jobs, settings) as workers:
            for piece, report in workers.reports(pieces(paths)):
                summing.take(piece, report)
                progress(summing.report.files)
            summing.report.whole = True
    except KeyboardInterrupt:
        pass
    summing.report.elapsed_ns = now().monotonic_ns - began_ns
    return summing.report


@dataclass(slots=True)
class _Summing:
    """An audit on its way: what is known of the journal that is being read."""

    report: AuditReport = field(default_factory=AuditReport)
    journal: str = ""
    last: Sealed | None = None
    # The newest seal of every journal read before: another may go on from there.
    ends: dict[bytes, Sealed] = field(default_factory=dict)

    def take(self, piece: Piece, report: PieceReport) -> None:
        if piece.journal != self.journal:
            if self.last is not None:
                self.ends[self.last.digest] = self.last
            self.journal, self.last = piece.journal, None
            self.report.journals += 1
        self.report.files += report.files
        for tally in report.tallies:
            self._count(tally)
        counted = sum(tally.findings for tally in report.tallies)
        told = sum(one.weight is Weight.FINDING for one in report.said)
        # Only what is said of an open part or of a folder has no tally.
        self._say(report.said, findings=max(counted, told))
        if report.first is not None:
            self._meet(tuple(self._before(report.first)))
        self.last = report.last or self.last
        if report.live is not None:
            self.report.open_records += report.live.records
            self._meet(tuple(self._open_part(report.live)))

    def _before(self, first: Sealed) -> Iterator[Said]:
        before = self.last or self.ends.get(first.previous)
        return begins(first) if before is None else disagreements(before, first)

    def _open_part(self, live: LivePart) -> Iterator[Said]:
        before = self.last or self.ends.get(live.seal)
        if before is not None:
            yield from open_part(before, live)
        elif live.seq:
            words = f"the sealed files before its record {live.seq + 1} are not here"
            yield Said(Weight.NOTE, live.file, "", "", 0, 0, words)

    def _meet(self, said: tuple[Said, ...]) -> None:
        findings = [one for one in said if one.weight is Weight.FINDING]
        for one in findings:
            self._count(Tally(one.table, one.gaming_day, findings=1))
        self._say(said, findings=len(findings))

    def _say(self, said: Sequence[Said], *, findings: int) -> None:
        self.report.findings += findings
        self.report.notes += sum(one.weight is Weight.NOTE for one in said)
        self.report.said.extend(said[: max(0, SAID_MAX - len(self.report.said))])

    def _count(self, tally: Tally) -> None:
        place = tally.table, tally.gaming_day
        before = self.report.tallies.get(place)
        self.report.tallies[place] = tally if before is None else before.plus(tally)
