"""Statements of acts without words of their own: the action's name, then its values by name."""

from collections.abc import Callable
from typing import Any

from msgspec import to_builtins

from controller.core.script.errors import StatementError
from controller.core.script.statement_reader import StatementForm, StatementReader
from controller.core.script.statements import DEALER, FLOORPERSON
from controller.core.script.tokens import quote_if_needed, quote_text
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.actions.declaration import ActionValue, Role, name_of, purpose_of, values_of
from controller.system.json_document import JsonError, typed
from controller.system.messages.catalogue import to_words

_WHO: tuple[str, ...] = ("by", "as", "because")


def plain_form(kind: type[Action]) -> StatementForm[OperatorAction[Action]]:
    """The form of an action that has no words of its own."""
    required = [one for one in values_of(kind) if one.required]
    given = [f"{one.name} {(*one.choices, _EXAMPLES[one.kind])[0]}" for one in required]
    example = " ".join((name_of(kind), *given))
    return StatementForm(name_of(kind), example, to_words(purpose_of(kind)), _reader_of(kind))


_EXAMPLES = {int: "1", bool: "yes", str: "text"}


def _reader_of(kind: type[Action]) -> Callable[[StatementReader], OperatorAction[Action]]:
    declared = {one.name: one for one in values_of(kind)}

    def read(reader: StatementReader) -> OperatorAction[Action]:
        values: dict[str, object] = {}
        who: dict[str, str] = {}
        for part in reader.parts(*declared, *_WHO):
            if part in declared:
                values[part] = _read_value(reader, declared[part])
            elif part == "as":
                who[part] = reader.choice("role", Role)
            else:
                who[part] = reader.text("name" if part == "by" else "reason")
        try:
            action = typed(values, kind, f"write `{plain_form(kind).example}`")
        except JsonError as error:
            raise StatementError(reader.column, str(error)) from error
        role = Role(who.get("as", action.requirements().roles[0]))
        person = who.get("by", DEALER if role is Role.DEALER else FLOORPERSON)
        return reader.act(action, person, role, who.get("because", ""))

    return read


def _read_value(reader: StatementReader, value: ActionValue) -> object:
    if value.kind is bool:
        return reader.one_of(value.name, ("yes", "no")) == "yes"
    if value.kind is int:
        return reader.number(value.name, 0)
    if value.choices:
        return reader.one_of(value.name, value.choices)
    return reader.text(value.name)


def plain_text(act: OperatorAction[Any]) -> str:
    """The text of an act that has no words of its own."""
    values = to_builtins(act.action)
    parts = [name_of(act.action)]
    for one in values_of(type(act.action)):
        value = values[one.name]
        if isinstance(value, bool):
            parts.append(f"{one.name} {'yes' if value else 'no'}")
        elif value not in ("", None):
            parts.append(f"{one.name} {quote_if_needed(str(value))}")
    parts.append(f"by {quote_text(act.person)} as {act.role.value}")
    if act.reason:
        parts.append(f"because {quote_text(act.reason)}")
    return " ".join(parts)
