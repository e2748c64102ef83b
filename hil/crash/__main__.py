"""`python -m hil.crash`: kill, fail, cut and damage a journal, and print what became of it.

Responsible for: the command line and the exit code.
Not responsible for: the kinds of points (kinds) and the table (report).
Source: package README, "The crash and damage matrix".
"""

import argparse
import logging
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hil.crash.kinds import (
    Bed,
    Damages,
    Errors,
    KernelCuts,
    Kills,
    Kind,
    KindName,
    PowerCuts,
    Restarts,
)
from hil.crash.report import Row, as_json, failures, processors, run, spread, table, to_terminal
from hil.crash.uml import missing

HELD, FAILED, UNABLE = 0, 1, 2
SHORT = (KindName.KILL, KindName.ERRORS, KindName.POWERCUT, KindName.DAMAGE)
EPILOG = """\
exit codes: 0 nothing is lost, doubled or undetected, and the controls lose; 1 it is not so;
2 it cannot run here
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the matrix."""
    options = _parser().parse_args(argv)
    # What the program says of its end is judged; here it would drown the table.
    logging.getLogger("smartshoe").setLevel(logging.CRITICAL)
    only = SHORT if not options.full else tuple(KindName)
    if options.only:
        only = tuple(KindName(name) for name in options.only.split(","))
    packages = "" if shutil.which("strace") else "strace "
    packages += missing() if KindName.UML in only else ""
    if packages:
        needs = f"apt-get install --no-install-recommends {packages.strip()}"
        print(f"crash: Debian packages are not installed: {needs}", file=sys.stderr)
        return UNABLE
    began = time.monotonic()
    rows = []
    with tempfile.TemporaryDirectory(prefix="smartshoe-crash-", dir=options.folder) as name:
        bed = Bed(Path(name))
        for kind in kinds(bed, only, options.seed):
            points = kind.points()
            if options.point:
                points = (options.point,)
            elif options.every:
                points = points[options.seed % options.every :: options.every]
            elif not options.full:
                points = spread(points, kind.sample(), options.seed)
            to_terminal(f"crash: {kind.what}: {len(points)} of {len(kind.points())} points")
            rows.append(run(kind, points, options.jobs, to_terminal))
    return finish(rows, options, time.monotonic() - began)


def kinds(bed: Bed, only: Sequence[KindName], seed: int) -> Iterator[Kind]:
    """The kinds of points that were asked for."""
    for name in only:
        match name:
            case KindName.KILL:
                yield Kills(bed)
            case KindName.RESTART:
                yield Restarts(bed)
            case KindName.ERRORS:
                yield Errors(bed)
            case KindName.POWERCUT:
                yield PowerCuts(bed, seed, weak=False)
                yield PowerCuts(bed, seed, weak=True)
            case KindName.DAMAGE:
                yield Damages(bed, seed)
            case KindName.UML:
                yield KernelCuts(bed, seed, weak=False)
                yield KernelCuts(bed, seed, weak=True)


def finish(rows: Sequence[Row], options: argparse.Namespace, seconds: float) -> int:
    """Print the table and what failed; the exit code."""
    print(table(rows))
    wrong = failures(rows, options.seed)
    if wrong:
        print(f"\n{wrong}")
    tried = sum(row.tried for row in rows)
    held = all(row.holds for row in rows)
    print(f"\ncrash: {tried} points in {seconds:.0f} s: {'all hold' if held else 'NOT ALL HOLD'}")
    if options.json:
        options.json.write_text(as_json(rows, options.seed, full=options.full) + "\n")
    return HELD if held else FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hil.crash",
        description="Kill, fail, cut and damage a journal, and count what is lost.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = ",".join(name.value for name in KindName)
    parser.add_argument("--full", action="store_true", help="every point, not a sample")
    parser.add_argument("--every", type=int, default=0, metavar="N", help="one point in N")
    parser.add_argument("--only", default="", metavar="KINDS", help=f"of {names}")
    parser.add_argument("--point", default="", help="this one point, as a failed run names it")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn by lot (1)")
    parser.add_argument("--jobs", type=int, default=processors(), help="so many at a time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there, too")
    parser.add_argument("--folder", type=Path, default=_memory(), help="where to work")
    return parser


def _memory() -> Path | None:
    memory = Path("/dev/shm")  # noqa: S108
    return memory if memory.is_dir() else None


if __name__ == "__main__":
    sys.exit(main())
