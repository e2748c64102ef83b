"""What the declaration states about a command: its section, summary, function, examples, codes.

Plain tuples of the standard library: `smartshoe --help` and `smartshoe run` load nothing else.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from controller.system.command_line.errors import ExitCode

PROGRAM: Final = "smartshoe"
SUMMARY_MAX: Final = 60
CTRL_C: Final = "Ctrl-C"


# What every command can end with, beside its own exit codes.
ALWAYS: Final = MappingProxyType(
    {
        ExitCode.UNUSABLE: "wrong usage, or something cannot be read or written",
        ExitCode.FAULT: "internal error",
        ExitCode.INTERRUPTED: "interrupted by Ctrl-C",
        ExitCode.PIPE_CLOSED: "the reader of the output closed the pipe",
    }
)
EXIT_CODES: Final = MappingProxyType(
    {
        ExitCode.DONE: "done; the answer is yes",
        ExitCode.NO: "the answer is no, or problems were found",
        ExitCode.UNUSABLE: ALWAYS[ExitCode.UNUSABLE],
        ExitCode.OTHER_VERSION: "replay: another software version wrote it",
        ExitCode.NO_TABLE: "no table is running there, or it may not start",
        ExitCode.FAULT: ALWAYS[ExitCode.FAULT],
        ExitCode.INTERRUPTED: ALWAYS[ExitCode.INTERRUPTED],
        ExitCode.PIPE_CLOSED: ALWAYS[ExitCode.PIPE_CLOSED],
    }
)
# Of commands beside a running table that ask who does it.
BY_A_PERSON: Final = MappingProxyType(
    {
        ExitCode.DONE: "done",
        ExitCode.NO: "refused: it is not proved who that is, or the role may not",
    }
)


class HelpSection(StrEnum):
    """The sections of `smartshoe --help`, in order."""

    RUN = "run a table"
    DECIDE = "decide at a table"
    EVIDENCE = "evidence"
    OFFICE = "evidence elsewhere (smartshoe-office)"
    RULES = "rules"
    DEVICES = "devices"
    SET_UP = "set up"


class Example(NamedTuple):
    """One command line of a help page, what it prints, how it ends, and what it needs.

    `line` is complete and can be run; a line break in it follows a backslash. In `output` a line
    `...` stands for any lines, and `...` in a line for any text. `needs` is CTRL_C, or names what a
    test bench without devices does not have; then only the words are checked.
    """

    line: str
    output: tuple[str, ...]
    code: ExitCode = ExitCode.DONE
    needs: str = ""

    def shown_lines(self) -> tuple[str, ...]:
        """The lines below the command, with the exit code if it is not 0."""
        return (*self.output, f"[exit {int(self.code)}]") if self.code else self.output


def example(line: str, *output: str, code: ExitCode = ExitCode.DONE, needs: str = "") -> Example:
    """An example with the lines that it prints."""
    return Example(line, output, code, needs)


class Command(NamedTuple):
    """One command. `name` is what follows `smartshoe`; `function` is `module:function`.

    `codes` are the exit codes it can end with besides ALWAYS; an entry there replaces the words of
    ALWAYS. `plain`: the function takes the words and returns the exit code, without typer.
    """

    name: str
    section: HelpSection
    summary: str
    function: str
    examples: tuple[Example, ...]
    codes: Mapping[ExitCode, str] = MappingProxyType({ExitCode.DONE: "done"})
    notes: str = ""
    plain: bool = False

    @property
    def family(self) -> str:
        """The first word of the name."""
        return self.name.partition(" ")[0]

    def exit_codes(self) -> dict[ExitCode, str]:
        """Every exit code of this command, in ascending order."""
        return dict(sorted({**ALWAYS, **self.codes}.items()))


class Family(NamedTuple):
    """Commands that share their first word. `default` runs if the second word is missing."""

    name: str
    section: HelpSection
    summary: str
    default: str = ""
    notes: str = ""
