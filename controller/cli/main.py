"""Entry point of `smartshoe`: finds the command in the declaration, runs it, gives its code."""
# ruff: noqa: PLC0415 - `run` must load neither typer nor rich; the commands load what they need.

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from controller.system.command_line.brought import BROUGHT
from controller.system.command_line.command import PROGRAM, Command
from controller.system.command_line.errors import CommandError, ExitCode, write_stderr
from controller.system.command_line.program import run_program
from controller.system.command_line.standard_output import install_standard_streams

RUN: Final = "run"
HELP: Final = ("-h", "--help")
_COMPLETION_SETTING: Final = "_SMARTSHOE_COMPLETE"
_COMPLETION_OPTIONS: Final = ("--install-completion", "--show-completion")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. `argv` without the program's name."""
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        install_standard_streams()
    code = run_program(PROGRAM, _dispatch, words)
    if argv is None and words[:1] == [RUN]:
        from controller.system.process import leave_at_once

        # The state of a flooded table takes the interpreter a minute to take apart.
        leave_at_once(code)
    return code


def _dispatch(words: list[str]) -> int:
    if os.environ.get(_COMPLETION_SETTING) or set(words[:1]) & {*_COMPLETION_OPTIONS}:
        from controller.cli.commands import execute_all

        return execute_all(words)
    if words[:1] == ["--version"]:
        from controller.version import software_identifier

        print(f"{PROGRAM} {software_identifier()}")
        return ExitCode.DONE
    page = _page(words)
    if page:
        print(page)
        return ExitCode.DONE
    if words[:1] == [RUN]:
        # A running table keeps no declaration of the other commands.
        from controller.cli.declared_run import RUN_TABLE

        return _run_plain(RUN_TABLE, words[1:])
    from controller.cli.declaration import find_command

    found = find_command(words)
    if found is None:
        return _no_command(words)
    command, given = found
    if command.plain:
        return _run_plain(command, given)
    from controller.cli.commands import execute

    return execute(command, given)


def _page(words: list[str]) -> str:
    """The page of the program or of a family, if one is asked for."""
    if not set(words[:2]) & {*HELP}:
        return ""
    from controller.cli.declaration import family_named
    from controller.cli.help_page import family_page, top_page

    if words[0] in HELP:
        return top_page()
    family = family_named(words[0])
    return family_page(family) if family is not None else ""


def _no_command(words: list[str]) -> int:
    """Without a command: the commands, on stderr. Raises CommandError for an unknown one."""
    from difflib import get_close_matches

    from controller.cli.declaration import COMMANDS, commands_of, family_named
    from controller.cli.help_page import family_page, top_page

    if not words:
        write_stderr(top_page())
        return ExitCode.UNUSABLE
    family = family_named(words[0])
    if family is not None and len(words) == 1:
        write_stderr(family_page(family))
        return ExitCode.UNUSABLE
    prefix = f"{words[0]} " if family is not None else ""
    wrong = words[1] if family is not None else words[0]
    names = {*(one.family for one in COMMANDS), *BROUGHT}
    if family is not None:
        names = {one.name.removeprefix(prefix) for one in commands_of(family.name)}
    near = get_close_matches(wrong, sorted(names), n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"see `{PROGRAM} {prefix}--help`"
    raise CommandError(
        "there is no such command",
        place=f"{prefix}{wrong}",
        allowed=", ".join(sorted(names)),
        remedy=hint,
    )


def _run_plain(command: Command, words: list[str]) -> int:
    # Objects made while loading live for the whole run: collecting garbage now is wasted time.
    # The service enables the collector again after it has loaded everything.
    gc.disable()
    module, _, name = command.function.partition(":")
    code: int = getattr(import_module(module), name)(command, words)
    return code


if __name__ == "__main__":
    sys.exit(main())
