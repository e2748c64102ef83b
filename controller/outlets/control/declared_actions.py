"""The declarations of actions as plain values and in words, for programs and the command line."""

from typing import Final

from controller.rules.actions.declaration import (
    ActionValues,
    name_of,
    purpose_of,
    required_texts,
    values_of,
)
from controller.system.json_document import schemas_of
from controller.system.messages.catalogue import to_words

# A text that is not empty once it is stripped.
NOT_BLANK: Final = r"\S"


def schema_of(kind: type[ActionValues]) -> dict[str, object]:
    """The JSON schema of an action's values."""
    definitions = schemas_of([kind], "#/$defs/{name}")
    own = definitions.pop(kind.__name__)
    own["properties"].pop("type")
    own["required"].remove("type")
    for value in values_of(kind):
        own["properties"][value.name]["description"] = to_words(value.description)
    for name in required_texts(kind):
        own["properties"][name]["pattern"] = NOT_BLANK
    own |= {"title": name_of(kind), "description": _description(kind)}
    return {**own, "$defs": definitions} if definitions else own


def _description(kind: type[ActionValues]) -> str:
    purpose = to_words(purpose_of(kind))
    sentence = f"{purpose[:1].upper()}{purpose[1:]}."
    return sentence if kind.details is None else f"{sentence}\n\n{to_words(kind.details)}"


def plain_declaration(kind: type[ActionValues]) -> dict[str, object]:
    """An action as plain values, for programs: purpose, roles, values, and their JSON schema."""
    values = tuple(values_of(kind))
    return {
        "action": name_of(kind),
        "roles": [role.value for role in kind.roles],
        "values": [one.name for one in values],
        "allowed": {one.name: list(one.choices) for one in values if one.choices},
        "reason_required": kind.reason_required,
        "purpose": to_words(purpose_of(kind)),
        "schema": schema_of(kind),
    }
