"""`smartshoe status`: the state of a running table, once or, with --watch, at every change.

On a terminal the newest state is redrawn on every change and every resize.

Source: ECMA-48; the alternate screen (DEC private mode 1049).
"""
# ruff: noqa: PLC0415 - tables are looked for only where one is meant by its file.

import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from shutil import get_terminal_size
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer
from msgspec import to_builtins

from controller.cli.table.commands import SocketOption, client_of, table_options, terminal_width
from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import status_block, watch_block
from controller.record.snapshot import Health, Snapshot
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, echo_json_line, echo_raw
from controller.system.command_line.path_parameters import ConfigFile
from controller.system.command_line.standard_output import OutputFailed
from firmware_bridge.transport.clock import now
from foundation.context_thread import ContextThread

if TYPE_CHECKING:
    from controller.outlets.control.client import ControlClient

_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_CLEAR: Final = "\x1b[H\x1b[J"
_USUAL_SIZE: Final = (80, 24)
_RESIZED: Final = (signal.SIGWINCH,)


def status(
    config: ConfigFile = None,
    socket: SocketOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show every change until Ctrl-C.")] = False,
) -> None:
    """Show the state of a running table.

    Shoe, coup, what is due next, and open irregularities; only cards that people have seen. Of a
    folder one line for each table.
    """
    if config is not None and socket is None:
        from controller.service.config.table_files import is_folder

        if is_folder(config):
            from controller.cli.table.status_folder import show_tables

            raise typer.Exit(show_tables(config, as_json=json, watch=watch))
    client = client_of(config, socket)
    if watch:
        _watch(client, CommandHints(table_options(config, socket)), as_json=json)
    table = client.status()
    if json:
        echo_json(to_builtins(table))
    else:
        echo(
            status_block(
                table, CommandHints(table_options(config, socket)), terminal_width(), now().utc_ns
            )
        )
    raise typer.Exit(ExitCode.DONE if table.health is Health.RUNNING else ExitCode.NO)


def _watch(client: "ControlClient", hints: CommandHints, *, as_json: bool) -> NoReturn:
    """Print every change: on a terminal in place, into a pipe one after the other."""
    try:
        if sys.stdout.isatty() and not as_json:
            _watch_on_terminal(
                client.subscribe(), CommandHints(hints.table_options, as_template=True)
            )
            raise _ended(client)
        for shown in client.subscribe():
            if as_json:
                echo_json_line(to_builtins(shown))
            else:
                block = status_block(shown, hints, at_ns=now().utc_ns)
                echo_raw(f"{block}\n\n")
    except KeyboardInterrupt:
        raise typer.Exit from None
    raise _ended(client)


def _ended(client: "ControlClient") -> CommandError:
    return CommandError(
        "the table has ended",
        ExitCode.NO_TABLE,
        place=str(client.path),
        remedy="start it again with `smartshoe run`",
    )


class _WatchScreen:
    """The last state drawn, and how to draw it again in another size."""

    def __init__(self, hints: CommandHints) -> None:
        self._hints = hints
        self._shown: Snapshot | None = None
        self._drawing = Lock()

    def show(self, table: Snapshot | None) -> None:
        """Draw this state; with None nothing is drawn any more."""
        with self._drawing:
            self._shown = table
            self._draw()

    def redraw_on_resize(self) -> None:
        """Draw the last state again after every change of the size. Runs in its own thread.

        A handler would wait for the end of the system call that waits for the next state, if the
        signal came just before it.
        """
        with suppress(OutputFailed):
            while True:
                signal.sigwait(_RESIZED)
                with self._drawing:
                    self._draw()

    def _draw(self) -> None:
        if self._shown is None:
            return
        width, height = get_terminal_size(_USUAL_SIZE)
        lines = watch_block(self._shown, self._hints, width, height, now().utc_ns)
        # In one write. No line end after the last line: it would scroll a full screen.
        echo_raw(_CLEAR + "\n".join(lines))


def _watch_on_terminal(states: Iterable[Snapshot], hints: CommandHints) -> None:
    """Draw every state until they end, or until Ctrl-C or SIGTERM; then restore the terminal.

    Raises KeyboardInterrupt.
    """
    screen = _WatchScreen(hints)
    with _restored(screen):
        for shown in states:
            screen.show(shown)


@contextmanager
def _restored(screen: _WatchScreen) -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_BLOCK, _RESIZED)
    ContextThread(target=screen.redraw_on_resize, name="resize", daemon=True).start()
    try:
        echo_raw(_ENTER)
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        screen.show(None)
        echo_raw(_LEAVE)
