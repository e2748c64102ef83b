"""Device events of any shoe as lines for a technician, without showing a card.

Responsible for: one line per event; masked, nothing in it tells an unseen card or what follows
from one: not its face, not the hand it is for, not a lock or an error that follows from it.
Not responsible for: raw bytes and frames (each protocol's masking) and for when a port may be
shown unmasked (the controller).
Source: package README, "Monitor".
"""

from dataclasses import fields

from drivers import events
from drivers.events import DeviceEvent, Face


def event_text(event: DeviceEvent, *, masked: bool) -> str:
    """One event in a technician's words."""
    if not masked:
        return _plain(event)
    match event:
        case events.CardRead():
            return "card ??"
        case events.CardOutsidePlay():
            return "card outside play ??"
        case events.LockChanged():
            return "lock ??"
        case events.DeviceErrorRaised():
            return "device error raised ??"
        case events.DeviceErrorCleared():
            return "device error cleared ??"
        case _:
            return _plain(event)


def _plain(event: DeviceEvent) -> str:
    """The event's name and what it holds, without the marks of a programming language."""
    held = (f"{field.name}={_value(getattr(event, field.name))}" for field in fields(event))
    return " ".join((type(event).__name__, *held))


def _value(value: object) -> str:
    match value:
        case None:
            return "unreadable"
        case bool():
            return "yes" if value else "no"
        case Face(rank, suit):
            return f"{rank}{suit}"
        case _:
            return str(value)
