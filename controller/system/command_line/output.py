"""Prints the results of commands: text, JSON, tables and progress bars.

With --json stdout has one JSON object and nothing else; all other text goes to stderr.
"""
# ruff: noqa: PLC0415 - rich is loaded only where something is drawn, so that --help stays quick.

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from controller.system.command_line.errors import write_stderr

if TYPE_CHECKING:
    from rich.console import Console

Progress: TypeAlias = Callable[[int, int], None]

# A cell with this word is highlighted: no clause of the rule document supports its value.
MARK: Final = "ASSUMED"
# The table width for a pipe: wide enough for paths and sentences on one line.
_PIPE_WIDTH = 160


def echo(text: str) -> None:
    """Print one or several lines of the result on stdout."""
    print(text)


def echo_stderr(text: str) -> None:
    """Print a remark that is not part of the result on stderr."""
    write_stderr(text)


def echo_raw(text: str) -> None:
    """Write text without a line end on stdout, unbuffered."""
    print(text, end="", flush=True)


def echo_json(value: Mapping[str, object]) -> None:
    """Print the one JSON object of a command with --json."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def echo_json_line(value: Mapping[str, object]) -> None:
    """Print one of many JSON objects on its own line, unbuffered."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def console() -> "Console":
    """The console for tables: the current stdout."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(width=width, highlight=False, soft_wrap=False)


def echo_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; its cells are plain text, and long ones are folded, never cut."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style="bold yellow" if MARK in cell else "") for cell in row))
    console().print(table)


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """A bar on stderr while the block runs; nothing if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
