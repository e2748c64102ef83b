"""Help pages from the declaration: the grouped list of commands, a family, the end of a page."""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from controller.cli.declaration import COMMANDS, FAMILIES, commands_of
from controller.system.command_line.brought import BROUGHT
from controller.system.command_line.command import (
    EXIT_CODES,
    PROGRAM,
    Family,
    HelpSection,
)
from controller.system.command_line.help_lines import code_lines, example_lines

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


def _entries(section: HelpSection) -> Iterator[tuple[str, str]]:
    """The families and single commands of a section."""
    for command in COMMANDS:
        if command.section is section and command.family == command.name:
            yield command.name, command.summary
    for family in FAMILIES:
        if family.section is section:
            yield family.name, family.summary
    if section is HelpSection.OFFICE:
        yield from ((name, one.summary) for name, one in BROUGHT.items())


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    shown = tuple(rows)
    width = max(len(name) for name, _ in shown)
    return [f"  {name:<{width}}  {words}" for name, words in shown]
