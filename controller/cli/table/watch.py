"""`status --watch` on a terminal: the newest state, redrawn on every change and every resize.

Source: controller/cli/README.md, "Command line"; ECMA-48; the alternate screen (DEC private mode
1049).
"""

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from types import FrameType
from typing import Final

from controller.cli.output import echo_raw
from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import watch_block
from controller.views.snapshot_reader import SnapshotPart
from firmware_bridge.transport.clock import now

_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?1049l"
_CLEAR: Final = "\x1b[H\x1b[J"
_USUAL_SIZE: Final = (80, 24)


class _WatchScreen:
    """The last state drawn, and how to draw it again in another size."""

    def __init__(self, hints: CommandHints) -> None:
        self._hints = hints
        self._shown: SnapshotPart | None = None

    def show(self, table: SnapshotPart) -> None:
        """Draw this state."""
        self._shown = table
        self._draw_undisturbed()

    def resized(self, _number: int, _frame: FrameType | None) -> None:
        """Draw the last state again."""
        if self._shown is not None:
            self._draw_undisturbed()

    def _draw_undisturbed(self) -> None:
        """Draw; a resize meanwhile, also during the drawing after a resize, waits for its end."""
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGWINCH,))
        try:
            self._draw()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGWINCH,))

    def _draw(self) -> None:
        assert self._shown is not None, "there is a state to draw"
        width, height = get_terminal_size(_USUAL_SIZE)
        lines = watch_block(self._shown, self._hints, width, height, now().utc_ns)
        # In one write. No line end after the last line: it would scroll a full screen.
        echo_raw(_CLEAR + "\n".join(lines))


def watch_on_terminal(states: Iterable[dict[str, object]], hints: CommandHints) -> None:
    """Draw every state until they end, or until Ctrl-C or SIGTERM; then restore the terminal.

    Raises KeyboardInterrupt.
    """
    screen = _WatchScreen(hints)
    with _restored(screen):
        for shown in states:
            screen.show(SnapshotPart(shown))


@contextmanager
def _restored(screen: _WatchScreen) -> Iterator[None]:
    before = {
        signal.SIGWINCH: signal.signal(signal.SIGWINCH, screen.resized),
        signal.SIGTERM: signal.signal(signal.SIGTERM, signal.default_int_handler),
    }
    try:
        echo_raw(_ENTER)
        yield
    finally:
        for number, disposition in before.items():
            signal.signal(number, disposition)
        echo_raw(_LEAVE)
