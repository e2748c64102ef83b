"""Forms for every action, made from its declaration, and the values that come back from one.

Source: controller/actions/README.md; controller/console/README.md, "Actions".
"""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from controller.actions.actions import ACTIONS
from controller.actions.declaration import ActionValues, name_of, purpose_of, values_of
from controller.control.action_texts import value_from_text
from controller.messages.catalogue import to_words

# Who confirms an action beside the one who takes it.
SECOND: Final = "second"
# Texts of a form that are not values of its action.
ABOUT: Final = frozenset(("csrf", "by", "pin", "reason", "second_pin"))


class FormField(Struct, frozen=True):
    """One value of an action as a control: `kind` is select, check, number, person or text."""

    name: str
    kind: str
    words: str
    choices: tuple[str, ...]
    required: bool


class ActionForm(Struct, frozen=True):
    """An action: its name, what it is for, its fields, and whether a reason is always due."""

    action: str
    purpose: str
    fields: tuple[FormField, ...]
    reason: bool


def action_forms(kinds: Iterable[type[ActionValues]]) -> tuple[ActionForm, ...]:
    return tuple(
        ActionForm(
            name_of(kind),
            to_words(purpose_of(kind)),
            tuple(_fields(kind)),
            kind.reason_required,
        )
        for kind in kinds
    )


def _fields(kind: type[ActionValues]) -> Iterable[FormField]:
    for one in values_of(kind):
        control = {int: "number", bool: "check"}.get(one.kind, "select" if one.choices else "text")
        if one.name == SECOND:
            control = "person"
        yield FormField(one.name, control, to_words(one.description), one.choices, one.required)


def action_values(action: str, form: Mapping[str, str]) -> dict[str, object]:
    """The values of an action that a form sent; what is left empty is left out.

    Raises ActionTextError. What the action does not allow is refused by its declaration.
    """
    kinds = {one.name: one.kind for one in values_of(ACTIONS[action])} if action in ACTIONS else {}
    return {
        name: value_from_text(name, kinds.get(name, str), text.strip())
        for name, text in form.items()
        if name not in ABOUT and text.strip()
    }
