"""One guided step: what a person does, and what must arrive then."""

from typing import Any, Final

from msgspec import Struct

from drivers.commands import DeviceCommand

# Of a field: it was read, whatever it is.
READ: Final = "read"
EVENTS: Final = "Events (channel 1)"
REQUESTS: Final = "Requests (channel 2)"


class GuidedStep(Struct, frozen=True, kw_only=True):
    """One act of a person and its event.

    `kinds`: the event's; none: nothing may arrive. `picked`: fields that distinguish it from others
    of its kind; `fields`: those that are compared. `printed`: what is printed on the card, or its
    label, is asked and compared with this field. `command` is given to the device instead of an act
    of a person; it needs permission unless it only reads (`reads`). `follows`: it comes by itself
    after the step before, perhaps before anybody is asked.
    """

    name: str
    act: str
    states: str
    section: str
    kinds: tuple[type, ...] = ()
    picked: tuple[tuple[str, Any], ...] = ()
    fields: tuple[tuple[str, Any], ...] = ()
    printed: str = ""
    command: DeviceCommand | None = None
    reads: bool = False
    follows: bool = False

    @property
    def needs_permission(self) -> bool:
        return self.command is not None and not self.reads


def record_step(name: str, act: str, states: str, kind: type, **fields: object) -> GuidedStep:
    """A record of a FEIG reader, or a report of a device whose document is its maker's."""
    return GuidedStep(
        name=name,
        act=act,
        states=states,
        section="Records",
        kinds=(kind,),
        fields=tuple(fields.items()),
    )


def event_step(
    name: str,
    act: str,
    states: str,
    kind: type,
    *,
    picked: tuple[tuple[str, Any], ...] = (),
    **fields: object,
) -> GuidedStep:
    """An event of a TableLink device."""
    return GuidedStep(
        name=name,
        act=act,
        states=states,
        section=EVENTS,
        kinds=(kind,),
        picked=picked,
        fields=tuple(fields.items()),
    )
