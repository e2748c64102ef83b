"""`smartshoe report shoe | day`: writes printable reports and tables of finished shoes."""
# ruff: noqa: PLC0415 - storage and templates are loaded only by the command that makes a report.

from pathlib import Path
from typing import Annotated, Final

import typer

from controller.system.command_line.output import echo, echo_json, progress_bar
from controller.system.command_line.path_parameters import JournalOrArchive
from controller.system.messages.quantity import counted

NEWEST: Final = "newest"


def shoe(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SHOE",
            help="Gaming day and shoe, as 2026-11-21/7; 7: of the newest day.",
        ),
    ],
    journal: JournalOrArchive,
    out: Annotated[Path, typer.Option(metavar="REPORT.html", help="The new file.")],
    csv: Annotated[
        bool, typer.Option("--csv", help="Write tables, too: REPORT-coups.csv and so on.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Write the report of one shoe: every coup, irregularities, people, seal, roads.

    The shoe must be finished and sealed. The journal is only read and may be in use.
    """
    from controller.rules.profiles.load import load_clauses
    from controller.system.atomic_file import require_new
    from office.evidence.bundle import store_bundle
    from office.evidence.lookup import ShoeReference, find_whole_shoe
    from office.reports.day_folder import shoe_files
    from office.reports.links import ReportLinks
    from office.reports.shoes import read_reported_shoe

    wanted = ShoeReference.parse(name)
    require_new(out)
    clauses = load_clauses()
    reported = read_reported_shoe(find_whole_shoe(journal, wanted), clauses)
    links = ReportLinks(str(journal))
    files = {
        out.with_name(f"{out.stem}-{file}") if file else out: data
        for file, data in shoe_files(reported, clauses, links, tables=csv)
    }
    for path in files:
        require_new(path)
    for path, data in files.items():
        store_bundle(path, data)
    if json:
        echo_json({"shoe": reported.shoe.name, "written": [str(path) for path in files]})
        return
    echo(f"{out}: shoe {reported.shoe.name}, {counted(len(reported.coups), 'coup')}")
    for path in list(files)[1:]:
        echo(f"  {path}")


def day(
    name: Annotated[
        str, typer.Argument(metavar="DAY", help="The gaming day, as 2026-11-21; or newest.")
    ],
    journal: JournalOrArchive,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The new folder.")],
    bundles: Annotated[
        bool, typer.Option("--bundles", help="Write the evidence bundle of every coup, too.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Write the report of a gaming day with that of each of its shoes into one new folder.

    Only sealed shoes are in it. The journal is only read and may be in use.
    """
    from controller.rules.profiles.load import load_clauses
    from controller.system.atomic_file import require_new
    from firmware_bridge.transport.clock import now
    from office.reports.day_folder import day_files, store_folder
    from office.reports.links import DAY_PAGE

    require_new(out)
    made = now().utc_ns if bundles else None
    gaming_day = "" if name == NEWEST else name
    with progress_bar("report") as progress:
        files = day_files(journal, gaming_day, load_clauses(), made, progress)
        count = store_folder(out, files)
    if json:
        echo_json({"path": str(out), "files": count, "begin": str(out / DAY_PAGE)})
        return
    echo(f"{out}: {counted(count, 'file')}; begin with {out / DAY_PAGE}")
