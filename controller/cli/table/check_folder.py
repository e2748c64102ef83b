"""`smartshoe check-config FOLDER`: each table's problems, and those between the tables."""

from pathlib import Path

from controller.cli.table.shown_settings import plain_settings
from controller.service.config.collisions import CheckedTable, checked_tables
from controller.service.config.document import ConfigError
from controller.service.config.table_files import table_files, table_name
from controller.system.command_line.errors import ExitCode, parse_reports
from controller.system.command_line.output import echo, echo_json
from controller.system.messages.quantity import counted


def check_folder(folder: Path, *, as_json: bool) -> ExitCode:
    """Check every table of the folder, and print what is wrong. Raises ConfigError without any."""
    tables = checked_tables(table_files(folder))
    if as_json:
        echo_json({"ok": not any(map(_problems, tables)), "tables": list(map(_plain, tables))})
    else:
        names = tuple(map(_name, tables))
        width = max(map(len, names))
        for one, name in zip(tables, names, strict=True):
            found = _problems(one)
            words = counted(len(found), "problem") if found else "ok"
            echo("\n  ".join((f"{name:<{width}}  {words}", *_lines(one))))
    return ExitCode.NO if any(map(_problems, tables)) else ExitCode.DONE


def _problems(table: CheckedTable) -> tuple[str, ...]:
    return (*table.problems, *table.pit_problems)


def _name(table: CheckedTable) -> str:
    return table_name(table.file) or table.file.name


def _lines(table: CheckedTable) -> tuple[str, ...]:
    """Its problems, each with the file's name."""
    return tuple(str(ConfigError(table.file, (problem,))) for problem in _problems(table))


def _plain(table: CheckedTable) -> dict[str, object]:
    reports = (report for line in _lines(table) for report in parse_reports(line))
    return {
        "ok": not _problems(table),
        "file": str(table.file),
        "problems": [one._asdict() for one in reports],
        **({"table": _name(table)} if table.config is None else plain_settings(table.config)),
    }
