"""The words of `smartshoe act`: the values of an action as a person types them.

Responsible for: from `seat=5` to the values of a request, and examples.
Not responsible for: whether a value is allowed (act_requests), the list of actions (cli_act_list)
and for asking the table (cli_table).
Source: package README, "Actions", "Command line".
"""
# ruff: noqa: PLC0415 - wagers are read only where some are stated.

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import typer

from controller.cli.errors import Unable

EXAMPLES: Final = """\
examples:
  smartshoe act --list                             every action, who may, and its values
  smartshoe act record --list                      the same of one action
  smartshoe act no-more-bets --config table.toml --by 'D. Dealer'
  smartshoe act record act=inspected batch=red second='A. Floor' --config table.toml \\
      --by 'D. Dealer'
  smartshoe act turned what=player_hand --config table.toml --by 'D. Dealer'
  smartshoe act wagers wagers=5:banker:100.00,3:tie:25 --config table.toml --by 'D. Dealer'
  smartshoe act wagers wagers=@layout.csv --config table.toml --by 'D. Dealer'
  smartshoe act change-setting setting=vig_rate value=4 --config table.toml \\
      --by 'A. Floor' --reason 'agreed with the shift manager'
  smartshoe act declare-result outcome=banker banker_pair=yes --config table.toml \\
      --by 'D. Dealer'
  smartshoe act bind-batch batch=RED-0001 --config table.toml --by 'A. Floor'
  smartshoe act set-card-apart batch=red tag=E00401500000A001 --config table.toml \\
      --by 'A. Floor' --reason 'its corner is bent'
  smartshoe act order-shuffler order=release batch=red --config table.toml --by 'D. Dealer'
  smartshoe act clear-warning number=3 --config table.toml --by 'A. Floor' \\
      --reason 'the door is shut, both batches seen'
  smartshoe act clear-shoe-error code=4 --config table.toml --by 'A. Floor' \\
      --reason 'card put right'
"""
_NUMBERS: Final = ("code", "seat", "amount", "form_number", "number", "compartment")
_YES_OR_NO: Final = {"yes": True, "no": False}
_DECIDED_BY: Final = ("by_order", "patron_signed", "void", "player_pair", "banker_pair")


def values_of(words: Iterable[str]) -> dict[str, object]:
    """The values of a request from words such as `seat=5`. Raises Unable."""
    values: dict[str, object] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise Unable(f"{word!r} is no value; write key=value, such as seat=5")
        if key in values:
            raise Unable(f"{key} is given twice; give it once")
        values[key] = _value(key, text)
    return values


def _value(key: str, text: str) -> object:
    if key in _NUMBERS:
        if not (text.isascii() and text.isdecimal() and len(text) < 20):
            raise Unable(f"{key}={text} is no whole number; write it as {key}=5")
        return int(text)
    if key in _DECIDED_BY:
        if text not in _YES_OR_NO:
            raise Unable(f"{key}={text} is not allowed; allowed: yes, no")
        return _YES_OR_NO[text]
    return _wagers(text) if key == "wagers" else text


def _wagers(text: str) -> list[dict[str, object]]:
    """Wagers as `5:banker:100.00,3:tie:25`, from the lines of @FILE, or `none`."""
    if text == "none":
        return []
    if text.startswith("@"):
        return _wagers_of_file(text[1:])
    from controller.script.tokens import cents_of

    read: list[dict[str, object]] = []
    for number, part in enumerate(text.split(","), start=1):
        seat, _, rest = part.partition(":")
        wager, _, amount = rest.partition(":")
        try:
            read.append({"seat": _value("seat", seat), "wager": wager, "cents": cents_of(amount)})
        except ValueError as error:
            raise Unable(
                f"wager {number}, {part!r}: {error}; write seat:wager:amount, such as"
                " 5:banker:100.00"
            ) from error
    return read


def _wagers_of_file(name: str) -> list[dict[str, object]]:
    from controller.cli.rules.wagers import read_wagers

    text = typer.get_text_stream("stdin").read() if name == "-" else Path(name).read_text("utf-8")
    wagers = read_wagers(text, name)
    return [{"seat": w.seat, "wager": w.kind.value, "cents": w.cents} for w in wagers]
