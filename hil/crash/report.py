"""The table of the matrix: what was tried, what was lost, doubled, undetected.

Responsible for: running kinds of points on several processors, telling how far it is, the table,
the command that tries a failed point again, and JSON for a file.
Not responsible for: the points (kinds).
Source: package README, "The crash and damage matrix".
"""

import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Final

from hil.crash.kinds import Kind, Tried, wrongs
from hil.crash.verdict import Wrong

SHOWN_MAX: Final = 10
TELL_EVERY: Final = 50
_KIND: list[Kind] = []


@dataclass(slots=True)
class Row:
    """One kind of points and what came of them."""

    kind: str
    what: str
    control: bool
    tried: int = 0
    wrong: dict[Wrong, int] = field(default_factory=lambda: dict.fromkeys(Wrong, 0))
    failed: list[tuple[str, str]] = field(default_factory=list)
    became: Counter[str] = field(default_factory=Counter)

    @property
    def holds(self) -> bool:
        """Nothing was wrong; of a control: something was lost."""
        if self.control:
            return self.wrong[Wrong.LOST] > 0
        return self.tried > 0 and not any(self.wrong.values())

    def add(self, point: str, tried: Tried) -> None:
        """What came of one point."""
        self.tried += tried.count
        if tried.became:
            self.became[tried.became] += 1
        for wrong, count in wrongs(tried.findings).items():
            self.wrong[wrong] += count
        if tried.findings:
            name, finding = tried.findings[0]
            self.failed.append((point, f"{name}: {finding.wrong.value}: {finding.words}"))


def spread(points: Sequence[str], count: int, seed: int) -> tuple[str, ...]:
    """So many of the points, evenly spread; the seed says where the first one stands."""
    if count >= len(points):
        return tuple(points)
    first = seed % (len(points) // count)
    return tuple(points[first + index * len(points) // count] for index in range(count))


def run(kind: Kind, points: Sequence[str], jobs: int, tell: Callable[[str], None]) -> Row:
    """Try these points."""
    row = Row(kind.name.value, kind.what, kind.control)
    for done, (point, tried) in enumerate(_attempts(kind, points, jobs), 1):
        row.add(point, tried)
        if done % TELL_EVERY == 0:
            tell(f"crash: {kind.what}: {done} of {len(points)} points")
    return row


def _attempts(kind: Kind, points: Sequence[str], jobs: int) -> Iterator[tuple[str, Tried]]:
    if jobs <= 1:
        for point in points:
            yield point, kind.attempt(point)
        return
    _KIND[:] = [kind]
    # Forked: the log and the undisturbed run are there at once, and nothing is imported again.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        waiting = {pool.submit(_attempt, point): point for point in points}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def _attempt(point: str) -> Tried:
    return _KIND[0].attempt(point)


def table(rows: Sequence[Row]) -> str:
    """The table, Markdown as it stands in the README."""
    lines = ["| kind of point | tried | lost | doubled | undetected |", "| --- " * 5 + "|"]
    lines.extend(
        f"| {row.what} | {row.tried} | {' | '.join(str(row.wrong[one]) for one in Wrong)} |"
        for row in rows
        if not row.control
    )
    for row in rows:
        lines.extend(
            f"\n{row.kind}: {count} {words}." for words, count in sorted(row.became.items())
        )
        if row.control:
            lost = row.wrong[Wrong.LOST]
            words = f"loses what was acknowledged in {lost}" if lost else "LOSES NOTHING"
            lines.append(f"\n{row.what}: {words} of {row.tried}, and must lose.")
    return "\n".join(lines)


def failures(rows: Sequence[Row], seed: int) -> str:
    """What went wrong, with the command that tries it again."""
    lines = []
    for row in rows:
        if row.control and not row.holds:
            lines.append(f"{row.what}: the control loses nothing, so this kind would see no loss")
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


def as_json(rows: Sequence[Row], seed: int, *, full: bool) -> str:
    """The same for a program."""
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
                    **{one.value: row.wrong[one] for one in Wrong},
                    "holds": row.holds,
                    "became": dict(sorted(row.became.items())),
                    "failed": row.failed,
                }
                for row in rows
            ],
        },
        indent=1,
    )


def processors() -> int:
    """How many may be used."""
    return len(os.sched_getaffinity(0))


def to_terminal(words: str) -> None:
    """How far it is."""
    print(words, file=sys.stderr, flush=True)
