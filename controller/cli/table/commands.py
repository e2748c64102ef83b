"""`smartshoe resolve`, `close-shoe` and `act`: requests to a running table.

Source: D-32.
"""
# ruff: noqa: PLC0415 - the client and the configuration are loaded only when a table is asked.

from collections.abc import Iterable, Mapping
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import Struct, to_builtins

from controller.cli.table.pins import PinFile, SecondPinFile, sign_on_requests
from controller.cli.table.status_tasks import (
    WIDTH,
    CommandHints,
    irregularity_lines,
    resolve_commands,
)
from controller.cli.table.status_text import conclusion_lines
from controller.outlets.control.action_texts import ActionTextError, value_from_text
from controller.record.snapshot import Snapshot
from controller.rules.actions.declaration import ActionValues, values_of
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, echo_stderr
from controller.system.command_line.path_parameters import ConfigFile, ConfigOption, given_text

if TYPE_CHECKING:
    from controller.outlets.control.client import ControlClient


_OWN_COMMANDS = ("resolve", "close-shoe")
# Looking up a batch takes as long as reading a small file.
_SILENCE_S_MAX: Final = 3.0

SocketOption = Annotated[
    Path | None, typer.Option("--socket", metavar="PATH", help="The table's control socket.")
]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help="The person; goes on record.")]
_Reason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why; one line, goes on record.")
]
_Role = Annotated[
    str,
    typer.Option(
        "--role",
        metavar="WORD",
        help="dealer, floorperson, pit_manager or engineer; by default that of the"
        " person's account, or without one the lowest that may do it.",
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def resolve(
    config: ConfigFile = None,
    socket: SocketOption = None,
    by: _By = "",
    reason: _Reason = "",
    decision: Annotated[
        str,
        typer.Option(
            metavar="WORD",
            help="continue, carry-card, burn-card, void-coup, state-outcome or close-shoe.",
        ),
    ] = "",
    provisional: Annotated[
        str, typer.Option(metavar="WORD", help="Cards dealt while suspended: take-over or void.")
    ] = "",
    outcome: Annotated[
        str, typer.Option(metavar="WORD", help="With state-outcome: player, banker or tie.")
    ] = "",
    second: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The second person, where one is asked for.",
        ),
    ] = "",
    role: _Role = "",
    pin_file: PinFile = None,
    second_pin_file: SecondPinFile = None,
    json: _Json = False,
) -> None:
    """Decide open irregularities.

    Without --decision it shows what is open, what is permitted and forbidden, and the commands.
    """
    client = client_of(config, socket)
    if not decision:
        _print_open(
            client.status(),
            CommandHints(table_options(config, socket), by, reason),
            as_json=json,
        )
        return
    values = {
        "decision": decision,
        "provisional": provisional,
        "outcome": outcome,
        "second": second,
    }
    given = {name: value for name, value in values.items() if value}
    author = _ActionAuthor(by, role, reason, pin_file, second_pin_file)
    _send_action(client, "resolve", author, given, as_json=json)


def close_shoe(
    by: _By,
    reason: _Reason,
    config: ConfigFile = None,
    socket: SocketOption = None,
    role: _Role = "",
    pin_file: PinFile = None,
    json: _Json = False,
) -> None:
    """End the shoe early: dead table, or early change."""
    author = _ActionAuthor(by, role, reason, pin_file)
    _send_action(client_of(config, socket), "close-shoe", author, {}, as_json=json)


def act(
    name: Annotated[
        str, typer.Argument(metavar="ACTION", help="An action; --list shows them.")
    ] = "",
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TABLE] [KEY=VALUE...]",
            help="The table's name, or its table.toml; values, such as seat=5.",
        ),
    ] = None,
    by: _By = "",
    config: ConfigOption = None,
    socket: SocketOption = None,
    reason: _Reason = "",
    role: _Role = "",
    pin_file: PinFile = None,
    second_pin_file: SecondPinFile = None,
    pit: Annotated[
        str,
        typer.Option(
            "--pit",
            metavar="NAME",
            help="With change-setting: at every table of this pit, of the machine or of --config"
            " FOLDER.",
        ),
    ] = "",
    list_them: Annotated[
        bool, typer.Option("--list", help="List the actions, their roles and their values.")
    ] = False,
    json: _Json = False,
) -> None:
    """Take an action: record an act, state wagers, change a setting, lock the shoe."""
    from controller.rules.actions.actions import action_named

    if list_them:
        from controller.cli.table.act_list import list_actions

        list_actions(name, as_json=json)
        return
    if not name:
        raise CommandError(
            "it is missing",
            place="ACTION",
            allowed="one of `smartshoe act --list`",
            remedy="name the action",
        )
    kind = action_named(name)
    if name in _OWN_COMMANDS:
        raise CommandError(
            f"{name} has its own command", place="ACTION", remedy=f"`smartshoe {name} --help`"
        )
    words = values or []
    if config is None and socket is None:
        config, words = _table_among(words)
    given = parse_values(kind, words)
    author = _ActionAuthor(by, role, reason, pin_file, second_pin_file)
    if pit:
        raise typer.Exit(_change_pit(name, author, {**given, "pit": pit}, config, as_json=json))
    client = client_of(config, socket)
    if name == "bind-batch":
        before = last_named_batch(client)
        _send_action(client, name, author, given, as_json=json)
        report_binding(client, str(given["batch"]), before, as_json=json)
        return
    _send_action(client, name, author, given, as_json=json)


def _change_pit(
    name: str,
    author: "_ActionAuthor",
    values: Mapping[str, object],
    folder: Path | None,
    *,
    as_json: bool,
) -> ExitCode:
    from controller.cli.table.act_pit import change_pit

    if name != "change-setting":
        raise CommandError(
            f"{name} is an act of one table",
            place="--pit",
            allowed="change-setting",
            remedy="leave --pit out, and name the table",
        )
    _check(name, author, values)
    signed_on: list[dict[str, object]] = []

    def sign_on(shown: Snapshot) -> list[dict[str, object]]:
        """The PIN is read once for all tables."""
        if not signed_on:
            signed_on.extend(sign_on_requests(shown, (author.person, author.pin_file)))
        return signed_on if shown.people.accounts or author.pin_file is not None else []

    request = _request(name, author, values)
    return change_pit(str(values["pit"]), folder, request, sign_on, as_json=as_json)


def _table_among(words: list[str]) -> tuple[Path | None, list[str]]:
    """The table, given as a word without an equals sign, and the words left.

    Raises CommandError.
    """
    named = [one for one in words if "=" not in one]
    if len(named) > 1:
        raise CommandError(
            f"these are {len(named)} words without an equals sign: {' '.join(named)}",
            place="KEY=VALUE",
            allowed="one of them is the table; a value is key=value, such as seat=5",
            remedy="`smartshoe act ACTION --list` shows the keys",
        )
    table = Path(named[0]) if named else None
    return table, [one for one in words if one not in named]


class _ActionAuthor(Struct, frozen=True):
    """The person, the role and the reason of an action; where PINs are to be read from."""

    person: str
    role: str
    reason: str
    pin_file: Path | None = None
    second_pin_file: Path | None = None


def client_of(config: Path | None, socket: Path | None) -> "ControlClient":
    """The client of the table that is named. Raises CommandError."""
    from controller.outlets.control.client import ControlClient

    if socket is None:
        if config is None:
            raise CommandError(
                "no table is given",
                place="FILE",
                allowed="FILE, --config FILE or --socket PATH",
                remedy="name the table, or its table.toml",
            )
        from controller.service.install.running_table import find_table

        return find_table(config)
    return ControlClient(socket)


def table_options(config: Path | None, socket: Path | None) -> tuple[str, ...]:
    """The options that name the table in a command."""
    return ("--config", str(config)) if socket is None else ("--socket", str(socket))


def terminal_width() -> int:
    """Columns of the terminal, or a readable width for a pipe."""
    return get_terminal_size((WIDTH, 0)).columns


def _print_open(table: Snapshot, hints: CommandHints, *, as_json: bool) -> None:
    """Print what is open, what is permitted and forbidden, and the commands that decide."""
    commands = resolve_commands(table, hints)
    if as_json:
        shown = (table.irregularities, table.remedy, table.suspension)
        names = ("irregularities", "remedy", "suspension")
        echo_json({**dict(zip(names, to_builtins(shown), strict=True)), "commands": commands})
    elif not commands:
        echo("no irregularity is open")
    else:
        echo("\n".join(irregularity_lines(table, hints, terminal_width())))
    if commands:
        raise typer.Exit(ExitCode.NO)


def _send_action(
    client: "ControlClient",
    name: str,
    author: _ActionAuthor,
    values: Mapping[str, object],
    *,
    as_json: bool,
) -> None:
    _check(name, author, values)
    request = _request(name, author, values)
    people = (
        (author.person, author.pin_file),
        (str(values.get("second", "")), author.second_pin_file),
    )
    signing_on = sign_on_requests(client.status(), *people)
    answer = client.request(*signing_on, request)
    if not answer.ok:
        raise refused(name, answer.error)
    write = echo_stderr if as_json else echo
    if as_json:
        echo_json(to_builtins(answer))
    write(f"{name}: {'requested' if name == 'bind-batch' else 'done'} and on record")
    for line in conclusion_lines(answer.entries):
        write(f"  {line}")


def _request(name: str, author: _ActionAuthor, values: Mapping[str, object]) -> dict[str, object]:
    return {
        "request": "act",
        "action": name,
        "by": author.person,
        "role": author.role or None,
        "reason": author.reason,
        **values,
    }


def refused(name: str, why: str) -> CommandError:
    """The error for what the table refused."""
    if "Remedy: " in why:
        return CommandError(why, ExitCode.NO)
    remedy = "`smartshoe status` shows what is due now"
    return CommandError(why.removesuffix("."), ExitCode.NO, place=name, remedy=remedy)


def _check(name: str, author: _ActionAuthor, values: Mapping[str, object]) -> None:
    """Check the request before it is sent. Raises ActionError."""
    from controller.outlets.control.requests import action_from_request, checked_text

    action = action_from_request(name, values)
    checked_text("--by", author.person, required=True)
    checked_text("--reason", author.reason, required=action.requirements().reason)


def last_named_batch(client: "ControlClient") -> int:
    """The number of the last batch named so far; 0 if none was."""
    return max((one.number for one in client.status().batches_named), default=0)


def report_binding(client: "ControlClient", batch: str, before: int, *, as_json: bool) -> None:
    """Wait for the answer to the batch just named. Raises CommandError if it is refused."""
    from controller.outlets.control.client import ControlError

    write = echo_stderr if as_json else echo
    try:
        for shown in client.subscribe(_SILENCE_S_MAX):
            for named in shown.batches_named:
                if named.number <= before or named.batch != batch:
                    continue
                if named.refused:
                    raise refused("bind-batch", named.refused)
                write(f"  batch {batch} is bound: its cards are tracked")
                return
    except ControlError:
        pass
    write("  its manifest is being looked up; `smartshoe status` shows the result")


def parse_values(kind: type[ActionValues], words: Iterable[str]) -> dict[str, object]:
    """The values of an action from words such as `seat=5`. Raises CommandError."""
    declared = {one.name: one.kind for one in values_of(kind)}
    values: dict[str, object] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise CommandError(
                f"{word!r} is not a value",
                place="KEY=VALUE",
                allowed="key=value, such as seat=5",
                remedy="`smartshoe act ACTION --list` shows the keys",
            )
        if key in values:
            raise CommandError("it is given twice", place=key, allowed="once", remedy="remove one")
        values[key] = _value(key, declared.get(key, str), text)
    return values


def _value(key: str, kind: type, text: str) -> object:
    if kind is tuple and text.startswith("@"):
        return _wagers_of_file(text[1:])
    try:
        return value_from_text(key, kind, text)
    except ActionTextError as error:
        raise CommandError(
            error.why, place=error.place, allowed=error.allowed, remedy=error.remedy
        ) from error


def _wagers_of_file(name: str) -> list[dict[str, object]]:
    from controller.cli.rules.wagers import read_wagers

    return [to_builtins(one) for one in read_wagers(given_text(name), name)]
