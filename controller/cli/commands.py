"""Builds typer's command line from the declaration, and runs one command of it.

Only the modules of the command asked for are imported; completion alone imports all of them.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import typer
from typer.main import get_command

from controller.cli.declaration import installed
from controller.system.command_line.command import PROGRAM, Command
from controller.system.command_line.errors import ExitCode
from controller.system.command_line.help_lines import command_epilog
from controller.system.command_line.path_parameters import with_both_forms
from controller.system.command_line.usage import usage_error

_SETTINGS: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def execute(command: Command, words: Sequence[str]) -> int:
    """Run one command with the words that follow its name; returns the exit code."""
    return _run(app_of(command), f"{PROGRAM} {command.name}", words)


def app_of(command: Command) -> typer.Typer:
    """The command line of one command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    _add(app, command, command.name)
    return app


def execute_all(words: Sequence[str]) -> int:
    """Run with every command loaded, which completion needs; returns the exit code."""
    app = typer.Typer(add_completion=True, rich_markup_mode=None)
    app.callback()(lambda: None)
    for commands, family in installed():
        under = app
        if family is not None:
            under = typer.Typer(help=family.summary, rich_markup_mode=None)
            app.add_typer(under, name=family.name)
        for command in commands:
            if command.plain:
                # Completed by its name alone: it takes its words without typer.
                under.command(command.name, short_help=command.summary)(lambda: None)
            else:
                _add(under, command, command.name.split()[-1])
    return _run(app, PROGRAM, words)


def _add(app: typer.Typer, command: Command, name: str) -> None:
    app.command(
        name,
        epilog=command_epilog(command),
        short_help=command.summary,
        context_settings=_SETTINGS,
    )(with_both_forms(load_function(command)))


def load_function(command: Command) -> Callable[..., Any]:
    """The function that runs the command."""
    module, _, name = command.function.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def _run(app: typer.Typer, name: str, words: Sequence[str]) -> int:
    try:
        ended = get_command(app).main(args=list(words), prog_name=name, standalone_mode=False)
    except typer.TyperException as error:
        raise usage_error(error, name, name.removeprefix(PROGRAM).strip()) from error
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except SystemExit as ended_early:
        return ended_early.code if isinstance(ended_early.code, int) else ExitCode.DONE
    return ended if isinstance(ended, int) else ExitCode.DONE
