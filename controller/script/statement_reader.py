"""Reading the words of one statement from left to right.

Responsible for: the kinds of word a statement is made of (card, number, amount, choice, text, named
parts), and for saying at which word, and how, one is wrong.
Not responsible for: which statements there are (parser).
Source: package README, "Words", "Errors".
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Final, TypeVar

from controller.rules.cards import Card
from controller.script.errors import Misread
from controller.script.statements import UNREAD
from controller.script.tokens import Spoken, Word, cents_of

Choice = TypeVar("Choice", bound=StrEnum)

CARDS_ALLOWED: Final = (
    "a rank (A, 2 to 10, J, Q, K) and a suit (d, c, s, h) such as 7h, 10d, Qs, or ?? where it"
    " could not be read"
)
NUMBER_MAX: Final = 10**9
OFFSET_S_MAX: Final = 9_999_999
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_OFFSET: Final = re.compile(r"(0|[1-9][0-9]{0,6})(s|min|h|d)?", re.ASCII)
_SECONDS: Final = {None: 1, "s": 1, "min": 60, "h": 3600, "d": 86400}
_NS: Final = 1_000_000_000


class Reading:
    """The words of one statement and how far they are read; `example` is how it is written,

    `clock_ns` the time of the script so far.
    """

    def __init__(self, spoken: Spoken, example: str, clock_ns: int = 0) -> None:
        self.clock_ns = clock_ns
        self._words = spoken.words
        self._end = spoken.end
        self._at = 0
        self._example = example

    # --- where the reading stands ------------------------------------------------------------

    def next(self) -> Word | None:
        return self._words[self._at] if self._at < len(self._words) else None

    def wrong(self, what: str, allowed: str, at: Word | None) -> Misread:
        """The error that `at`, or the end of the statement, is not what is due."""
        said = f'"{at.text}" is {what}' if at is not None else "the statement ends too early"
        column = at.column if at is not None else self._end
        return Misread(column, f"{said}; allowed: {allowed}; write `{self._example}`")

    def ended(self) -> None:
        """Nothing more may follow. Raises Misread."""
        if (word := self.next()) is not None:
            raise self.wrong("one word too many", "nothing more here", word)

    # --- words of the language ---------------------------------------------------------------

    def take(self, *phrase: str) -> bool:
        """Read these words, or these signs, if they are what comes next."""
        words = self._words[self._at : self._at + len(phrase)]
        if tuple(word.text for word in words if not word.quoted) != phrase:
            return False
        self._at += len(phrase)
        return True

    def need(self, *phrase: str) -> None:
        """Read each of these words. Raises Misread."""
        for text in phrase:
            if not self.take(text):
                raise self.wrong("not what comes here", text, self.next())

    def one_of(self, what: str, allowed: Sequence[str]) -> str:
        """Read one of these words. Raises Misread."""
        word = self.next()
        if word is None or word.quoted or word.text not in allowed:
            raise self.wrong(f"no {what}", ", ".join(allowed), word)
        self._at += 1
        return word.text

    def parts(self, *names: str) -> Iterator[str]:
        """The names of the parts that follow, in any order, each once. Raises Misread."""
        seen: list[str] = []
        while (word := self.next()) is not None:
            if word.quoted or word.text not in names:
                raise self.wrong("not what comes here", ", ".join(names), word)
            if word.text in seen:
                raise self.wrong("said twice", "each part once", word)
            seen.append(word.text)
            self._at += 1
            yield word.text

    def choice(self, what: str, kind: type[Choice]) -> Choice:
        """Read a member of a closed set by its value. Raises Misread."""
        return kind(self.one_of(what, [member.value for member in kind]))

    # --- words of people ---------------------------------------------------------------------

    def text(self, what: str) -> str:
        """Read a word, or a text in quotes. Raises Misread."""
        word = self.next()
        if word is None or word.is_punctuation:
            raise self.wrong(f"no {what}", 'one word, or several in quotes such as "A. Lee"', word)
        self._at += 1
        return word.text

    def card(self) -> Card | None:
        """Read a card; None is one that could not be read. Raises Misread."""
        word = self.next()
        try:
            if word is None or word.quoted:
                raise self.wrong("no card", CARDS_ALLOWED, word)
            card = None if word.text == UNREAD else Card.parse(word.text)
        except ValueError:
            raise self.wrong("no card", CARDS_ALLOWED, word) from None
        self._at += 1
        return card

    def number(self, what: str, least: int, most: int = NUMBER_MAX) -> int:
        """Read a whole number within bounds. Raises Misread."""
        word = self.next()
        bounds = f"a whole number from {least}"
        if most < NUMBER_MAX:
            bounds += f" to {most}"
        if word is None or word.quoted or not _NUMBER.fullmatch(word.text):
            raise self.wrong(f"no {what}", bounds, word)
        if not least <= int(word.text) <= most:
            raise self.wrong(f"no {what}", bounds, word)
        self._at += 1
        return int(word.text)

    def cents(self) -> int:
        """Read an amount of money above zero. Raises Misread."""
        word = self.next()
        try:
            cents = cents_of(word.text) if word is not None and not word.quoted else 0
        except ValueError:
            cents = 0
        if not cents:
            raise self.wrong("no amount", "more than 0, such as 100 or 12.50", word)
        self._at += 1
        return cents

    def matching(self, what: str, allowed: str, fits: Callable[[str], bool]) -> str:
        """Read a word that fits. Raises Misread."""
        word = self.next()
        if word is None or word.quoted or not fits(word.text):
            raise self.wrong(f"no {what}", allowed, word)
        self._at += 1
        return word.text

    def offset_ns(self) -> int:
        """Read a time after the beginning of the script, such as `+30min`. Raises Misread."""
        self.need("+")
        word = self.next()
        match = _OFFSET.fullmatch(word.text) if word is not None and not word.quoted else None
        offset_s = int(match[1]) * _SECONDS[match[2]] if match is not None else None
        if offset_s is None or offset_s > OFFSET_S_MAX:
            allowed = f"+0, +90s, +30min, +2h, +1d, at most +{OFFSET_S_MAX}s"
            raise self.wrong("no time", allowed, word)
        self._at += 1
        return offset_s * _NS
