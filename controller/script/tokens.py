"""From the text of a script to the words of its statements.

Responsible for: separators, comments, quotes and punctuation, with line and column of each word.
Not responsible for: what the words mean (reading, parser).
Source: package README, "Words".
"""

import re
from collections.abc import Iterator
from typing import Final

from controller.script.errors import Misread, Problem
from firmware_bridge.values import dataclass

PUNCTUATION: Final = (",", ":", "+")
# A colon inside a word belongs to it (1:2); before a space it is punctuation (burn 7h: 2c).
_BARE: Final = r'[^\s;#",:+]+(?::[^\s;#",:+]+)*'
_WORD: Final = re.compile(
    rf'(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<bare>{_BARE})|(?P<punctuation>[,:+])'
)
_BARE_WORD: Final = re.compile(_BARE)
_ESCAPED: Final = re.compile(r"\\(.)")
TEXT_LENGTH_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class Word:
    """One word; a quoted one is never a keyword, punctuation never a text."""

    column: int
    text: str
    quoted: bool = False

    @property
    def ends_statement(self) -> bool:
        return not self.quoted and self.text == ";"

    @property
    def is_punctuation(self) -> bool:
        return not self.quoted and self.text in PUNCTUATION


@dataclass(frozen=True, slots=True)
class Spoken:
    """The words of one statement; `end` is the column after the last."""

    line: int
    words: tuple[Word, ...]
    end: int


def spoken(text: str) -> tuple[tuple[Spoken, ...], tuple[Problem, ...]]:
    """The statements of a text as words, and what is no word."""
    found: list[Spoken] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        words: list[Word] = []
        try:
            for word in _words(line.removesuffix("\r")):
                if not word.ends_statement:
                    words.append(word)
                    continue
                if words:
                    found.append(Spoken(number, tuple(words), word.column))
                words = []
        except Misread as misread:
            problems.append(Problem(number, misread.column, misread.words))
    return tuple(found), tuple(problems)


def _words(line: str) -> Iterator[Word]:
    """The words of a line, and where a statement ends, before its comment."""
    at = 0
    while at < len(line) and line[at] != "#":
        match = _WORD.match(line, at)
        if match is not None:
            yield _word(at + 1, match)
            at = match.end()
        elif line[at] == ";" or line[at].isspace():
            if line[at] == ";":
                yield Word(at + 1, ";")
            at += 1
        else:
            raise Misread(at + 1, 'this quote is not closed; write a text as "dead table"')
    yield Word(at + 1, ";")


def _word(column: int, match: re.Match[str]) -> Word:
    quoted = match["quoted"]
    text = _ESCAPED.sub(r"\1", quoted[1:-1]) if quoted is not None else match[0]
    if not text.isprintable() or len(text) > TEXT_LENGTH_MAX:
        raise Misread(column, f"a text is printable and has at most {TEXT_LENGTH_MAX} signs")
    return Word(column, text, quoted is not None)


def written(text: str) -> str:
    """A text as a script writes it: bare where it is one word, else quoted."""
    return text if _BARE_WORD.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """A text in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_AMOUNT: Final = re.compile(r"(0|[1-9][0-9]{0,12})(?:\.([0-9]{2}))?", re.ASCII)


def cents_of(text: str) -> int:
    """Cents of `100` or `100.00`. Raises ValueError, which says what is allowed."""
    match = _AMOUNT.fullmatch(text)
    cents = int(match[1]) * 100 + int(match[2] or 0) if match else 0
    if cents == 0:
        raise ValueError(f'"{text}" is no amount; allowed: more than 0, such as 100 or 12.50')
    return cents
