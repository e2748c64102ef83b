"""The line of a replay or a relay: its options, its server, its orders."""

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from controller.system.command_line.errors import CommandError
from hil.emulator.lines.line import DeviceT, LineServer, LineServerSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.serve.orders import emit

PtyLink = Annotated[
    Path | None,
    typer.Option(metavar="PATH", help="Serve a pseudo-terminal, and make this link to it."),
]
TcpPort = Annotated[
    int | None,
    typer.Option(
        min=0, max=65535, metavar="PORT", help="Serve TCP on loopback, 0: on any free port."
    ),
]
NoOrders = Annotated[
    bool,
    typer.Option("--no-orders", help="Do not read standard input; serve until a signal."),
]


def require_one_line(command: str, pty_link: Path | None, tcp: int | None) -> None:
    """Raises CommandError unless exactly one line is named."""
    if (pty_link is None) is (tcp is None):
        raise CommandError(
            "no line is named" if tcp is None else "two lines are named",
            place=command,
            allowed="either --pty-link PATH or --tcp PORT",
            remedy="name one of them",
        )


def serve_line(
    device: DeviceT, pty_link: Path | None, tcp: int | None, patience_s: float
) -> LineServer[DeviceT]:
    """The device on the line that was named; bytes wait that long for a host that does not read."""
    settings = LineServerSettings(patience_s=patience_s)
    if tcp is not None:
        return TcpServer(device, settings, port=tcp)
    assert pty_link is not None, "one line is named"
    return PtyServer(device, settings, link=pty_link.absolute())


def url_of_line(server: LineServer[DeviceT]) -> str:
    """The URL or path that the program opens."""
    if isinstance(server, TcpServer):
        return server.url
    assert isinstance(server, PtyServer)
    return server.path


def executor(quitting: Event) -> Callable[[str], None]:
    """Executes orders: `quit` alone."""

    def execute(order: str) -> None:
        if order == "quit":
            quitting.set()
        else:
            emit("refused", order=order)

    return execute
