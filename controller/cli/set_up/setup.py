"""`smartshoe setup`: asks for what a table needs, and writes its configuration, checked.

Nothing is written before every answer is there and the whole is checked.
"""
# ruff: noqa: PLC0415 - what a command needs is loaded only when it runs.

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json

if TYPE_CHECKING:
    from controller.service.config.table_config import TableConfig
    from controller.service.install.new_table import Answers, NewPerson, NewTable

# Debian's own place for what the package brings to read.
_PAGES: Final = Path("/usr/share/doc/smartshoe/docs")
_DROP_IN: Final = "/usr/share/doc/smartshoe/examples/smartshoe-tables.conf"
_NOTHING: Final = "ended; nothing is written"


def setup(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The table's name; asked for if left out.")
    ] = "",
    answers: Annotated[
        Path | None,
        typer.Option("--answers", metavar="FILE", help="Ask nothing: the answers are in it."),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="FOLDER",
            help="Where the file is written; /etc/smartshoe where that is, else here.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the configuration; write nothing.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a file; the old one is kept beside it.")
    ] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print answers to start from, and stop.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="With --answers: print one JSON object on stdout.")
    ] = False,
) -> None:
    """Set up a table: rules, devices, people. A port is found by plugging its device in.

    Writes NAME.toml, checked. With people it starts the table once, so that their accounts are on
    record.
    """
    from controller.service.install.new_table import (
        SetUpError,
        example_answers,
        table_folder,
        write_table,
    )

    if example:
        echo(example_answers().removesuffix("\n"))
        return
    try:
        folder = table_folder(to)
        given = _answers(name, answers, folder, as_json=json, over_old=replace or dry_run)
        table = _checked(given, folder, asked=answers is None)
        if dry_run:
            _show(table, as_json=json)
            return
        _confirm(table, asked=answers is None)
        _refuse_running(table.config)
        write_table(table, over_old=replace)
        added = _give_accounts(table, quiet=json)
    except SetUpError as error:
        raise CommandError(str(error), ExitCode.NO) from error
    if json:
        people = [one.name for one in added]
        echo_json({"ok": True, "file": str(table.file), "people": people, "page": _page(table)})
    else:
        _say_next(table, added)


def _show(table: "NewTable", *, as_json: bool) -> None:
    if as_json:
        echo_json({"ok": True, "file": str(table.file), "text": table.text})
    else:
        echo(table.text.removesuffix("\n"))


def _answers(
    name: str, file: Path | None, folder: Path, *, as_json: bool, over_old: bool
) -> "Answers":
    """The answers of the file or of the person at the terminal. Raises SetUpError, CommandError."""
    from controller.service.install.new_table import named_answers, read_answers

    if file is not None:
        return named_answers(read_answers(file), name)
    if as_json or not sys.stdin.isatty():
        raise CommandError(
            "nobody can be asked",
            place="setup",
            allowed="a terminal without --json, or --answers FILE",
            remedy="`smartshoe setup --example > answers.toml` writes answers to start from",
        )
    from controller.cli.set_up.questions import SetUpQuestions

    try:
        return SetUpQuestions(folder, name, over_old=over_old).answers()
    except typer.Abort:
        echo(f"\n{_NOTHING}")
        raise


def _checked(given: "Answers", folder: Path, *, asked: bool) -> "NewTable":
    """The table of the answers; who was asked need not type them again. Raises SetUpError."""
    import tomli_w

    from controller.service.install.new_table import SetUpError, new_table

    try:
        return new_table(given, folder)
    except SetUpError as error:
        if not asked:
            raise
        raise SetUpError(
            f"{error}\n\nYour answers, to correct in a file and give by --answers FILE:\n\n"
            f"{tomli_w.dumps(given.sections)}"
        ) from error


def _confirm(table: "NewTable", *, asked: bool) -> None:
    """Show the file to the person who was asked, who may still refuse it. Raises typer.Abort."""
    if not asked:
        return
    echo(f"\n{table.file}:\n")
    shown = table.text[table.text.index("[") :]
    echo("\n".join(f"  {line}".rstrip() for line in shown.splitlines()))
    for remark in table.config.remarks:
        echo(f"  remark: {remark}")
    try:
        typer.confirm("\nWrite it", default=True, abort=True)
    except typer.Abort:
        echo(_NOTHING)
        raise


def _refuse_running(config: "TableConfig") -> None:
    """Raises SetUpError."""
    from controller.cli.set_up.first_start import is_running
    from controller.service.install.machine_checks import unit_of
    from controller.service.install.new_table import SetUpError

    if is_running(config):
        raise SetUpError(
            f"table {config.settings.table} is running. Remedy: end it first: systemctl stop"
            f" {unit_of(config.file)}"
        )


def _give_accounts(table: "NewTable", *, quiet: bool) -> "tuple[NewPerson, ...]":
    """Let the table's own account read the file; give accounts to those who have none."""
    from controller.cli.set_up.first_start import add_people, give_to_account, without_account

    give_to_account(table.config)
    new = without_account(table.config, table.people)
    if new:
        if not quiet:
            echo("the table starts once, for the accounts ...")
        try:
            add_people(table.config, new)
        except KeyboardInterrupt:
            file = table.config.file
            echo(f"\nended; {file} is written. Give accounts to who has none: smartshoe people add")
            raise
    return new


def _say_next(table: "NewTable", added: "tuple[NewPerson, ...]") -> None:
    """What was written, and what comes next."""
    from controller.rules.actions.declaration import Role
    from controller.service.config.table_files import INSTALLED
    from controller.service.install.machine_checks import start_of, unit_of

    installed = table.file.resolve().is_relative_to(INSTALLED)
    given = table.file.stem if installed else str(table.file)
    echo(f"written: {table.file}")
    if added:
        named = ", ".join(f"{one.name} ({one.role.replace('_', ' ')})" for one in added)
        echo(f"people, on record: {named}")
    if len(added) < len(table.people):
        kept = ", ".join(one.name for one in table.people if one not in added)
        echo(f"have an account already, which is as it was: {kept}")
    echo("next:")
    echo(f"  {f'smartshoe doctor {given}':<44}what is still missing, and what to do")
    unit = unit_of(table.file)
    start = f"systemctl enable --now {unit}" if installed else start_of(table.file)
    if installed and table.file.resolve().parent != INSTALLED:
        drop_in = f"/etc/systemd/system/{unit}.service.d/tables.conf"
        echo(f"  once, as a unit of a pit needs it: install -D -m 644 {_DROP_IN} {drop_in}")
    echo(f"  {start:<44}the table runs")
    if table.people and not any(one.role is Role.DEALER for one in table.people):
        echo(f"  smartshoe people add {given} NAME --role dealer")
        echo(f"  {'':<44}for each dealer: they sign on by PIN")
    if page := _page(table):
        echo(f"  {page:<44}its operator page")
    place = _PAGES if installed and _PAGES.is_dir() else "docs"
    echo(f"then, by {place}/commissioning.md: batches with tags (5), a shuffler (6), the list of")
    echo("devices (7), more people (8), a test shoe (9), witnesses, floor feed and Prometheus (11)")


def _page(table: "NewTable") -> str:
    """The address of the operator page; empty where there is none, or its port is any free one."""
    console = table.config.console
    if console is None or not console.port:
        return ""
    scheme = "http" if console.tls is None else "https"
    return f"{scheme}://{console.address}:{console.port}/"
