"""`smartshoe-hil run`, `rigs` and `check`: plays scenarios on a rig, and says what a rig can do."""
# ruff: noqa: PLC0415 - a help page loads neither the program nor rich.

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.system.command_line.command import example
from controller.system.command_line.errors import CommandError, ExitCode

if TYPE_CHECKING:
    from rich.console import Console

    from hil.scenario.rigs.rig_file import RigFile

DEFAULT_RIG: Final = "simulated"
DEFAULT_SEED: Final = 1
_PIPE_WIDTH: Final = 160

RUN_EXAMPLES: Final = (
    example(
        "smartshoe-hil run overdraw.scenario",
        "overdraw  a fifth card after a natural  overdraw.scenario",
        "  PASS  ...",
        "...",
        "1 played on simulated, seed 1: 1 PASS",
    ),
    example(
        "smartshoe-hil run overdraw.scenario --seed 7 --json 2> progress.txt",
        '{"scenario": "overdraw", ..., "outcome": "PASS", ...}',
        '{"rig": "simulated", "seed": 7, ...}',
    ),
    example(
        "smartshoe-hil run overdraw.scenario --junit results.xml --html results.html",
        "...",
        "1 played on simulated, seed 1: 1 PASS",
    ),
)
RUN_NOTES: Final = """\
A scenario that the rig cannot play is left out before the run, and said to be: SKIP. It is done \
(0) if every other one ended in PASS, and at least one was played. With --json standard output \
has one line for each scenario as it ends, and a last one for the run; all else goes to standard \
error. After Ctrl-C the reports have what was run."""

RIGS_EXAMPLES: Final = (
    example(
        "smartshoe-hil rigs",
        "...",
        "simulated      the program's core and emulated devices under a simulated clock",
        "...",
    ),
    example("smartshoe-hil rigs --json", '{"name": "bench-example", ...}', "..."),
)
CHECK_EXAMPLES: Final = (
    example(
        "smartshoe-hil check simulated",
        "  yes  the rig opens: angel-eye and a shuffler",
        "...",
        "simulated can do ... things",
        "...",
    ),
    example(
        "smartshoe-hil check bench-example",
        "  no   the port of the shoe is there: /dev/...",
        "...",
        "[exit 1]",
    ),
)

_Rig = Annotated[
    str,
    typer.Option("--rig", metavar="RIG", help="The name of a rig, or the path of its .toml file."),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON objects, one on a line.")]


def run(
    scenarios: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO", help="Files, folders, or collections such as incidents."
        ),
    ],
    rig: _Rig = DEFAULT_RIG,
    seed: Annotated[
        int, typer.Option("--seed", min=0, metavar="S", help="Equal seeds give equal cards.")
    ] = DEFAULT_SEED,
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help="Write the results as JUnit XML."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page with a time line of each."),
    ] = None,
    as_json: _Json = False,
) -> None:
    """Play scenarios on a rig.

    A scenario is a text: what people and devices do at a table, and what the table is to conclude.
    """
    from hil.scenario.commands.files import read_scenarios
    from hil.scenario.commands.session import play_all
    from hil.scenario.reports.progress import Progress
    from hil.scenario.reports.result_json import run_object, scenario_object
    from hil.scenario.reports.written import ReportsWanted

    found = read_scenarios(scenarios)
    described = read_known_rig(rig)
    reports = ReportsWanted(junit, html)
    progress = Progress(_console(as_json=as_json))
    with _guard(described):
        session = play_all(
            found,
            described,
            seed,
            progress,
            lambda played: (
                print(json.dumps(scenario_object(played)), flush=True) if as_json else None
            ),
        )
    progress.summary(session.runs, described.name, seed)
    reports.write(session.runs, described.name)
    if as_json:
        ended = run_object(session.runs, described.name, seed, interrupted=session.interrupted)
        print(json.dumps(ended))
    raise typer.Exit(session.exit_code)


def rigs(as_json: _Json = False) -> None:
    """List the rigs that come with the bench.

    A rig of your own is a TOML file; bench-example is one with a USB power switch and a card
    feeder.
    """
    from hil.scenario.rigs.rig_file import read_rig, rig_names

    found = [read_rig(name) for name in rig_names()]
    if as_json:
        for one in found:
            print(json.dumps({**_described(one), "capabilities": sorted(one.can)}))
        return
    width = max(len(one.name) for one in found)
    for one in found:
        print(f"{one.name:<{width}}  {one.title}")


def check(
    rig: Annotated[
        str, typer.Argument(metavar="RIG", help="A rig's name, or the path of its .toml file.")
    ],
    as_json: _Json = False,
) -> None:
    """Open a rig, and say what it can do and what is missing.

    It is done (0) if the rig opens and nothing is missing.
    """
    from hil.scenario.rigs.capabilities import MEANINGS, Capability
    from hil.scenario.rigs.check import check_rig

    described = read_known_rig(rig)
    with _guard(described):
        points = check_rig(described)
    good = all(one.good for one in points)
    lacking = [one for one in Capability if one not in described.can]
    if as_json:
        found = [{"what": one.what, "good": one.good, "remedy": one.remedy} for one in points]
        can = sorted(described.can)
        print(json.dumps({**_described(described), "points": found, "capabilities": can}))
    else:
        for one in points:
            remedy = f". Remedy: {one.remedy}" if one.remedy else ""
            print(f"  {'yes' if one.good else 'no':<3}  {one.what}{remedy}")
        print(f"{described.name} can do {len(described.can)} of {len(MEANINGS)} things")
        for lacked in lacking:
            print(f"  not  {lacked.value:<16}  {MEANINGS[lacked]}")
    raise typer.Exit(ExitCode.DONE if good else ExitCode.NO)


def read_known_rig(rig: str) -> "RigFile":
    """The rig. Raises CommandError."""
    from hil.scenario.rigs.rig_file import RigFileError, read_rig

    try:
        return read_rig(rig)
    except RigFileError as error:
        raise CommandError(str(error)) from error


def _described(rig: "RigFile") -> dict[str, str]:
    return {"name": rig.name, "title": rig.title, "kind": rig.kind.value}


def _guard(rig: "RigFile") -> AbstractContextManager[None]:
    """Rigs with processes leave nothing behind."""
    from hil.run_guard import guarded_run
    from hil.scenario.rigs.rig_file import RigKind

    return nullcontext() if rig.kind is RigKind.SIMULATED else guarded_run()


def _console(*, as_json: bool) -> "Console":
    """The console for people: stdout, or stderr with --json."""
    from rich.console import Console

    stream = sys.stderr if as_json else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return Console(stderr=as_json, width=width, highlight=False)
