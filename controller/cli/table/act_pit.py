"""`smartshoe act change-setting --pit NAME`: carries a pit's new value to each of its tables.

Each table changes at its own moment, or refuses with its reason; no moment is promised for all.
Source: NY-i-3-i, NY-c-5-uniform, S42-e-3, S42-j-3-i.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, to_builtins

from controller.cli.table.status_text import conclusion_lines
from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.client import ControlError, TableNotRunning
from controller.record.snapshot import Snapshot
from controller.service.config.document import ConfigError, read_document
from controller.service.config.table_files import (
    installed_files,
    is_hidden,
    table_files,
    table_name,
)
from controller.service.install import running_table
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json

_ANSWER_S: Final = 5.0
Plain = dict[str, object]


class TableOfPit(Struct, frozen=True):
    """What one table of the pit answered: its entries, or why it did not follow."""

    table: str
    answer: Answer | None
    problem: str = ""

    @property
    def refused(self) -> str:
        return self.problem or (self.answer.error if self.answer and not self.answer.ok else "")


def change_pit(
    pit: str,
    folder: Path | None,
    request: Mapping[str, object],
    sign_on: Callable[[Snapshot], list[Plain]],
    *,
    as_json: bool,
) -> ExitCode:
    """Send the change to every table of the pit, and print each answer.

    Raises CommandError where no table is of this pit, and ConfigError.
    """
    files = (
        table_files(folder) if folder is not None else installed_files(running_table.MACHINE.files)
    )
    asked = [_asked(file, pit, request, sign_on) for file in files]
    answers = [one for one in asked if one is not None]
    if not answers:
        raise CommandError(
            f"no table of {folder or running_table.MACHINE.files} is of pit {pit}",
            place="--pit",
            allowed=", ".join(sorted(filter(None, map(_pit_in, files)))) or "the pit of a table",
            remedy="name the pit as [table] pit of table.toml has it",
        )
    if as_json:
        shown = [{**to_builtins(one), "ok": not one.refused} for one in answers]
        echo_json({"ok": not any(one["ok"] is False for one in shown), "tables": shown})
    else:
        _print(answers)
    return ExitCode.NO if any(one.refused for one in answers) else ExitCode.DONE


def _print(answers: list[TableOfPit]) -> None:
    width = max(len(one.table) for one in answers)
    for one in answers:
        words = f"not changed: {one.refused}" if one.refused else "done and on record"
        echo(f"{one.table:<{width}}  {words}")
        if one.answer is not None and not one.refused:
            for line in conclusion_lines(one.answer.entries):
                echo(f"{'':<{width}}    {line}")


def _asked(
    file: Path,
    pit: str,
    request: Mapping[str, object],
    sign_on: Callable[[Snapshot], list[Plain]],
) -> TableOfPit | None:
    """The answer of a file's table; None if it is of another pit."""
    name = file.stem if is_hidden(file) else table_name(file) or file.name
    try:
        client = running_table.find_table(file, _ANSWER_S)
        shown = client.status()
        if shown.pit != pit or shown.table != name:
            return None
        return TableOfPit(name, client.request(*sign_on(shown), request))
    except TableNotRunning:
        problem = "it does not run; write the new value into its table.toml, or start it first"
    except (ConfigError, ControlError) as error:
        problem = f"it cannot be asked: {error}"
    return TableOfPit(name, None, problem) if _pit_in(file) == pit else None


def _pit_in(file: Path) -> str:
    """The pit that a file names; empty if it names none or cannot be read."""
    try:
        section = read_document(file).get("table")
    except ConfigError:
        return ""
    pit = section.get("pit") if isinstance(section, dict) else None
    return pit if isinstance(pit, str) else ""
