"""Defines which stage of a device's life cycle may follow which, and reports each change once."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final, TypeAlias

from drivers.events import Stage, StageChanged
from foundation.message import Message, message

# A port may be lost at any stage and opened again at any stage; in between the stage only advances.
FOLLOWERS = MappingProxyType(
    {
        Stage.CLOSED: (Stage.OPENED, Stage.LOST),
        Stage.OPENED: (Stage.IDENTIFIED, Stage.LOST),
        Stage.IDENTIFIED: (Stage.ONLINE, Stage.OPENED, Stage.LOST),
        Stage.ONLINE: (Stage.OPENED, Stage.LOST),
        Stage.LOST: (Stage.OPENED,),
    }
)

# A stage to move to, and why.
StageStep: TypeAlias = tuple[Stage, Message]
OPENED: Final[StageStep] = (Stage.OPENED, message("port_open"))


def advance(stage: Stage, to: Stage, detail: Message) -> tuple[Stage, tuple[StageChanged, ...]]:
    """The stage after moving to `to`, and the event if that is an allowed change."""
    if to not in FOLLOWERS[stage]:
        return stage, ()
    return to, (StageChanged(to, detail),)


def advance_through(
    stage: Stage, steps: Iterable[StageStep]
) -> tuple[Stage, tuple[StageChanged, ...]]:
    """The stage after each of these moves in turn, and an event for each allowed change."""
    events: list[StageChanged] = []
    for to, detail in steps:
        stage, changed = advance(stage, to, detail)
        events.extend(changed)
    return stage, tuple(events)
