"""A host of TableLink at the far end of an emulated device: it says what it is told to say.

Responsible for: bringing time and frames to a device in the caller's thread, and keeping what it
said.
Not responsible for: the rules of a host (the program's link); it checks nothing.
Source: package README, "TableLink devices".
"""

from collections.abc import Callable

from hil.emulator.tablelink.cbor import Map, encoded, payload_map
from hil.emulator.tablelink.device import TableLinkDevice
from hil.emulator.tablelink.wire import Channel, Flag, Frame, FrameFinder, Kind, Say, on_wire

MS = 1_000_000
S = 1_000 * MS
SESSION = 0xBADCAFE


class Host:
    """`heard` are all frames of the device, `events` the payloads of events, in their order."""

    def __init__(self, device: TableLinkDevice, at_ns: int = S) -> None:
        self.device = device
        self.at_ns = at_ns
        self.heard: list[Frame] = []
        self._finder = FrameFinder()
        self.later(0)

    def later(self, pause_ns: int) -> None:
        """Let time pass, moment by moment."""
        until_ns = self.at_ns + pause_ns
        for _ in range(100_000):
            due_ns = self.device.next_due_ns
            if due_ns is None or due_ns > until_ns:
                break
            self.at_ns = max(self.at_ns, due_ns)
            self._take(self.device.tick(self.at_ns))
        else:
            raise AssertionError("the device never comes to rest")
        self.at_ns = until_ns

    def act(self, act: Callable[[], object]) -> None:
        """Somebody does something to the device, and it is noticed."""
        act()
        self.later(0)

    def say(self, frame: Frame) -> tuple[Frame, ...]:
        """Say that; what the device answers at once."""
        return self.send(on_wire(frame))

    def send(self, data: bytes) -> tuple[Frame, ...]:
        """Send any bytes; what the device answers at once."""
        before = len(self.heard)
        self._take(self.device.receive(data, self.at_ns))
        return tuple(self.heard[before:])

    def link(
        self, type_: Say, told: Map | None = None, ack: int | None = None
    ) -> tuple[Frame, ...]:
        """Say something on the link's channel."""
        flags = 0 if ack is None else Flag.ACK_COUNTS
        payload = b"" if told is None else encoded(told)
        return self.say(Frame(Channel.LINK, type_, payload, 0, flags, ack or 0))

    def open(self, stored: int = 0, session: int = SESSION) -> None:
        """HELLO, and events flow."""
        self.link(Say.HELLO, {1: session})
        self.link(Say.HELLO_ACK, {1: session, 2: stored})
        self.later(0)

    def ask(self, ask: int, id_: int, argument: int | None = None) -> Map:
        """The answer to a request."""
        payload = b"" if argument is None else encoded({1: argument})
        (answer,) = self.say(Frame(Channel.REQUEST, ask, payload, id_))
        assert answer.seq == id_
        return payload_map(answer.payload)

    def acknowledge(self) -> None:
        """Everything heard is stored."""
        numbers = [frame.seq for frame in self.events]
        if numbers:
            self.link(Say.ACK, ack=max(numbers))
            self.later(0)

    @property
    def events(self) -> tuple[Frame, ...]:
        return tuple(frame for frame in self.heard if frame.channel == Channel.EVENT)

    def told(self) -> list[tuple[Kind, Map]]:
        """Kinds and bodies of all events so far, once each, all acknowledged."""
        for _ in range(1000):
            if not self.device.memory.ring:
                break
            self.acknowledge()
        seen: dict[int, tuple[Kind, Map]] = {}
        for frame in self.events:
            body = payload_map(frame.payload)[5]
            assert isinstance(body, dict)
            seen[frame.seq] = (Kind(frame.type), body)
        return [seen[number] for number in sorted(seen)]

    def fresh(self) -> list[tuple[Kind, Map]]:
        """Those since the last time this was asked."""
        told = self.told()
        self.heard.clear()
        return told

    def _take(self, data: bytes) -> None:
        for found in self._finder.receive(data):
            assert isinstance(found, Frame)
            self.heard.append(found)
