"""`status --watch` on a terminal: the newest state, redrawn on every change and every resize.

Source: ECMA-48; the alternate screen (DEC private mode 1049).
"""

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from shutil import get_terminal_size
from threading import Lock
from typing import Final

from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import watch_block
from controller.record.snapshot import Snapshot
from controller.system.command_line.output import echo_raw
from controller.system.command_line.standard_output import OutputFailed
from firmware_bridge.transport.clock import now
from foundation.context_thread import ContextThread

_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_CLEAR: Final = "\x1b[H\x1b[J"
_USUAL_SIZE: Final = (80, 24)
_RESIZED: Final = (signal.SIGWINCH,)


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


def watch_on_terminal(states: Iterable[Snapshot], hints: CommandHints) -> None:
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
