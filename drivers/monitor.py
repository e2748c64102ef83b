"""Device events of any device as lines for a technician, without showing a card.

Responsible for: one line per event; masked, nothing in it tells an unseen card or what follows
from one: not its face, not its tag, not the hand it is for, not a lock or an error that follows
from it; and the shape of every monitor.
Not responsible for: raw bytes and frames (each protocol's masking) and for when a port may be
shown unmasked (the controller).
Source: package README, "Monitor".
"""

from dataclasses import fields
from typing import Protocol, TypeVar

from drivers import events
from drivers.events import DeviceEvent, Face
from drivers.shuffler_events import ShuffleDone, ShuffleProof
from firmware_bridge.transport.port import PortEvent

StateT = TypeVar("StateT")

_HIDDEN = "??"
# How many of each face are in a batch, and the receipt that says so once more.
_OF_CARDS = ("faces", "sealed")
_READ = ("face", "tag")


class Monitor(Protocol[StateT]):
    """Port events as lines, each beginning with its level: bytes, frame, event."""

    def initial(self) -> StateT:
        """Before the port was opened."""
        ...

    def watch(self, state: StateT, event: PortEvent) -> tuple[StateT, tuple[str, ...]]:
        """The lines of one port event."""
        ...


def event_text(event: DeviceEvent, *, masked: bool) -> str:
    """One event in a technician's words."""
    hidden = _hidden(event) if masked else None
    return _plain(event, masked=masked) if hidden is None else f"{hidden} {_HIDDEN}"


def _hidden(event: DeviceEvent) -> str | None:
    """The words for an event that tells a card or follows from one; None for any other."""
    match event:
        case events.CardRead() | events.CardPassed():
            return "card"
        case events.CardOutsidePlay():
            return "card outside play"
        case events.LockChanged():
            return "lock"
        case events.DeviceErrorRaised():
            return "device error raised"
        case events.DeviceErrorCleared():
            return "device error cleared"
        case events.TagReadAgain():
            return "tag read again"
        case events.TagsTogether():
            return "tags together"
        case events.TagPulledBack():
            return "tag pulled back"
        case events.TagSeen():
            return "tag seen"
        case events.TagListed():
            return "tag listed"
        case _:
            return None


def _plain(event: DeviceEvent | ShuffleProof, *, masked: bool) -> str:
    """The event's name and what it holds, without the marks of a programming language."""
    if isinstance(event, ShuffleDone):
        return f"ShuffleDone {_plain(event.proof, masked=masked)}"
    held = (_held(field.name, getattr(event, field.name), masked=masked) for field in fields(event))
    return " ".join((type(event).__name__, *held))


def _held(name: str, value: object, *, masked: bool) -> str:
    if masked and name in _OF_CARDS:
        return f"{name}={_HIDDEN}"
    if value is None and name in _READ:
        return f"{name}=unreadable"
    return f"{name}={_value(value)}"


def _value(value: object) -> str:
    match value:
        case None:
            return "not known"
        case bool():
            return "yes" if value else "no"
        case Face(rank, suit):
            return f"{rank}{suit}"
        case bytes():
            return value.hex().upper() or "none"
        case tuple() if any(isinstance(one, tuple) for one in value):
            return " ".join(f"({' '.join(_value(held) or '-' for held in one)})" for one in value)
        case tuple():
            return "+".join(_value(one) for one in value)
        case _:
            return str(value)
