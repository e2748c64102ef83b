"""Lists the tags on a reader at a port, one listing at a time.

Nothing read here is evidence of play: nothing is stored before it is written to the reader.
"""

import contextlib
import queue
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Generic, TypeVar

from msgspec import Struct

from controller.system.messages.catalogue import to_words
from drivers.commands import ListTags
from drivers.events import CommandAnswered, DeviceEvent, ListingDone, OtherTransponder, TagListed
from drivers.faults import DeviceFault
from drivers.interface import Driver, DriverOutput
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Port, PortEvent, PortLost, PortOpened
from firmware_bridge.transport.pump import PortPump
from foundation.timestamp import Timestamp

_NS_PER_S: Final = 1_000_000_000
# Enough for hundreds of tags with memory and retries: a slower reader is stuck.
_LISTING_NS_MAX: Final = 60 * _NS_PER_S
# Pause after a failed listing, so that a reader that refuses is not polled in a tight loop.
_PAUSE_NS: Final = _NS_PER_S // 2
_EVENTS_WAITING_MAX: Final = 4096
_LIST: Final = ListTags.__name__

StateT = TypeVar("StateT")


class ReaderUnreachable(Exception):
    """The reader's port could not be opened; the message says why, with the remedy."""


class PileListing(Struct, frozen=True):
    """A complete listing; `remarks` are sentences about anything else on the reader."""

    tags: tuple[TagListed, ...]
    remarks: tuple[str, ...] = ()


class ListingFailed(Struct, frozen=True):
    """A listing that did not complete, with the reason; the next one may."""

    reason: str


class PileReader(Generic[StateT]):
    """A context manager that opens and closes the port. Not thread-safe: use it in one thread."""

    def __init__(
        self,
        name: str,
        port: Port,
        driver: Driver[StateT],
        *,
        clock: Callable[[], Timestamp] = now,
    ) -> None:
        self._driver = driver
        self._state = driver.initial()
        self._clock = clock
        self._events: queue.Queue[PortEvent] = queue.Queue(_EVENTS_WAITING_MAX)
        self._closing = threading.Event()
        self._opened = False
        self._open = False
        self._lost_why = ""
        self._pump = PortPump(name, port, self._put, clock=clock)

    def __enter__(self) -> "PileReader[StateT]":
        self._pump.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._pump.stop()
        self._pump.join()

    def wait_open(self) -> None:
        """Wait until the port is open. Raises ReaderUnreachable where it cannot be opened."""
        while not self._open:
            self._step(self._clock().monotonic_ns + _NS_PER_S)

    def list_pile(self, progress: Callable[[int], None]) -> PileListing | ListingFailed:
        """One complete listing; `progress` is called with the number of tags read so far.

        Waits for the port while it is lost. Raises ReaderUnreachable where it was never open.
        """
        self.wait_open()
        give_up_ns = self._clock().monotonic_ns + _LISTING_NS_MAX
        collector = _ListingCollector(progress)
        at = self._clock()
        self._state, output = self._driver.command(self._state, ListTags(), at)
        events = self._write_output(output)
        while True:
            result = collector.add(events)
            if isinstance(result, ListingFailed):
                self._pause()
            if result is not None:
                return result
            if not self._open:
                return ListingFailed(self._lost_why)
            if self._clock().monotonic_ns >= give_up_ns:
                return ListingFailed("the reader did not complete the listing")
            events = self._step(give_up_ns)

    def _put(self, event: PortEvent) -> None:
        """Called on the pump's thread: wait for room in the queue, except while closing."""
        while not self._closing.is_set():
            with contextlib.suppress(queue.Full):
                self._events.put(event, timeout=0.5)
                return

    def _step(self, until_ns: int) -> tuple[DeviceEvent, ...]:
        """Wait for a port event or the driver's deadline; return the driver's events."""
        deadline_ns = self._driver.next_deadline_ns(self._state)
        wake_ns = until_ns if deadline_ns is None else min(until_ns, deadline_ns)
        wait_s = max(0, wake_ns - self._clock().monotonic_ns) / _NS_PER_S
        try:
            event = self._events.get(timeout=wait_s) if wait_s else self._events.get_nowait()
        except queue.Empty:
            self._state, output = self._driver.tick(self._state, self._clock())
        else:
            self._track_port(event)
            self._state, output = self._driver.receive(self._state, event)
        return self._write_output(output)

    def _track_port(self, event: PortEvent) -> None:
        match event:
            case PortOpened():
                self._open = self._opened = True
            case PortLost(reason=reason):
                self._open = False
                self._lost_why = to_words(reason)
                if not self._opened:
                    raise ReaderUnreachable(self._lost_why)
            case _:
                pass

    def _write_output(self, output: DriverOutput) -> tuple[DeviceEvent, ...]:
        for data in (*output.at_once, *output.to_write):
            self._pump.write(data)
        return output.events

    def _pause(self) -> None:
        until_ns = self._clock().monotonic_ns + _PAUSE_NS
        while self._clock().monotonic_ns < until_ns:
            self._step(until_ns)


class _ListingCollector:
    """Collects the events of one listing."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self._progress = progress
        self._tags: list[TagListed] = []
        self._remarks: dict[str, None] = {}

    def add(self, events: tuple[DeviceEvent, ...]) -> PileListing | ListingFailed | None:
        for event in events:
            match event:
                case TagListed():
                    self._tags.append(event)
                    self._progress(len(self._tags))
                case OtherTransponder(kind=kind):
                    self._remarks[f"a transponder of another kind is on the reader: {kind}"] = None
                case DeviceFault(detail=detail):
                    self._remarks[to_words(detail)] = None
                case CommandAnswered(command=command, detail=detail) if command == _LIST:
                    return ListingFailed(to_words(detail))
                case ListingDone(count=count):
                    return self._complete(count)
                case _:
                    pass
        return None

    def _complete(self, count: int) -> PileListing | ListingFailed:
        if count != len(self._tags):
            return ListingFailed(f"{count} tags answered, {len(self._tags)} were reported")
        return PileListing(tuple(self._tags), tuple(self._remarks))
