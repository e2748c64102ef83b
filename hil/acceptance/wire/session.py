"""A device's port during an acceptance: its pump, its tape, and one thread for its driver.

Source: firmware_bridge/transport/README.md, "Ports".
"""

import queue
from collections.abc import Callable
from threading import Condition, Event, Thread
from types import TracebackType
from typing import Final, Self, TypeAlias

from msgspec import Struct

from controller.service.capture_file import CaptureFile, CaptureFileError
from controller.system.messages.catalogue import to_words
from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import (
    Chunk,
    LineSettings,
    Port,
    PortEvent,
    PortLost,
    PortOpened,
)
from firmware_bridge.transport.pump import PortPump
from foundation.timestamp import Timestamp
from hil.acceptance.wire.conversation import Conversation, Turn
from hil.acceptance.wire.documents import line_text
from hil.acceptance.wire.inputs import DriverInput, InputKind, command_input, port_input

NS_PER_S: Final = 1_000_000_000
# How long the driver's thread waits at once, and the reader for room in the queue.
_SINGLE_WAIT_S: Final = 0.2
_EVENTS_WAITING_MAX: Final = 4096
_JOIN_S: Final = 5.0

PortMaker: TypeAlias = Callable[[str, LineSettings], Port]


class TapeEnded(Exception):
    """The tape takes no more bytes: nothing that follows would be on record."""


class EventHeard(Struct, frozen=True):
    """One device event, and when the read returned that completed it."""

    event: DeviceEvent
    at: Timestamp


class TapeMoment(Struct, frozen=True):
    """What is on the tape at one moment: its bytes, and what belongs to them."""

    tape_bytes: int
    inputs: tuple[DriverInput, ...]
    events: tuple[EventHeard, ...]


class SteadyClock:
    """One clock for tape and driver: UTC goes on from the start as the monotonic clock does.

    A clock that is set meanwhile changes nothing, and a replay computes the same moments.
    """

    def __init__(self, began: Timestamp | None = None) -> None:
        began = began or now()
        self.offset_ns = began.utc_ns - began.monotonic_ns

    def __call__(self) -> Timestamp:
        monotonic_ns = now().monotonic_ns
        return Timestamp(monotonic_ns, monotonic_ns + self.offset_ns)


class DeviceSession:
    """Use as a context manager; `open` begins. Everything public may be called from any thread.

    `listen`: nothing is ever written to the device.
    """

    def __init__(
        self,
        url: str,
        conversation: Conversation,
        tape: CaptureFile,
        *,
        clock: SteadyClock,
        listen: bool = False,
        make_port: PortMaker = open_port,
    ) -> None:
        self.url = url
        self.clock = clock
        self.inputs: list[DriverInput] = []
        self.turns: list[Turn] = []
        self.events: list[EventHeard] = []
        self.opened: list[Timestamp] = []
        self.lost: list[tuple[Timestamp, str]] = []
        self.is_open = False
        self.failure = ""
        self.port: Port | None = None
        self._conversation = conversation
        self._tape = tape
        self._listen = listen
        self._make_port = make_port
        self._changed = Condition()  # guards all lists above
        self._waiting: queue.Queue[PortEvent | DeviceCommand | Event] = queue.Queue(
            _EVENTS_WAITING_MAX
        )
        self._port_events = 0
        self._entropy = b""
        self._pump: PortPump | None = None
        self._ending = Event()
        self._thread = Thread(target=self._run, name="acceptance", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        self._ending.set()
        self._thread.join(_JOIN_S)

    def open(self, line: LineSettings) -> None:
        """Open the port, again and again until it is there. Raises ValueError: a wrong URL."""
        assert self._pump is None
        self.port = self._make_port(self.url, line)
        with self._changed:
            given = DriverInput(self._port_events, InputKind.LINE, line_text(line))
            self.inputs.append(given)
        self._pump = PortPump(self.url, self.port, self._enqueue, clock=self.clock)
        self._pump.start()

    def close(self) -> None:
        """Close the port; what was read is still taken."""
        with self._changed:
            # What the device still owes an answer to can no longer be answered: no deadline counts.
            pump, self._pump = self._pump, None
        if pump is None:
            return
        pump.stop()
        pump.join(_JOIN_S)
        taken = Event()
        self._waiting.put(taken)
        while self._thread.is_alive() and not taken.wait(_SINGLE_WAIT_S):
            pass
        with self._changed:
            self.is_open = False

    def reopen(self, line: LineSettings) -> None:
        """Open the port with other line settings."""
        self.close()
        self.open(line)

    def wake(self) -> None:
        """Try to open now."""
        if self._pump is not None:
            self._pump.wake()

    def command(self, command: DeviceCommand) -> None:
        """Give a command to the driver."""
        self._waiting.put(command)

    def wait_for(self, ready: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until `ready` holds, asked after each turn; False after that time.

        Raises TapeEnded.
        """
        with self._changed:
            self._changed.wait_for(lambda: bool(self.failure) or ready(), timeout_s)
            if self.failure:
                raise TapeEnded(self.failure)
            return ready()

    def snapshot(self) -> TapeMoment:
        """What is on the tape now."""
        with self._changed:
            return TapeMoment(self._tape.size, tuple(self.inputs), tuple(self.events))

    def finish(self) -> None:
        """Once it is closed: account for what waits; the tape then ends in order.

        Raises CaptureFileError: the tape takes no more.
        """
        with self._changed:
            self.turns.append(self._conversation.finish(self.clock()))
        if not self.failure:
            self._tape.finish(self.clock().utc_ns)

    def _enqueue(self, event: PortEvent) -> bool:
        while not self._ending.is_set():
            try:
                self._waiting.put(event, timeout=_SINGLE_WAIT_S)
            except queue.Full:
                continue
            return True
        return False

    def _run(self) -> None:
        while not self._ending.is_set():
            self._step()

    def _step(self) -> None:
        """Take what waits, else a deadline that has passed."""
        try:
            taken = self._waiting.get(timeout=self._wait_s())
        except queue.Empty:
            self._tick()
            return
        if isinstance(taken, Event):
            taken.set()
            return
        with self._changed:
            if not self.failure:
                if isinstance(taken, PortOpened | Chunk | PortLost):
                    self._take(taken)
                else:
                    self._command(taken)
            self._changed.notify_all()

    def _wait_s(self) -> float:
        due_ns = self._conversation.next_deadline_ns
        if due_ns is None or self._pump is None:
            return _SINGLE_WAIT_S
        left_s = (due_ns - self.clock().monotonic_ns) / NS_PER_S
        return min(max(left_s, 0.001), _SINGLE_WAIT_S)

    def _tick(self) -> None:
        with self._changed:
            due_ns = self._conversation.next_deadline_ns
            at = self.clock()
            if self._pump is None or due_ns is None or due_ns > at.monotonic_ns:
                return
            self.inputs.append(DriverInput(self._port_events, InputKind.TICK, at.utc_ns))
            self._conclude(self._conversation.tick(at))
            self._changed.notify_all()

    def _command(self, command: DeviceCommand) -> None:
        at = self.clock()
        self.inputs.append(command_input(self._port_events, command, at))
        self._conclude(self._conversation.command(command, at))

    def _take(self, event: PortEvent) -> None:
        """One event of the port: first on the tape, then to the driver."""
        try:
            self._tape.add(event)
        except CaptureFileError as error:
            self.failure = str(error)
            return
        given = port_input(self._port_events, event)
        self._port_events += 1
        if given is not None:
            self.inputs.append(given)
        if isinstance(event, PortOpened):
            self.opened.append(event.at)
            self.is_open = True
            self._entropy = event.entropy
        elif isinstance(event, PortLost):
            self.lost.append((event.at, to_words(event.reason)))
            self.is_open = False
        self._conclude(self._conversation.take(event))

    def _conclude(self, turns: tuple[Turn, ...]) -> None:
        """Note the turns, and write what the driver's link has to write."""
        for turn in turns:
            self.turns.append(turn)
            self.events += [EventHeard(one, turn.at) for one in turn.events]
            for data in () if self._listen else turn.to_write:
                self._write(data)

    def _write(self, data: bytes) -> None:
        try:
            self._tape.add_written(self.url, self.clock().utc_ns, data)
        except CaptureFileError as error:
            self.failure = str(error)
            return
        if self._pump is not None:
            self._pump.write(data, self._entropy)
