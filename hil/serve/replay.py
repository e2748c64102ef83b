"""`smartshoe-hil replay`: a record of a real device, played back as a device."""

import sys
from pathlib import Path
from threading import Event
from typing import Annotated, Final

import typer

from controller.system.command_line.command import example
from controller.system.command_line.errors import CommandError, ExitCode
from firmware_bridge.tablelink.frames import TableLinkFrame, TableLinkUnframed, feed
from hil.emulator.lines.line import LineServer
from hil.progress import Patience
from hil.recording.capture import Direction, NotARecord, RecordedWire, Recording, read_recording
from hil.recording.player import RecordedDevice, WireDifference
from hil.serve.orders import block_stop_signals, emit, remark, start_reading
from hil.serve.recorded_line import (
    NoOrders,
    PtyLink,
    TcpPort,
    executor,
    require_one_line,
    serve_line,
    url_of_line,
)

POLL_S = 0.1
# A reader that is slow, or not there yet on a pty, loses nothing: the record waits.
PATIENCE_S = 1e6
SHOWN_BYTES_MAX = 32

REPLAY_EXAMPLES: Final = (
    example(
        "smartshoe-hil replay shoe.pcapng --tcp 4002",
        '{"bytes": ..., "event": "ready", ..., "url": "socket://127.0.0.1:4002", "whole": true}',
        "A recorded device is at socket://127.0.0.1:4002; it begins when somebody connects.",
        "...",
    ),
    example(
        "smartshoe-hil replay shoe.pcapng --pty-link ./shoe --speed 0",
        '{"bytes": ..., "event": "ready", ..., "url": ".../shoe", "whole": true}',
        "A recorded device is at .../shoe; it begins at once.",
        "...",
    ),
)
REPLAY_NOTES: Final = """\
Where the record has bytes that a program wrote (smartshoe-hil relay), the device's next bytes \
wait for as many, and after a minute in which none came it ends. Bytes that differ are printed \
and change nothing else. The exit code is 1 then.

A record of TableLink is refused: what its device sent answers the counters and nonces of that \
session alone. Replay the journal of its table (smartshoe replay JOURNAL), or serve an emulated \
device (hil/emulator/lines/README.md).

Orders on standard input: quit. It ends with it, with the end of its input, and on SIGINT \
(Ctrl-C), SIGTERM and SIGHUP. Standard output has one JSON object a line."""


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record of raw wires.")],
    port: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="The port to play; may be left out where the record has one."
        ),
    ] = "",
    pty_link: PtyLink = None,
    tcp: TcpPort = None,
    speed: Annotated[
        int,
        typer.Option(
            min=0, max=1000, metavar="N", help="N times as fast as it was; 0: without pauses."
        ),
    ] = 1,
    no_orders: NoOrders = False,
) -> None:
    """Play a record of a real device as a device.

    `smartshoe devices record` and `smartshoe-hil relay` make records.
    """
    require_one_line("replay", pty_link, tcp)
    recording = _read(file)
    wire = _choose(recording, port)
    refuse_sessions(wire, file)
    device = RecordedDevice(wire, speed=speed, at_once=tcp is None)
    block_stop_signals()
    with serve_line(device, pty_link, tcp, PATIENCE_S) as server:
        url = url_of_line(server)
        size = sum(len(one.data) for one in wire.events if one.direction is Direction.RECEIVED)
        whole = recording.cut_at is None and _ended_in_order(wire)
        emit("ready", url=url, port=wire.name, bytes=size, whole=whole)
        if recording.cut_at is not None:
            remark(f"{file}: it is cut within the block at byte {recording.cut_at}")
        elif not whole:
            remark(f"{file}: its recording did not end in order: the last bytes may be missing")
        begin = "at once" if tcp is None else "when somebody connects"
        remark(f"A recorded device is at {url}; it begins {begin}.")
        _play(server, orders=not no_orders)
    raise typer.Exit(ExitCode.NO if device.differences or device.awaited else ExitCode.DONE)


def _read(file: Path) -> Recording:
    """Raises CommandError."""
    try:
        return read_recording(file.read_bytes())
    except OSError as error:
        problem = f"it cannot be read: {error.strerror}"
    except NotARecord as error:
        problem = str(error)
    raise CommandError(
        problem,
        place=str(file),
        allowed="a record of `smartshoe devices record` or `smartshoe-hil relay`",
        remedy="name another file",
    )


def _choose(recording: Recording, name: str) -> RecordedWire:
    """Raises CommandError."""
    found = [one for one in recording.wires if not name or one.name == name]
    if len(found) == 1:
        return found[0]
    raise CommandError(
        f"{name!r} is not in the record" if name else "the record has several ports",
        place="--port",
        allowed=", ".join(one.name for one in recording.wires),
        remedy="name one of them",
    )


def refuse_sessions(wire: RecordedWire, file: Path) -> None:
    """Raise CommandError for a record of TableLink, whose device answers each host anew."""
    data = b"".join(one.data for one in wire.events if one.direction is Direction.RECEIVED)
    _, found = feed(TableLinkUnframed(), data)
    if any(isinstance(one, TableLinkFrame) for one in found):
        raise CommandError(
            "it is a record of TableLink, which cannot be played as a device: what a device sent"
            " answers the counters, nonces and acknowledgements of that session alone",
            place=str(file),
            allowed="records of devices that need no session: Angel Eye, FEIG, SSI, contacts",
            remedy="replay the journal of that table (smartshoe replay JOURNAL), or serve an"
            " emulated device (hil/emulator/lines/README.md)",
        )


def _ended_in_order(wire: RecordedWire) -> bool:
    return bool(wire.events) and wire.events[-1].direction is Direction.COMPLETE


def _play(server: LineServer[RecordedDevice], *, orders: bool) -> None:
    """Say what differs and when all was played, until an order or a signal."""
    quitting = Event()
    start_reading(sys.stdin if orders else None, executor(quitting), quitting)
    told, done, patience = 0, False, _patience(server)
    while not quitting.is_set():
        if done or not _waits_for_the_host(server):
            patience = _patience(server)
        elif patience.is_over:
            remark(f"the record stands still: {patience.account()}")
            break
        if not done and server.wait_for(lambda one: one.idle, POLL_S) and server.settle(POLL_S):
            done = True
            unread = sum(not one.delivered for one in server.take_reports())
            emit("done", unread=unread)
        told = _tell(server.emulator.differences, told)
        if done:
            quitting.wait(POLL_S)
    told = _tell(server.emulator.differences, told)
    device = server.emulator
    emit(
        "end",
        received=device.received,
        differences=told,
        awaited=device.awaited,
        left=device.left,
    )
    if device.awaited:
        remark(f"it still waited for {device.awaited} bytes that the program wrote then")


def _patience(server: LineServer[RecordedDevice]) -> Patience:
    device = server.emulator
    return Patience.with_play(
        lambda: f"{device.received} bytes received, {device.left} chunks of the device left"
    )


def _waits_for_the_host(server: LineServer[RecordedDevice]) -> bool:
    """Whether only bytes of a host that has begun bring it on; who has not come has their time."""
    return server.wait_for(lambda one: one.begun and one.awaited > 0, 0.0)


def _tell(differences: list[WireDifference], told: int) -> int:
    for one in differences[told:]:
        emit(
            "difference",
            offset=one.offset,
            utc_ns=one.utc_ns,
            recorded=one.recorded[:SHOWN_BYTES_MAX].hex(" "),
            written=one.written[:SHOWN_BYTES_MAX].hex(" "),
        )
    return len(differences)
