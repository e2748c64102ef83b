"""The program's TableLink link on a real port, with a store and simulated crashes.

Waits for events in real time.
Source: firmware_bridge README, "TableLink/1".
"""

from collections.abc import Callable, Sequence
from itertools import cycle
from queue import Empty, Queue
from types import TracebackType
from typing import Self

from firmware_bridge.attestation import Trust
from firmware_bridge.tablelink.items import (
    DeviceAdmitted,
    DeviceSilence,
    RequestAnswer,
    TableLinkRequest,
)
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, Port, PortEvent, PortOpened
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.usb_identity import UsbDeviceEvent
from firmware_bridge.transport.usb_sysfs import DeviceWatch
from hil.progress import Patience, wait_while_moving
from hil.tablelink.stored_link import StoredLink

NS_PER_S = 1_000_000_000
POLL_S = 0.02
NAME = "device"


class CutWrites:
    """A port that writes in transfers of these sizes, in turn; 0 is an empty transfer."""

    def __init__(self, port: Port, sizes: Sequence[int]) -> None:
        assert any(sizes), "at least one size is not 0"
        self._port = port
        self._sizes = cycle(sizes)

    def open(self) -> None:
        """Forward to the wrapped port."""
        self._port.open()

    def read(self) -> bytes:
        """Forward to the wrapped port."""
        return self._port.read()

    def write(self, data: bytes) -> None:
        """Write all of it, piece by piece."""
        at = 0
        while at < len(data):
            size = next(self._sizes)
            self._port.write(data[at : at + size])
            at += size

    def close(self) -> None:
        """Forward to the wrapped port."""
        self._port.close()


class PortLink(StoredLink):
    """Use as a context manager. Input is processed only within `until`, `run_for` and `ask`.

    Between these calls the program stands still, and input waits. `port` creates the port for each
    start.
    """

    def __init__(self, port: Callable[[], Port], role: int, trust: Trust) -> None:
        super().__init__(role, trust)
        self._make_port = port
        self._events: Queue[PortEvent] = Queue()
        self._entropy = b""  # of the opening; empty while the port is not open
        self._pump: PortPump | None = None
        self._watch: DeviceWatch | None = None
        self.losses = 0

    def __enter__(self) -> Self:
        self._watch = DeviceWatch(self._on_device_event)
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
        assert wait_while_moving(self._watch.join), "the device watch does not end"

    @property
    def answers(self) -> list[RequestAnswer]:
        """The stored answers."""
        return [item for item in self.journal if isinstance(item, RequestAnswer)]

    @property
    def admissions(self) -> int:
        """How often a device was admitted."""
        return sum(isinstance(item, DeviceAdmitted) for item in self.journal)

    @property
    def silent(self) -> bool:
        """Whether a device was ever reported silent."""
        return any(isinstance(item, DeviceSilence) for item in self.journal)

    def ask(self, request: TableLinkRequest) -> None:
        """Send a request of the table; it is stored at once."""
        self._commit(self._link.send(self._state, request, now()))
        self._stored = self._state

    def restart(self) -> None:
        """Kill the program and start it again from the stored state."""
        self._end()
        self._restore_stored()
        self._start()

    def until(self, done: Callable[[], bool]) -> bool:
        """Process input until `done`; return False when nothing moves any more."""
        patience = Patience(progress=lambda: len(self.journal))
        while not done():
            if patience.is_over:
                return False
            self._step()
        return True

    def run_for(self, seconds: float) -> None:
        """Process input for so long."""
        until_ns = now().monotonic_ns + int(seconds * NS_PER_S)
        while now().monotonic_ns <= until_ns:
            self._step()

    def _step(self) -> None:
        try:
            self._handle_port_event(self._events.get(timeout=POLL_S))
        except Empty:
            self._tick()

    def _start(self) -> None:
        self._events = Queue()
        self._entropy = b""
        self._pump = PortPump(NAME, self._make_port(), self._events.put)
        self._pump.start()

    def _end(self) -> None:
        pump, self._pump = self._pump, None
        assert pump is not None, "not running"
        pump.stop()
        assert wait_while_moving(pump.join), "the threads of the port do not end"

    def _on_device_event(self, _event: UsbDeviceEvent) -> None:
        pump = self._pump
        if pump is not None:
            pump.wake()

    def _handle_port_event(self, event: PortEvent) -> None:
        match event:
            case PortOpened(_, at, entropy):
                self._entropy = entropy
                self._commit(self._link.opened(self._state, at, entropy))
            case Chunk(_, at, data):
                self._commit(self._link.receive(self._state, data, at))
                self._tick()
            case _:
                self.losses += 1
                self._entropy = b""
                self._commit(self._link.closed(self._state, event.at))

    def _tick(self) -> None:
        at = now()
        due_ns = self._link.next_deadline_ns(self._state)
        if self._entropy and due_ns is not None and due_ns <= at.monotonic_ns:
            self._commit(self._link.tick(self._state, at))

    def _write(self, pieces: Sequence[bytes]) -> None:
        assert self._pump is not None, "not running"
        for data in pieces:
            self._pump.write(data, self._entropy)
