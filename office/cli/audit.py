"""`smartshoe audit`: validates the journals of many days and tables again."""
# ruff: noqa: PLC0415 - evidence and keys are loaded only by the command that reads them.

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import to_builtins

from controller.rules.profiles.borrowing import with_borrowed, with_citation
from controller.system.command_line.errors import ExitCode
from controller.system.command_line.output import (
    echo,
    echo_json,
    echo_stderr,
    echo_table,
    progress_bar,
)
from controller.system.command_line.path_parameters import Journals
from controller.system.messages.quantity import counted

if TYPE_CHECKING:
    from office.audit.findings import AuditCounts, AuditMessage
    from office.audit.run import AuditReport

_SHOWN_MAX: Final = 50
_HEADINGS: Final = (
    *("table", "gaming day", "shoes", "coups", "cards"),
    *("clean", "replayed", "not replayed", "findings"),
)


def audit(
    paths: Journals,
    key: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.pub", help="A public key to trust; may be repeated."),
    ] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Replay every shoe.")] = False,
    jobs: Annotated[int, typer.Option(min=0, max=256, help="Processes; 0: one per core.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Validate the journals of many days and tables again.

    It checks seals, chain and signatures, and every shoe's cards against the rules. A shoe that is
    not clean, or that has a finding, is replayed. Nothing is changed.
    """
    from controller.system.keys import load_public
    from office.audit.discovery import count_files, require_something
    from office.audit.run import audit as run_audit
    from office.audit.shoe import AuditSettings

    settings = AuditSettings(tuple(load_public(one).raw for one in key or ()), deep)
    require_something(paths)
    total = count_files(paths) if sys.stderr.isatty() else 0
    with progress_bar("audit") as progress:
        report = run_audit(
            paths, settings, jobs or os.cpu_count() or 1, lambda done: progress(done, total)
        )
    if json:
        echo_json(_json_of(report))
    else:
        _print_report(report)
    raise typer.Exit(_exit_code(report))


def _exit_code(report: "AuditReport") -> ExitCode:
    if not report.whole:
        return ExitCode.INTERRUPTED
    return ExitCode.NO if report.findings else ExitCode.DONE


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
        "total": to_builtins(report.total),
        "days": [to_builtins(tally) for tally in report.tallies.values()],
        "said": [with_borrowed(one.document, to_builtins(one)) for one in report.messages],
    }


def _print_report(report: "AuditReport") -> None:
    from office.audit.findings import Weight

    for weight in Weight:
        shown = [one for one in report.messages if one.weight is weight]
        for one in shown[:_SHOWN_MAX]:
            echo(f"{weight.value}: {_describe(one)}")
        count = report.findings if weight is Weight.FINDING else report.notes
        more = count - min(len(shown), _SHOWN_MAX)
        if more > 0:
            echo(f"and {more} more {weight.value}s; --json lists up to 5000")
    echo_table(_HEADINGS, [_row(tally) for tally in (*_days(report), report.total)])
    shoes = report.total
    echo(
        f"{counted(report.files, 'file')} of {counted(report.journals, 'journal')},"
        f" {counted(shoes.cards, 'card')}, {report.elapsed_ns / 1e9:.1f} s,"
        f" {report.cards_per_s} cards per second"
    )
    if report.open_records:
        echo(f"not audited: {counted(report.open_records, 'record')} of shoes that are not sealed")
    if not report.whole:
        echo_stderr("smartshoe: interrupted; the result above is incomplete")
    elif report.findings:
        echo(f"FINDINGS: {report.findings}")
    else:
        echo("nothing found")


def _describe(one: "AuditMessage") -> str:
    where = [one.file]
    if one.shoe:
        where.append(f"table {one.table}, {one.gaming_day}, shoe {one.shoe}")
    if one.coup:
        where.append(f"coup {one.coup}")
    words = with_citation(one.document, one.words, one.clauses)
    return f"{': '.join(where)}: {words}"


def _days(report: "AuditReport") -> list["AuditCounts"]:
    return [tally for (table, _), tally in report.tallies.items() if table]


def _row(tally: "AuditCounts") -> tuple[str, ...]:
    counts = (tally.shoes, tally.coups, tally.cards, tally.clean, tally.replayed, tally.untold)
    return (
        tally.table or "all",
        tally.gaming_day,
        *map(str, counts),
        str(tally.findings),
    )
