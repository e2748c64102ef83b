"""Finds the examples of a Markdown page: console blocks, their set-up, and blocks without output.

Markdown is parsed by markdown-it-py. Source: tests/examples/README.md.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Struct
from msgspec.structs import replace

PROMPT = "$ "
DIRECTIVE = re.compile(r"<!--\s*(setup|not run):\s*(.*?)\s*-->", re.DOTALL)
NEEDED = re.compile(r"^<!--\s*needs\b[^:]*:\s*(\S+)\s*-->$", re.MULTILINE)
EXIT = re.compile(r"\[exit (\d+)\]")
SHELLS = frozenset({"sh", "bash", "shell", "shell-session", "zsh"})
COMMAND = re.compile(
    r"\s*(\$ |(sudo |\S*/)?(smartshoe|smartshoe-hil|make|python3?|pip3?|git|apt|apt-get|systemctl|"
    r"curl|udevadm|promtool)(\s+[\w./~$<\"'-]|$)(?!.*[─►]))"
)


class ExampleError(Exception):
    """An example that is wrong; the message names page, line, command, expected and got."""


class ConsoleCommand(Struct, frozen=True):
    """One command. `output` are the shown lines, in lines `begin` to `end` of the page.

    `output` is None where nothing is compared (set-up).
    """

    text: str
    line: int
    output: tuple[str, ...] | None = None
    code: int = 0
    background: bool = False
    runs: bool = True
    begin: int = 0
    end: int = 0


def read_page(path: Path, name: str, *, complete: bool = True) -> list[ConsoleCommand]:
    """The commands of a page, in order. Raises ExampleError for a wrong example.

    `complete`: also for a block without output.
    """
    commands: list[ConsoleCommand] = []
    not_run_line = 0
    for token in MarkdownIt().parse(path.read_text(encoding="utf-8")):
        first = token.map[0] + 1 if token.map else 0
        if token.type == "html_block":
            for kind, text in DIRECTIVE.findall(token.content):
                if kind == "not run":
                    if not text:
                        raise ExampleError(f"{name}:{first}: give the reason: not run: reason")
                    not_run_line = first
                else:
                    commands += setup_commands(text, name, first)
            continue
        if token.type in ("fence", "code_block"):
            found = block_commands(token, name)
            if found and complete and not any(one.output for one in found):
                raise ExampleError(f"{name}:{first}: no output is shown in this block")
            commands += [replace(one, runs=not not_run_line) for one in found]
        elif not_run_line and token.map:
            raise ExampleError(f"{name}:{not_run_line}: no block follows the comment `not run`")
        if token.map:
            not_run_line = 0
    return commands


def setup_commands(text: str, name: str, line: int) -> list[ConsoleCommand]:
    """The commands of a set-up comment: one command, or lines as in a console block."""
    lines = text.split("\n")
    if not text.startswith(PROMPT):
        lines[0] = PROMPT + lines[0]
    found = split_commands([each.strip() for each in lines], name, line)
    return [one if one.background and one.output else replace(one, output=None) for one in found]


def block_commands(token: Token, name: str) -> list[ConsoleCommand]:
    """The commands of one block; none if it holds no example."""
    label = token.info.split()[0] if token.info.strip() else ""
    first = (token.map[0] if token.map else 0) + 1
    lines = token.content.rstrip("\n").split("\n")
    if label in SHELLS or (not label and any(COMMAND.match(line) for line in lines)):
        raise ExampleError(
            f"{name}:{first}: commands without output in a block labelled '{label}':"
            " label it console, and show each command after '$ ' with its output below"
        )
    if label != "console":
        return []
    return split_commands(lines, name, first + 1)


def split_commands(lines: list[str], name: str, first: int) -> list[ConsoleCommand]:
    """Commands with their output; `first` is the number of the first line in the page."""
    if not lines[0].startswith(PROMPT):
        raise ExampleError(f"{name}:{first}: a console block begins with '$ ' and a command")
    found, at = [], 0
    while at < len(lines):
        start, text = at, lines[at].removeprefix(PROMPT)
        at += 1
        while at < len(lines) and continues(text, lines[at]):
            heredoc = "<<" in text
            text += "\n" + (lines[at].removeprefix("> ") if heredoc else lines[at])
            at += 1
        begin = at
        while at < len(lines) and not lines[at].startswith(PROMPT):
            at += 1
        shown, code = split_exit(lines[begin:at])
        background = text.endswith(" &")
        text = text.removesuffix(" &")
        found.append(
            ConsoleCommand(
                text,
                first + start,
                shown,
                code,
                background=background,
                begin=first + begin,
                end=first + at,
            )
        )
    return found


def continues(text: str, line: str) -> bool:
    """Whether the line is part of the command: after a backslash, or in a here-document."""
    return text.endswith("\\") or ("<<" in text and line.startswith("> "))


def split_exit(lines: list[str]) -> tuple[tuple[str, ...], int]:
    """The shown lines without the exit code, and the code."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    if lines and (ended := EXIT.fullmatch(lines[-1])):
        return tuple(lines[:-1]), int(ended[1])
    return tuple(lines), 0


def pages(root: Path) -> Iterator[Path]:
    """Every Markdown page of the repository but the change log."""
    for path in sorted(root.rglob("*.md")):
        folders = path.relative_to(root).parts[:-1]
        if path.name != "CHANGELOG.md" and not any(part.startswith(".") for part in folders):
            yield path


def needs_of_page(path: Path) -> list[str]:
    """The needs without which the examples of a page print something else."""
    return NEEDED.findall(path.read_text(encoding="utf-8"))
