"""Formats device events as text lines for a technician; masked, no line reveals a card.

Masked lines hide faces, tags, the hand a card is for, and locks and errors that follow from a card.

Source: drivers/README.md, "Monitor".
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias, TypeVar

from drivers import events
from drivers.events import DeviceEvent, Face
from drivers.shuffler_events import ShuffleDone, ShuffleProof
from firmware_bridge.link import LinkFault
from firmware_bridge.message import Message
from firmware_bridge.transport.port import PortEvent

StateT = TypeVar("StateT")
# What makes words of a message.
Words: TypeAlias = Callable[[Message], str]

_HIDDEN = "??"
# How many of each face are in a batch, and the signed receipt that repeats it.
_CARD_FIELDS = ("faces", "sealed")
_READ_FIELDS = ("face", "tag")


class Monitor(Protocol[StateT]):
    """Formats port events as lines, each beginning with its level: bytes, frame, event."""

    def initial(self) -> StateT:
        """The state before the port was opened."""
        ...

    def watch(self, state: StateT, event: PortEvent) -> tuple[StateT, tuple[str, ...]]:
        """The lines of one port event."""
        ...


def event_text(event: DeviceEvent, words: Words, *, masked: bool) -> str:
    """Describe one event in a line; masked, without any card it reveals."""
    name = _hidden_event_name(event) if masked else None
    return _event_fields(event, words, masked=masked) if name is None else f"{name} {_HIDDEN}"


def fault_text(fault: LinkFault, words: Words) -> str:
    """Describe one fault of the wire in a line."""
    return f"{fault.kind}: {words(fault.detail)}"


def _hidden_event_name(event: DeviceEvent) -> str | None:
    """Name an event that reveals a card or follows from one; None for any other."""
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


def _event_fields(event: DeviceEvent | ShuffleProof, words: Words, *, masked: bool) -> str:
    """Format the event's name and fields, without Python syntax."""
    if isinstance(event, ShuffleDone):
        return f"ShuffleDone {_event_fields(event.proof, words, masked=masked)}"
    texts = (
        _field_text(name, getattr(event, name), words, masked=masked)
        for name in event.__struct_fields__
    )
    return " ".join((type(event).__name__, *texts))


def _field_text(name: str, value: object, words: Words, *, masked: bool) -> str:
    if masked and name in _CARD_FIELDS:
        return f"{name}={_HIDDEN}"
    if value is None and name in _READ_FIELDS:
        return f"{name}=unreadable"
    return f"{name}={words(value) if isinstance(value, Message) else _value_text(value)}"


def _value_text(value: object) -> str:
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
            return " ".join(
                f"({' '.join(_value_text(entry) or '-' for entry in one)})" for one in value
            )
        case tuple():
            return "+".join(_value_text(one) for one in value)
        case _:
            return str(value)
