"""Shows a TableLink device's traffic at three levels: bytes, decoded frames, device events.

It only listens and checks no identity: a device that is not admitted shows here like any other. A
repeated event shows as a frame and not as a second event.

Source: firmware_bridge README, "TableLink/1", what is shown.
"""

from collections.abc import Callable
from typing import Final, TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.events import DeviceEvent, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.monitor import Words, event_text, fault_text
from drivers.shell import OPENED
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import DeviceStatus, EventBody
from firmware_bridge.tablelink.event_bodies import parse_body
from firmware_bridge.tablelink.fields import FieldMismatch
from firmware_bridge.tablelink.frames import TableLinkFrame, TableLinkUnframed, feed
from firmware_bridge.tablelink.masking import frame_text, mask_raw
from firmware_bridge.tablelink.messages import AnswerMessage, EventMessage, Hello, decode
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import message

EventMapping: TypeAlias = Callable[[EventBody], tuple[DeviceEvent, ...]]
StatusMapping: TypeAlias = Callable[[DeviceStatus], tuple[DeviceEvent, ...]]

UNGREETED: Final = message("monitor_greets_no_device")

_ROLES = {1: "shoe", 2: "shuffler"}


class TableLinkMonitorState(Struct, frozen=True):
    """What each level carries between port events; `last` is the last event shown."""

    unframed: TableLinkUnframed = field(default_factory=TableLinkUnframed)
    device: bytes = b""
    last: int = 0


class TableLinkMonitor(Struct, frozen=True):
    """`words` makes those of a message. `events_of` and `status_of` map the device's bodies.

    `masked` is off in maintenance only.
    """

    words: Words
    events_of: EventMapping
    status_of: StatusMapping
    masked: bool = True

    def initial(self) -> TableLinkMonitorState:
        """The state before the port was opened."""
        return TableLinkMonitorState()

    def watch(
        self, state: TableLinkMonitorState, event: PortEvent
    ) -> tuple[TableLinkMonitorState, tuple[str, ...]]:
        """The lines of one port event, each beginning with its level."""
        match event:
            case PortOpened():
                changed = StageChanged(*OPENED)
            case PortLost(reason=reason):
                changed = StageChanged(Stage.LOST, reason)
            case Chunk(data=data):
                return self._chunk_lines(state, data)
            case _:
                assert_never(event)
        line = f"event  {event_text(changed, self.words, masked=self.masked)}"
        return replace(state, unframed=TableLinkUnframed()), (line,)

    def _chunk_lines(
        self, state: TableLinkMonitorState, data: bytes
    ) -> tuple[TableLinkMonitorState, tuple[str, ...]]:
        text, _rest = mask_raw(data, state.unframed)
        lines = [f"bytes  {text if self.masked else data.hex(' ').upper()}"]
        unframed, found = feed(state.unframed, data)
        state = replace(state, unframed=unframed)
        for one in found:
            if isinstance(one, LinkFault):
                lines.append(f"frame  {fault_text(one, self.words)}")
                continue
            lines.append(f"frame  {frame_text(one, masked=self.masked)}")
            state, texts = self._event_lines(state, one)
            lines.extend(f"event  {text}" for text in texts)
        return state, tuple(lines)

    def _event_lines(
        self, state: TableLinkMonitorState, frame: TableLinkFrame
    ) -> tuple[TableLinkMonitorState, tuple[str, ...]]:
        received = decode(frame)
        match received:
            case LinkFault(kind, detail):
                return state, self._texts((DeviceFault(kind, detail),))
            case Hello(device=device):
                last = state.last if device == state.device else 0
                return replace(state, device=device, last=last), (_hello_text(received),)
            case EventMessage(number=number):
                if number <= state.last:
                    return state, ()
                return replace(state, last=number), self._body_texts(received)
            case AnswerMessage(device_status=DeviceStatus() as status):
                return state, self._texts(self.status_of(status))
            case _:
                return state, ()

    def _body_texts(self, event: EventMessage) -> tuple[str, ...]:
        try:
            body = parse_body(event.kind, event.body, b"")
        except FieldMismatch as mismatch:
            detail = message(
                "event_malformed", number=event.number, kind=event.kind, why=mismatch.why
            )
            return self._texts((DeviceFault(LinkFaultKind.MALFORMED, detail),))
        return self._texts(self.events_of(body))

    def _texts(self, events: tuple[DeviceEvent, ...]) -> tuple[str, ...]:
        return tuple(event_text(event, self.words, masked=self.masked) for event in events)


def _hello_text(hello: Hello) -> str:
    """The identity the device claims; a monitor cannot verify it."""
    role = _ROLES.get(hello.role, f"role {hello.role}")
    return (
        f"{role} {hello.device.hex()} sent HELLO:"
        f" firmware {hello.firmware}, boot {hello.boot_count},"
        f" events {hello.first} to {hello.following - 1} stored"
        f"{', debugging on' if hello.debug else ''}"
    )
