"""Commands within sentences: each exists with its options, and what only reads is typed there."""

import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from console_page import ExampleError
from markdown_it import MarkdownIt
from msgspec import Struct

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAMS: Final = ("smartshoe", "smartshoe-hil")
# What such a word stands for is the reader's own: FILE, NAME.zip, key=value, [--csv], A | B.
PLACEHOLDER: Final = re.compile(r"\b[A-Z]{2,}\b|\.\.\.|[\[\]|()]|^key=value$|^[A-Z]$")
# A table of the machine, set up before: its name, its files, its unit.
INSTALLED: Final = re.compile(r"\bM-12\b|/etc/smartshoe|/var/lib/smartshoe|/dev/|/media/")
# What a signature begins with.
SIGNED: Final = re.compile(r"smartshoe [a-z]+ \d+")
# They change nothing but the file that --out names.
READING: Final = (
    "audit", "batch list", "batch show", "check-config", "clauses", "evidence", "firmware list",
    "identity show", "journal list", "journal seals", "keys show", "odds", "people list", "replay",
    "report day", "report shoe", "rules clause", "rules show", "settle", "status", "try", "verify",
)  # fmt: skip


class Mention(Struct, frozen=True):
    """A command in a sentence; `is_typed`: its words are whole, and it only reads."""

    text: str
    line: int
    is_typed: bool


def read_mentions(path: Path, name: str) -> list[Mention]:
    """The commands in the sentences of a page. Raises ExampleError for one that does not exist."""
    found = []
    for token in MarkdownIt().parse(path.read_text(encoding="utf-8")):
        for part in token.children or ():
            text = " ".join(part.content.split())
            is_command = part.type == "code_inline" and text.split(" ")[0] in (*PROGRAMS, "make")
            if is_command and not SIGNED.fullmatch(text):
                found.append(read_mention(text, (token.map[0] if token.map else 0) + 1, name))
    return found


def read_mention(text: str, line: int, name: str) -> Mention:
    """One of them. Raises ExampleError if its command or an option does not exist."""
    program, *words = split(text)
    if program == "make":
        of_the_repository = words and words[0] != "-C" and not PLACEHOLDER.search(words[0])
        if of_the_repository and words[0] not in targets():
            raise ExampleError(f"{name}:{line}: {text}\nthe Makefile has no `{words[0]}`")
        return Mention(text, line, is_typed=False)
    command, page = help_page(program, tuple(words))
    rest = words[len(command) :]
    if words and not words[0].startswith("-") and not command and not PLACEHOLDER.search(words[0]):
        raise ExampleError(f"{name}:{line}: {text}\n{program} has no command `{words[0]}`")
    for word in rest:
        option = re.match(r"\[?(--?[a-z][a-z-]*)", word)
        if option and not re.search(rf"(?<![\w-]){option[1]}(?![\w-])", page):
            raise ExampleError(f"{name}:{line}: {text}\n{' '.join(command)} has no {option[1]}")
    whole = not all(word.startswith("-") for word in rest)  # else it speaks of an option
    whole &= not any(PLACEHOLDER.search(word) for word in rest)
    reads = program == "smartshoe" and " ".join(command) in READING
    return Mention(text, line, is_typed=bool(whole and reads and not INSTALLED.search(text)))


def split(text: str) -> list[str]:
    """The words as a shell takes them; a sentence may cut a quotation short."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


@cache
def targets() -> frozenset[str]:
    """What `make` makes, by its own file."""
    return frozenset(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    )


@cache
def help_page(program: str, words: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The longest command that the words begin with, at most two, and its help page."""
    names = []
    for word in words[:2]:
        if not re.fullmatch(r"[a-z][a-z-]*", word):
            break
        names.append(word)
    while names:
        page = asked(program, tuple(names))
        if re.search(rf"^usage: {program} {' '.join(names)}(\s|$)", page, re.I | re.MULTILINE):
            return tuple(names), page
        names.pop()
    return (), asked(program, ())


@cache
def asked(program: str, names: tuple[str, ...]) -> str:
    """The help page of a command; what it says instead if there is none."""
    words = [str(Path(sys.executable).with_name(program)), *names, "-h"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout
