"""Every action a person can take at a table, as typed values.

Responsible for: the closed set of actions, who may take them, and reading one from the plain
values of a request (control socket now, HTTP later carries the same set).
Not responsible for: transport, and for whether an action is possible now (the core answers).
Source: D-32 (dealer for prompts, floorperson for every irregularity); package README, "Actions".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, TypeVar

from controller.procedure.decisions import Decision, Provisional, Resolution
from controller.rules.outcome import Outcome

ChoiceT = TypeVar("ChoiceT", bound=StrEnum)


class Role(StrEnum):
    DEALER = "dealer"
    FLOORPERSON = "floorperson"
    PIT_MANAGER = "pit_manager"
    SURVEILLANCE = "surveillance"
    INSPECTOR = "inspector"


@dataclass(frozen=True, slots=True)
class Resolve:
    """Decide what becomes of the open irregularities."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class CloseShoe:
    """End the shoe before its cut card: dead table or early change."""


@dataclass(frozen=True, slots=True)
class CallNoMoreBets:
    """The dealer called "no more bets"."""


@dataclass(frozen=True, slots=True)
class LockShoe:
    """Lock the card exit of the shoe."""


@dataclass(frozen=True, slots=True)
class UnlockShoe:
    """Unlock the card exit of the shoe."""


@dataclass(frozen=True, slots=True)
class ClearShoeError:
    """Clear an error of the shoe by its number."""

    code: int


Action: TypeAlias = Resolve | CloseShoe | CallNoMoreBets | LockShoe | UnlockShoe | ClearShoeError

SUPERVISORS: Final = (Role.FLOORPERSON, Role.PIT_MANAGER)
PEOPLE_AT_THE_TABLE: Final = (Role.DEALER, *SUPERVISORS)

# Name on the wire, who may, what it is for.
ACTION_NAMES: Final = (
    ("resolve", SUPERVISORS, "decide what becomes of the open irregularities"),
    ("close-shoe", SUPERVISORS, "end the shoe early (dead table, early change)"),
    ("no-more-bets", PEOPLE_AT_THE_TABLE, 'record that "no more bets" was called'),
    ("lock-shoe", SUPERVISORS, "lock the shoe's exit"),
    ("unlock-shoe", SUPERVISORS, "unlock the shoe's exit"),
    ("clear-shoe-error", SUPERVISORS, "clear an error of the shoe"),
)
REASON_REQUIRED: Final = ("resolve", "close-shoe", "lock-shoe", "unlock-shoe", "clear-shoe-error")
TEXT_LENGTH_MAX: Final = 500


class ActionError(Exception):
    """A request that is no action; the message says what is wrong and what is allowed."""


def roles_for(name: str) -> tuple[Role, ...]:
    """Who may take the action of that name. Raises ActionError."""
    for known, roles, _ in ACTION_NAMES:
        if known == name:
            return roles
    allowed = ", ".join(known for known, _, _ in ACTION_NAMES)
    raise ActionError(f"unknown action {name!r}; allowed: {allowed}")


def action_from_request(name: str, values: Mapping[str, object]) -> Action:
    """Read an action from its name and plain values. Raises ActionError."""
    roles_for(name)
    match name:
        case "resolve":
            return Resolve(_resolution(values))
        case "close-shoe":
            return CloseShoe()
        case "no-more-bets":
            return CallNoMoreBets()
        case "lock-shoe":
            return LockShoe()
        case "unlock-shoe":
            return UnlockShoe()
        case _:
            return ClearShoeError(_error_code(values.get("code")))


def _resolution(values: Mapping[str, object]) -> Resolution:
    decision = _member(Decision, "decision", values.get("decision"))
    if decision is None:
        raise ActionError(f"decision is missing; allowed: {_allowed(Decision)}")
    return Resolution(
        decision=decision,
        provisional=_member(Provisional, "provisional", values.get("provisional")),
        outcome=_member(Outcome, "outcome", values.get("outcome")),
    )


def _error_code(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 99:
        raise ActionError(f"code must be a whole number from 1 to 99, not {value!r}")
    return value


def _allowed(kind: type[StrEnum]) -> str:
    return ", ".join(member.value for member in kind)


def _member(kind: type[ChoiceT], key: str, value: object) -> ChoiceT | None:
    if value is None or value == "":
        return None
    for member in kind:
        if value == member.value:
            return member
    raise ActionError(f"{key} is {value!r}; allowed: {_allowed(kind)}")


def checked_text(key: str, value: object, *, required: bool) -> str:
    """A person's words: one line of printable text. Raises ActionError."""
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise ActionError(f"{key} must be text, not {type(value).__name__}")
    text = value.strip()
    if required and not text:
        raise ActionError(f"{key} is missing: a named person and a reason stand in the record")
    if len(text) > TEXT_LENGTH_MAX or not text.isprintable():
        raise ActionError(f"{key} must be one printable line of at most {TEXT_LENGTH_MAX} signs")
    return text
