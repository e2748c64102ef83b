"""Help pages from the declaration: the grouped list of commands, a family, the end of a page."""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from controller.cli.command import EXIT_CODES, PROGRAM, Command, Example, Family, HelpSection
from controller.cli.declaration import COMMANDS, FAMILIES, commands_of
from controller.cli.errors import ExitCode

_WIDTH: Final = 79
FIRST_STEPS: Final = (
    ("check-config", "write a configuration; check it"),
    ("run", "run the table"),
    ("status", "show its state, and watch it"),
    ("resolve", "see what is open, and decide"),
    ("try", "play a script, every verdict with its clause"),
    ("verify", "check that the evidence is complete and unchanged"),
)
_OPTIONS: Final = (
    ("-h, --help", "Show this page and stop; also after every command."),
    ("--version", "Print the version and stop."),
    ("--install-completion", "Install completion for this shell, and stop."),
    ("--show-completion", "Print the completion script of this shell, and stop."),
)


def top_page() -> str:
    """The page of `smartshoe --help`."""
    lines = [
        f"Usage: {PROGRAM} COMMAND [OPTIONS]...",
        "",
        "  Controller of a baccarat table's smart dealing shoe and shuffler.",
    ]
    for section in HelpSection:
        lines += ["", f"{section.value}:", *_rows(_entries(section))]
    lines += ["", "options:", *_rows(_OPTIONS)]
    steps = _rows((f"{PROGRAM} {name} -h", words) for name, words in FIRST_STEPS)
    lines += ["", "first steps, with examples:", *steps, "", *code_lines(EXIT_CODES.items())]
    return "\n".join(lines)


def family_page(family: Family) -> str:
    """The page of commands that share their first word, such as `smartshoe batch --help`."""
    commands = commands_of(family.name)
    default = f" (default: {family.default.split()[-1]})" if family.default else ""
    lines = [
        f"Usage: {PROGRAM} {family.name} COMMAND [OPTIONS]...",
        "",
        f"  {family.summary}",
        "",
        f"commands{default}:",
        *_rows((one.name.partition(" ")[2], one.summary) for one in commands),
    ]
    if family.notes:
        lines += ["", *textwrap.wrap(family.notes, _WIDTH)]
    lines += ["", *example_lines(one.examples[0] for one in commands)]
    codes = {code: EXIT_CODES[code] for one in commands for code in one.exit_codes()}
    return "\n".join([*lines, "", *code_lines(sorted(codes.items()))])


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


def _entries(section: HelpSection) -> Iterator[tuple[str, str]]:
    """The families and single commands of a section."""
    for command in COMMANDS:
        if command.section is section and command.family == command.name:
            yield command.name, command.summary
    for family in FAMILIES:
        if family.section is section:
            yield family.name, family.summary


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    shown = tuple(rows)
    width = max(len(name) for name, _ in shown)
    return [f"  {name:<{width}}  {words}" for name, words in shown]
