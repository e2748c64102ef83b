"""Splits the text of a script into the words of its statements, with line and column."""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from controller.core.script.errors import ScriptProblem, StatementError

PUNCTUATION: Final = (",", ":", "+")
# A colon inside a word belongs to it (1:2); before a space it is punctuation (burn 7h: 2c).
_BARE: Final = r'[^\s;#",:+]+(?::[^\s;#",:+]+)*'
_WORD: Final = re.compile(
    rf'(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<bare>{_BARE})|(?P<punctuation>[,:+])'
)
_BARE_WORD: Final = re.compile(_BARE)
_ESCAPED: Final = re.compile(r"\\(.)")
TEXT_LENGTH_MAX: Final = 500
# Of a script: what a person writes has a hundredth of it.
SCRIPT_BYTES_MAX: Final = 1 << 20
STATEMENTS_MAX: Final = 20_000


class Word(Struct, frozen=True):
    """One word. A quoted word is never a keyword; punctuation is never a text."""

    column: int
    text: str
    quoted: bool = False

    @property
    def ends_statement(self) -> bool:
        return not self.quoted and self.text == ";"

    @property
    def is_punctuation(self) -> bool:
        return not self.quoted and self.text in PUNCTUATION


class StatementWords(Struct, frozen=True):
    """The words of one statement; `end` is the column after it, `text` is it as written."""

    line: int
    words: tuple[Word, ...]
    end: int
    text: str = ""


def split_statements(text: str) -> tuple[tuple[StatementWords, ...], tuple[ScriptProblem, ...]]:
    """The words of every statement, and a problem for every line that cannot be split.

    A text that is too long, or has too many of both, is one problem, where the bound is passed.
    """
    found: list[StatementWords] = []
    problems: list[ScriptProblem] = []
    if (problem := _length_problem(text)) is not None:
        return (), (problem,)
    for number, line in enumerate(text.split("\n"), start=1):
        words: list[Word] = []
        try:
            for word in _words_in(line.removesuffix("\r")):
                if not word.ends_statement:
                    words.append(word)
                    continue
                if words:
                    written = line[words[0].column - 1 : word.column - 1].strip()
                    found.append(StatementWords(number, tuple(words), word.column, written))
                words = []
        except StatementError as error:
            problems.append(ScriptProblem(number, error.column, error.message))
        if len(found) + len(problems) > STATEMENTS_MAX:
            first = found[STATEMENTS_MAX].words[0].column if len(found) > STATEMENTS_MAX else 1
            return (), (_too_much(number, first, f"{STATEMENTS_MAX} statements"),)
    return tuple(found), tuple(problems)


def _length_problem(text: str) -> ScriptProblem | None:
    # Most have so few characters that their bytes need not be counted.
    if 4 * len(text) <= SCRIPT_BYTES_MAX:
        return None
    data = text.encode()
    if len(data) <= SCRIPT_BYTES_MAX:
        return None
    line = data.count(b"\n", 0, SCRIPT_BYTES_MAX) + 1
    return _too_much(line, 1, f"{SCRIPT_BYTES_MAX} bytes")


def _too_much(line: int, column: int, most: str) -> ScriptProblem:
    message = f"the script has more than {most}. Allowed: at most so many. Remedy: divide it"
    return ScriptProblem(line, column, message)


def _words_in(line: str) -> Iterator[Word]:
    """The words of a line before its comment; `;` ends a statement, and so does the line."""
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
            raise StatementError(
                at + 1, 'this quote is not closed. Remedy: write a text as "dead table"'
            )
    yield Word(at + 1, ";")


def _word(column: int, match: re.Match[str]) -> Word:
    quoted = match["quoted"]
    text = _ESCAPED.sub(r"\1", quoted[1:-1]) if quoted is not None else match[0]
    if not text.isprintable() or len(text) > TEXT_LENGTH_MAX:
        raise StatementError(
            column, f"a text is printable and has at most {TEXT_LENGTH_MAX} characters"
        )
    return Word(column, text, quoted is not None)


def quote_if_needed(text: str) -> str:
    """The text itself if it is one word, else in quotes."""
    return text if _BARE_WORD.fullmatch(text) else quote_text(text)


def quote_text(text: str) -> str:
    """The text in quotes, with quotes and backslashes escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_AMOUNT: Final = re.compile(r"(0|[1-9][0-9]{0,12})(?:\.([0-9]{2}))?", re.ASCII)


def parse_cents(text: str) -> int:
    """Cents of `100` or `100.00`. Raises ValueError, whose message says what is allowed."""
    match = _AMOUNT.fullmatch(text)
    cents = int(match[1]) * 100 + int(match[2] or 0) if match else 0
    if cents == 0:
        raise ValueError(
            f'"{text}" is not a valid amount, which is more than 0, such as 100 or 12.50'
        )
    return cents
