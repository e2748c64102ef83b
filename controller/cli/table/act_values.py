"""Parses the values of `smartshoe act`, such as `seat=5`, into the values of a request."""
# ruff: noqa: PLC0415 - wagers are read only where some are stated.

from collections.abc import Iterable

from msgspec import to_builtins

from controller.outlets.control.action_texts import ActionTextError, value_from_text
from controller.rules.actions.declaration import ActionValues, values_of
from controller.system.command_line.errors import CommandError
from controller.system.command_line.path_parameters import given_text


def parse_values(kind: type[ActionValues], words: Iterable[str]) -> dict[str, object]:
    """The values of an action from words such as `seat=5`. Raises CommandError."""
    declared = {one.name: one.kind for one in values_of(kind)}
    values: dict[str, object] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise CommandError(
                f"{word!r} is not a value",
                place="KEY=VALUE",
                allowed="key=value, such as seat=5",
                remedy="`smartshoe act ACTION --list` shows the keys",
            )
        if key in values:
            raise CommandError("it is given twice", place=key, allowed="once", remedy="remove one")
        values[key] = _value(key, declared.get(key, str), text)
    return values


def _value(key: str, kind: type, text: str) -> object:
    if kind is tuple and text.startswith("@"):
        return _wagers_of_file(text[1:])
    try:
        return value_from_text(key, kind, text)
    except ActionTextError as error:
        raise CommandError(
            error.why, place=error.place, allowed=error.allowed, remedy=error.remedy
        ) from error


def _wagers_of_file(name: str) -> list[dict[str, object]]:
    from controller.cli.rules.wagers import read_wagers

    return [to_builtins(one) for one in read_wagers(given_text(name), name)]
