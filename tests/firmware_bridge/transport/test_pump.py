"""The pump: events in order, back-off after a loss, and an immediate stop."""

import os
import socket
import termios
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Event

import pytest

from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import (
    Chunk,
    Port,
    PortEvent,
    PortGone,
    PortLost,
    PortOpened,
    PortShut,
    PortUnavailable,
)
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.serial_port import SerialPort
from foundation.message import Message, message
from foundation.timestamp import Timestamp

REPORT = bytes.fromhex("05 31 50 03 36 32")
FOR_EVER_S = 3600.0
UNPLUGGED = message("usb_unplugged")
NOT_WRITTEN = message("usb_transfer_failed")
ABSENT = message("port_does_not_exist", port="shoe")
TOO_FAST = message("port_shut_for_reports", limit=10, seconds=60)
HELD = message("port_held_by_other_program", port="shoe")
NS_PER_S = 1_000_000_000


class ScriptedPort:
    """A port with a script: each opening is a refusal, or chunks and an end."""

    def __init__(self, *openings: Message | tuple[bytes, ...]) -> None:
        self._openings = list(openings)
        self._chunks: Queue[bytes | None] = Queue()
        self.written: Queue[bytes] = Queue()
        self.write_fails = False
        self.open_count = 0
        self.reads = 0

    def open(self) -> None:
        self.open_count += 1
        now = self._openings.pop(0) if self._openings else ()
        if isinstance(now, Message):
            raise PortUnavailable(now)
        self._chunks = Queue()
        for chunk in now:
            self._chunks.put(chunk)
        if self._openings:
            self._chunks.put(None)  # lost after these; the last opening stays open

    def read(self) -> bytes:
        chunk = self._chunks.get()
        self.reads += 1
        if chunk is None:
            raise PortGone(UNPLUGGED)
        return chunk

    def write(self, data: bytes) -> None:
        if self.write_fails:
            raise PortGone(NOT_WRITTEN)
        self.written.put(data)

    def close(self) -> None:
        self._chunks.put(None)


Pumping = Callable[[Port], tuple[PortPump, Queue[PortEvent]]]


@pytest.fixture
def pumping() -> Iterator[Pumping]:
    pumps: list[PortPump] = []

    def start(port: Port) -> tuple[PortPump, Queue[PortEvent]]:
        events: Queue[PortEvent] = Queue()
        pump = PortPump("shoe", port, events.put)
        pumps.append(pump)
        pump.start()
        return pump, events

    yield start
    for pump in pumps:
        pump.stop()
        assert pump.join()


def kinds(events: Queue[PortEvent], count: int) -> list[type[PortEvent]]:
    return [type(events.get()) for _ in range(count)]


# --- on a scripted port ---------------------------------------------------------------------------


def test_opened_then_chunks_then_lost_then_opened_again(pumping: Pumping) -> None:
    _pump, events = pumping(ScriptedPort((b"a", b"b"), (b"c",), ()))

    assert kinds(events, 7) == [PortOpened, Chunk, Chunk, PortLost, PortOpened, Chunk, PortLost]


def test_events_carry_port_stamp_and_entropy(pumping: Pumping) -> None:
    _pump, events = pumping(ScriptedPort((b"a",), ()))

    opened, chunk, lost = (events.get() for _ in range(3))

    assert isinstance(opened, PortOpened)
    assert len(opened.entropy) == 32
    assert isinstance(chunk, Chunk)
    assert chunk.data == b"a"
    assert isinstance(lost, PortLost)
    assert lost.reason == UNPLUGGED
    assert {opened.port, chunk.port, lost.port} == {"shoe"}
    assert opened.at.monotonic_ns <= chunk.at.monotonic_ns <= lost.at.monotonic_ns


def test_entropy_is_new_at_every_opening(pumping: Pumping) -> None:
    _pump, events = pumping(ScriptedPort((), (), ()))
    attempts = [events.get() for _ in range(3)]

    entropies = {event.entropy for event in attempts if isinstance(event, PortOpened)}

    assert len(entropies) == 2


def test_while_a_port_is_absent_each_new_reason_is_reported(pumping: Pumping) -> None:
    _pump, events = pumping(ScriptedPort(ABSENT, ABSENT, HELD, (b"a",)))

    first, second, opened = (events.get() for _ in range(3))

    assert isinstance(first, PortLost)
    assert isinstance(second, PortLost)
    assert (first.reason, second.reason) == (ABSENT, HELD)
    assert isinstance(opened, PortOpened)


def test_a_read_that_timed_out_is_no_event(pumping: Pumping) -> None:
    _pump, events = pumping(ScriptedPort((b"", b"a"), ()))

    assert kinds(events, 3) == [PortOpened, Chunk, PortLost]


class Waits:
    """Replaces the wake event of a pump: records the timeout of each wait, and returns at once.

    The wait with the number `woken` ends as by wake(); after `enough` waits the pump stops.
    """

    def __init__(self, pump: PortPump, enough: int, woken: int) -> None:
        self.seconds: list[float] = []
        self.elapsed_s = 0.0
        self._pump = pump
        self._enough = enough
        self._woken = woken
        self._set = False

    def set(self) -> None:
        self._set = True

    def clear(self) -> None:
        self._set = False

    def wait(self, seconds: float) -> bool:
        self.seconds.append(seconds)
        if len(self.seconds) == self._woken:
            self._pump.wake()
        else:
            self.elapsed_s += seconds
        if len(self.seconds) >= self._enough:
            self._pump._stopping.set()
        return self._set


def waits_of(port: Port, count: int, woken: int = 0, read_s: float = 0.0) -> list[float]:
    """The seconds that a pump waits between its openings; each read takes `read_s`."""

    def clock() -> Timestamp:
        reads_s = read_s * port.reads if isinstance(port, ScriptedPort) else 0.0
        return Timestamp(round((waits.elapsed_s + reads_s) * 1e9), 0)

    pump = PortPump("shoe", port, lambda _event: None, clock=clock)
    waits = Waits(pump, count, woken)
    pump._wake_event = waits  # type: ignore[assignment]
    pump.start()
    pump._reader.join()
    pump.stop()
    assert pump.join()
    return waits.seconds


def test_the_back_off_doubles_from_a_tenth_to_five_seconds() -> None:
    port = ScriptedPort(*[ABSENT] * 9)

    assert waits_of(port, 8) == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_an_opening_of_five_seconds_resets_the_back_off() -> None:
    port = ScriptedPort(ABSENT, ABSENT, (b"a",), ABSENT, ABSENT)

    assert waits_of(port, 4, read_s=2.5) == [0.1, 0.2, 0.1, 0.2]


def test_a_shorter_opening_does_not_reset_the_back_off() -> None:
    port = ScriptedPort(ABSENT, ABSENT, (b"a",), ABSENT, ABSENT)

    assert waits_of(port, 4, read_s=2.4) == [0.1, 0.2, 0.4, 0.8]


@pytest.mark.parametrize("sent", [(), (b"\x054D",), (b"\x054D\x81\xc9\x0375",)])
def test_a_peer_that_closes_at_once_is_retried_with_back_off(sent: tuple[bytes, ...]) -> None:
    port = ScriptedPort(*[sent] * 9)

    assert waits_of(port, 8) == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_who_takes_the_events_may_shut_the_port_for_a_time() -> None:
    events: list[PortEvent] = []
    ended = Event()

    def put(event: PortEvent) -> None:
        events.append(event)
        if isinstance(event, Chunk):
            raise PortShut(TOO_FAST, 60.0)
        if isinstance(event, PortOpened) and len(events) > 1:
            ended.set()

    waited: list[float] = []
    port = ScriptedPort((REPORT,), ())
    pump = PortPump("shoe", port, put)
    pump._stopping.wait = waited.append  # type: ignore[assignment,method-assign]
    pump.start()
    pump.wake()  # a device that appears is no reason to open it earlier
    assert ended.wait(FOR_EVER_S)
    pump.stop()
    assert pump.join(FOR_EVER_S)

    assert [type(one) for one in events] == [PortOpened, Chunk, PortLost, PortOpened]
    assert isinstance(events[2], PortLost)
    assert events[2].reason == TOO_FAST
    assert waited[0] == 60.0


def test_a_device_that_appears_is_tried_ten_times_a_second_for_two_seconds() -> None:
    port = ScriptedPort(*[ABSENT] * 40)

    waits = waits_of(port, 32, woken=7)

    assert waits[:7] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0]
    assert waits[7:27] == [0.1] * 20
    assert waits[27:] == [0.2, 0.4, 0.8, 1.6, 3.2]


def test_waking_an_open_port_changes_nothing(pumping: Pumping) -> None:
    port = ScriptedPort(())
    pump, events = pumping(port)
    assert kinds(events, 1) == [PortOpened]
    pump.wake()
    pump.write(b"1")

    assert port.written.get() == b"1"
    assert port.open_count == 1


def test_writes_are_sent_in_order(pumping: Pumping) -> None:
    port = ScriptedPort(())
    pump, events = pumping(port)
    assert kinds(events, 1) == [PortOpened]
    for data in (b"1", b"2", b"3"):
        pump.write(data)

    assert [port.written.get() for _ in range(3)] == [b"1", b"2", b"3"]


def test_a_write_that_fails_is_a_lost_port(pumping: Pumping) -> None:
    port = ScriptedPort(())
    port.write_fails = True
    pump, events = pumping(port)
    assert kinds(events, 1) == [PortOpened]
    pump.write(b"1")

    lost = events.get()

    assert isinstance(lost, PortLost)
    assert lost.reason == NOT_WRITTEN
    assert kinds(events, 1) == [PortOpened]


def test_a_write_while_the_port_is_absent_is_dropped(pumping: Pumping) -> None:
    port = ScriptedPort(ABSENT, ())
    pump, events = pumping(port)
    assert kinds(events, 1) == [PortLost]
    pump.write(b"old")
    assert kinds(events, 1) == [PortOpened]
    pump.write(b"new")

    assert port.written.get() == b"new"


def test_a_write_for_an_earlier_opening_is_dropped(pumping: Pumping) -> None:
    port = ScriptedPort((b"one",), ())
    pump, events = pumping(port)
    attempts = [events.get() for _ in range(4)]
    first, second = (event.entropy for event in attempts if isinstance(event, PortOpened))

    pump.write(b"for the first", first)
    pump.write(b"for the second", second)

    assert port.written.get() == b"for the second"


def test_stop_ends_a_long_back_off_at_once(pumping: Pumping) -> None:
    pump, events = pumping(ScriptedPort(*[ABSENT] * 1000))
    assert kinds(events, 1) == [PortLost]
    pump.stop()

    assert pump.join()


def test_after_stop_nothing_more_is_reported(pumping: Pumping) -> None:
    pump, events = pumping(ScriptedPort(()))
    assert kinds(events, 1) == [PortOpened]
    pump.stop()
    assert pump.join()

    with pytest.raises(Empty):
        events.get_nowait()


# --- bytes that waited ----------------------------------------------------------------------------


def test_where_nobody_takes_its_bytes_any_more_it_reads_on_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A flooded port that spins would keep the table from storing what it has."""
    monkeypatch.setattr("firmware_bridge.transport.pump._REFUSED_PAUSE_S", FOR_EVER_S)
    port, refused = ScriptedPort((REPORT, REPORT, REPORT)), Event()

    def put(event: PortEvent) -> bool:
        if isinstance(event, Chunk):
            refused.set()
        return not isinstance(event, Chunk)

    pump = PortPump("/dev/ttyUSB0", port, put)
    pump.start()
    assert refused.wait()
    waits_for_more = Event().wait(0.05)
    pump.stop()
    pump.join()

    assert (port.reads, waits_for_more) == (1, False)


class TimedPort:
    """A port with its own clock: each read takes so many seconds and returns those bytes."""

    def __init__(self, *reads: tuple[float, bytes]) -> None:
        self._reads = list(reads)
        self._ended = Event()
        self.seconds = 100.0

    def clock(self) -> Timestamp:
        return Timestamp(int(self.seconds * NS_PER_S), int(self.seconds * NS_PER_S))

    def open(self) -> None:
        pass

    def read(self) -> bytes:
        if not self._reads:
            self._ended.wait()
            raise PortGone(UNPLUGGED)
        seconds, data = self._reads.pop(0)
        self.seconds += seconds
        return data

    def write(self, data: bytes) -> None:
        raise PortGone(NOT_WRITTEN)

    def close(self) -> None:
        self._ended.set()


@pytest.mark.parametrize(
    ("reads", "waited_s"),
    [
        ([(1.0, b""), (1.0, b""), (0.9, b"D")], 0),
        ([(1.0, b""), (30.0, b"D")], 30),
        # The stop ended the read before it saw what had come.
        ([(1.0, b""), (30.0, b""), (0.0, b"D")], 30),
        # What came before the stop was read before it.
        ([(0.5, b"D"), (5.0, b"D")], 5),
        # After a read of the usual length nothing can have waited longer.
        ([(30.0, b""), (1.0, b""), (0.5, b"D")], 0),
    ],
)
def test_bytes_carry_how_long_they_may_have_waited_for_a_stopped_host(
    reads: list[tuple[float, bytes]], waited_s: int
) -> None:
    port = TimedPort(*reads)
    events: Queue[PortEvent] = Queue()
    pump = PortPump("shoe", port, events.put, clock=port.clock)
    pump.start()
    opened_and_chunks = 1 + sum(data != b"" for _seconds, data in reads)
    *_, chunk = (events.get() for _ in range(opened_and_chunks))
    pump.stop()

    assert pump.join()
    assert isinstance(chunk, Chunk)
    assert chunk.waited_ns == waited_s * NS_PER_S


def test_bytes_that_came_while_the_queue_was_full_may_have_waited() -> None:
    port = TimedPort((0.5, b"D"), (0.0, b"D"))
    events: Queue[PortEvent] = Queue()

    def put(event: PortEvent) -> None:
        port.seconds += 10.0 if isinstance(event, Chunk) else 0.0
        events.put(event)

    pump = PortPump("shoe", port, put, clock=port.clock)
    pump.start()
    _opened, first, second = (events.get() for _ in range(3))
    pump.stop()

    assert pump.join()
    assert isinstance(first, Chunk)
    assert isinstance(second, Chunk)
    assert (first.waited_ns, second.waited_ns) == (0, 10 * NS_PER_S)


# --- on real ports --------------------------------------------------------------------------------


class PluggedCable:
    """A pseudo-terminal behind a link that stays, as udev's names do."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self.device = self._program_end = -1
        self.plug()

    def plug(self) -> None:
        self.device, self._program_end = os.openpty()
        tty.setraw(self._program_end, termios.TCSANOW)
        self.link.symlink_to(os.ttyname(self._program_end))

    def unplug(self) -> None:
        self.link.unlink()
        os.close(self.device)
        os.close(self._program_end)


def read_from(descriptor: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += os.read(descriptor, size - len(data))
    return data


def chunk_bytes(events: Queue[PortEvent], size: int) -> bytes:
    data = b""
    while len(data) < size:
        event = events.get()
        assert isinstance(event, Chunk)
        data += event.data
    return data


def test_a_real_port_unplugged_and_plugged_in_again(pumping: Pumping, tmp_path: Path) -> None:
    cable = PluggedCable(tmp_path / "shoe")
    os.write(cable.device, REPORT)  # waits before the program opens the port
    pump, events = pumping(SerialPort(str(cable.link), 4800))

    assert kinds(events, 1) == [PortOpened]
    assert chunk_bytes(events, len(REPORT)) == REPORT
    pump.write(b"to the shoe")
    assert read_from(cable.device, 11) == b"to the shoe"

    cable.unplug()
    lost = events.get()
    assert isinstance(lost, PortLost)

    cable.plug()
    os.write(cable.device, REPORT)
    event = events.get()
    while isinstance(event, PortLost):  # the reasons while it was away
        event = events.get()
    assert isinstance(event, PortOpened)
    assert chunk_bytes(events, len(REPORT)) == REPORT

    pump.stop()
    assert pump.join()
    cable.unplug()


def test_a_real_port_that_appears_is_opened_within_two_seconds(
    pumping: Pumping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without waking, the next try would be an hour away.
    monkeypatch.setattr("firmware_bridge.transport.pump.BACK_OFF_S_MAX", 3600.0)
    monkeypatch.setattr("firmware_bridge.transport.pump._BACK_OFF_GROWTH", 36_000)
    pump, events = pumping(SerialPort(str(tmp_path / "shoe"), 4800))
    assert kinds(events, 1) == [PortLost]
    woken_ns = now().monotonic_ns
    pump.wake()  # the device is present, its name appears a little later
    cable = PluggedCable(tmp_path / "shoe")

    opened = events.get()
    cable.unplug()

    assert isinstance(opened, PortOpened)
    assert opened.at.monotonic_ns - woken_ns < 2_000_000_000


def test_a_dropped_connection_is_reopened(pumping: Pumping) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, number = server.getsockname()
        pump, events = pumping(SerialPort(f"socket://{host}:{number}", 4800))
        for _ in range(2):
            connection, _address = server.accept()
            with connection:
                connection.sendall(REPORT)
                assert kinds(events, 1) == [PortOpened]
                assert chunk_bytes(events, len(REPORT)) == REPORT
                pump.write(b"to the shoe")
                assert connection.recv(11, socket.MSG_WAITALL) == b"to the shoe"
            assert kinds(events, 1) == [PortLost]
        pump.stop()
        assert pump.join()
