"""`python -m hil.crash`: runs the crash and damage matrix in parallel; a table, or JSON."""

import argparse
import json
import logging
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hil.crash.kinds import (
    AcknowledgedStores,
    Damages,
    Errors,
    KernelCuts,
    Kills,
    PointKind,
    PointKindName,
    PointResult,
    PowerCuts,
    RecordedRun,
    Restarts,
    count_defects,
)
from hil.crash.uml import missing_packages
from hil.crash.verdict import Defect
from hil.run_guard import (
    ending_at_once,
    guarded_run,
    memory_folder,
    refusal_of_output,
    run_folder,
)
from hil.run_record import record_run

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


EXIT_HELD, EXIT_FAILED, EXIT_UNABLE = 0, 1, 2
SHORT = (
    PointKindName.KILL,
    PointKindName.ACKNOWLEDGE,
    PointKindName.ERRORS,
    PointKindName.POWERCUT,
    PointKindName.DAMAGE,
)
# Of a first start every point is tried, without the controls: it stores too little to lose.
FIRST_START = (PointKindName.KILL, PointKindName.ERRORS, PointKindName.POWERCUT)
EPILOG = """\
examples:
  python -m hil.crash --first-start                      every point of a table's first start
  python -m hil.crash --every 20                         one point in twenty of each kind
  python -m hil.crash --only kill,damage --seed 7
  python -m hil.crash --full --json crash.json           every point, User-mode Linux too

exit codes: 0 nothing is lost, doubled or undetected, and the controls lose; 1 otherwise;
2 wrong usage, or it cannot run here
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the matrix; the exit code."""
    options = _arguments(argv)
    # The program's messages are checked; printed here they would bury the table.
    logging.getLogger("smartshoe").setLevel(logging.CRITICAL)
    only = SHORT if not options.full else tuple(PointKindName)
    only = FIRST_START if options.first_start else only
    only = options.only or only
    packages = "" if shutil.which("strace") else "strace "
    packages += missing_packages() if PointKindName.UML in only else ""
    if packages:
        needs = f"apt-get install --no-install-recommends {packages.strip()}"
        print(f"crash: Debian packages are not installed: {needs}", file=sys.stderr)
        return EXIT_UNABLE
    began = time.monotonic()
    rows = []
    with _work_folder(options.folder) as name:
        recorded = RecordedRun(Path(name), start_alone=options.first_start)
        for kind in kinds(recorded, only, options.seed):
            if options.first_start and kind.control:
                continue
            points = kind.points()
            if options.point:
                points = (options.point,)
            elif options.every:
                points = points[options.seed % options.every :: options.every]
            elif not (options.full or options.first_start):
                points = spread(points, kind.sample(), options.seed)
            print_progress(f"crash: {kind.what}: {len(points)} of {len(kind.points())} points")
            rows.append(run(kind, points, options.jobs, print_progress))
            # A run takes hours: what is known of a kind is not lost if a later one is interrupted.
            print_progress(f"crash: {table(rows).splitlines()[-1]}")
    return finish(rows, options, time.monotonic() - began)


def kinds(run: RecordedRun, only: Sequence[PointKindName], seed: int) -> Iterator[PointKind]:
    """The selected kinds of points."""
    for name in only:
        match name:
            case PointKindName.KILL:
                yield Kills(run)
            case PointKindName.ACKNOWLEDGE:
                yield AcknowledgedStores(run, early=False)
                yield AcknowledgedStores(run, early=True)
            case PointKindName.RESTART:
                yield Restarts(run)
            case PointKindName.ERRORS:
                yield Errors(run)
            case PointKindName.POWERCUT:
                yield PowerCuts(run, seed, weak=False)
                yield PowerCuts(run, seed, weak=True)
            case PointKindName.DAMAGE:
                yield Damages(run, seed)
            case PointKindName.UML:
                yield KernelCuts(run, seed, weak=False)
                yield KernelCuts(run, seed, weak=True)


def finish(rows: Sequence[ResultRow], options: argparse.Namespace, seconds: float) -> int:
    """Print the table and what failed; return the exit code."""
    print(table(rows))
    failed = failures(rows, options.seed)
    if failed:
        print(f"\n{failed}")
    tried = sum(row.tried for row in rows)
    held = all(row.holds for row in rows)
    print(f"\ncrash: {tried} points in {seconds:.0f} s: {'all hold' if held else 'NOT ALL HOLD'}")
    if options.full and not (options.point or options.every or options.only):
        figures = {"points tried": tried} | {
            one.value: sum(row.defects[one] for row in rows if not row.control) for one in Defect
        }
        parts = {row.what: row.counts for row in rows}
        record_run("python -m hil.crash --full", figures, seconds, parts=parts)
    if options.json:
        options.json.write_text(as_json(rows, options.seed, full=options.full) + "\n")
    return EXIT_HELD if held else EXIT_FAILED


@contextmanager
def _work_folder(parent: Path | None) -> Iterator[str]:
    """A folder for this run: below that one, else in memory if possible."""
    with ending_at_once(), guarded_run(*(() if parent is None else (parent,))):
        below = memory_folder() if parent is None else run_folder(parent)
        with tempfile.TemporaryDirectory(prefix="smartshoe-crash-", dir=below) as name:
            yield name


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line. Exits with 2 on a wrong one."""
    parser = _parser()
    options = parser.parse_args(argv)
    known = tuple(name.value for name in PointKindName)
    names = [name for name in options.only.split(",") if name]
    if unknown := [name for name in names if name not in known]:
        parser.error(f"--only: no such kind: {', '.join(unknown)}; kinds are {', '.join(known)}")
    options.only = tuple(PointKindName(name) for name in names)
    if options.folder is not None and not options.folder.is_dir():
        parser.error(f"--folder: {options.folder} is not a folder; name one that exists")
    if options.json is not None and (refusal := refusal_of_output(options.json)):
        parser.error(f"--json: {refusal}")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hil.crash",
        description="Kill, fail, cut and damage a journal, and count what is lost.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = ",".join(name.value for name in PointKindName)
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--full", action="store_true", help="every point, not a sample")
    extent.add_argument(
        "--first-start", action="store_true", help="a table's first start alone, every point"
    )
    parser.add_argument("--every", type=int, default=0, metavar="N", help="every N-th point")
    parser.add_argument("--only", default="", metavar="KINDS", help=f"kinds of points: {names}")
    parser.add_argument(
        "--point", default="", help="only this point, named as in a failed run's output"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of everything random (1)")
    parser.add_argument("--jobs", type=int, default=processors(), help="points tried in parallel")
    parser.add_argument("--json", type=Path, metavar="FILE", help="a new file for the result")
    parser.add_argument("--folder", type=Path, help="where to work (in memory)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
