"""`smartshoe audit`: journals of many days and tables, validated again.

Responsible for: its options, progress, and how findings and the summary are shown.
Not responsible for: the audit (controller.audit).
Source: package README, "Command line", "Audit".
"""
# ruff: noqa: PLC0415 - evidence and keys are loaded only by the command that reads them.

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.errors import Exit, Unable
from controller.cli.output import progress_bar, remark, say, say_json, say_table

if TYPE_CHECKING:
    from controller.audit.findings import Said, Tally
    from controller.audit.run import AuditReport

_SHOWN_MAX: Final = 50
_HEADINGS: Final = (
    *("table", "gaming day", "shoes", "coups", "cards"),
    *("clean", "replayed", "not replayed", "findings"),
)


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        epilog="\b\nexamples:\n  smartshoe audit /var/lib/smartshoe\n"
        "  smartshoe audit archive/2026 /var/lib/smartshoe/table-1 --key table-1.pub\n"
        "  smartshoe audit /var/lib/smartshoe/table-1 --deep --json\n\n"
        "Exit codes: 0 nothing found, 1 findings, 2 a path that holds nothing to audit,"
        " 130 broken off by Ctrl-C: what was done is shown."
    )(audit)


def audit(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Journals, archives, .shoe files, live.db files, or folders that hold them.",
        ),
    ],
    key: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.pub", help="A public key to trust; may be given again."),
    ] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Replay every shoe.")] = False,
    jobs: Annotated[int, typer.Option(min=0, max=256, help="Processes; 0 for one a core.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Validate the journals of many days and tables again.

    Seals, chain and signatures, and every shoe's cards against the rules. A shoe that is not clean,
    or with anything found, is replayed. Nothing is changed.
    """
    from controller.audit.discovery import NothingThere, count_files, require_something
    from controller.audit.run import audit as run_audit
    from controller.audit.shoe import AuditSettings
    from controller.audit.worker_pool import WorkerLost
    from controller.system.keys import load_public

    settings = AuditSettings(tuple(load_public(one).raw for one in key or ()), deep)
    try:
        require_something(paths)
        total = count_files(paths) if sys.stderr.isatty() else 0
        with progress_bar("audit") as progress:
            report = run_audit(
                paths, settings, jobs or os.cpu_count() or 1, lambda done: progress(done, total)
            )
    except (NothingThere, WorkerLost) as error:
        raise Unable(str(error)) from error
    if json:
        say_json(_json_of(report))
    else:
        _tell(report)
    raise typer.Exit(_exit_code(report))


def _exit_code(report: "AuditReport") -> Exit:
    if not report.whole:
        return Exit.INTERRUPTED
    return Exit.NO if report.findings else Exit.DONE


def _json_of(report: "AuditReport") -> dict[str, object]:
    return {
        "whole": report.whole,
        "findings": report.findings,
        "notes": report.notes,
        "files": report.files,
        "journals": report.journals,
        "open_records": report.open_records,
        "elapsed_ms": report.elapsed_ns // 1_000_000,
        "cards_per_s": report.cards_per_s,
        "total": asdict(report.total),
        "days": [asdict(tally) for tally in report.tallies.values()],
        "said": [asdict(one) for one in report.said],
    }


def _tell(report: "AuditReport") -> None:
    from controller.audit.findings import Weight

    for weight in Weight:
        told = [one for one in report.said if one.weight is weight]
        for one in told[:_SHOWN_MAX]:
            say(f"{weight.value}: {_words(one)}")
        count = report.findings if weight is Weight.FINDING else report.notes
        more = count - min(len(told), _SHOWN_MAX)
        if more > 0:
            say(f"and {more} more {weight.value}s; --json lists up to 5000")
    say_table(_HEADINGS, [_row(tally) for tally in (*_days(report), report.total)])
    shoes = report.total
    say(
        f"{report.files} files of {report.journals} journals, {shoes.cards} cards,"
        f" {report.elapsed_ns / 1e9:.1f} s, {report.cards_per_s} cards a second"
    )
    if report.open_records:
        say(f"beside them {report.open_records} records of shoes that are not sealed")
    if not report.whole:
        remark("smartshoe: broken off; what stands above was done until then")
    elif report.findings:
        say(f"FINDINGS: {report.findings}")
    else:
        say("nothing found")


def _words(one: "Said") -> str:
    where = [one.file]
    if one.shoe:
        where.append(f"table {one.table}, {one.gaming_day}, shoe {one.shoe}")
    if one.coup:
        where.append(f"coup {one.coup}")
    clauses = f" ({', '.join(one.clauses)})" if one.clauses else ""
    return f"{': '.join(where)}: {one.words}{clauses}"


def _days(report: "AuditReport") -> list["Tally"]:
    return [tally for (table, _), tally in report.tallies.items() if table]


def _row(tally: "Tally") -> tuple[str, ...]:
    counts = (tally.shoes, tally.coups, tally.cards, tally.clean, tally.replayed, tally.untold)
    return (
        tally.table or "all",
        tally.gaming_day,
        *map(str, counts),
        str(tally.findings),
    )
