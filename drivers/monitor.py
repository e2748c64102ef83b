"""Formats device events as text lines for a technician; masked, no line reveals a card.

Masked lines hide faces, tags, the hand a card is for, and locks and errors that follow from a card.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from drivers import events
from drivers.events import BarCodeRead, DeviceEvent, Face
from drivers.interface import Driver
from drivers.shuffler_events import ShuffleDone, ShuffleProof
from firmware_bridge.link import LinkFault
from firmware_bridge.transport.port import Chunk, PortEvent
from foundation.message import Message

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


class WireView(Struct, Generic[StateT], frozen=True):
    """How a protocol's bytes and frames are shown; masked, without any card.

    `fresh` is what `lines(state, data, words, masked)` carries from one chunk to the next, as it is
    before the port was opened.
    """

    fresh: StateT
    lines: Callable[[StateT, bytes, Words, bool], tuple[StateT, tuple[str, ...]]]


def _bytes_lines(
    _state: None, data: bytes, _words: Words, masked: bool
) -> tuple[None, tuple[str, ...]]:
    return None, wire_lines(" ".join([".."] * len(data)) if masked else hex_text(data), iter(()))


# Of a protocol that this program cannot mask byte by byte.
BYTES_VIEW: Final = WireView(None, _bytes_lines)


class DeviceMonitorState(Struct, frozen=True):
    """What the view of the wire and the driver carry between port events."""

    wire: Any
    driver: Any


class DeviceMonitor(Struct, frozen=True):
    """Shows what comes over the wire, and the events that the device's driver makes of it.

    `masked` is off only while the port is in maintenance.
    """

    words: Words
    driver: Driver[Any]
    view: WireView[Any] = BYTES_VIEW
    masked: bool = True

    def initial(self) -> DeviceMonitorState:
        """The state before the port was opened."""
        return DeviceMonitorState(self.view.fresh, self.driver.initial())

    def watch(
        self, state: DeviceMonitorState, event: PortEvent
    ) -> tuple[DeviceMonitorState, tuple[str, ...]]:
        """The lines of one port event, each beginning with its level."""
        wire, lines = (
            self.view.lines(state.wire, event.data, self.words, self.masked)
            if isinstance(event, Chunk)
            else (self.view.fresh, ())
        )
        driver, output = self.driver.receive(state.driver, event)
        events = (event_text(one, self.words, masked=self.masked) for one in output.events)
        return DeviceMonitorState(wire, driver), (*lines, *(f"event  {one}" for one in events))


def wire_lines(shown: str, frames: Iterator[str]) -> tuple[str, ...]:
    """The lines of one chunk: its bytes as they may be shown, and its frames."""
    return (f"bytes  {shown}", *(f"frame  {one}" for one in frames))


def hex_text(data: bytes) -> str:
    """Bytes as a technician reads them."""
    return data.hex(" ").upper()


def event_text(event: DeviceEvent, words: Words, *, masked: bool) -> str:
    """Describe one event in a line; masked, without any card it reveals."""
    if masked and isinstance(event, BarCodeRead):
        return f"bar code of {len(event.text)} characters, {event.symbology}"
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
