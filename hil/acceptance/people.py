"""Who answers: a person at the terminal, or a file of answers for a run without one."""

import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol, TextIO

from msgspec import Struct

from controller.system.atomic_file import SmallFileError, read_text
from controller.system.command_line.errors import CommandError, write_stderr

SKIP: Final = "skip"
DONE: Final = "done"
AGAIN: Final = "again"
DEFAULT: Final = "default"


class PersonQuestion(Struct, frozen=True):
    """What is asked. `name` is the key in a file of answers; `optional`: Enter leaves it out."""

    name: str
    text: str
    optional: bool = False


class PersonAnswer(Struct, frozen=True):
    """What was answered. `skipped`: the reason why it is not done; else empty."""

    text: str
    skipped: str = ""


class Answerer(Protocol):
    """Answers questions; `source` says for the report who did.

    `present`: somebody acts after a question was put; else the device does as it likes, and what
    came since the step before counts.
    """

    @property
    def source(self) -> str: ...

    @property
    def present(self) -> bool: ...

    def ask(self, question: PersonQuestion) -> PersonAnswer:
        """The answer. Raises NobodyAnswers."""
        ...

    def ask_again(self, name: str, why: str) -> bool:
        """Whether to wait once more for what did not come."""
        ...

    def say(self, text: str) -> None:
        """Tell something that needs no answer."""
        ...


class NobodyAnswers(Exception):
    """The person has left: standard input has ended."""


def answer_of(text: str) -> PersonAnswer:
    """An answer as people type it: `skip REASON`, `skip: REASON`, or anything else."""
    word, _, rest = text.strip().partition(" ")
    if word.rstrip(":").lower() == SKIP:
        return PersonAnswer("", rest.strip(" :") or "no reason was given")
    return PersonAnswer(text.strip())


class AtTerminal:
    """A person: questions on standard error, answers on standard input."""

    source = "a person at the terminal"
    present = True

    def __init__(self, answers: TextIO | None = None) -> None:
        self._answers = answers or sys.stdin

    def ask(self, question: PersonQuestion) -> PersonAnswer:
        """The answer. Raises NobodyAnswers."""
        write_stderr(f"\n{question.text}")
        hint = "Enter to leave it out" if question.optional else "Enter, or skip and the reason"
        print(f"[{question.name}] {hint}: ", end="", file=sys.stderr, flush=True)
        return answer_of(self._line())

    def ask_again(self, name: str, why: str) -> bool:
        """Whether the person types `again`. Raises NobodyAnswers."""
        write_stderr(f"{why}.")
        hint = f"[{name}] {AGAIN} to wait once more, Enter to put it on record: "
        print(hint, end="", file=sys.stderr, flush=True)
        return self._line().strip().lower() == AGAIN

    def say(self, text: str) -> None:
        """Tell something that needs no answer."""
        write_stderr(text)

    def _line(self) -> str:
        line = self._answers.readline()
        if not line:
            raise NobodyAnswers("standard input has ended")
        return line


class FromFile:
    """Answers of a file: a TOML text of `name = "answer"`; `default` answers all others."""

    present = False

    def __init__(self, path: Path, names: Iterable[str]) -> None:
        """Raises CommandError: it cannot be read, or answers what nobody asks."""
        self.source = f"the file {path.name}, without a person"
        self._answers = _read_answers(path, {*names, DEFAULT})

    def ask(self, question: PersonQuestion) -> PersonAnswer:
        """The answer of the file."""
        text = self._answers.get(question.name)
        if text is None:
            text = "" if question.optional else self._answers.get(DEFAULT, DONE)
        write_stderr(f"{question.text}\n[{question.name}] {text or '-'} (from the file)")
        return answer_of(text)

    def ask_again(self, name: str, why: str) -> bool:
        """Never: nobody is there who could do it again."""
        write_stderr(f"{why}.")
        return False

    def say(self, text: str) -> None:
        """Tell something that needs no answer."""
        write_stderr(text)


def _read_answers(path: Path, known: set[str]) -> dict[str, str]:
    try:
        answers = tomllib.loads(read_text(path))
    except SmallFileError as error:
        raise CommandError(str(error)) from error
    except ValueError as error:
        raise _unusable(path, f"it is no TOML text: {error}") from error
    for name, text in answers.items():
        if name not in known:
            raise CommandError(
                f"nobody asks {name!r}",
                place=str(path),
                allowed=", ".join(sorted(known)),
                remedy="correct it; --list shows the steps",
            )
        if not isinstance(text, str) or not text.isprintable():
            raise _unusable(path, f"the answer {name!r} is not one line of text")
    return answers


def _unusable(path: Path, problem: str) -> CommandError:
    return CommandError(
        problem,
        place=str(path),
        allowed='lines such as card-1 = "done" or unplug = "skip: nobody is here"',
        remedy="correct it",
    )
