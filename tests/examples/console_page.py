"""Finds the examples of a Markdown page: blocks to be typed, what they print, and hidden commands.

Markdown is parsed by markdown-it-py. Source: tests/examples/README.md.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Struct

DIRECTIVE: Final = re.compile(r"<!--\s*(setup|not run):\s*(.*?)\s*-->", re.DOTALL)
NEEDED: Final = re.compile(r"^<!--\s*needs\b[^:]*:\s*(\S+)\s*-->$", re.MULTILINE)
TYPED, PRINTED = "bash", "text"
OTHER_SHELLS: Final = frozenset({"sh", "shell", "shell-session", "console", "zsh"})
COMMAND: Final = re.compile(
    r"\s*(\$ |(sudo |\S*/)?(smartshoe|smartshoe-hil|make|python3?|pip3?|git|apt|apt-get|systemctl|"
    r"curl|udevadm|promtool)(\s+[\w./~$<\"'-]|$)(?!.*[─►]))"
)
PROMPT: Final = re.compile(rf"[$>] |# (?={COMMAND.pattern})")
# What changes the machine, which no test may do.
MACHINE: Final = re.compile(
    r"\b(apt(-get)?|dpkg|pipx|systemctl|systemd-\w+|useradd|runuser|udevadm control)\b"
    r"|(?<![\w.])/(etc|opt|usr/local|usr/share|var|media)/"
)
# What a reader connects or runs elsewhere: a device, a token. Nothing else may be hidden.
STAND_IN: Final = re.compile(
    r"smartshoe-hil emulate [^>]*$|softhsm2-util --init-token [^>]*$"
    # Orders to a shuffler, and the wait until it has done what they say.
    r"|\{ printf [^>]*; tail -f /dev/null; \} \| \S*python -m hil\.serve\.shuffler .*"
    r"|until grep -q '[^']*' shuffler\.log; do sleep [\d.]+; done$"
)
# Neither a quote, a bracket nor a word of the shell's grammar: ends with its line.
PLAIN: Final = re.compile(r"(?!(if|for|while|until|case|function) )[\w ./:=+,@%~&-]*")


class ExampleError(Exception):
    """An example that is wrong; the message names page, line, commands, expected and got."""


class Example(Struct, frozen=True):
    """What is typed in one block, and what it prints: lines `begin` to `end` of the page.

    `output` is None where nothing is compared (hidden commands, which must succeed). Without a
    block for the output `begin` is `end`, the line below the commands.
    """

    text: str
    line: int
    output: tuple[str, ...] | None = None
    runs: bool = True
    begin: int = 0
    end: int = 0


def read_page(path: Path, name: str) -> list[Example]:
    """The examples of a page, in order. Raises ExampleError for a wrong one."""
    examples: list[Example] = []
    not_run_line = 0
    tokens = [one for one in MarkdownIt().parse(path.read_text(encoding="utf-8")) if one.map]
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        first = line_of(token)
        if token.type == "html_block":
            for kind, text in DIRECTIVE.findall(token.content):
                if kind == "setup":
                    examples.append(hidden_example(text, name, first))
                elif not text:
                    raise ExampleError(f"{name}:{first}: give the reason: not run: reason")
                else:
                    not_run_line = first
            continue
        if token.type in ("fence", "code_block") and is_typed(token, name):
            examples.append(shown_example(token, following, name, runs=not not_run_line))
        elif not_run_line:
            raise ExampleError(f"{name}:{not_run_line}: no block follows the comment `not run`")
        not_run_line = 0
    return examples


def hidden_example(text: str, name: str, line: int) -> Example:
    """The commands of a set-up comment: each stands in the place of a device or a token."""
    for each in statements(text):
        if not STAND_IN.match(each):
            raise ExampleError(
                f"{name}:{line}: hidden: {each}\nonly what stands in the place of a device or a"
                " token is hidden; show what makes a file, a folder or a variable"
            )
    return Example(text, line)


def is_typed(token: Token, name: str) -> bool:
    """Whether a block is to be typed. Raises ExampleError for one that only looks so."""
    lines = token.content.splitlines()
    label = label_of(token)
    if label in OTHER_SHELLS or (not label and any(map(COMMAND.match, lines))):
        raise ExampleError(
            f"{name}:{line_of(token)}: commands in a block labelled '{label}': label what is to"
            f" be typed {TYPED}, and what it prints {PRINTED}, in a block of its own below"
        )
    return label == TYPED


def shown_example(token: Token, following: Token | None, name: str, *, runs: bool) -> Example:
    """A block to be typed, with the block below it that shows what is printed."""
    assert token.map is not None
    lines = token.content.rstrip("\n").split("\n")
    for number, line in enumerate(lines, line_of(token) + 1):
        if PROMPT.match(line) or re.search(r"(^|[\s/])\.\.\.($|\s)", line):
            raise ExampleError(
                f"{name}:{number}: {line}\na block to be typed has no prompts and no `...`"
            )
    text, line = "\n".join(lines), line_of(token) + 1
    if runs and (changing := MACHINE.search(text)):
        raise ExampleError(
            f"{name}:{line}: {changing[0]}: this could change the machine of whoever runs the"
            " tests: write <!-- not run: reason --> before the block"
        )
    if following is None or following.type != "fence" or label_of(following) != PRINTED:
        below = token.map[1] + 1
        return Example(text, line, (), runs, below, below)
    begin, output = line_of(following) + 1, following.content.rstrip().splitlines()
    return Example(text, line, tuple(output), runs, begin, begin + following.content.count("\n"))


def label_of(token: Token) -> str:
    """The language of a block."""
    return token.info.split()[0] if token.info.strip() else ""


def line_of(token: Token) -> int:
    """The number of its first line in the page."""
    return (token.map[0] if token.map else 0) + 1


def statements(text: str) -> list[str]:
    """The commands of a block, each with its further lines and its here-document."""
    found: list[str] = []
    typed = ""
    for line in text.splitlines():
        typed += line
        if not typed.strip():
            typed = ""
        elif is_whole(typed):
            found.append(typed)
            typed = ""
        else:
            typed += "\n"
    return [*found, typed] if typed else found


def is_whole(text: str) -> bool:
    """Whether bash would run it now, rather than ask for more lines."""
    if text.endswith("\\"):
        return False
    if PLAIN.fullmatch(text):
        return True
    read = subprocess.run(
        ["bash", "-n", "-c", text], capture_output=True, text=True, check=False, env={"LC_ALL": "C"}
    )
    return not re.search(r"unexpected (EOF|end of file)|here-document", read.stderr)


def pages(root: Path) -> Iterator[Path]:
    """Every Markdown page of the repository but the change log."""
    for path in sorted(root.rglob("*.md")):
        folders = path.relative_to(root).parts[:-1]
        if path.name != "CHANGELOG.md" and not any(part.startswith(".") for part in folders):
            yield path


def begins_with_apt(path: Path) -> bool:
    """Whether a page whose commands run begins with the installation of what they need."""
    examples = read_page(path, path.name)
    begins = bool(examples) and "apt-get install" in statements(examples[0].text)[0]
    return begins and any(one.runs for one in examples)


def needs_of_page(path: Path) -> list[str]:
    """The needs without which the examples of a page print something else."""
    return NEEDED.findall(path.read_text(encoding="utf-8"))
