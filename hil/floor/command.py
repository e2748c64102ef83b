"""`smartshoe-hil floor`: many emulated tables, one Prometheus, one broker, and what they cost."""
# ruff: noqa: PLC0415 - a help page does not load the program.

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.system.command_line.command import example
from controller.system.command_line.errors import ExitCode
from hil.floor.plan import TABLES_MAX, FloorPlan
from hil.run_guard import guarded_run

FLOOR_EXAMPLES: Final = (
    example(
        "smartshoe-hil floor --tables 4 --a-process 2 --seconds 10 --folder floor 2> progress.txt",
        "4 tables in 2 processes, 10 s, ... cards/s, ... coups",
        "a table: ... % of a core, ... MB, ... threads",
        "...",
        "every coup dealt is in its journal, in Prometheus and in the feed",
        "1000 tables: ... cores, ... MB, ... series, ... samples/s, ... events/s",
    ),
    example(
        "smartshoe-hil floor --tables 2 --seconds 5 --scrape-s 1 --folder two --json 2> log.txt",
        '{"tables":2,"processes":1,...}',
    ),
)
FLOOR_NOTES: Final = """\
Each table is an emulated shoe with a dealer and the unchanged program; --a-process tables share \
a process. Prometheus and the broker are Debian's own (apt-get install prometheus mosquitto). \
The last line is computed in proportion.

It is done (0) if every coup that was dealt is in its journal, counted by Prometheus and held by \
a consumer of the feed, else 1. \
Ctrl-C ends all tables in order (130)."""


def floor(
    tables: Annotated[
        int,
        typer.Option("--tables", min=1, max=TABLES_MAX, metavar="N", help="Number of tables."),
    ] = 20,
    a_process: Annotated[
        int, typer.Option("--a-process", min=1, max=64, metavar="K", help="Tables in a process.")
    ] = 10,
    seconds: Annotated[
        int, typer.Option("--seconds", min=5, max=86_400, metavar="S", help="How long to measure.")
    ] = 60,
    card_ms: Annotated[
        int,
        typer.Option(
            "--card-ms",
            min=50,
            max=60_000,
            metavar="MS",
            help="From card to card of a coup; a dealer takes about 3000.",
        ),
    ] = 1000,
    scrape_s: Annotated[
        int, typer.Option("--scrape-s", min=1, max=300, metavar="S", help="From scrape to scrape.")
    ] = 5,
    house: Annotated[
        int,
        typer.Option(
            "--house", min=1, max=100_000, metavar="N", help="Compute the needs of N tables."
        ),
    ] = 1000,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            metavar="DIR",
            show_default="./floor",
            help="A new folder for journals, logs and Prometheus's data.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run many emulated tables: one Prometheus, one broker.

    Measures processor time, memory, scrapes and the lag of the feed.
    """
    from hil.floor.figures import needs_of
    from hil.floor.floor import new_folder, run_floor

    plan = FloorPlan(
        folder=new_folder((folder or Path("floor")).absolute()),
        tables=tables,
        a_process=a_process,
        seconds=seconds,
        card_ms=card_ms,
        scrape_s=scrape_s,
    )
    with guarded_run():
        figures = run_floor(plan, _remark)
    if as_json:
        sys.stdout.write(figures.as_json().decode() + "\n")
    else:
        for line in (*figures.lines(), needs_of(figures, house).line()):
            print(line)
    raise typer.Exit(ExitCode.DONE if figures.agrees else ExitCode.NO)


def _remark(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
