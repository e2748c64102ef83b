"""Shows progress while a pile is read, on stderr: live on a terminal, plain lines elsewhere."""
# ruff: noqa: PLC0415 - rich is loaded only where something is drawn.

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from controller.system.command_line.output import echo_stderr

if TYPE_CHECKING:
    from rich.live import Live

_BAR_WIDTH = 40


class PileView:
    """The progress of one pile at a time."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._title = ""
        self._read = 0
        self._cards = 0
        self._wanted = 0
        self._notes: tuple[str, ...] = ()
        self._printed: tuple[int, tuple[str, ...]] | None = None

    @contextmanager
    def pile(self, title: str, wanted: int) -> Iterator[None]:
        """Show this pile while the block runs; `wanted` is its number of cards."""
        self._title, self._wanted = title, wanted
        self._cards, self._read, self._notes, self._printed = 0, 0, (), None
        if not sys.stderr.isatty():
            yield
            return
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
            self._live = live
            try:
                yield
            finally:
                self._live = None

    def show_progress(self, count: int) -> None:
        """Show the number of tags read so far in the current listing."""
        self._read = count
        self._draw()

    def show_listing(self, cards: int, notes: tuple[str, ...]) -> None:
        """Show the result of a whole listing, if it changed."""
        self._cards, self._notes, self._read = cards, notes, 0
        if self._live is None and (cards, notes) != self._printed:
            echo_stderr(f"{self._title}: {cards} of {self._wanted} cards")
            for note in notes:
                echo_stderr(f"  {note}")
        self._printed = (cards, notes)
        self._draw()

    def _draw(self) -> None:
        if self._live is None:
            return
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        line = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=max(self._wanted, 1), completed=self._cards, width=_BAR_WIDTH)
        show_progress = f"reading {self._read}" if self._read else ""
        line.add_row(
            Text(self._title), bar, Text(f"{self._cards}/{self._wanted}"), Text(show_progress)
        )
        self._live.update(Group(line, *(Text(note) for note in self._notes)), refresh=True)
