"""`smartshoe act --list`: every action, the roles that may take it, and its values.

Source: controller/tape/README.md, "Actions"; controller/cli/README.md, "Command line".
"""

import textwrap
from collections.abc import Iterator
from enum import StrEnum
from shutil import get_terminal_size
from types import MappingProxyType
from typing import Final

from controller.cli.output import echo, echo_json
from controller.control.requests import VALUES_OF
from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import FloorDecision, Provisional
from controller.procedure.events import LayoutPart
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.tape.actions import (
    ACTION_NAMES,
    NUMBER_MAX,
    REASON_REQUIRED,
    SEAT_MAX,
    roles_for,
)
from drivers.commands import ShufflerOrder

WIDTH_MAX: Final = 100
_INDENT: Final = 18

# The values that are one of a closed set.
CHOICES: Final = MappingProxyType[str, type[StrEnum]](
    {
        "decision": FloorDecision,
        "provisional": Provisional,
        "outcome": Outcome,
        "act": ActKind,
        "what": LayoutPart,
        "hand": HandName,
        "order": ShufflerOrder,
    }
)
# A description of every other value.
WORDS: Final = MappingProxyType(
    {
        "player_pair": "yes or no; default: no",
        "banker_pair": "yes or no; default: no",
        "by_order": "yes: taken away by order, with a reason; no: given up; default: no",
        "patron_signed": "yes; or no, with a reason; default: yes",
        "void": "yes or no; default: no",
        "batch": "the back colour of the batch, such as red",
        "tag": "the card's identity in hexadecimal; omit it if it cannot be read",
        "code": "the error's number, 1 to 99",
        "compartment": "1 or 2; default: the compartment of the batch, or the whole device",
        "coup": "the number of the coup",
        "shoe": "the number of its shoe; default: the shoe at the table",
        "number": "the warning's number, as `smartshoe status` shows it",
        "seat": f"the number of the seat, 1 to {SEAT_MAX}",
        "amount": "a number of cards, the depth of a cut, or a verbal wager in cents",
        "reference": "the number of a form, receipt or approval; seats; any text",
        "second": "the person who confirmed it",
        "wagers": "SEAT:WAGER:AMOUNT,... such as 5:banker:100.00,3:tie:25; @FILE.csv; none",
        "form_number": f"the number of the form, 1 to {NUMBER_MAX}",
        "patron": "the patron's name",
        "dealer": "the dealer's name",
        "pit_clerk": "the pit clerk's name",
        "setting": "the name of a setting, as `smartshoe rules show` lists them",
        "value": "its new value",
        "to": "who was notified, such as players, commission or surveillance",
    }
)
# Values with another meaning in one action.
_OF_ACTION: Final = MappingProxyType(
    {
        ("bind-batch", "batch"): "the batch's name, the text of its bar code, such as RED-0001",
        ("resolve", "provisional"): "cards dealt while suspended: take-over, void",
        ("correct-coup", "outcome"): "the outcome that is right: player, banker, tie",
        ("correct-coup", "second"): "the other person who decides it",
        ("resolve", "outcome"): "with state-outcome: player, banker, tie",
        ("resolve", "second"): "who decides with you, where the rule prescribes the remedy",
    }
)


def list_actions(name: str = "", *, as_json: bool) -> None:
    """Print every action, or the one of that name. Raises ActionError for an unknown name."""
    if name:
        roles_for(name)
    names = [one for one, _, _ in ACTION_NAMES if name in ("", one)]
    if as_json:
        echo_json({"actions": [_plain(one) for one in names]})
        return
    width = min(get_terminal_size((WIDTH_MAX, 0)).columns, WIDTH_MAX)
    echo("\n".join(line for one in names for line in action_lines(one, width)))


def action_lines(name: str, width: int = WIDTH_MAX) -> Iterator[str]:
    """The lines of one action: its purpose, its roles, and its values."""
    purpose = next(words for one, _, words in ACTION_NAMES if one == name)
    roles = ", ".join(role.value for role in roles_for(name))
    reason = "; with --reason" if name in REASON_REQUIRED else ""
    yield from _row(name, purpose, width)
    yield from _row("", f"for {roles}{reason}", width)
    for value in VALUES_OF.get(name, ()):
        yield from _row(f"  {value}", describe_value(name, value), width)


def describe_value(action: str, value: str) -> str:
    """The allowed content of a value of an action."""
    specific = _OF_ACTION.get((action, value))
    return specific or (", ".join(CHOICES[value]) if value in CHOICES else WORDS[value])


def _row(head: str, words: str, width: int) -> Iterator[str]:
    wrapped = textwrap.wrap(words, max(width - _INDENT, 20), break_on_hyphens=False)
    for number, part in enumerate(wrapped):
        yield f"{'' if number else head:<{_INDENT}}{part}"


def _plain(name: str) -> dict[str, object]:
    values = VALUES_OF.get(name, ())
    return {
        "action": name,
        "roles": [role.value for role in roles_for(name)],
        "values": list(values),
        "allowed": {one: list(CHOICES[one]) for one in values if one in CHOICES},
        "reason_required": name in REASON_REQUIRED,
        "purpose": next(words for one, _, words in ACTION_NAMES if one == name),
    }
