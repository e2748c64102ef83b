"""Builds typer's command line from the declaration, and runs one command of it.

Only the modules of the command asked for are imported; completion alone imports all of them.
"""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final

import typer
from typer.main import get_command

from controller.cli.command import PROGRAM, Command
from controller.cli.declaration import COMMANDS, FAMILIES
from controller.cli.errors import CommandError, ExitCode
from controller.cli.help_page import command_epilog
from controller.cli.path_parameters import with_both_forms

_SETTINGS: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_NO_COMMAND: Final = "No such command"
_NO_OPTION: Final = "No such option"
_MISSING: Final = ("Missing option", "Missing argument", "Missing parameter")
_DETAIL: Final = ", unable to parse"
_LIMITS: Final = ("Input should be ", " is not one of ")


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
    families = {}
    for family in FAMILIES:
        families[family.name] = typer.Typer(help=family.summary, rich_markup_mode=None)
        app.add_typer(families[family.name], name=family.name)
    for command in COMMANDS:
        if command.plain:
            # Completed by its name alone: it takes its words without typer.
            app.command(command.name, short_help=command.summary)(lambda: None)
            continue
        _add(families.get(command.family, app), command, command.name.split()[-1])
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


def usage_error(error: typer.TyperException, name: str, place: str) -> CommandError:
    """Wrong words in the one form; `param` is what the library knows of the place.

    `name` is the whole command; `place` stands where the library names no place.
    """
    message = error.format_message()
    parameter = getattr(error, "param", None)
    if parameter is not None and message.startswith(_MISSING):
        words = _parameter_name(parameter)
        return CommandError(
            "it is missing",
            place=words,
            allowed=f"{words} {parameter.metavar}" if words.startswith("-") else words,
            remedy=f"see `{name} --help`",
        )
    if message.startswith((_NO_COMMAND, _NO_OPTION)):
        return _unknown_word(error, message, name, place)
    if error.message and parameter is not None:
        message, place = error.message, _parameter_name(parameter)
    words = message.strip().rstrip(".").removeprefix("Value error, ").replace("\n", " ")
    problem, limit, allowed = words, "", ""
    for one in _LIMITS:
        problem, limit, allowed = words.partition(one)
        if limit:
            break
    return CommandError(
        problem or "this value is not allowed",
        place=place,
        allowed=allowed.partition(_DETAIL)[0],
        remedy=f"see `{name} --help`",
    )


def _unknown_word(error: typer.TyperException, message: str, name: str, place: str) -> CommandError:
    """A command or option that there is not, with the one that is most like it."""
    command = getattr(getattr(error, "ctx", None), "command", None)
    if message.startswith(_NO_COMMAND):
        word = message.removeprefix(_NO_COMMAND).split("'")[1]
        place, problem = "", f"{_NO_COMMAND} {word!r}"
        known = [*getattr(command, "commands", ())]
    else:
        word = str(getattr(error, "option_name", ""))
        problem = f"{_NO_OPTION}: {word}"
        options = (one.opts[0] for one in getattr(command, "params", ()))
        known = sorted(one for one in options if one.startswith("-"))
    near = get_close_matches(word, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"use one of them; see `{name} --help`"
    return CommandError(problem, place=place, allowed=", ".join(known), remedy=hint)


def _parameter_name(parameter: Any) -> str:
    return str(parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar)
