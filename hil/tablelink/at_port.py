"""The program's TableLink link at a real port, with a store it can be killed before and after.

Responsible for: the program's own pump, watch of devices and port below the link, and restarts.
Not responsible for: the store (tablelink_store), the device and its plug (hil.emulator, usb_bed),
and time: it waits for events.
Source: package README, "USB without a device"; firmware_bridge README, "TableLink/1".
"""

from collections.abc import Callable, Sequence
from itertools import cycle
from queue import Empty, Queue
from types import TracebackType
from typing import Self

from firmware_bridge.attestation import Trust
from firmware_bridge.tablelink.items import (
    Admitted,
    Answered,
    Request,
    Silent,
)
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.hotplug import DeviceWatch
from firmware_bridge.transport.port import Chunk, Port, PortEvent, PortOpened
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.usb_identity import DeviceEvent
from hil.tablelink.store import StoredLink

NS_PER_S = 1_000_000_000
WAIT_S, LOOK_S = 20.0, 0.02
NAME = "device"


class CutWrites:
    """A port that writes in pieces of these sizes, in turn, each a transfer; 0 is an empty one."""

    def __init__(self, port: Port, sizes: Sequence[int]) -> None:
        assert any(sizes), "some piece holds a byte"
        self._port = port
        self._sizes = cycle(sizes)

    def open(self) -> None:
        """As the port below."""
        self._port.open()

    def read(self) -> bytes:
        """As the port below."""
        return self._port.read()

    def write(self, data: bytes) -> None:
        """All of it, piece by piece."""
        at = 0
        while at < len(data):
            size = next(self._sizes)
            self._port.write(data[at : at + size])
            at += size

    def close(self) -> None:
        """As the port below."""
        self._port.close()


class TableLinkAtPort(StoredLink):
    """Use as a context manager. Nothing is taken in but within `until` and `ask`: between them the

    program stands still, and what comes waits. `port` makes the port anew for each start.
    """

    def __init__(self, port: Callable[[], Port], role: int, trust: Trust) -> None:
        super().__init__(role, trust)
        self._make_port = port
        self._events: Queue[PortEvent] = Queue()
        self._entropy = b""  # of the opening; none while the port is not open
        self._pump: PortPump | None = None
        self._watch: DeviceWatch | None = None
        self.losses = 0

    def __enter__(self) -> Self:
        self._watch = DeviceWatch(self._told_of)
        self._watch.start()
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        assert self._watch is not None
        self._watch.stop()
        assert self._watch.join(WAIT_S), "the watch of devices does not end"

    @property
    def answered(self) -> list[Answered]:
        """The answers that were stored."""
        return [item for item in self.journal if isinstance(item, Answered)]

    @property
    def admissions(self) -> int:
        """How often a device was let in."""
        return sum(isinstance(item, Admitted) for item in self.journal)

    @property
    def silent(self) -> bool:
        """Whether a device was ever missed."""
        return any(isinstance(item, Silent) for item in self.journal)

    def ask(self, request: Request) -> None:
        """The table asks something of the device; that is stored with whoever asked for it."""
        self._take(self._link.send(self._state, request, now()))
        self._stored = self._state

    def restart(self) -> None:
        """It is killed here and now, and started again: what was not stored never was."""
        self._end()
        self._killed()
        self._start()

    def until(self, done: Callable[[], bool], wait_s: float = WAIT_S) -> bool:
        """Go on until it is so; False where that is not within the time."""
        until_ns = now().monotonic_ns + int(wait_s * NS_PER_S)
        while not done():
            if now().monotonic_ns > until_ns:
                return False
            try:
                self._came(self._events.get(timeout=LOOK_S))
            except Empty:
                self._tick()
        return True

    def _start(self) -> None:
        self._events = Queue()
        self._entropy = b""
        self._pump = PortPump(NAME, self._make_port(), self._events.put)
        self._pump.start()

    def _end(self) -> None:
        pump, self._pump = self._pump, None
        assert pump is not None, "it does not run"
        pump.stop()
        assert pump.join(WAIT_S), "the threads of the port do not end"

    def _told_of(self, _event: DeviceEvent) -> None:
        pump = self._pump
        if pump is not None:
            pump.wake()

    def _came(self, event: PortEvent) -> None:
        match event:
            case PortOpened(_, at, entropy):
                self._entropy = entropy
                self._take(self._link.opened(self._state, at, entropy))
            case Chunk(_, at, data):
                self._take(self._link.receive(self._state, data, at))
                self._tick()
            case _:
                self.losses += 1
                self._entropy = b""
                self._take(self._link.closed(self._state, event.at))

    def _tick(self) -> None:
        at = now()
        due_ns = self._link.next_deadline_ns(self._state)
        if self._entropy and due_ns is not None and due_ns <= at.monotonic_ns:
            self._take(self._link.tick(self._state, at))

    def _write(self, pieces: Sequence[bytes]) -> None:
        assert self._pump is not None, "it does not run"
        for data in pieces:
            self._pump.write(data, self._entropy)
