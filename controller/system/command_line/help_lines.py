"""Lines of help pages that every program shares: examples, exit codes, the end of a page."""

from collections.abc import Iterable

from controller.system.command_line.command import Command, Example
from controller.system.command_line.errors import ExitCode


def command_epilog(command: Command) -> str:
    """The end of a command's page: examples, notes, exit codes; `\\b` keeps lines as they are."""
    blocks = ["\n".join(example_lines(command.examples)), "\n".join(code_lines_of(command))]
    kept = [f"\b\n{block}" for block in blocks]
    return "\n\n".join(filter(None, [kept[0], command.notes, kept[1]]))


def code_lines_of(command: Command) -> list[str]:
    """The exit codes that the command can give."""
    return code_lines(command.exit_codes().items())


def code_lines(codes: Iterable[tuple[ExitCode, str]]) -> list[str]:
    """A heading, and one line for each exit code."""
    return ["exit codes:", *(f"  {int(code):<3}  {words}" for code, words in codes)]


def example_lines(examples: Iterable[Example]) -> list[str]:
    """A heading, and each example with what it prints below it."""
    shown = tuple(examples)
    lines = ["example:" if len(shown) == 1 else "examples:"]
    for one in shown:
        lines += [f"  {line}" for line in one.line.split("\n")]
        lines += [f"      {line}".rstrip() for line in one.shown_lines()]
    return lines
