"""Errors in a script, each with its line, its column and what to write instead."""

from msgspec import Struct


class ScriptProblem(Struct, frozen=True):
    """One error; `message` says what is wrong, what is allowed and what to write."""

    line: int
    column: int
    message: str


class ScriptError(Exception):
    """A script that cannot be parsed, with every problem in it; `name` is the script's name."""

    def __init__(self, name: str, problems: tuple[ScriptProblem, ...]) -> None:
        super().__init__("\n".join(f"{name}:{p.line}:{p.column}: {p.message}" for p in problems))
        self.problems = problems


class StatementError(Exception):
    """One statement cannot be parsed; its first error."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.message = message
