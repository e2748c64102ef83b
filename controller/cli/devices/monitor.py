"""The live monitor of a port: three levels on stdout until Ctrl-C or time is up, then a count.

Responsible for: opening the port through the pump, printing what a monitor tells, and counting.
Not responsible for: what bytes mean and what is masked (drivers), its options (cli_devices) and
maintenance (cli_maintenance). It never writes to the device.
Source: package README, "Three levels"; D-8 (a scan is not disclosure).
"""

import queue
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, assert_never

from controller.cli.errors import Unable
from controller.cli.output import remark, say
from drivers.catalogue import ShoeMonitor
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.allow_list import AllowList
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import Chunk, LineSettings, PortEvent, PortLost, PortOpened
from firmware_bridge.transport.pump import PortPump

_NS_PER_S: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000
# What waits to be printed; a reader that fills it waits at the port.
_EVENTS_WAITING_MAX: Final = 4096

# How a monitor's lines begin, by the level that shows them.
_OPENINGS: Final = {"bytes": "bytes ", "frames": "frame ", "events": "event "}


@dataclass(frozen=True, slots=True)
class Watch:
    """What to watch; `seconds` 0 for no end, `levels` of bytes, frames, events."""

    port: str
    line: LineSettings
    allowed: AllowList | None
    levels: tuple[str, ...]
    seconds: int


@dataclass(slots=True)
class _Count:
    reads: int = 0
    bytes: int = 0
    lines: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_OPENINGS, 0))


def watch(watched: Watch, monitor: ShoeMonitor) -> None:
    """Print until time is up or Ctrl-C. Raises Unable where the port never opened."""
    events: queue.Queue[PortEvent] = queue.Queue(_EVENTS_WAITING_MAX)
    ending = threading.Event()
    try:
        port = open_port(watched.port, watched.line, watched.allowed)
    except ValueError as error:
        raise Unable(str(error)) from error
    pump = PortPump(watched.port, port, lambda event: _put(events, ending, event))
    began = now()
    count = _Count()
    pump.start()
    try:
        _show(watched, monitor, events, count, began)
    except KeyboardInterrupt:
        remark("")
    finally:
        ending.set()
        pump.stop()
        pump.join()
    _tell_count(count, now().monotonic_ns - began.monotonic_ns)


def _put(events: queue.Queue[PortEvent], ending: threading.Event, event: PortEvent) -> None:
    """Wait for room, but not once nobody prints any more."""
    while not ending.is_set():
        try:
            events.put(event, timeout=0.5)
        except queue.Full:
            continue
        return


def _show(
    watched: Watch,
    monitor: ShoeMonitor,
    events: queue.Queue[PortEvent],
    count: _Count,
    began: Timestamp,
) -> None:
    state = monitor.initial()
    opened = False
    until_ns = began.monotonic_ns + watched.seconds * _NS_PER_S
    while True:
        left_s = (until_ns - now().monotonic_ns) / _NS_PER_S if watched.seconds else None
        if left_s is not None and left_s <= 0:
            return
        try:
            event = events.get(timeout=left_s)
        except queue.Empty:
            return
        if isinstance(event, PortLost) and not opened:
            raise Unable(event.reason)
        opened = True
        _tell_port(event, count)
        state, lines = monitor.watch(state, event)
        _tell_lines(watched, lines, event.at, count)


def _tell_port(event: PortEvent, count: _Count) -> None:
    match event:
        case PortOpened():
            remark(f"{event.port} is open; Ctrl-C ends. Times are UTC.")
        case PortLost():
            remark(f"{event.reason}; waiting for it to come back")
        case Chunk():
            count.reads += 1
            count.bytes += len(event.data)
        case _:
            assert_never(event)


def _tell_lines(watched: Watch, lines: tuple[str, ...], at: Timestamp, count: _Count) -> None:
    for line in lines:
        level = next(name for name, opening in _OPENINGS.items() if line.startswith(opening))
        count.lines[level] += 1
        if level in watched.levels:
            print(f"{_clock(at)}  {line}", flush=True)


def _clock(at: Timestamp) -> str:
    moment = datetime.fromtimestamp(at.utc_ns // _NS_PER_S, UTC)
    return f"{moment:%H:%M:%S}.{at.utc_ns % _NS_PER_S // _NS_PER_MS:03}"


def _tell_count(count: _Count, elapsed_ns: int) -> None:
    say(
        f"{elapsed_ns // _NS_PER_S} s: {count.bytes} bytes in {count.reads} reads, "
        f"{count.lines['frames']} frames, {count.lines['events']} events"
    )
