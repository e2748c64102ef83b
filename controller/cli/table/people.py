"""`smartshoe people add | role | pin | unlock | remove`: accounts of a running table."""

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.table.commands import SocketOption, client_of, refused
from controller.cli.table.pins import NewPinFile, PinFile, read_new_pin, sign_on_requests
from controller.system.command_line.output import echo, echo_json
from controller.system.command_line.path_parameters import ConfigFile, ReplacedBy

_Table = Annotated[ConfigFile, ReplacedBy("socket")]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="The person.")]
_By = Annotated[
    str,
    typer.Option("--by", metavar="NAME", help="Who does it, if not the machine's administrator."),
]
_Role = Annotated[
    str,
    typer.Option(
        "--role",
        metavar="WORD",
        help="dealer, floorperson, pit_manager, engineer, surveillance or inspector.",
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def add(
    config: _Table,
    name: _Name,
    role: _Role,
    socket: SocketOption = None,
    new_pin_file: NewPinFile = None,
    json: _Json = False,
) -> None:
    """Give a person an account, with a role and a PIN."""
    _change(
        "added", name, config, socket, role=role, pin=read_new_pin(name, new_pin_file), json=json
    )


def role(
    config: _Table,
    name: _Name,
    role: _Role,
    socket: SocketOption = None,
    json: _Json = False,
) -> None:
    """Give a person another role."""
    _change("role", name, config, socket, role=role, json=json)


def pin(
    config: _Table,
    name: _Name,
    socket: SocketOption = None,
    by: _By = "",
    pin_file: PinFile = None,
    new_pin_file: NewPinFile = None,
    json: _Json = False,
) -> None:
    """Give a person another PIN; a person changes the own one with --by."""
    new = read_new_pin(name, new_pin_file)
    _change("pin", name, config, socket, pin=new, by=by, pin_file=pin_file, json=json)


def unlock(
    config: _Table,
    name: _Name,
    socket: SocketOption = None,
    by: _By = "",
    pin_file: PinFile = None,
    json: _Json = False,
) -> None:
    """Unlock an account after wrong PINs."""
    _change("unlocked", name, config, socket, by=by, pin_file=pin_file, json=json)


def remove(config: _Table, name: _Name, socket: SocketOption = None, json: _Json = False) -> None:
    """Remove a person's account; the name stays until it is erased."""
    _change("removed", name, config, socket, json=json)


def _change(
    change: str,
    name: str,
    config: Path | None,
    socket: SocketOption,
    *,
    role: str = "",
    pin: str = "",
    by: str = "",
    pin_file: PinFile = None,
    json: bool,
) -> None:
    client = client_of(config, socket)
    request = {"request": "people", "change": change, "name": name, "pin": pin, "by": by}
    signing_on = sign_on_requests(client.status(), (by, pin_file))
    answer = client.request(*signing_on, {**request, "role": role or None})
    if not answer.ok:
        raise refused("people", answer.error)
    if json:
        echo_json({"ok": True, "person": name, "change": change})
    else:
        echo(f"{name}: {change}, and on record")
