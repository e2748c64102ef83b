"""Parses the values of `smartshoe act`, such as `seat=5`, into the values of a request.

Source: controller/tape/README.md, "Actions"; controller/cli/README.md, "Command line".
"""
# ruff: noqa: PLC0415 - wagers are read only where some are stated.

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import typer

from controller.cli.errors import CommandError

_NUMBERS: Final = (
    *("code", "seat", "amount", "form_number", "number", "compartment"),
    *("coup", "shoe"),
)
_YES_OR_NO: Final = {"yes": True, "no": False}
_DECIDED_BY: Final = ("by_order", "patron_signed", "void", "player_pair", "banker_pair")


def parse_values(words: Iterable[str]) -> dict[str, object]:
    """The values of a request from words such as `seat=5`. Raises CommandError."""
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
        values[key] = _value(key, text)
    return values


def _value(key: str, text: str) -> object:
    if key in _NUMBERS:
        if not (text.isascii() and text.isdecimal() and len(text) < 19):
            raise CommandError(
                f"{text!r} is not allowed", place=key, allowed="a whole number", remedy=f"{key}=5"
            )
        return int(text)
    if key in _DECIDED_BY:
        if text not in _YES_OR_NO:
            raise CommandError(
                f"{text!r} is not allowed", place=key, allowed="yes, no", remedy=f"{key}=yes"
            )
        return _YES_OR_NO[text]
    return _wagers(text) if key == "wagers" else text


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
                {"seat": _value("seat", seat), "wager": wager, "cents": parse_cents(amount)}
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
