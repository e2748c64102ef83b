"""What people see while a pile is read: a live view on a terminal, plain lines elsewhere.

Responsible for: how far the reader is, how many of the cards are there, and what is wrong, told
when it changes; all of it on stderr.
Not responsible for: what is wrong (custody) and what is asked (cli_enrol, cli_recount).
Source: package README, "Enrolling a batch".
"""
# ruff: noqa: PLC0415 - rich is loaded only where something is drawn.

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from controller.cli.output import remark

if TYPE_CHECKING:
    from rich.live import Live

_BAR_WIDTH = 40


class PileView:
    """One pile after the other."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._title = ""
        self._read = 0
        self._cards = 0
        self._wanted = 0
        self._notes: tuple[str, ...] = ()
        self._told: tuple[int, tuple[str, ...]] | None = None

    @contextmanager
    def pile(self, title: str, wanted: int) -> Iterator[None]:
        """While this pile is being read."""
        self._title, self._wanted = title, wanted
        self._cards, self._read, self._notes, self._told = 0, 0, (), None
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

    def reading(self, count: int) -> None:
        """So many tags were read in the listing under way."""
        self._read = count
        self._draw()

    def standing(self, cards: int, notes: tuple[str, ...]) -> None:
        """What a whole listing told."""
        self._cards, self._notes, self._read = cards, notes, 0
        if self._live is None and (cards, notes) != self._told:
            remark(f"{self._title}: {cards} of {self._wanted} cards")
            for note in notes:
                remark(f"  {note}")
        self._told = (cards, notes)
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
        reading = f"reading {self._read}" if self._read else ""
        line.add_row(Text(self._title), bar, Text(f"{self._cards}/{self._wanted}"), Text(reading))
        self._live.update(Group(line, *(Text(note) for note in self._notes)), refresh=True)
