"""What is wrong with a script, each with its place and what to write instead.

Responsible for: one problem as a value, all problems of a script as one error, and their words.
Not responsible for: finding them (reading, parser).
Source: package README, "Errors".
"""

from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """`words` say what is wrong, what is allowed and what to write."""

    line: int
    column: int
    words: str


class ScriptError(Exception):
    """A script that cannot be read, with every problem in it; `name` is where it comes from."""

    def __init__(self, name: str, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(f"{name}:{p.line}:{p.column}: {p.words}" for p in problems))
        self.problems = problems


class Misread(Exception):
    """One statement cannot be read; the first thing wrong with it."""

    def __init__(self, column: int, words: str) -> None:
        super().__init__(words)
        self.column = column
        self.words = words
