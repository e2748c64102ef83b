"""Actions as the table records them: with the person, the role, the reason and the time."""

from msgspec.structs import replace

from controller.rules.actions.actions import (
    Action,
    ChangeSetting,
    ClearWarning,
    GiveNotice,
    OperatorAction,
)
from controller.rules.actions.declaration import Role
from foundation.timestamp import Timestamp


def acted(
    action: Action,
    person: str = "Ann Lee",
    *,
    reason: str = "",
    role: str = Role.FLOORPERSON,
    at_ns: int = 0,
) -> OperatorAction[Action]:
    """The action as it is recorded."""
    return OperatorAction(Timestamp(0, at_ns), person, Role(role), "script", action, reason)


TIMED = (GiveNotice, ChangeSetting, ClearWarning)


def untimed(body: object) -> object:
    """An action whose statement names no time without its time: that of the statement before."""
    if isinstance(body, OperatorAction) and not isinstance(body.action, TIMED):
        return replace(body, at=Timestamp(0, 0))
    return body
