"""Runs kinds of crash points in parallel and reports the result as a table and as JSON."""

import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Final

from hil.crash.kinds import PointKind, PointResult, count_defects
from hil.crash.verdict import Defect

SHOWN_MAX: Final = 10
PROGRESS_EVERY: Final = 50
_KIND: list[PointKind] = []


@dataclass(slots=True)
class ResultRow:
    """One kind of points and its results."""

    kind: str
    what: str
    control: bool
    tried: int = 0
    defects: dict[Defect, int] = field(default_factory=lambda: dict.fromkeys(Defect, 0))
    failed: list[tuple[str, str]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def holds(self) -> bool:
        """Whether nothing was wrong; for a control, whether something was lost."""
        if self.control:
            return self.defects[Defect.LOST] > 0
        return self.tried > 0 and not any(self.defects.values())

    @property
    def counts(self) -> dict[str, int]:
        """How many points were tried, and in how many each defect was found."""
        return {"tried": self.tried, **{one.value: self.defects[one] for one in Defect}}

    def add(self, point: str, result: PointResult) -> None:
        """Add the result of one point."""
        self.tried += result.count
        if result.outcome:
            self.outcomes[result.outcome] += 1
        for defect, count in count_defects(result.findings).items():
            self.defects[defect] += count
        if result.findings:
            name, finding = result.findings[0]
            self.failed.append((point, f"{name}: {finding.defect.value}: {finding.words}"))


def spread(points: Sequence[str], count: int, seed: int) -> tuple[str, ...]:
    """`count` of the points, evenly spread; the seed selects the first one."""
    if count >= len(points):
        return tuple(points)
    first = seed % (len(points) // count)
    return tuple(points[first + index * len(points) // count] for index in range(count))


def run(
    kind: PointKind, points: Sequence[str], jobs: int, progress: Callable[[str], None]
) -> ResultRow:
    """Try these points; `progress` receives a line every 50 points."""
    row = ResultRow(kind.name.value, kind.what, kind.control)
    for done, (point, result) in enumerate(_attempts(kind, points, jobs), 1):
        row.add(point, result)
        if done % PROGRESS_EVERY == 0:
            progress(f"crash: {kind.what}: {done} of {len(points)} points")
    return row


def _attempts(
    kind: PointKind, points: Sequence[str], jobs: int
) -> Iterator[tuple[str, PointResult]]:
    if jobs <= 1:
        for point in points:
            yield point, kind.attempt(point)
        return
    _KIND[:] = [kind]
    # Forked: the children have the recorded run at once and import nothing again.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        waiting = {pool.submit(_attempt, point): point for point in points}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def _attempt(point: str) -> PointResult:
    return _KIND[0].attempt(point)


def table(rows: Sequence[ResultRow]) -> str:
    """The table in Markdown, as in the README."""
    lines = ["| kind of point | tried | lost | doubled | undetected |", "| --- " * 5 + "|"]
    lines.extend(
        f"| {row.what} | {row.tried} | {' | '.join(str(row.defects[one]) for one in Defect)} |"
        for row in rows
        if not row.control
    )
    for row in rows:
        lines.extend(
            f"\n{row.kind}: {count} {words}." for words, count in sorted(row.outcomes.items())
        )
        if row.control:
            lost = row.defects[Defect.LOST]
            words = f"acknowledged records lost in {lost}" if lost else "NOTHING LOST"
            lines.append(f"\n{row.what}: {words} of {row.tried} points; a control must lose.")
    return "\n".join(lines)


def failures(rows: Sequence[ResultRow], seed: int) -> str:
    """What failed, each with the command that tries that point again."""
    lines = []
    for row in rows:
        if row.control and not row.holds:
            lines.append(
                f"{row.what}: the control lost nothing, so this kind would not detect a loss"
            )
        if row.control:
            continue
        for point, words in row.failed[:SHOWN_MAX]:
            again = f"python -m hil.crash --only {row.kind} --seed {seed} --point '{point}'"
            lines.append(f"{words}\n    {again}")
        if len(row.failed) > SHOWN_MAX:
            lines.append(f"... and {len(row.failed) - SHOWN_MAX} more points of {row.kind}")
        if not row.tried:
            lines.append(f"{row.what}: nothing was tried")
    return "\n".join(lines)


def as_json(rows: Sequence[ResultRow], seed: int, *, full: bool) -> str:
    """The rows as JSON."""
    return json.dumps(
        {
            "form": "smartshoe-crash-1",
            "seed": seed,
            "full": full,
            "rows": [
                {
                    "kind": row.kind,
                    "what": row.what,
                    "control": row.control,
                    "tried": row.tried,
                    **{one.value: row.defects[one] for one in Defect},
                    "holds": row.holds,
                    "became": dict(sorted(row.outcomes.items())),
                    "failed": row.failed,
                }
                for row in rows
            ],
        },
        indent=1,
    )


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


def print_progress(words: str) -> None:
    """Print a line of progress on stderr."""
    print(words, file=sys.stderr, flush=True)
