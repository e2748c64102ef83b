"""A scripted TableLink host for an emulated device; it checks nothing it receives."""

from collections.abc import Callable

from hil.emulator.tablelink.cbor import Map, decode_map, encode
from hil.emulator.tablelink.device import TableLinkDevice
from hil.emulator.tablelink.wire import (
    EventKind,
    Flag,
    Frame,
    FrameChannel,
    FrameFinder,
    LinkType,
    encode_frame,
)

MS = 1_000_000
S = 1_000 * MS
SESSION = 0xBADCAFE


class ScriptedHost:
    """`received`: all frames of the device; `events`: those of the channel EVENT, in order."""

    def __init__(self, device: TableLinkDevice, at_ns: int = S) -> None:
        self.device = device
        self.at_ns = at_ns
        self.received: list[Frame] = []
        self._finder = FrameFinder()
        self.advance(0)

    def advance(self, pause_ns: int) -> None:
        """Advance the clock by `pause_ns`, from one deadline of the device to the next."""
        until_ns = self.at_ns + pause_ns
        for _ in range(100_000):
            due_ns = self.device.next_due_ns
            if due_ns is None or due_ns > until_ns:
                break
            self.at_ns = max(self.at_ns, due_ns)
            self._take(self.device.tick(self.at_ns))
        else:
            raise AssertionError("the device never becomes idle")
        self.at_ns = until_ns

    def act(self, act: Callable[[], object]) -> None:
        """Act on the device, and process the result."""
        act()
        self.advance(0)

    def send_frame(self, frame: Frame) -> tuple[Frame, ...]:
        """Send a frame; return what the device answers at once."""
        return self.send(encode_frame(frame))

    def send(self, data: bytes) -> tuple[Frame, ...]:
        """Send any bytes; return what the device answers at once."""
        before = len(self.received)
        self._take(self.device.receive(data, self.at_ns))
        return tuple(self.received[before:])

    def link(
        self, type_: LinkType, fields: Map | None = None, ack: int | None = None
    ) -> tuple[Frame, ...]:
        """Send a message on the channel LINK; return what the device answers at once."""
        flags = 0 if ack is None else Flag.ACK_COUNTS
        payload = b"" if fields is None else encode(fields)
        return self.send_frame(Frame(FrameChannel.LINK, type_, payload, 0, flags, ack or 0))

    def open(self, stored: int = 0, session: int = SESSION) -> None:
        """Send HELLO and HELLO_ACK, so that events flow."""
        self.link(LinkType.HELLO, {1: session})
        self.link(LinkType.HELLO_ACK, {1: session, 2: stored})
        self.advance(0)

    def ask(self, ask: int, id_: int, argument: int | None = None) -> Map:
        """Send a request; return the payload of its answer."""
        payload = b"" if argument is None else encode({1: argument})
        (answer,) = self.send_frame(Frame(FrameChannel.REQUEST, ask, payload, id_))
        assert answer.seq == id_
        return decode_map(answer.payload)

    def acknowledge(self) -> None:
        """Acknowledge all events received."""
        numbers = [frame.seq for frame in self.events]
        if numbers:
            self.link(LinkType.ACK, ack=max(numbers))
            self.advance(0)

    @property
    def events(self) -> tuple[Frame, ...]:
        return tuple(frame for frame in self.received if frame.channel == FrameChannel.EVENT)

    def all_events(self) -> list[tuple[EventKind, Map]]:
        """Kinds and bodies of all events so far, once each; acknowledges them."""
        for _ in range(1000):
            if not self.device.memory.ring:
                break
            self.acknowledge()
        bodies: dict[int, tuple[EventKind, Map]] = {}
        for frame in self.events:
            body = decode_map(frame.payload)[5]
            assert isinstance(body, dict)
            bodies[frame.seq] = (EventKind(frame.type), body)
        return [bodies[number] for number in sorted(bodies)]

    def new_events(self) -> list[tuple[EventKind, Map]]:
        """Kinds and bodies of the events since the last call."""
        events = self.all_events()
        self.received.clear()
        return events

    def _take(self, data: bytes) -> None:
        for found in self._finder.receive(data):
            assert isinstance(found, Frame)
            self.received.append(found)
