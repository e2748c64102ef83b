"""`smartshoe-hil soak` and `smartshoe-hil faults`: many simulated shoes with faults, checked."""
# ruff: noqa: PLC0415 - a help page does not load the program.

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.system.command_line.command import example
from controller.system.command_line.errors import CommandError, ExitCode

if TYPE_CHECKING:
    from hil.soak.report import Tally
    from hil.soak.soak import Played
    from hil.soak.spread import TlsFiles

JOBS_MAX: Final = 256
SEEDS_MAX: Final = 10_000_000
# A line of progress at most so often.
PROGRESS_S: Final = 2.0

SOAK_EXAMPLES: Final = (
    example(
        "smartshoe-hil soak --seeds 4 --first 1",
        "4 seeds, ... shoes, ... cards, ... shoes/s, 0 failed",
    ),
    example(
        "smartshoe-hil soak --seeds 4 --first 1 --jobs 2 --json 2> progress.txt",
        '{"seeds": 4, "first_seed": 1, "last_seed": 4, ...}',
    ),
)
SOAK_NOTES: Final = """\
Each seed is a scenario: a table, one to three shoes, and a swarm of faults (`smartshoe-hil \
faults`). A seed at which a checker fires is shrunk and written to --out as a .scenario file; \
play it again with --scenario FILE and its --seed.

Ctrl-C ends a run (130) with the figures so far. It is done (0) if no checker fired, else 1."""
FAULTS_EXAMPLES: Final = (
    example(
        "smartshoe-hil faults",
        "shoe-drop                    wire      frames are lost",
        "...",
    ),
    example(
        "smartshoe-hil faults --json",
        "{",
        '  "shoe-drop": {',
        "...",
    ),
)


def soak(
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, max=SEEDS_MAX, metavar="N", help="Number of seeds.")
    ] = 100,
    first: Annotated[int, typer.Option("--first", min=0, metavar="S", help="The first seed.")] = 0,
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, max=JOBS_MAX, metavar="J", help="Processes.")
    ] = 1,
    scheduler: Annotated[
        str, typer.Option("--scheduler", metavar="ADDRESS", help="A dask scheduler plays them.")
    ] = "",
    tls_ca: Annotated[
        Path | None, typer.Option("--tls-ca", metavar="FILE", help="Certificates to trust.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="This end's certificate.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option("--tls-key", metavar="FILE", help="This end's key.")
    ] = None,
    scenario: Annotated[
        Path | None,
        typer.Option("--scenario", metavar="FILE", help="Play this file with the checkers."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, metavar="S", help="The seed of --scenario.")
    ] = 0,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where shrunk scenarios are written.")
    ] = Path("soak"),
    as_json: Annotated[bool, typer.Option("--json", help="End with one JSON object.")] = False,
) -> None:
    """Play simulated shoes with swarms of faults, checked.

    Everything follows from a seed, on a simulated clock; the program is checked after every event.
    """
    if scenario is not None:
        raise typer.Exit(_play_file(scenario, seed))
    wanted = tuple(range(first, first + seeds))
    tls = _tls_files(tls_ca, tls_cert, tls_key)
    tally, took_s, stopped = _run(_results(wanted, jobs, scheduler, tls), quiet=as_json)
    for played in tally.failed:
        _write_shrunk(played, out)
    if as_json:
        print(json.dumps(tally.as_json(took_s)))
    else:
        print(tally.line(took_s))
    if stopped:
        raise typer.Exit(ExitCode.INTERRUPTED)
    raise typer.Exit(ExitCode.NO if tally.failed else ExitCode.DONE)


def _tls_files(ca: Path | None, cert: Path | None, key: Path | None) -> "TlsFiles | None":
    from hil.soak.spread import TlsFiles

    given = [one for one in (ca, cert, key) if one is not None]
    if not given:
        return None
    if ca is None or cert is None or key is None:
        raise CommandError(
            "not all three files of TLS are given",
            place="--tls-ca, --tls-cert, --tls-key",
            allowed="all of them, or none",
            remedy="give the one that lacks",
        )
    return TlsFiles(ca, cert, key)


def _results(
    seeds: tuple[int, ...], jobs: int, scheduler: str, tls: "TlsFiles | None"
) -> Iterator["Played"]:
    from hil.soak.spread import played_by_workers, played_here

    return played_by_workers(seeds, scheduler, tls) if scheduler else played_here(seeds, jobs)


def _run(results: Iterator["Played"], *, quiet: bool) -> tuple["Tally", float, bool]:
    """Count what is played until it ends or Ctrl-C; with how long it took, and whether by that."""
    from hil.soak.report import Tally

    tally, began_s = Tally(), time.monotonic()
    shown_s, stopped = began_s, False
    try:
        for played in results:
            tally.add(played)
            if played.violated:
                _remark(f"seed {played.seed}, line {played.line}: {played.checker}: {played.what}")
            elif not quiet and time.monotonic() - shown_s >= PROGRESS_S:
                shown_s = time.monotonic()
                _remark(tally.line(shown_s - began_s))
    except KeyboardInterrupt:
        stopped = True
        _remark("stopped; this was played:")
    return tally, time.monotonic() - began_s, stopped


def _play_file(path: Path, seed: int) -> ExitCode:
    from hil.scenario.language.reading import read_scenario
    from hil.soak.soak import play

    played = play(read_scenario(path), seed)
    if not played.violated:
        print(f"{path}: {played.statements} statements, no checker fired")
        return ExitCode.DONE
    print(f"{path}:{played.line}: {played.checker}: {played.what}")
    return ExitCode.NO


def _write_shrunk(played: "Played", out: Path) -> None:
    from hil.scenario.language.reading import parse_scenario
    from hil.soak.generate import scenario_of
    from hil.soak.shrink import scenario_text, shrink

    small = shrink(parse_scenario(scenario_of(played.seed)), played)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{small.name}.scenario"
    path.write_text(scenario_text(small, played), encoding="utf-8")
    _remark(f"{path}: {len(small.steps)} statements")


def _remark(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def faults(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the faults of a soak run by name."""
    from hil.soak.faults import FAULTS

    if as_json:
        found = {one.name: {"place": one.place.value, "what": one.words} for one in FAULTS}
        print(json.dumps(found, indent=2))
        return
    width = max(len(one.name) for one in FAULTS)
    for one in FAULTS:
        print(f"{one.name:<{width}}  {one.place.value:<8}  {one.words}")
