"""Watching a TableLink device at three levels: bytes arrived, frame decoded, event understood.

Responsible for: turning what the device sends into lines that tell a dead cable from a dead parser.
Not responsible for: printing them and for what may be shown unmasked (the caller says).

It only listens and believes nobody: what a device that is not let in tells shows here like any
other's. A repetition is a frame and no second event.
Source: package README, "Monitor"; firmware_bridge README, "TableLink/1", what is shown.
"""

from collections.abc import Callable
from dataclasses import field
from typing import TypeAlias, assert_never

from drivers.events import DeviceEvent, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.monitor import event_text
from drivers.tablelink.texts import SENTENCE_MAX, harmless, identity
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import Body, Status
from firmware_bridge.tablelink.event_bodies import body_of
from firmware_bridge.tablelink.fields import Misfit
from firmware_bridge.tablelink.frames import Frame, Unframed, feed
from firmware_bridge.tablelink.masking import frame_text, mask_raw
from firmware_bridge.tablelink.messages import AnswerTold, EventTold, Hello, decode
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from firmware_bridge.values import dataclass, replace

Meaning: TypeAlias = Callable[[Body], tuple[DeviceEvent, ...]]
Standing: TypeAlias = Callable[[Status], tuple[DeviceEvent, ...]]

_ROLES = {1: "shoe", 2: "shuffler"}


@dataclass(frozen=True, slots=True)
class TableLinkMonitorState:
    """What each level needs from one port event to the next; `last` is the last event shown."""

    unframed: Unframed = field(default_factory=Unframed)
    device: bytes = b""
    last: int = 0


@dataclass(frozen=True, slots=True)
class TableLinkMonitor:
    """`events_of` and `status_of` are the device's mapping. `masked` is off in maintenance only."""

    events_of: Meaning
    status_of: Standing
    masked: bool = True

    def initial(self) -> TableLinkMonitorState:
        """Before the port was opened."""
        return TableLinkMonitorState()

    def watch(
        self, state: TableLinkMonitorState, event: PortEvent
    ) -> tuple[TableLinkMonitorState, tuple[str, ...]]:
        """The lines of one port event, each beginning with its level."""
        match event:
            case PortOpened():
                changed = StageChanged(Stage.OPENED, "port open")
            case PortLost(reason=reason):
                changed = StageChanged(Stage.LOST, reason)
            case Chunk(data=data):
                return self._arrived(state, data)
            case _:
                assert_never(event)
        line = f"event  {event_text(changed, masked=self.masked)}"
        return replace(state, unframed=Unframed()), (line,)

    def _arrived(
        self, state: TableLinkMonitorState, data: bytes
    ) -> tuple[TableLinkMonitorState, tuple[str, ...]]:
        text, _rest = mask_raw(data, state.unframed)
        lines = [f"bytes  {text if self.masked else data.hex(' ').upper()}"]
        unframed, found = feed(state.unframed, data)
        state = replace(state, unframed=unframed)
        for one in found:
            if isinstance(one, LinkFault):
                lines.append(f"frame  {one.kind}: {one.detail}")
                continue
            lines.append(f"frame  {frame_text(one, masked=self.masked)}")
            state, told = self._understood(state, one)
            lines.extend(f"event  {line}" for line in told)
        return state, tuple(lines)

    def _understood(
        self, state: TableLinkMonitorState, frame: Frame
    ) -> tuple[TableLinkMonitorState, tuple[str, ...]]:
        message = decode(frame)
        match message:
            case LinkFault(kind, detail):
                return state, self._texts((DeviceFault(kind, harmless(detail, SENTENCE_MAX)),))
            case Hello(device=device):
                last = state.last if device == state.device else 0
                return replace(state, device=device, last=last), (_greeting(message),)
            case EventTold(number=number):
                if number <= state.last:
                    return state, ()
                return replace(state, last=number), self._event(message)
            case AnswerTold(told=Status() as status):
                return state, self._texts(self.status_of(status))
            case _:
                return state, ()

    def _event(self, told: EventTold) -> tuple[str, ...]:
        try:
            body = body_of(told.kind, told.body, b"")
        except Misfit as misfit:
            detail = f"event {told.number} of kind {told.kind} makes no sense: {misfit}"
            return self._texts((DeviceFault(LinkFaultKind.MALFORMED, detail),))
        return self._texts(self.events_of(body))

    def _texts(self, events: tuple[DeviceEvent, ...]) -> tuple[str, ...]:
        return tuple(event_text(event, masked=self.masked) for event in events)


def _greeting(hello: Hello) -> str:
    """Who it says it is; a monitor cannot prove it."""
    role = _ROLES.get(hello.role, f"role {hello.role}")
    return (
        f"{role} {identity(hello.device)} says it is there:"
        f" firmware {harmless(hello.firmware)}, boot {hello.boot_count},"
        f" events {hello.first} to {hello.following - 1} kept"
        f"{', debugging on' if hello.debug else ''}"
    )
