"""The life cycle of a device: closed, opened, identified, online, lost.

Responsible for: which stage may follow which, and telling each change once.
Not responsible for: what makes a stage true (each driver knows its device).
Source: package README, "Life cycle".
"""

from collections.abc import Iterable
from types import MappingProxyType

from drivers.events import Stage, StageChanged

# A port may be lost at any stage and opened again at any stage; between these a device only
# becomes better known.
FOLLOWERS = MappingProxyType(
    {
        Stage.CLOSED: (Stage.OPENED, Stage.LOST),
        Stage.OPENED: (Stage.IDENTIFIED, Stage.LOST),
        Stage.IDENTIFIED: (Stage.ONLINE, Stage.OPENED, Stage.LOST),
        Stage.ONLINE: (Stage.OPENED, Stage.LOST),
        Stage.LOST: (Stage.OPENED,),
    }
)


def advance(stage: Stage, to: Stage, detail: str) -> tuple[Stage, tuple[StageChanged, ...]]:
    """The stage after `to` became true, and the event if that is a change that may come now."""
    if to not in FOLLOWERS[stage]:
        return stage, ()
    return to, (StageChanged(to, detail),)


def advance_through(
    stage: Stage, steps: Iterable[tuple[Stage, str]]
) -> tuple[Stage, tuple[StageChanged, ...]]:
    """The stage after each of these became true in turn, and an event for each real change."""
    events: list[StageChanged] = []
    for to, detail in steps:
        stage, changed = advance(stage, to, detail)
        events.extend(changed)
    return stage, tuple(events)
