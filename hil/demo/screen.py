"""Shows a running demo: live on a terminal, line by line anywhere else."""

from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from hil.demo.card_glyphs import ASCII, UNICODE, Glyphs
from hil.demo.floor_view import Clauses
from hil.demo.follow import JournalFollower
from hil.demo.plain_lines import event_lines
from hil.demo.view import Scene, render


class Screen(Protocol):
    """Shows a running demo; a context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def show(self, scene: Scene, journal_events: JournalFollower) -> None:
        """Show the current state."""
        ...


def glyphs_of(console: Console) -> Glyphs:
    """The characters that this console can show."""
    return ASCII if console.options.ascii_only else UNICODE


def screen_on(console: Console, clauses: Clauses) -> Screen:
    """The live view on a capable terminal, plain lines elsewhere."""
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveScreen(console, clauses)
    return LineScreen(console, clauses)


class LiveScreen:
    """The live view on the whole terminal, which is restored at the end."""

    def __init__(self, console: Console, clauses: Clauses) -> None:
        self._console = console
        self._clauses = clauses
        self._glyphs = glyphs_of(console)
        self._live = Live(Text(""), console=console, screen=True, auto_refresh=False)
        self._drawn: tuple[Scene, int, int] | None = None

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

    def show(self, scene: Scene, journal_events: JournalFollower) -> None:
        """Draw again if anything changed, including the size of the terminal."""
        width, height = self._console.size
        now = (scene, width, height)
        if now == self._drawn:
            return
        self._drawn = now
        self._live.update(render(scene, self._clauses, self._glyphs, width, height), refresh=True)


class LineScreen:
    """Prints plain lines as events happen."""

    def __init__(self, console: Console, clauses: Clauses) -> None:
        self._console = console
        self._clauses = clauses
        self._printed = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    def show(self, scene: Scene, journal_events: JournalFollower) -> None:
        """Print the events since the last call."""
        for event in journal_events.since(self._printed):
            self._printed += 1
            for line in event_lines(event, self._clauses):
                self._console.out(line, highlight=False)
