"""Refuses wrong words on a command line, in the one form of an error."""

from difflib import get_close_matches
from typing import Any, Final

import typer

from controller.system.command_line.errors import CommandError
from foundation.recorded_text import name_line

_NO_COMMAND: Final = "No such command"
_NO_OPTION: Final = "No such option"
_MISSING: Final = ("Missing option", "Missing argument", "Missing parameter")
_DETAIL: Final = ", unable to parse"
_LIMITS: Final = ("Input should be ", " is not one of ")


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


def checked_line(option: str, text: str) -> str:
    """The name of a person or company, stripped. Raises CommandError."""
    try:
        return name_line(text)
    except ValueError as error:
        raise CommandError(f"{option}: {error}") from error
