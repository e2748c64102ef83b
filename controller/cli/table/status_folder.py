"""`smartshoe status FOLDER`: a line for each table of a folder."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct, to_builtins

from controller.outlets.control.client import ControlError, TableNotRunning
from controller.record.snapshot import Health, ShoeView, Snapshot
from controller.service.config.document import ConfigError
from controller.service.config.table_files import is_hidden, table_files, table_name
from controller.service.install.running_table import find_table
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json
from foundation.context_thread import ContextThread

# A table that runs answers within milliseconds; one that hangs must not hide the others.
ANSWER_S: Final = 2.0


class TableAnswer(Struct, frozen=True):
    """What one table answers: its snapshot, or why there is none."""

    file: Path
    name: str
    snapshot: Snapshot | None
    problem: str = ""


def show_tables(
    folder: Path, *, as_json: bool, watch: bool, answer_s: float = ANSWER_S
) -> ExitCode:
    """Ask every table of the folder and print its line. Raises CommandError, ConfigError."""
    files = table_files(folder)
    if watch:
        name = table_name(files[0]) or files[0].name
        raise CommandError(
            "a folder of tables is not watched",
            place="--watch",
            allowed=f"FOLDER/NAME, such as {folder / name}",
            remedy="name one table, or leave --watch out",
        )
    answers = _ask_all(files, answer_s)
    if as_json:
        echo_json({"tables": list(map(_plain, answers))})
    else:
        width = max(len(one.name) for one in answers)
        echo("\n".join(f"{one.name:<{width}}  {_words(one)}" for one in answers))
    return _exit_code(answers)


def _ask_all(files: tuple[Path, ...], answer_s: float) -> tuple[TableAnswer, ...]:
    """The answers of all tables, asked at once, in the order of the files."""
    answers: dict[Path, TableAnswer] = {}

    def ask(file: Path) -> None:
        answers[file] = _ask(file, answer_s)

    asking = [
        ContextThread(target=ask, args=(file,), name=file.name, daemon=True) for file in files
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    return tuple(answers[file] for file in files)


def _ask(file: Path, answer_s: float) -> TableAnswer:
    name = file.stem if is_hidden(file) else table_name(file)
    shown = name or file.name
    try:
        table = find_table(file, answer_s).status()
    except TableNotRunning:
        return TableAnswer(file, shown, None, "does not run")
    except (ConfigError, ControlError) as error:
        return TableAnswer(file, shown, None, f"cannot be asked: {error}")
    if table.table != name:
        problem = f"does not run: table {table.table} answers at its control socket"
        return TableAnswer(file, shown, None, problem)
    return TableAnswer(file, shown, table)


def _words(answer: TableAnswer) -> str:
    table = answer.snapshot
    if table is None:
        return answer.problem
    count = len(table.irregularities)
    words = (
        table.health,
        table.gaming_day and f"gaming day {table.gaming_day}",
        _shoe_words(table.shoe),
        f"{count} open" if count else "nothing open",
        "" if table.suspension is None else "suspended",
        "differs from its pit" if table.wagering.pit_differences else "",
        table.failure,
    )
    return ", ".join(filter(None, words))


def _shoe_words(shoe: ShoeView | None) -> str:
    if shoe is None:
        return "no shoe"
    return f"shoe {shoe.number}" + (" ended" if shoe.ended else f", coup {shoe.coups_begun}")


def _plain(answer: TableAnswer) -> dict[str, object]:
    return {
        "file": str(answer.file),
        "table": answer.name,
        "problem": answer.problem,
        "status": to_builtins(answer.snapshot),
    }


def _exit_code(answers: Iterable[TableAnswer]) -> ExitCode:
    """Whether all run; otherwise whether any answers."""
    health = {None if one.snapshot is None else one.snapshot.health for one in answers}
    if health == {Health.RUNNING}:
        return ExitCode.DONE
    return ExitCode.NO_TABLE if health == {None} else ExitCode.NO
