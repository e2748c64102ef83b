"""Real ports that blink: what ended each, and that ten minutes of pause before cost no proof.

Source: firmware_bridge/angel_eye/README.md, "After a reopening or a restart".
"""

import os
import socket
import struct
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import pytest
import serial
import serial.rfc2217

from firmware_bridge.angel_eye.messages import StandByMessage
from firmware_bridge.link import ContinuityUnproven
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import (
    Chunk,
    Port,
    PortEnd,
    PortEvent,
    PortGone,
    PortLost,
    PortOpened,
    PortUnavailable,
)
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.serial_port import SerialPort
from foundation.message import message
from foundation.timestamp import Timestamp

# Two reports of standing by, with the numbers 1 and 2.
FIRST = bytes.fromhex("05 31 50 03 36 32")
SECOND = bytes.fromhex("05 32 50 03 36 31")
RESET_ON_CLOSE = struct.pack("ii", 1, 0)
NS_PER_S = 1_000_000_000
Pumping = Callable[[Port], "Queue[PortEvent]"]


@pytest.fixture
def pumping() -> Iterator[Pumping]:
    pumps: list[PortPump] = []

    def start(port: Port) -> "Queue[PortEvent]":
        events: Queue[PortEvent] = Queue()
        pumps.append(PortPump("shoe", port, events.put))
        pumps[-1].start()
        return events

    yield start
    for pump in pumps:
        pump.stop()
        assert pump.join()


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def until(events: "Queue[PortEvent]", data: bytes) -> "Queue[PortEvent]":
    """Wait until these bytes were read; what was read so far, in front of what is to come."""
    seen: Queue[PortEvent] = Queue()
    got = b""
    while not got.endswith(data):
        event = events.get()
        got += event.data if isinstance(event, Chunk) else b""
        seen.put(event)
    return seen


def joined(*parts: "Queue[PortEvent]") -> "Queue[PortEvent]":
    whole: Queue[PortEvent] = Queue()
    for part in parts:
        while not part.empty():
            whole.put(part.get())
    return whole


def test_a_pulled_and_plugged_terminal_proves_that_nothing_was_missed(
    tmp_path: Path, pumping: Pumping, across_a_blink
) -> None:
    link = tmp_path / "shoe"
    device, host = os.openpty()
    tty.setraw(host)
    link.symlink_to(os.ttyname(host))
    events = pumping(SerialPort(str(link), 4800))
    os.write(device, FIRST)
    before = until(events, FIRST)

    link.unlink()
    os.close(host)
    os.close(device)
    device, host = os.openpty()
    tty.setraw(host)
    link.symlink_to(os.ttyname(host))
    os.write(device, SECOND)
    lost, items = across_a_blink(joined(before, until(events, SECOND)))

    assert lost.ended_by is PortEnd.READ_ERROR
    assert items == (StandByMessage(),)
    os.close(host)
    os.close(device)


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (PortEnd.END_OF_STREAM, (StandByMessage(),)),
        (PortEnd.RESET, (ContinuityUnproven(), StandByMessage())),
    ],
)
def test_a_server_that_closes_in_order_proves_it_and_one_that_resets_does_not(
    server: socket.socket, pumping: Pumping, across_a_blink, ending: PortEnd, expected
) -> None:
    events = pumping(SerialPort(f"socket://127.0.0.1:{server.getsockname()[1]}", 4800))
    connection, _address = server.accept()
    connection.sendall(FIRST)
    before = until(events, FIRST)
    if ending is PortEnd.RESET:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
    connection.close()
    with server.accept()[0] as again:
        again.sendall(SECOND)
        lost, items = across_a_blink(joined(before, until(events, SECOND)))

    assert lost.ended_by is ending
    assert items == expected


def test_a_reset_right_behind_a_report_is_not_taken_for_an_end_in_order(
    server: socket.socket,
) -> None:
    """The error is reported once, to the read that takes what waits with the first byte."""
    port = SerialPort(f"socket://127.0.0.1:{server.getsockname()[1]}", 4800)
    port.open()
    connection, _address = server.accept()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
    connection.sendall(FIRST)
    connection.close()

    ended: list[PortEnd] = []
    while not ended:
        try:
            port.read()
        except PortGone as gone:
            ended.append(gone.ended_by)
    port.close()

    assert ended[0] is not PortEnd.END_OF_STREAM


class Rfc2217Server:
    """Clients of a serial server, one after another, served by the library's own other end."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._loop = serial.serial_for_url("loop://", timeout=0)

    def write(self, data: bytes) -> None:
        self._connection.sendall(data)

    def serve(self, report: bytes, *, closes: bool) -> None:
        """Let one client in, give it a report, and close in order or wait for its end."""
        self._connection, _address = self._listening.accept()
        with self._connection:
            manager = serial.rfc2217.PortManager(self._loop, self)
            settled = False
            while data := self._connection.recv(1000):
                list(manager.filter(data))
                # The last that a client settles is what is to be purged.
                settled = settled or b"\x0c" in data
                if settled and report:
                    self.write(b"".join(manager.escape(report)))
                    report = b""
                    if closes:
                        self._connection.shutdown(socket.SHUT_WR)
                        return


@pytest.mark.filterwarnings("ignore:set(Daemon|Name).. is deprecated:DeprecationWarning")
def test_over_rfc_2217_an_end_in_order_proves_it_with_the_report_before_it(
    server: socket.socket, pumping: Pumping, across_a_blink
) -> None:
    device = Rfc2217Server(server)

    def serve() -> None:
        device.serve(FIRST, closes=True)
        device.serve(SECOND, closes=False)

    thread = threading.Thread(target=serve)
    thread.start()
    port = SerialPort(f"rfc2217://127.0.0.1:{server.getsockname()[1]}", 4800)
    events: Queue[PortEvent] = Queue()
    pump = PortPump("shoe", port, events.put)
    pump.start()
    lost, items = across_a_blink(events)
    pump.stop()
    assert pump.join()
    thread.join()

    assert lost.ended_by is PortEnd.END_OF_STREAM
    assert items == (StandByMessage(),)


@pytest.mark.filterwarnings("ignore:set(Daemon|Name).. is deprecated:DeprecationWarning")
def test_over_rfc_2217_what_came_before_the_end_is_read_after_it(server: socket.socket) -> None:
    device = Rfc2217Server(server)
    serving = threading.Thread(target=lambda: device.serve(FIRST, closes=True))
    serving.start()
    port = SerialPort(f"rfc2217://127.0.0.1:{server.getsockname()[1]}", 4800)
    port.open()
    serving.join()
    assert isinstance(port._line, serial.rfc2217.Serial)
    port._line._thread.join()  # the library's own reader has seen the end

    assert port.read() == FIRST
    with pytest.raises(PortGone) as gone:
        port.read()
    assert gone.value.ended_by is PortEnd.END_OF_STREAM
    port.close()


# --- what a host did not read ---------------------------------------------------------------------


class SteppedPort:
    """A port whose reads take so many seconds of a clock; the last one fails."""

    def __init__(self, *steps: tuple[float, bytes]) -> None:
        self._steps = list(steps)
        self.clock_ns = now().monotonic_ns
        self.opened = 0

    def clock(self) -> Timestamp:
        return Timestamp(self.clock_ns, self.clock_ns)

    def open(self) -> None:
        self.opened += 1

    def read(self) -> bytes:
        seconds, data = self._steps.pop(0)
        self.clock_ns += int(seconds * NS_PER_S)
        if not data:
            raise PortGone(message("usb_unplugged"), PortEnd.READ_ERROR)
        return data

    def write(self, data: bytes) -> None:
        """Nothing is written."""

    def close(self) -> None:
        """Nothing to close."""


def losses(port: SteppedPort, put_takes_s: float = 0.0) -> PortLost:
    """The first loss that a pump puts, where each put takes so long."""
    lost: Queue[PortLost] = Queue()

    def put(event: PortEvent) -> None:
        if isinstance(event, Chunk):
            port.clock_ns += int(put_takes_s * NS_PER_S)
        if isinstance(event, PortLost):
            lost.put(event)
            pump.stop()

    pump = PortPump("shoe", port, put, clock=port.clock)
    pump.start()
    found = lost.get()
    assert pump.join()
    return found


def test_a_loss_that_is_noticed_at_once_bounds_the_blink() -> None:
    lost = losses(SteppedPort((0.5, FIRST), (0.9, b"")))

    assert lost.waited_ns == 0
    assert lost.read_until == lost.at


def test_a_loss_that_a_stopped_host_notices_late_may_be_as_old_as_its_last_read() -> None:
    lost = losses(SteppedPort((0.5, FIRST), (600.0, b"")))

    assert lost.waited_ns == 600 * NS_PER_S
    assert lost.read_until == lost.at.earlier(600 * NS_PER_S)


def test_a_loss_behind_a_full_queue_may_be_as_old_as_the_last_read() -> None:
    lost = losses(SteppedPort((0.5, FIRST), (0.1, b"")), put_takes_s=30.0)

    assert lost.waited_ns == int(30.1 * NS_PER_S)


def test_an_opening_that_fails_bounds_nothing() -> None:
    lost = PortLost("shoe", now(), message("port_does_not_exist", port="shoe"))

    assert lost.read_until is None


def test_a_reader_has_caught_up_only_while_it_waits_in_a_read(pumping: Pumping) -> None:
    port = WaitingPort()
    took: Queue[bool] = Queue()

    def put(_event: PortEvent) -> None:
        took.put(pump.caught_up(now().monotonic_ns))

    pump = PortPump("shoe", port, put)
    port.caught_up = pump.caught_up
    assert pump.caught_up(now().monotonic_ns), "nothing is open"
    pump.start()
    port.opening.get()
    port.in_read.get()
    at_ns = now().monotonic_ns
    assert took.get() is False, "its opening was not put"
    assert pump.caught_up(at_ns)
    assert not pump.caught_up(at_ns + 2 * NS_PER_S), "a read that takes so long: the host stood"
    port.give.put(FIRST)
    assert took.get() is False, "the report was not put"
    port.in_read.get()
    assert pump.caught_up(now().monotonic_ns)
    port.give.put(None)
    assert took.get() is False, "its loss was not put"
    assert port.opening.get() is True, "it is closed, and its loss was put"
    pump.stop()
    assert not pump.caught_up(now().monotonic_ns), "nobody listens any more"
    assert pump.join()


class WaitingPort:
    """A port whose reads wait for a test; it opens once."""

    def __init__(self) -> None:
        self.give: Queue[bytes | None] = Queue()
        self.in_read: Queue[bool] = Queue()
        self.opening: Queue[bool] = Queue()
        self.caught_up: Callable[[int], bool] = lambda _at_ns: False
        self.opened = 0

    def open(self) -> None:
        self.opening.put(self.caught_up(now().monotonic_ns))
        self.opened += 1
        if self.opened > 1:
            raise PortUnavailable(message("port_does_not_exist", port="shoe"))

    def read(self) -> bytes:
        self.in_read.put(True)
        data = self.give.get()
        if data is None:
            raise PortGone(message("usb_unplugged"))
        return data

    def write(self, data: bytes) -> None:
        """Nothing is written."""

    def close(self) -> None:
        self.give.put(None)


def test_every_event_of_a_blink_is_put_once(server: socket.socket, pumping: Pumping) -> None:
    events = pumping(SerialPort(f"socket://127.0.0.1:{server.getsockname()[1]}", 4800))
    server.accept()[0].close()
    with server.accept()[0]:
        kinds = [type(events.get()) for _ in range(3)]

    assert kinds == [PortOpened, PortLost, PortOpened]
