"""Runs the live monitor of a port: prints three levels until Ctrl-C or time is up, then totals.

It never writes to the device.
Source: firmware_bridge/README.md, "Three levels"; D-8 (a scan is not disclosure).
"""

import queue
import threading
from datetime import UTC, datetime
from typing import Any, Final, assert_never

from msgspec import Struct, field

from controller.system.command_line.errors import CommandError
from controller.system.command_line.output import echo, echo_json_line, echo_raw, echo_stderr
from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import counted
from drivers.monitor import Monitor
from firmware_bridge.transport.allow_list import AllowList
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import Chunk, LineSettings, PortEvent, PortLost, PortOpened
from firmware_bridge.transport.pump import PortPump
from foundation.timestamp import Timestamp

_NS_PER_S: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000
# Events waiting to be printed; a full queue blocks the reader thread.
_EVENTS_WAITING_MAX: Final = 4096
# Ctrl-C that arrives just before a wait is handled when that wait ends.
_SINGLE_WAIT_S: Final = 0.5

# The prefix of a monitor's lines, by level.
_OPENINGS: Final = {"bytes": "bytes ", "frames": "frame ", "events": "event "}


class MonitorWatch(Struct, frozen=True):
    """The port to watch. `levels`: any of bytes, frames, events; `seconds` 0: no end.

    `as_json`: every line is a JSON object, and so are the totals.
    """

    port: str
    line: LineSettings
    allowed: AllowList | None
    levels: tuple[str, ...]
    seconds: int
    as_json: bool = False


class _Count(Struct):
    reads: int = 0
    bytes: int = 0
    lines: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_OPENINGS, 0))


def run_monitor(watch: MonitorWatch, monitor: Monitor[Any]) -> None:
    """Print until time is up or Ctrl-C. Raises CommandError if the port never opened."""
    events: queue.Queue[PortEvent] = queue.Queue(_EVENTS_WAITING_MAX)
    ending = threading.Event()
    try:
        port = open_port(watch.port, watch.line, watch.allowed)
    except ValueError as error:
        raise CommandError(f"{watch.port}: {error}") from error
    pump = PortPump(watch.port, port, lambda event: _enqueue(events, ending, event))
    began = now()
    count = _Count()
    pump.start()
    try:
        _print_events(watch, monitor, events, count, began)
    except KeyboardInterrupt:
        echo_stderr("")
    finally:
        ending.set()
        pump.stop()
        pump.join()
    _print_count(count, now().monotonic_ns - began.monotonic_ns, as_json=watch.as_json)


def _enqueue(events: queue.Queue[PortEvent], ending: threading.Event, event: PortEvent) -> None:
    """Wait for space in the queue, unless the monitor is ending."""
    while not ending.is_set():
        try:
            events.put(event, timeout=0.5)
        except queue.Full:
            continue
        return


def _print_events(
    watch: MonitorWatch,
    monitor: Monitor[Any],
    events: queue.Queue[PortEvent],
    count: _Count,
    began: Timestamp,
) -> None:
    state = monitor.initial()
    opened = False
    until_ns = began.monotonic_ns + watch.seconds * _NS_PER_S
    while True:
        left_s = (until_ns - now().monotonic_ns) / _NS_PER_S if watch.seconds else _SINGLE_WAIT_S
        if left_s <= 0:
            return
        try:
            event = events.get(timeout=min(left_s, _SINGLE_WAIT_S))
        except queue.Empty:
            continue
        if isinstance(event, PortLost) and not opened:
            raise CommandError(to_words(event.reason))
        opened = True
        _print_port_event(event, count)
        state, lines = monitor.watch(state, event)
        _print_lines(watch, lines, event.at, count)


def _print_port_event(event: PortEvent, count: _Count) -> None:
    match event:
        case PortOpened():
            echo_stderr(f"{event.port} is open; Ctrl-C ends. Times are UTC.")
        case PortLost():
            echo_stderr(f"{to_words(event.reason)}; waiting for it to come back")
        case Chunk():
            count.reads += 1
            count.bytes += len(event.data)
        case _:
            assert_never(event)


def _print_lines(watch: MonitorWatch, lines: tuple[str, ...], at: Timestamp, count: _Count) -> None:
    for line in lines:
        level = next(name for name, opening in _OPENINGS.items() if line.startswith(opening))
        count.lines[level] += 1
        if level not in watch.levels:
            continue
        if watch.as_json:
            text = line.removeprefix(_OPENINGS[level]).strip()
            echo_json_line({"time": _time_text(at), "level": level, "text": text})
        else:
            echo_raw(f"{_time_text(at)}  {line}\n")


def _time_text(at: Timestamp) -> str:
    moment = datetime.fromtimestamp(at.utc_ns // _NS_PER_S, UTC)
    return f"{moment:%H:%M:%S}.{at.utc_ns % _NS_PER_S // _NS_PER_MS:03}"


def _print_count(count: _Count, elapsed_ns: int, *, as_json: bool) -> None:
    if as_json:
        numbers = {"bytes": count.bytes, "reads": count.reads}
        lines = {level: count.lines[level] for level in ("frames", "events")}
        echo_json_line({"seconds": elapsed_ns // _NS_PER_S, **numbers, **lines})
        return
    echo(
        f"{elapsed_ns // _NS_PER_S} s: {counted(count.bytes, 'byte')} in"
        f" {counted(count.reads, 'read')}, {counted(count.lines['frames'], 'frame')},"
        f" {counted(count.lines['events'], 'event')}"
    )
