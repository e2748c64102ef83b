"""Parses the values of `smartshoe act`, such as `seat=5`, into the values of a request.

Source: controller/actions/README.md, "Actions"; controller/cli/README.md, "Command line".
"""
# ruff: noqa: PLC0415 - wagers are read only where some are stated.

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import typer

from controller.actions.declaration import ActionValues, values_of
from controller.cli.errors import CommandError

_YES_OR_NO: Final = {"yes": True, "no": False}


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
    if kind is int:
        if not (text.isascii() and text.isdecimal() and len(text) < 19):
            raise CommandError(
                f"{text!r} is not allowed", place=key, allowed="a whole number", remedy=f"{key}=5"
            )
        return int(text)
    if kind is bool:
        if text not in _YES_OR_NO:
            raise CommandError(
                f"{text!r} is not allowed", place=key, allowed="yes, no", remedy=f"{key}=yes"
            )
        return _YES_OR_NO[text]
    return _wagers(text) if kind is tuple else text


def _wagers(text: str) -> list[dict[str, object]]:
    """Wagers as `5:banker:100.00,3:tie:25`, from the lines of @FILE, or `none`."""
    if text == "none":
        return []
    if text.startswith("@"):
        return _wagers_of_file(text[1:])
    from controller.script.tokens import parse_cents

    read: list[dict[str, object]] = []
    for number, part in enumerate(text.split(","), start=1):
        seat, _, rest = part.partition(":")
        wager, _, amount = rest.partition(":")
        try:
            read.append(
                {"seat": _value("seat", int, seat), "wager": wager, "cents": parse_cents(amount)}
            )
        except ValueError as error:
            raise CommandError(
                f"wager {number}, {part!r}: {error}",
                place="wagers",
                allowed="seat:wager:amount",
                remedy="write it as 5:banker:100.00",
            ) from error
    return read


def _wagers_of_file(name: str) -> list[dict[str, object]]:
    from controller.cli.rules.wagers import read_wagers

    text = typer.get_text_stream("stdin").read() if name == "-" else Path(name).read_text("utf-8")
    wagers = read_wagers(text, name)
    return [{"seat": w.seat, "wager": w.kind.value, "cents": w.cents} for w in wagers]
