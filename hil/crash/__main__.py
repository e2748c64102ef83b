"""`python -m hil.crash`: runs the crash and damage matrix on a journal and prints the result."""

import argparse
import logging
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hil.crash.kinds import (
    AcknowledgedStores,
    Damages,
    Errors,
    KernelCuts,
    Kills,
    PointKind,
    PointKindName,
    PowerCuts,
    RecordedRun,
    Restarts,
)
from hil.crash.report import (
    ResultRow,
    as_json,
    failures,
    print_progress,
    processors,
    run,
    spread,
    table,
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
