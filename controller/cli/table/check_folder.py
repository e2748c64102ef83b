"""`smartshoe check-config FOLDER`: each table's problems, and those between the tables.

Source: controller/config/README.md, "A folder of tables".
"""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from controller.cli.errors import ExitCode, parse_reports
from controller.cli.output import echo, echo_json
from controller.cli.table.shown_settings import plain_settings
from controller.config.collisions import collisions
from controller.config.document import ConfigError
from controller.config.load import load_config
from controller.config.table_files import table_files, table_name
from controller.views.quantity import counted

if TYPE_CHECKING:
    from controller.config.load import TableConfig


class CheckedTable(Struct, frozen=True):
    """One table of the folder. `config` is None if the file alone has problems.

    `problems` are lines, each with the file's name.
    """

    file: Path
    name: str
    config: "TableConfig | None"
    problems: tuple[str, ...]


def check_folder(folder: Path, *, as_json: bool) -> ExitCode:
    """Check every table of the folder, and print what is wrong. Raises ConfigError without any."""
    tables = _checked(table_files(folder))
    if as_json:
        echo_json(
            {"ok": not any(one.problems for one in tables), "tables": list(map(_plain, tables))}
        )
    else:
        width = max(len(one.name) for one in tables)
        for one in tables:
            words = counted(len(one.problems), "problem") if one.problems else "ok"
            echo("\n  ".join((f"{one.name:<{width}}  {words}", *one.problems)))
    return ExitCode.NO if any(one.problems for one in tables) else ExitCode.DONE


def _checked(files: tuple[Path, ...]) -> tuple[CheckedTable, ...]:
    """Each file alone; those without a problem with each other, too."""
    tables = tuple(map(_check, files))
    between = collisions(tuple(one.config for one in tables if one.config is not None))
    return tuple(
        CheckedTable(one.file, one.name, one.config, _lines(one.file, between[one.config.file]))
        if one.config is not None
        else one
        for one in tables
    )


def _check(file: Path) -> CheckedTable:
    name = table_name(file) or file.name
    try:
        return CheckedTable(file, name, load_config(file), ())
    except ConfigError as error:
        return CheckedTable(file, name, None, _lines(file, error.problems))


def _lines(file: Path, problems: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(ConfigError(file, (problem,))) for problem in problems)


def _plain(table: CheckedTable) -> dict[str, object]:
    reports = (report for line in table.problems for report in parse_reports(line))
    return {
        "ok": not table.problems,
        "file": str(table.file),
        "problems": [one._asdict() for one in reports],
        **({"table": table.name} if table.config is None else plain_settings(table.config)),
    }
