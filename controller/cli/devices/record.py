"""`smartshoe devices record`: writes the raw wires of a table's ports to a new file.

It only listens, and never writes to a device.
Source: D-8 (a scan is not disclosure).
"""

import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec import Struct

from controller.cli.devices.commands import confirm_disclosure
from controller.cli.devices.monitored_port import (
    MonitoredPort,
    MonitorOptions,
    find_monitored_port,
    maintenance_lock,
)
from controller.service.capture_file import CaptureFile, CaptureFileError, RecordedPort
from controller.service.config.load import load_config
from controller.system.command_line.errors import CommandError
from controller.system.command_line.output import echo, echo_json, echo_stderr
from controller.system.command_line.path_parameters import ConfigOption
from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import counted
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from firmware_bridge.transport.pump import PortPump

_NS_PER_S: Final = 1_000_000_000
_PROGRESS_NS: Final = 10 * _NS_PER_S
# Events waiting to be written; a full queue blocks the reader threads.
_EVENTS_WAITING_MAX: Final = 4096
# Ctrl-C that arrives just before a wait is handled when that wait ends.
_SINGLE_WAIT_S: Final = 0.5


class _PortCount(Struct):
    reads: int = 0
    bytes: int = 0
    opened: bool = False


def record(
    port: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PORT]...", help="Ports of the table; left out: all of them."),
    ] = None,
    config: ConfigOption = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="A new file for the record.")
    ] = None,
    seconds: Annotated[
        int,
        typer.Option(min=0, max=604_800, metavar="N", help="Stop after N seconds; 0: at Ctrl-C."),
    ] = 0,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before recording.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the totals as JSON.")] = False,
) -> None:
    """Record what devices send, every card included, in a file that replays and opens in Wireshark.

    It needs a closed table: no open shoe, and nothing running on its journal.
    """
    config, to = _required(config, "--config"), _required(to, "--to")
    ports = tuple(dict.fromkeys(port or (name for name, _ in load_config(config).lines)))
    found = tuple(find_monitored_port(MonitorOptions(one), config, masked=False) for one in ports)
    for one in found:
        if one.remark:
            echo_stderr(f"smartshoe: {one.model}: {one.remark}")
    confirm_disclosure(f"{', '.join(ports)} will be recorded unmasked", "recorded", sure=yes)
    with maintenance_lock(config, *ports):
        _record(ports, found, to, seconds, as_json=json)


def _required(path: Path | None, option: str) -> Path:
    if path is None:
        raise CommandError(
            f"it needs {option} FILE",
            place="devices record",
            allowed="devices record [PORT]... --config FILE --to FILE",
            remedy="name the table's configuration and a new file for the record",
        )
    return path


def _record(
    ports: Sequence[str],
    found: Sequence[MonitoredPort],
    to: Path,
    seconds: int,
    *,
    as_json: bool,
) -> None:
    """Record until time is up or Ctrl-C, then print totals.

    Raises CommandError, CaptureFileError.
    """
    pairs = zip(ports, found, strict=True)
    recorded = tuple(RecordedPort(url, one.model, one.line) for url, one in pairs)
    counts = {url: _PortCount() for url in ports}
    with CaptureFile(to, recorded) as file:
        try:
            with _events_of(ports, found) as events:
                try:
                    _write_events(events, file, counts, seconds)
                except KeyboardInterrupt:
                    echo_stderr("")
            _write_rest(events, file, counts)
        except (CommandError, CaptureFileError):
            if not any(count.opened for count in counts.values()):
                to.unlink(missing_ok=True)  # nothing was recorded: the name is free again
            raise
        file.finish(now().utc_ns)
        _print_counts(counts, to, file.size, as_json=as_json)


@contextmanager
def _events_of(
    ports: Sequence[str], found: Sequence[MonitoredPort]
) -> Iterator[queue.Queue[PortEvent]]:
    """The events of all ports in a queue, while the block runs. Raises CommandError."""
    events: queue.Queue[PortEvent] = queue.Queue(_EVENTS_WAITING_MAX)
    ending = threading.Event()

    def enqueue(event: PortEvent) -> None:
        while not ending.is_set():
            try:
                events.put(event, timeout=_SINGLE_WAIT_S)
            except queue.Full:
                continue
            return

    pumps = []
    for url, one in zip(ports, found, strict=True):
        try:
            pumps.append(PortPump(url, open_port(url, one.line, one.allowed), enqueue))
        except ValueError as error:
            raise CommandError(f"{url}: {error}") from error
    for pump in pumps:
        pump.start()
    try:
        yield events
    finally:
        ending.set()
        for pump in pumps:
            pump.stop()
        for pump in pumps:
            pump.join()


def _write_events(
    events: queue.Queue[PortEvent], file: CaptureFile, counts: dict[str, _PortCount], seconds: int
) -> None:
    """Write until time is up.

    Raises CommandError: a port never opened; CaptureFileError: the disk is full.
    """
    began_ns = shown_ns = now().monotonic_ns
    while True:
        at_ns = now().monotonic_ns
        left_s = began_ns / _NS_PER_S + seconds - at_ns / _NS_PER_S if seconds else _SINGLE_WAIT_S
        if left_s <= 0:
            return
        if at_ns - shown_ns >= _PROGRESS_NS:
            shown_ns = at_ns
            echo_stderr("; ".join(f"{url}: {_words(count)}" for url, count in counts.items()))
        try:
            event = events.get(timeout=min(left_s, _SINGLE_WAIT_S))
        except queue.Empty:
            continue
        _count_event(event, counts[event.port])
        file.add(event)


def _write_rest(
    events: queue.Queue[PortEvent], file: CaptureFile, counts: dict[str, _PortCount]
) -> None:
    """Write what was read before the end. Raises CaptureFileError: the disk is full."""
    while not events.empty():
        event = events.get()
        if isinstance(event, Chunk):
            _count_event(event, counts[event.port])
            file.add(event)


def _count_event(event: PortEvent, count: _PortCount) -> None:
    match event:
        case PortOpened():
            count.opened = True
            echo_stderr(f"{event.port} is open; Ctrl-C ends.")
        case PortLost() if not count.opened:
            raise CommandError(to_words(event.reason))
        case PortLost():
            echo_stderr(f"{to_words(event.reason)}; waiting for it to come back")
        case Chunk():
            count.reads += 1
            count.bytes += len(event.data)


def _words(count: _PortCount) -> str:
    return f"{counted(count.bytes, 'byte')} in {counted(count.reads, 'read')}"


def _print_counts(counts: dict[str, _PortCount], to: Path, size: int, *, as_json: bool) -> None:
    if as_json:
        rows = [
            {"port": url, "bytes": count.bytes, "reads": count.reads}
            for url, count in counts.items()
        ]
        echo_json({"file": str(to), "size": size, "ports": rows})
        return
    for url, count in counts.items():
        echo(f"{url}: {_words(count)}")
    echo(f"{to}: {counted(size, 'byte')}")
