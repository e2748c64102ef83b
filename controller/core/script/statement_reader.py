"""Reads the words of one statement from left to right and reports the first wrong one."""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import Final, Generic, TypeVar

from msgspec import Struct

from controller.core.script.errors import StatementError
from controller.core.script.statements import UNREAD, BodyT
from controller.core.script.tokens import StatementWords, Word, parse_cents, quote_text
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.actions.declaration import Role
from controller.rules.cards import Card
from foundation.timestamp import Timestamp

Choice = TypeVar("Choice", bound=StrEnum)

CARDS_ALLOWED: Final = (
    "a rank (A, 2 to 10, J, Q, K) and a suit (d, c, s, h) such as 7h, 10d, Qs, or ?? where it"
    " could not be read"
)
_CARD: Final = "7h"
_TEXT: Final = '"A. Lee"'
NUMBER_MAX: Final = 10**9
# How the person of a script is known.
IDENTIFIED_BY: Final = "script"
OFFSET_S_MAX: Final = 9_999_999
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_OFFSET: Final = re.compile(r"(0|[1-9][0-9]{0,6})(s|min|h|d)?", re.ASCII)
_SECONDS: Final = {None: 1, "s": 1, "min": 60, "h": 3600, "d": 86400}
_NS: Final = 1_000_000_000


class StatementReader:
    """The words of one statement and the position of the next one.

    `first` is the first word of the statement, which is read already. `example` is a correct
    statement of the same form, for error messages; `clock_ns` is the time since the script began at
    the statement before, in nanoseconds.
    """

    def __init__(self, statement: StatementWords, example: str, clock_ns: int = 0) -> None:
        self.first = statement.words[0].text
        self.clock_ns = clock_ns
        self._words = statement.words
        self._end = statement.end
        self._at = 1
        self._example = example

    # --- position ----------------------------------------------------------------------------

    @property
    def column(self) -> int:
        """Where the statement begins."""
        return self._words[0].column

    def peek(self) -> Word | None:
        return self._words[self._at] if self._at < len(self._words) else None

    def error(
        self, what: str, allowed: str, at: Word | None, *, valid: str = "", remedy: str = ""
    ) -> StatementError:
        """The error at word `at`, or at the end of the statement.

        `valid` is what could stand there: the remedy is the statement up to there with it.
        """
        problem = f'"{at.text}" {what}' if at is not None else "the statement ends too early"
        column = at.column if at is not None else self._end
        if valid:
            remedy = f"write `{self._so_far} {valid}`"
        remedy = remedy or f"write `{self._example}`"
        return StatementError(column, f"{problem}. Allowed: {allowed}. Remedy: {remedy}")

    @property
    def _so_far(self) -> str:
        """The words that are read, as they are written."""
        return " ".join(
            quote_text(word.text) if word.quoted else word.text for word in self._words[: self._at]
        )

    def _not_one_of(self, what: str, allowed: Sequence[str], word: Word | None) -> StatementError:
        """The error for a word that is none of these; the remedy is the one most like it.

        Where the statement ends before it, the remedy is the statement with the first of them.
        """
        near = get_close_matches(word.text, allowed, n=1) if word is not None else allowed[:1]
        valid = near[0] if near else allowed[0] if len(allowed) == 1 else ""
        return self.error(what, ", ".join(allowed), word, valid=valid, remedy="write one of them")

    def expect_end(self) -> None:
        """Require that no word follows. Raises StatementError."""
        if (word := self.peek()) is not None:
            remedy = f"write `{self._so_far}`"
            raise self.error("is one word too many", "nothing more here", word, remedy=remedy)

    # --- words of the language ---------------------------------------------------------------

    def accept(self, *phrase: str) -> bool:
        """Read these words or punctuation marks if they come next."""
        words = self._words[self._at : self._at + len(phrase)]
        if tuple(word.text for word in words if not word.quoted) != phrase:
            return False
        self._at += len(phrase)
        return True

    def expect(self, *phrase: str) -> None:
        """Read each of these words. Raises StatementError."""
        for number, text in enumerate(phrase):
            if not self.accept(text):
                valid = " ".join(phrase[number:])
                raise self.error("is not expected here", text, self.peek(), valid=valid)

    def one_of(self, what: str, allowed: Sequence[str]) -> str:
        """Read one of these words. Raises StatementError."""
        word = self.peek()
        if word is None or word.quoted or word.text not in allowed:
            raise self._not_one_of(f"is not a valid {what}", allowed, word)
        self._at += 1
        return word.text

    def parts(self, *names: str) -> Iterator[str]:
        """The names of the parts that follow, in any order, each once. Raises StatementError."""
        seen: list[str] = []
        while (word := self.peek()) is not None:
            if word.quoted or word.text not in names:
                raise self._not_one_of("is not expected here", names, word)
            if word.text in seen:
                raise self.error("is given twice", "each part once", word, remedy="leave one out")
            seen.append(word.text)
            self._at += 1
            yield word.text

    def choice(self, what: str, kind: type[Choice]) -> Choice:
        """Read a member of a closed set by its value. Raises StatementError."""
        return kind(self.one_of(what, [member.value for member in kind]))

    # --- words of people ---------------------------------------------------------------------

    def text(self, what: str) -> str:
        """Read a word, or a text in quotes. Raises StatementError."""
        word = self.peek()
        if word is None or word.is_punctuation:
            allowed = f"one word, or several in quotes such as {_TEXT}"
            raise self.error(f"is not a valid {what}", allowed, word, valid=_TEXT)
        self._at += 1
        return word.text

    def card(self) -> Card | None:
        """Read a card; None: the shoe could not read it. Raises StatementError."""
        word = self.peek()
        try:
            if word is None or word.quoted:
                raise self.error("is not a valid card", CARDS_ALLOWED, word, valid=_CARD)
            card = None if word.text == UNREAD else Card.parse(word.text)
        except ValueError:
            raise self.error("is not a valid card", CARDS_ALLOWED, word, valid=_CARD) from None
        self._at += 1
        return card

    def number(self, what: str, least: int, most: int = NUMBER_MAX) -> int:
        """Read a whole number within bounds. Raises StatementError."""
        word = self.peek()
        bounds = f"a whole number from {least}"
        if most < NUMBER_MAX:
            bounds += f" to {most}"
        is_number = word is not None and not word.quoted and _NUMBER.fullmatch(word.text)
        if word is None or not is_number or not least <= int(word.text) <= most:
            nearest = most if is_number and word is not None and int(word.text) > most else least
            raise self.error(f"is not a valid {what}", bounds, word, valid=str(nearest))
        self._at += 1
        return int(word.text)

    def cents(self) -> int:
        """Read an amount of money above zero. Raises StatementError."""
        word = self.peek()
        try:
            cents = parse_cents(word.text) if word is not None and not word.quoted else 0
        except ValueError:
            cents = 0
        if not cents:
            allowed = "more than 0, such as 100 or 12.50"
            raise self.error("is not a valid amount", allowed, word, valid="100")
        self._at += 1
        return cents

    def matching(self, what: str, allowed: str, fits: Callable[[str], bool], valid: str) -> str:
        """Read a word for which `fits` is true, such as `valid`. Raises StatementError."""
        word = self.peek()
        if word is None or word.quoted or not fits(word.text):
            raise self.error(f"is not a valid {what}", allowed, word, valid=valid)
        self._at += 1
        return word.text

    def offset_ns(self) -> int:
        """Read a time since the script's beginning, such as `+30min`. Raises StatementError."""
        self.expect("+")
        word = self.peek()
        match = _OFFSET.fullmatch(word.text) if word is not None and not word.quoted else None
        offset_s = int(match[1]) * _SECONDS[match[2]] if match is not None else None
        if offset_s is None or offset_s > OFFSET_S_MAX:
            allowed = f"+0, +90s, +30min, +2h, +1d, at most +{OFFSET_S_MAX}s"
            raise self.error("is not a valid time", allowed, word, valid="30min")
        self._at += 1
        return offset_s * _NS

    # --- what a person did ---------------------------------------------------------------------

    def by(self, otherwise: str) -> str:
        """Read the rest of a statement that can only name a person. Raises StatementError."""
        for _ in self.parts("by"):
            return self.text("name")
        return otherwise

    def by_and_because(self, person: str, reason: str) -> tuple[str, str]:
        """Read the rest of a statement that can give a person and a reason."""
        _, person, reason = self.time_person_reason(person, reason, "by", "because")
        return person, reason

    def time_person_reason(self, person: str, reason: str, *names: str) -> tuple[int, str, str]:
        """Read the rest of a statement that can give a time, a person and a reason."""
        at_ns = self.clock_ns
        for part in self.parts(*(names or ("at", "by", "because"))):
            match part:
                case "at":
                    at_ns = self.offset_ns()
                case "by":
                    person = self.text("name")
                case _:
                    reason = self.text("reason")
        return at_ns, person, reason

    def act(
        self,
        action: Action,
        person: str,
        role: Role,
        reason: str = "",
        at_ns: int | None = None,
    ) -> OperatorAction[Action]:
        """The action with who took it, and when: now, where no time is given."""
        at = Timestamp(0, self.clock_ns if at_ns is None else at_ns)
        return OperatorAction(at, person, role, IDENTIFIED_BY, action, reason)


class StatementForm(Struct, Generic[BodyT], frozen=True):
    """One form of statement: its first words, an example, its meaning, and how the rest is read.

    `keywords` begin the statement; the first of them, or one of `others`, selects the form.
    `spoken` are words that people write instead: they are not read, and the error names the right
    ones.
    """

    keywords: str
    example: str
    meaning: str
    read: Callable[[StatementReader], BodyT]
    others: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()

    @property
    def first(self) -> tuple[str, ...]:
        return (self.keywords.split()[0], *self.others)
