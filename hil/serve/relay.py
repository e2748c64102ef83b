"""`smartshoe-hil relay`: between a real table and its device, it records both directions."""
# ruff: noqa: PLC0415 - a help page does not load the program.

import sys
import time
from pathlib import Path
from threading import Event
from typing import Annotated, Final

import typer

from controller.system.command_line.command import example
from controller.system.command_line.errors import CommandError, ExitCode
from hil.serve.orders import block_stop_signals, emit, remark, start_reading
from hil.serve.recorded_line import (
    NoOrders,
    PtyLink,
    TcpPort,
    executor,
    require_one_line,
    serve_line,
    url_of_line,
)

BAUD_MAX: Final = 4_000_000
# A real line loses bytes for a table that does not read.
PATIENCE_S: Final = 1.0

RELAY_EXAMPLES: Final = (
    example(
        "smartshoe-hil relay --tcp 4002 --to socket://127.0.0.1:4001 --record both.pcapng",
        '{"event": "ready", "url": "socket://127.0.0.1:4002"}',
        "Recording every card. Name this line as the port in table.toml.",
        "...",
    ),
    example(
        "smartshoe-hil relay --pty-link ./shoe --to socket://127.0.0.1:4001 \\\n"
        "    --model feig-rfid --record reader.pcapng",
        '{"event": "ready", "url": ".../shoe"}',
        "...",
    ),
)
RELAY_NOTES: Final = """\
The table's configuration names the relay's line as the port. The record shows every card, and \
opens in Wireshark. If the disk fills up the relay goes on without recording; the exit code is 1 \
then.

Orders on standard input: quit. It ends with it, with the end of its input, and on SIGINT \
(Ctrl-C), SIGTERM and SIGHUP. Standard output has one JSON object a line."""


def relay(
    to: Annotated[
        str, typer.Option(metavar="URL", help="The device's port, a path or URL, as in table.toml.")
    ],
    record: Annotated[Path, typer.Option(metavar="FILE", help="A new file for the record.")],
    model: Annotated[
        str,
        typer.Option(metavar="NAME", help="The device's model, which gives the line's settings."),
    ] = "",
    baud: Annotated[
        int,
        typer.Option(min=0, max=BAUD_MAX, metavar="N", help="Bits per second; 0: the model's own."),
    ] = 0,
    pty_link: PtyLink = None,
    tcp: TcpPort = None,
    no_orders: NoOrders = False,
) -> None:
    """Record both directions of a line while a table plays.

    The relay stands between a table and its device: the table opens the relay's line instead of the
    device's port.
    """
    from controller.service.capture_file import CaptureFile, RecordedPort
    from drivers.catalogue import DEFAULT_MODELS, find_by_option, option_name
    from drivers.model import DeviceKind
    from firmware_bridge.transport.port import LineSettings, Parity
    from hil.serve.relayed_port import RelayedPort

    require_one_line("relay", pty_link, tcp)
    found = find_by_option(model or DEFAULT_MODELS[DeviceKind.SHOE])
    line = LineSettings(baud or found.baud, Parity(found.parity or Parity.NONE))
    block_stop_signals()
    with CaptureFile(record, (RecordedPort(to, option_name(found), line),)) as file:
        try:
            device = RelayedPort(to, line, file)
        except ValueError as error:
            raise CommandError(f"{to}: {error}", place="--to") from error
        with serve_line(device, pty_link, tcp, PATIENCE_S) as server:
            device.attach(server)
            emit("ready", url=url_of_line(server))
            remark("Recording every card. Name this line as the port in table.toml.")
            if tcp is None:
                device.host_appeared(time.monotonic_ns())
            quitting = Event()
            start_reading(None if no_orders else sys.stdin, executor(quitting), quitting)
            quitting.wait()
            device.stop()
        emit("done", bytes=file.size)
    raise typer.Exit(ExitCode.NO if device.failure else ExitCode.DONE)
