"""`smartshoe status`, `resolve`, `close-shoe` and `act`: talking to a running table.

Responsible for: finding the table's control socket, asking, and saying what came of it.
Not responsible for: the socket (control_client), whether an action is possible (the table
answers) and the words of a status (cli_status).
Source: package README, "Command line", "Actions"; D-32.
"""
# ruff: noqa: PLC0415 - the client and the configuration are loaded only when a table is asked.

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from controller.cli.errors import Exit, Unable
from controller.cli.output import remark, say, say_json, say_json_line
from controller.cli.table.act_values import EXAMPLES, values_of
from controller.cli.table.status_tasks import WIDTH, Typed, irregularity_lines, resolve_commands
from controller.cli.table.status_text import conclusion_lines, status_block
from controller.views.snapshot_reader import Shown
from firmware_bridge.transport.clock import now

if TYPE_CHECKING:
    from controller.control.client import ControlClient

_CLEAR_SCREEN = "\x1b[H\x1b[2J"
_OWN_COMMANDS = ("resolve", "close-shoe")

_Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="The table's table.toml.")
]
_Socket = Annotated[
    Path | None, typer.Option("--socket", metavar="PATH", help="The table's control socket.")
]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides; goes on record.")]
_Reason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why; one line, goes on record.")
]
_Role = Annotated[
    str,
    typer.Option(
        "--role",
        metavar="WORD",
        help="dealer, floorperson, pit_manager, surveillance or inspector.",
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command(
        epilog="\b\nexamples:\n  smartshoe status --config table.toml\n"
        "  smartshoe status --socket /run/smartshoe/table-1.sock --watch\n\n"
        "Exit codes: 0 the table runs, 1 it has failed or is stopping, "
        "4 no table is running there.\n\n"
        "With --watch and --json each change is one line."
    )(status)
    app.command(
        epilog="\b\nexamples:\n"
        "  smartshoe resolve --config table.toml        what is open, and what to type\n"
        "  smartshoe resolve --config table.toml --by 'A. Floor' --reason 'third card burned' \\\n"
        "      --decision continue\n"
        "  smartshoe resolve --config table.toml --by 'A. Floor' --reason 'hands mixed' \\\n"
        "      --decision void-coup --provisional void\n\n"
        "Exit codes: 0 decided (or nothing is open), 1 refused (or something is open), "
        "4 no table is running there."
    )(resolve)
    app.command(
        epilog="\b\nexample:\n"
        "  smartshoe close-shoe --config table.toml --by 'A. Floor' --reason 'dead table'"
    )(close_shoe)
    app.command(
        epilog=f"\b\n{EXAMPLES}\n"
        "Exit codes: 0 done and on record, 1 refused, 2 wrong words, 4 no table is running there."
    )(act)


def status(
    config: _Config = None,
    socket: _Socket = None,
    json: _Json = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show every change until Ctrl-C.")] = False,
) -> None:
    """Show how a running table stands.

    Shoe, coup, what is due next, and what is open; only what people have seen.
    """
    client = _client(config, socket)
    if watch:
        _watch(client, Typed(_where(config, socket)), as_json=json)
    table = _snapshot(client)
    if json:
        say_json(table.values)
    else:
        say(status_block(table, Typed(_where(config, socket)), _width(), now().utc_ns))
    raise typer.Exit(Exit.DONE if table.text("health") == "running" else Exit.NO)


def _watch(client: "ControlClient", typed: Typed, *, as_json: bool) -> NoReturn:
    """Every change: on a terminal in place, into a pipe one after the other."""
    in_place = sys.stdout.isatty() and not as_json
    try:
        for shown in client.subscribe():
            if as_json:
                say_json_line(shown)
            elif in_place:
                block = status_block(Shown(shown), typed, _width(), now().utc_ns)
                print(_CLEAR_SCREEN + block, flush=True)
            else:
                block = status_block(Shown(shown), typed, at_ns=now().utc_ns)
                print(block + "\n", flush=True)
    except KeyboardInterrupt:
        raise typer.Exit from None
    raise Unable("the table has ended", Exit.NO_TABLE)


def _width() -> int:
    """Columns of the terminal; a pipe has as many as read well."""
    return get_terminal_size((WIDTH, 0)).columns


def resolve(
    config: _Config = None,
    socket: _Socket = None,
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
    role: _Role = "floorperson",
    json: _Json = False,
) -> None:
    """Decide what becomes of open irregularities.

    Without --decision it shows what is open, what is permitted and forbidden, and what to type.
    """
    client = _client(config, socket)
    if not decision:
        _offer(_snapshot(client), Typed(_where(config, socket), by, reason), as_json=json)
        return
    values = {"decision": decision, "provisional": provisional, "outcome": outcome}
    given = {name: value for name, value in values.items() if value}
    _act(client, "resolve", _Signed(by, role, reason), given, as_json=json)


def close_shoe(
    by: _By,
    reason: _Reason,
    config: _Config = None,
    socket: _Socket = None,
    role: _Role = "floorperson",
    json: _Json = False,
) -> None:
    """End the shoe early: dead table, or early change."""
    _act(_client(config, socket), "close-shoe", _Signed(by, role, reason), {}, as_json=json)


def act(
    name: Annotated[
        str, typer.Argument(metavar="[ACTION]", help="An action; --list shows them.")
    ] = "",
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="Its values, such as seat=5."),
    ] = None,
    by: _By = "",
    config: _Config = None,
    socket: _Socket = None,
    reason: _Reason = "",
    role: Annotated[
        str,
        typer.Option(
            metavar="WORD", help="The person's role; by default the least that may do it."
        ),
    ] = "",
    list_them: Annotated[
        bool, typer.Option("--list", help="List the actions, who may, and their values.")
    ] = False,
    json: _Json = False,
) -> None:
    """Take an action: record an act, state wagers, change a setting, lock the shoe."""
    from controller.control.requests import action_from_request
    from controller.tape.actions import demands, roles_for

    if list_them:
        from controller.cli.table.act_list import list_actions

        list_actions(name, as_json=json)
        return
    if not name:
        raise Unable("which action? `smartshoe act --list` shows them")
    roles_for(name)
    if name in _OWN_COMMANDS:
        raise Unable(f"{name} is a command of its own: see `smartshoe {name} --help`")
    given = values_of(values or ())
    least = demands(name, action_from_request(name, given)).roles[0]
    signed = _Signed(by, role or least.value, reason)
    client = _client(config, socket)
    if name == "bind-batch":
        before = named_so_far(client)
        _act(client, name, signed, given, as_json=json)
        tell_bound(client, str(given["batch"]), before, as_json=json)
        return
    _act(client, name, signed, given, as_json=json)


@dataclass(frozen=True, slots=True)
class _Signed:
    """Whose action it is, and why."""

    person: str
    role: str
    reason: str


def _client(config: Path | None, socket: Path | None) -> "ControlClient":
    from controller.control.client import ControlClient

    if socket is None:
        if config is None:
            raise Unable("which table? Give --config FILE or --socket PATH")
        from controller.config.load import load_config

        socket = load_config(config).control_socket
    return ControlClient(socket)


def _where(config: Path | None, socket: Path | None) -> tuple[str, ...]:
    """The words that name the table in a command."""
    return ("--config", str(config)) if socket is None else ("--socket", str(socket))


def _snapshot(client: "ControlClient") -> Shown:
    answer = Shown(client.request({"request": "status"}))
    shown = answer.part("snapshot")
    if shown is None:
        raise Unable(f"the table gave no status: {answer.text('error') or 'no reason given'}")
    return shown


def _offer(table: Shown, typed: Typed, *, as_json: bool) -> None:
    """What is open, what is permitted and forbidden, and what to type."""
    commands = resolve_commands(table, typed)
    if as_json:
        keys = ("irregularities", "remedy", "decisions", "provisional_needed")
        say_json({**{key: table.values.get(key) for key in keys}, "commands": commands})
    elif not commands:
        say("no irregularity is open")
    else:
        say("\n".join(irregularity_lines(table, typed, _width())))
    if commands:
        raise typer.Exit(Exit.NO)


def _act(
    client: "ControlClient",
    name: str,
    signed: _Signed,
    values: Mapping[str, object],
    *,
    as_json: bool,
) -> None:
    _check(name, signed, values)
    request = {
        "request": "act",
        "action": name,
        "by": signed.person,
        "role": signed.role,
        "reason": signed.reason,
        **values,
    }
    answer = Shown(client.request(request))
    tell = remark if as_json else say
    if as_json:
        say_json(answer.values)
    if not answer.yes("ok"):
        raise Unable(f"{name}: {answer.text('error')}", Exit.NO)
    tell(f"{name}: {'asked for' if name == 'bind-batch' else 'done'} and on record")
    for line in conclusion_lines(answer.parts("entries")):
        tell(f"  {line}")


def _check(name: str, signed: _Signed, values: Mapping[str, object]) -> None:
    """What is wrong with the words alone, before any table is asked. Raises ActionError."""
    from controller.control.requests import action_from_request, checked_text
    from controller.tape.actions import demands

    action = action_from_request(name, values)
    checked_text("--by", signed.person, required=True)
    checked_text("--reason", signed.reason, required=demands(name, action).reason)


if TYPE_CHECKING:
    from controller.control.client import ControlClient

# A batch is looked up in the time a small file takes to be read.
_SILENCE_S_MAX: Final = 3.0


def named_so_far(client: "ControlClient") -> int:
    """The number of the batch that was named before this one."""
    shown = Shown(client.request({"request": "status"})).part("snapshot") or Shown({})
    return max((one.number("number") for one in shown.parts("batches_named")), default=0)


def tell_bound(client: "ControlClient", batch: str, before: int, *, as_json: bool) -> None:
    """Wait for the answer to the batch that was just named. Raises Unable where it is refused."""
    from controller.control.client import ControlError

    tell = remark if as_json else say
    try:
        for shown in client.subscribe(_SILENCE_S_MAX):
            for named in Shown(shown).parts("batches_named"):
                if named.number("number") <= before or named.text("batch") != batch:
                    continue
                if named.text("refused"):
                    raise Unable(f"bind-batch: {named.text('refused')}", Exit.NO)
                tell(f"  batch {batch} is bound: its cards are followed")
                return
    except ControlError:
        pass
    tell("  its manifest is being looked up; `smartshoe status` tells what came of it")
