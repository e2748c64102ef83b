"""What a driver was given beside the bytes on the tape, so that a replay gives the same events."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final, get_args

from msgspec import Struct, convert, to_builtins

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent
from firmware_bridge.transport.port import (
    Chunk,
    PortEnd,
    PortEvent,
    PortLost,
    PortOpened,
)
from foundation.message import Message
from foundation.timestamp import Timestamp
from hil.acceptance.wire.conversation import Conversation, Turn
from hil.recording.capture import Direction, RecordedWire, WireEvent

_COMMANDS: Final = {one.__name__: one for one in get_args(DeviceCommand)}
_OPENED: Final = "opened"
# Beside the reason; reports of earlier versions have neither.
_OF_A_LOSS: Final = ("ended_by", "waited_ns")


class InputKind(StrEnum):
    """What the value of an input is."""

    OPENED = "opened"  # the entropy of an opening, in hex
    LOST = "lost"  # why the port was lost; what ended it, and how long nobody may have read
    WAITED = "waited"  # nanoseconds that bytes may have waited
    TICK = "tick"  # a deadline, at that time
    COMMAND = "command"  # a command, and its time
    LINE = "line"  # the settings with which the line was opened, for people


class DriverInput(Struct, frozen=True):
    """One input. `after`: so many events of the port on the tape came before it.

    Of an event of the port itself, such as an opening, it is that event's number from 0.
    """

    after: int
    kind: InputKind
    value: Any


class NotReplayable(Exception):
    """Tape and inputs do not belong together; the message says where."""


def port_input(number: int, event: PortEvent) -> DriverInput | None:
    """What the tape does not hold of an event of the port; None where it holds all."""
    match event:
        case PortOpened():
            return DriverInput(number, InputKind.OPENED, event.entropy.hex())
        case PortLost():
            loss = to_builtins(event)
            known = {name: loss[name] for name in _OF_A_LOSS if name in loss}
            return DriverInput(number, InputKind.LOST, {**loss["reason"], **known})
        case Chunk() if event.waited_ns:
            return DriverInput(number, InputKind.WAITED, event.waited_ns)
        case _:
            return None


def command_input(number: int, command: DeviceCommand, at: Timestamp) -> DriverInput:
    """A command as an input."""
    value = {"name": type(command).__name__, "fields": to_builtins(command), "at": at.utc_ns}
    return DriverInput(number, InputKind.COMMAND, value)


class Replayed(Struct, frozen=True):
    """What a tape gave: the events, and the bytes that the driver would have written."""

    events: tuple[DeviceEvent, ...]
    written: bytes


def replay(
    wire: RecordedWire,
    inputs: Sequence[DriverInput],
    clock_offset_ns: int,
    conversation: Conversation,
) -> Replayed:
    """Give a tape to a fresh conversation. `clock_offset_ns`: UTC less the monotonic time.

    Raises NotReplayable.
    """
    turns: list[Turn] = []
    waiting = list(inputs)
    heard = [one for one in wire.events if one.direction in (Direction.RECEIVED, Direction.STATUS)]

    def give(number: int) -> None:
        """Give what came between the events of the port."""
        while waiting and waiting[0].after == number and waiting[0].kind in _BETWEEN:
            turns.extend(_give(waiting.pop(0), clock_offset_ns, conversation))

    for number, event in enumerate(heard):
        give(number)
        own = waiting.pop(0) if waiting and waiting[0].after == number else None
        turns.extend(conversation.take(_port_event(wire.name, event, own, clock_offset_ns)))
    give(len(heard))
    if waiting:
        raise NotReplayable(f"the report has an input after event {waiting[0].after} of the tape")
    events = tuple(event for turn in turns for event in turn.events)
    return Replayed(events, b"".join(data for turn in turns for data in turn.to_write))


_BETWEEN: Final = (InputKind.TICK, InputKind.COMMAND, InputKind.LINE)


def _give(given: DriverInput, clock_offset_ns: int, conversation: Conversation) -> tuple[Turn, ...]:
    match given.kind:
        case InputKind.TICK:
            return conversation.tick(_moment(given.value, clock_offset_ns))
        case InputKind.COMMAND:
            name, at = given.value["name"], _moment(given.value["at"], clock_offset_ns)
            command = convert(given.value["fields"], _COMMANDS[name])
            return conversation.command(command, at)
        case _:
            return ()


def _port_event(
    port: str, event: WireEvent, own: DriverInput | None, clock_offset_ns: int
) -> PortEvent:
    """The event as the port gave it. Raises NotReplayable."""
    at = _moment(event.utc_ns, clock_offset_ns)
    if event.direction is Direction.RECEIVED:
        return Chunk(port, at, event.data, 0 if own is None else int(own.value))
    if own is None:
        raise NotReplayable(f"the tape has an event that the report does not: {event.comment}")
    if event.comment == _OPENED:
        return PortOpened(port, at, bytes.fromhex(own.value))
    known = {name: own.value[name] for name in _OF_A_LOSS if name in own.value}
    reason = convert(own.value, Message)
    return PortLost(
        port, at, reason, PortEnd(known.get("ended_by", PortEnd.OTHER)), known.get("waited_ns", 0)
    )


def _moment(utc_ns: int, clock_offset_ns: int) -> Timestamp:
    return Timestamp(monotonic_ns=utc_ns - clock_offset_ns, utc_ns=utc_ns)
