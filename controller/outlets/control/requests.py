"""Decodes requests of the control socket, and the action in one; errors say what is allowed."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from controller.core.tape.inputs import AccountChange
from controller.rules.actions.actions import Action, action_named
from controller.rules.actions.declaration import TEXT_LENGTH_MAX, ActionError, Role, required_texts
from controller.system.json_document import JsonError, Secret, parse_json, typed


class StatusRequest(
    Struct, frozen=True, tag_field="request", tag="status", forbid_unknown_fields=True
):
    """The snapshot, once."""


class ActionsRequest(
    Struct, frozen=True, tag_field="request", tag="actions", forbid_unknown_fields=True
):
    """The list of actions."""


class SubscribeRequest(
    Struct, frozen=True, tag_field="request", tag="subscribe", forbid_unknown_fields=True
):
    """A snapshot now and after each change."""


class ActRequest(Struct, frozen=True, tag_field="request", tag="act"):
    """An action, by whom and why; its values are beside.

    Without `by` it is who signed on. Without `role` it is that of the person's account; where
    nothing proves who acts, the least one that may.
    """

    action: str
    by: str = ""
    role: Role | None = None
    reason: str = ""


class SignOnRequest(
    Struct, frozen=True, tag_field="request", tag="sign-on", forbid_unknown_fields=True
):
    """A person signs on, for this connection."""

    by: str
    pin: Secret


class SignOffRequest(
    Struct, frozen=True, tag_field="request", tag="sign-off", forbid_unknown_fields=True
):
    """Everybody signs off who signed on on this connection."""


class PeopleRequest(
    Struct, frozen=True, tag_field="request", tag="people", forbid_unknown_fields=True
):
    """A change of an account."""

    change: AccountChange
    name: str
    role: Role | None = None
    pin: Secret = ""
    by: str = ""


Request: TypeAlias = (
    StatusRequest
    | ActionsRequest
    | SubscribeRequest
    | ActRequest
    | SignOnRequest
    | SignOffRequest
    | PeopleRequest
)


def parse_request(line: bytes) -> tuple[Request, Mapping[str, object]]:
    """A request, and the values beside an action. Raises JsonError."""
    remedy = 'write an object such as {"request": "status"} in one line'
    plain = parse_json(line, remedy)
    request: Request = typed(plain, Request, remedy)  # type: ignore[arg-type]
    assert isinstance(plain, dict), "a request is an object"
    known = (request.__struct_config__.tag_field, *request.__struct_encode_fields__)
    return request, {name: value for name, value in plain.items() if name not in known}


def action_from_request(name: str, values: Mapping[str, object]) -> Action:
    """The action of that name with these plain values, as its schema says. Raises ActionError.

    A text of blanks is no text: a required one is missing then.
    """
    kind = action_named(name)
    lines = {key: _stripped(key, value) for key, value in values.items()}
    required = required_texts(kind)
    given = {key: value for key, value in lines.items() if value != "" or key not in required}
    try:
        return typed(given, kind, f"`smartshoe act {name} --list` shows the values of {name}")
    except JsonError as error:
        raise ActionError(str(error)) from error


def checked_text(key: str, value: str, *, required: bool) -> str:
    """The value as one stripped line of printable text. Raises ActionError."""
    text = value.strip()
    if required and not text:
        raise ActionError(
            f"{key}: it is missing. Allowed: one line of text. Remedy: the name of the person and"
            " a reason are recorded, write them"
        )
    if len(text) > TEXT_LENGTH_MAX or not text.isprintable():
        raise ActionError(
            f"{key}: it is not one printable line. Allowed: at most {TEXT_LENGTH_MAX} characters"
            " without line breaks. Remedy: shorten it to one line"
        )
    return text


def _stripped(key: str, value: object) -> object:
    return checked_text(key, value, required=False) if isinstance(value, str) else value
