"""`smartshoe doctor`: what is wrong with a table or its machine, and exactly what to do.

It changes nothing, and goes on where one check fails.
"""
# ruff: noqa: PLC0415 - the checks are loaded only when they are asked for.

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import to_builtins

from controller.service.install.diagnosis import Diagnosis, Grade, found_by, problem, remark
from controller.system.command_line.errors import ExitCode
from controller.system.command_line.output import echo, echo_json, echo_stderr
from controller.system.command_line.path_parameters import ConfigFile

if TYPE_CHECKING:
    from controller.service.config.load import TableConfig

Check = tuple[str, Callable[[], Iterable[Diagnosis]]]
_MARKS: Final = {Grade.GOOD: "ok", Grade.REMARK: "REMARK", Grade.PROBLEM: "PROBLEM"}
_INDENT: Final = 9


def doctor(
    file: ConfigFile = None,
    between_shoes: Annotated[
        bool,
        typer.Option(
            "--between-shoes", help="Only say whether a shoe is open; of every table without FILE."
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Look at a table and its machine, and say what to do. Nothing is changed.

    FILE may be a folder of tables; without FILE it is /etc/smartshoe with its pits.
    """
    files = _table_files(file)
    if between_shoes:
        raise typer.Exit(_between_shoes(files, as_json=json))
    findings = {"machine": (*_machine_findings(), *_no_table(files))}
    for one in files:
        findings[str(one)] = tuple(_table_findings(one))
    every = [one for found in findings.values() for one in found]
    problems = sum(one.grade is Grade.PROBLEM for one in every)
    if json:
        plain = {place: to_builtins(found) for place, found in findings.items()}
        echo_json({"ok": not problems, "problems": problems, "findings": plain})
    else:
        _print(findings)
    raise typer.Exit(ExitCode.NO if problems else ExitCode.DONE)


def _table_files(given: Path | None) -> tuple[Path, ...]:
    """The files of the tables that are meant, or the name of one that is known by its socket.

    Raises ConfigError for a name that there is not, ControlError where nothing can be looked at.
    """
    from controller.service.config.document import ConfigError
    from controller.service.config.table_files import (
        installed_files,
        is_folder,
        is_hidden,
        table_file,
        table_files,
    )
    from controller.service.install.running_table import MACHINE, find_table

    if given is None:
        return installed_files(MACHINE.files)
    if is_folder(given, MACHINE.files):
        return table_files(given)
    try:
        file = table_file(given, MACHINE.files)
    except ConfigError:
        find_table(given)  # raises where no table of this name runs
        return (given,)
    if is_hidden(file):
        find_table(file)
    return (file,)


def _between_shoes(files: Sequence[Path], *, as_json: bool) -> ExitCode:
    """Whether no table has an open shoe; what cannot be read has none that this program knows."""
    from controller.archive.replay.recovery import RecoveryError
    from controller.journal.values import JournalError
    from controller.outlets.control.client import ControlError
    from controller.service.config.document import ConfigError
    from controller.service.config.load import load_config
    from controller.service.config.table_files import is_hidden
    from controller.service.install.open_shoes import shoe_is_open
    from controller.service.install.running_table import find_table

    opened = []
    for file in files:
        try:
            if is_hidden(file):
                table = find_table(file).status()
                if table.shoe is not None and not table.shoe.ended:
                    opened.append(table.table)
                continue
            config = load_config(file)
            if shoe_is_open(config):
                opened.append(config.settings.table)
        except (ConfigError, ControlError, JournalError, RecoveryError, OSError) as error:
            echo_stderr(f"not looked at: {error}")
    if as_json:
        echo_json({"ok": not opened, "open": opened})
    else:
        echo("\n".join(f"a shoe is open at {name}" for name in opened) or "no shoe is open")
    return ExitCode.NO if opened else ExitCode.DONE


def _machine_findings() -> Iterator[Diagnosis]:
    from controller.service.install.machine_checks import check_clock, check_package

    yield from found_by("package", check_package)
    yield from found_by("clock", check_clock)


def _no_table(files: Sequence[Path]) -> Iterator[Diagnosis]:
    from controller.service.config.table_files import INSTALLED

    if not files:
        yield remark(
            "tables", f"none is set up in {INSTALLED}", "nothing is watched", "smartshoe setup"
        )


def _table_findings(file: Path) -> Iterator[Diagnosis]:
    from controller.cli.set_up.units import check_unit
    from controller.service.config.document import ConfigError
    from controller.service.config.load import load_config
    from controller.service.install.table_checks import check_by_socket

    config = None
    try:
        config = load_config(file)
    except ConfigError as error:
        if error.unreadable and (found := tuple(check_by_socket(file))):
            yield from found
            yield from found_by("unit", lambda: check_unit(file, None))
            return
        for words in str(error).splitlines():
            what, _, remedy = words.partition(" Remedy: ")
            yield problem("configuration", what, "the table does not start", remedy)
    else:
        for area, check in _checks(config):
            yield from found_by(area, check)
    yield from found_by("unit", lambda: check_unit(file, config))


def _checks(config: "TableConfig") -> Sequence[Check]:
    from controller.service.install import machine_checks, table_checks

    return (
        ("configuration", lambda: table_checks.check_remarks(config)),
        ("pit", lambda: table_checks.check_pit(config)),
        ("account", lambda: machine_checks.check_account(config)),
        ("modes", lambda: machine_checks.check_modes(config)),
        ("disk", lambda: machine_checks.check_disk(config)),
        ("ports", lambda: machine_checks.check_ports(config)),
        ("certificate", lambda: table_checks.check_certificates(config)),
        ("keys", lambda: table_checks.check_keys(config)),
        ("journal", lambda: table_checks.check_journal(config)),
        ("table", lambda: table_checks.check_running(config)),
        ("others", lambda: table_checks.check_others(config)),
    )


def _print(findings: dict[str, tuple[Diagnosis, ...]]) -> None:
    """Each finding on a line; below it why it matters and what to do."""
    for place, found in findings.items():
        echo(place)
        for one in found:
            echo(f"  {_MARKS[one.grade]:<{_INDENT}}{one.area}: {one.what}")
            for name, words in (("why", one.why), ("do", one.remedy)):
                if words:
                    echo(f"  {'':<{_INDENT}}  {name}: {words}")
