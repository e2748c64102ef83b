"""The bodies of the API: what it takes and what it answers.

Source: RFC 9457 (problems).
"""

from typing import Annotated, Any

from msgspec import Meta, Struct

from controller.rules.actions.declaration import TEXT_LENGTH_MAX, Role
from controller.system.json_document import Secret


class SignOnBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Who signs on. Without `by` and `pin`, at the table's own screen alone, nobody does."""

    by: str = ""
    pin: Secret = ""


class SignOnAnswer(Struct, frozen=True):
    """The token of a session; nobody gets it again. `person` is empty where nobody signed on.

    The sign-on ends after so many `minutes` without an act.
    """

    token: str
    person: str
    role: Role | None
    minutes: int


class ActBody(Struct, frozen=True):
    """By whom and why; the values of the action stand beside."""

    by: Annotated[str, Meta(max_length=TEXT_LENGTH_MAX)] = ""
    role: Role | None = None
    reason: Annotated[str, Meta(max_length=TEXT_LENGTH_MAX)] = ""


class Problem(Struct, frozen=True, omit_defaults=True):
    """Why a request was not carried out, what is allowed, and what to do (RFC 9457)."""

    status: int
    title: str
    detail: str
    allowed: str = ""
    remedy: str = ""


class ActionList(Struct, frozen=True):
    """The actions, with the roles that may take them, their values and the schema of these."""

    actions: tuple[dict[str, Any], ...]
