"""Exports journals and archives as tables: what is complete is left, the rest is written."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct, field

from controller.journal.encoding import EncodingError
from controller.journal.values import JournalError
from controller.record.reader import RunRules
from controller.rules.profiles.load import load_clauses
from office.analytics.arrow import TablesError, load_arrow
from office.analytics.days import find_parts, problem_of, tables_of
from office.analytics.parquet_folder import ParquetFolder
from office.analytics.parts import SealedDay, read_day, read_open_part
from office.analytics.schema import TableName
from office.audit.discovery import require_something
from office.audit.worker_pool import worker_pool

Progress: TypeAlias = Callable[[int, int], None]

_PROBLEMS_MAX: Final = 1_000


class PartReport(Struct, frozen=True):
    """What became of one part: rows by table, bytes written, or why it was not exported.

    `failed`: nothing can be written at all.
    """

    rows: Mapping[str, int] = {}
    written: int = 0
    problem: str = ""
    failed: bool = False


class TablesReport(Struct):
    """What an export did. `whole` is False if it was interrupted."""

    days_written: int = 0
    days_there: int = 0
    open_parts: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    written: int = 0
    problems: list[str] = field(default_factory=list)
    whole: bool = False

    def add(self, part: PartReport) -> None:
        """Count a part that was read."""
        for name, count in part.rows.items():
            self.rows[name] = self.rows.get(name, 0) + count
        self.written += part.written
        if part.problem and len(self.problems) < _PROBLEMS_MAX:
            self.problems.append(part.problem)


def export_tables(
    paths: Sequence[Path],
    folder: Path,
    jobs: int = 1,
    progress: Progress = lambda _done, _total: None,
) -> TablesReport:
    """Export all below these paths into a folder of tables. Raises TablesError, NothingToAudit.

    `progress` is called with the parts done and all parts. Ctrl-C ends it with a partial report:
    what was written stays, and the next export goes on there.
    """
    load_arrow()
    require_something(paths)
    target = ParquetFolder(folder)
    # Sealed files are listed before an open part is read: a shoe that is sealed meanwhile is
    # missing until the next export, and never there twice.
    found = find_parts(paths)
    report = TablesReport(problems=list(found.problems))
    total = len(found.days) + len(found.open_parts)
    try:
        for table in tables_of(found.days):
            target.drop_open(table)
        for path in found.open_parts:
            report.add(_export_open_part(target, path))
            report.open_parts += 1
            progress(report.open_parts, total)
        due = [one for one in found.days if not target.holds(one.table, one.day, one.made_of)]
        report.days_there = len(found.days) - len(due)
        with worker_pool(min(jobs, len(due)), lambda: _DayExport(target).export) as workers:
            for _, part in workers.reports(due):
                if part.failed:
                    raise TablesError(part.problem)
                report.add(part)
                report.days_written += not part.problem
                progress(report.open_parts + report.days_there + report.days_written, total)
        report.whole = True
    except KeyboardInterrupt:
        pass
    finally:
        if not report.whole:
            target.drop_unfinished()
    return report


class _DayExport:
    """Exports days in one process."""

    def __init__(self, target: ParquetFolder) -> None:
        self._target = target
        self._rules = RunRules(load_clauses())

    def export(self, day: SealedDay) -> PartReport:
        """Write the tables of one day."""
        try:
            part = read_day(day, self._rules)
        except (JournalError, EncodingError, OSError) as error:
            return PartReport(problem=problem_of(day.path, error))
        try:
            written = self._target.store(part, day.made_of)
        except TablesError as error:
            return PartReport(problem=str(error), failed=True)
        return PartReport(_counts(part.counts), written)


def _export_open_part(target: ParquetFolder, path: Path) -> PartReport:
    """Write the tables of what is finished and not sealed. Raises TablesError."""
    try:
        part = read_open_part(path, RunRules(load_clauses()))
    except (JournalError, EncodingError, OSError) as error:
        return PartReport(problem=problem_of(path, error))
    if part is None:
        return PartReport()
    target.drop_open(part.table)
    return PartReport(_counts(part.counts), target.store(part, ""))


def _counts(counts: Mapping[TableName, int]) -> dict[str, int]:
    return {name.value: count for name, count in counts.items()}
