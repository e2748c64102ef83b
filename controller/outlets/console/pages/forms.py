"""Forms for every action, made from its declaration, and the values that come back from one."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from controller.outlets.console.pages.labels import label
from controller.outlets.control.action_texts import value_from_text
from controller.procedure.people.setting_changes import MOMENTS, ChangeMoment
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import ActionValues, Role, name_of, purpose_of, values_of
from controller.rules.profiles.setting_definitions import SHAPES
from controller.rules.profiles.setting_types import describe_allowed
from controller.system.messages.catalogue import code_words, to_words

# Who confirms an action beside the one who takes it.
SECOND: Final = "second"
# A setting of the profile, by its name.
SETTING: Final = "setting"
# Texts of a form that are not values of its action.
ABOUT: Final = frozenset(("csrf", "by", "pin", "reason", "second_pin"))


class FormField(Struct, frozen=True):
    """One value of an action as a control: `kind` is select, check, number, person or text.

    `title` is its name in words, `words` say what may stand in it; `choices` are values and their
    words.
    """

    name: str
    kind: str
    title: str
    words: str
    choices: tuple[tuple[str, str], ...]
    required: bool


class ActionForm(Struct, frozen=True):
    """An action: its name, what it is for, its fields, and whether a reason is always due.

    `proof`: a dealer's claim is not enough for it, whatever its values are.
    """

    action: str
    purpose: str
    fields: tuple[FormField, ...]
    reason: bool
    proof: bool


def action_forms(kinds: Iterable[type[ActionValues]]) -> tuple[ActionForm, ...]:
    return tuple(
        ActionForm(
            name_of(kind),
            to_words(purpose_of(kind)),
            tuple(_fields(kind)),
            kind.reason_required,
            kind.proof_required or Role.DEALER not in kind.roles,
        )
        for kind in kinds
    )


def _fields(kind: type[ActionValues]) -> Iterable[FormField]:
    for one in values_of(kind):
        choices = tuple((choice, _plain(code_words(choice))) for choice in one.choices)
        if one.name == SETTING:
            choices = _settings()
        control = {int: "number", bool: "check"}.get(one.kind, "select" if choices else "text")
        if one.name == SECOND:
            control = "person"
        title = "" if one.name == SECOND else label("field", one.name)
        words = to_words(one.description)
        yield FormField(one.name, control, title, words, choices, one.required)


def _plain(code: str) -> str:
    return code.replace("-", " ").replace("_", " ")


def _settings() -> tuple[tuple[str, str], ...]:
    """The settings that may change while the table is open, each with the values it may have."""
    return tuple(
        (name, f"{name}: {to_words(describe_allowed(SHAPES[name]))}")
        for name, moment in MOMENTS.items()
        if moment is not ChangeMoment.NEVER
    )


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
