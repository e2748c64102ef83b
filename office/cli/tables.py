"""`smartshoe journal export --parquet`: writes tables for analysts, and says what was written."""
# ruff: noqa: PLC0415 - journals are read only by the command that exports them.

from pathlib import Path

import typer

from controller.system.command_line.errors import ExitCode
from controller.system.command_line.output import echo, echo_stderr, progress_bar
from controller.system.messages.quantity import counted


def export_tables(paths: list[Path], folder: Path, jobs: int) -> bool:
    """Export finished coups of these journals and archives into a folder of tables.

    Whether every day could be read.
    """
    from office.analytics.export import export_tables as export

    with progress_bar("export") as progress:
        report = export(paths, folder, jobs, progress)
    for words in report.problems:
        echo_stderr(f"not exported: {words}")
    days = counted(report.days_written, "gaming day")
    there = counted(report.days_there, "gaming day")
    echo(f"{folder}: {days} written, {there} already there; {report.written} bytes")
    for name, count in report.rows.items():
        echo(f"  {name:<14} {count:>10} rows")
    if not report.whole:
        echo_stderr("smartshoe: interrupted; export again, and it goes on there")
        raise typer.Exit(ExitCode.INTERRUPTED)
    return not report.problems
