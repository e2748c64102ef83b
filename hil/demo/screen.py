"""Where a demo is shown: live on a terminal, or line by line anywhere else.

Responsible for: choosing between the two, drawing only what changed, and leaving the terminal as
it was found.
Not responsible for: what is drawn (demo_view, demo_lines).
Source: package README, "The demo".
"""

from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from hil.demo.card_glyphs import ASCII, UNICODE, Glyphs
from hil.demo.floor_view import Clauses
from hil.demo.follow import Chronicle
from hil.demo.plain_lines import lines_of
from hil.demo.view import Scene, picture


class Screen(Protocol):
    """Shows a running demo; a context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def show(self, scene: Scene, chronicle: Chronicle) -> None:
        """Show how things stand now."""
        ...


def glyphs_of(console: Console) -> Glyphs:
    """The signs this console can write."""
    return ASCII if console.options.ascii_only else UNICODE


def screen_on(console: Console, clauses: Clauses) -> Screen:
    """The live view where there is a terminal that can do it, lines elsewhere."""
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveScreen(console, clauses)
    return LineScreen(console, clauses)


class LiveScreen:
    """The whole terminal, given back at the end."""

    def __init__(self, console: Console, clauses: Clauses) -> None:
        self._console = console
        self._clauses = clauses
        self._glyphs = glyphs_of(console)
        self._live = Live(Text(""), console=console, screen=True, auto_refresh=False)
        self._shown: tuple[Scene, int, int] | None = None

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def show(self, scene: Scene, chronicle: Chronicle) -> None:
        """Draw anew if anything changed, the size of the terminal included."""
        width, height = self._console.size
        now = (scene, width, height)
        if now == self._shown:
            return
        self._shown = now
        self._live.update(picture(scene, self._clauses, self._glyphs, width, height), refresh=True)


class LineScreen:
    """One line after the other, each at once."""

    def __init__(self, console: Console, clauses: Clauses) -> None:
        self._console = console
        self._clauses = clauses
        self._said = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    def show(self, scene: Scene, chronicle: Chronicle) -> None:
        """Print what has happened since the last call."""
        for happening in chronicle.since(self._said):
            self._said += 1
            for line in lines_of(happening, self._clauses):
                self._console.out(line, highlight=False)
