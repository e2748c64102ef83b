"""What commands print: words, one JSON object, tables and a progress bar.

Responsible for: which stream each of them goes to. With --json there is one JSON object on
stdout and nothing else; every other word goes to stderr.
Not responsible for: what is said (the commands).
Source: package README, "Command line".
"""
# ruff: noqa: PLC0415 - rich is loaded only where something is drawn, so that --help stays quick.

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from controller.cli.errors import Unable

if TYPE_CHECKING:
    from rich.console import Console

Progress: TypeAlias = Callable[[int, int], None]

# A cell with this word is drawn to stand out: no clause of the rule says what it says.
MARK: Final = "ASSUMED"
# A pipe has no width: wide enough that no path or sentence is broken needlessly.
_PIPE_WIDTH = 160


def say(text: str) -> None:
    """One line, or several, of what was asked for."""
    print(text)


def remark(text: str) -> None:
    """Words beside the answer: stderr."""
    print(text, file=sys.stderr)


def say_json(value: Mapping[str, object]) -> None:
    """The one JSON object of a command with --json."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def say_json_line(value: Mapping[str, object]) -> None:
    """One of many JSON objects, on a line of its own, at once."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def console() -> "Console":
    """Where tables are drawn: stdout as it is now."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(width=width, highlight=False, soft_wrap=False)


def say_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table whose cells are plain text and are folded, never cut."""
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
    """A bar on stderr while the block runs; nothing where stderr is no terminal."""
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


if TYPE_CHECKING:
    from controller.profiles.profile import Profile

PROFILE_HELP: Final = "A profile's name (`smartshoe rules`), or a house's .toml file."


def profile_named(name: str) -> "Profile":
    """The profile of that name or in that file. Raises Unable."""
    from controller.profiles.load import load_profile, profile_names

    if name in profile_names() or name.endswith(".toml"):
        return load_profile(name)
    known = ", ".join(profile_names())
    raise Unable(f"there is no profile {name!r}; there are {known}, or name a .toml file")
