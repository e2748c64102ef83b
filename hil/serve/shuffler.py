"""`python -m hil.serve.shuffler`: an emulated shuffler as a process of its own.

Lines on stdin act on it; lines on stdout report its identity and the events it records. A program
under test can be killed while the shuffler stays up.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event

from hil.emulator.lines.line import LineServer, LineServerSettings, LineUnavailable
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.cbor import Value, decode_map
from hil.emulator.tablelink.compartment import DeviceMode
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.memory import TableLinkMemory
from hil.emulator.tablelink.shuffler import REAL_TIME, Shuffler
from hil.emulator.tablelink.wire import EventKind
from hil.serve.orders import block_stop_signals, emit, start_reading

POLL_S = 0.2
BAUD = 1_000_000
EXIT_UNABLE = 2
EPILOG = """\
examples:
  .venv/bin/python -m hil.serve.shuffler --pty-link ./shuffler
      {"event": "ready", "pins": {"device": "5eed0000c0ffee01", ...}, "url": "shuffler"}
      ...
  .venv/bin/python -m hil.serve.shuffler --tcp 4001 --real-time --reading
      {"event": "ready", "pins": {"device": "5eed0000c0ffee01", ...}, "url": "socket://127.0.0.1:4001"}
      ...

Orders on standard input, such as put-in red, press load, quit: see hil/serve/README.md. It ends
with quit, with the end of its input, and on SIGTERM, SIGINT and SIGHUP.

exit codes: 0 done; 2 wrong usage, or it cannot be served there
"""
Act = Callable[[Shuffler], object]


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line. Exits with 2 on a wrong one."""
    parser = argparse.ArgumentParser(
        prog="python -m hil.serve.shuffler",
        description="Serve an emulated shuffler on a pseudo-terminal or TCP port.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    line = parser.add_mutually_exclusive_group(required=True)
    line.add_argument("--pty-link", type=Path, help="serve a pty behind this symlink")
    line.add_argument("--tcp", type=int, metavar="PORT", help="serve TCP on loopback; 0: any port")
    parser.add_argument("--real-time", action="store_true", help="as long as a real one takes")
    parser.add_argument("--shuffle-ms", type=int, help="how long a shuffle takes")
    parser.add_argument("--seed", type=int, default=1, help="of the orders it shuffles into")
    parser.add_argument("--device", help="its id, in hexadecimal digits")
    parser.add_argument("--key-seed", help="of its key, in hexadecimal digits")
    parser.add_argument("--bare", action="store_true", help="it has no key")
    parser.add_argument("--reading", action="store_true", help="it reads faces")
    parser.add_argument("--chained", action="store_true", help="it keeps a chain of its events")
    parser.add_argument("--decks", type=int, default=0, help="the number it has to find; 0: any")
    parser.add_argument("--ring", type=int, default=4096, help="how many events it keeps")
    return parser.parse_args(argv)


def shuffler_settings(options: argparse.Namespace) -> ShufflerSettings:
    """The shuffler's settings that the options ask for."""
    settings = replace(
        REAL_TIME if options.real_time else ShufflerSettings(),
        bare=options.bare,
        reading=options.reading,
        chained=options.chained,
        decks=options.decks,
        ring=options.ring,
        shuffle_seed=options.seed,
    )
    if options.shuffle_ms is not None:
        settings = replace(settings, shuffle_ns=options.shuffle_ms * 1_000_000)
    if options.device is not None:
        settings = replace(settings, device=bytes.fromhex(options.device))
    if options.key_seed is not None:
        settings = replace(settings, seed=bytes.fromhex(options.key_seed))
    return settings


class InvalidOrder(ValueError):
    """A line that is not a valid order."""


class OrderExecutor:
    """Executes orders; `remember` saves the device's memory, and `roll-back` restores it."""

    def __init__(self, server: LineServer[Shuffler]) -> None:
        self._server = server
        self._saved: list[TableLinkMemory] = []
        self.quitting = Event()

    def execute(self, line: str) -> None:
        """Execute one line; an invalid order is reported as refused."""
        try:
            self._execute(line.split())
        except (InvalidOrder, ValueError, KeyError, AssertionError, LineUnavailable) as error:
            emit("refused", order=line, why=str(error))

    def _execute(self, words: list[str]) -> None:
        server = self._server
        match words:
            case ["quit"]:
                self.quitting.set()
            case ["unplug"] if isinstance(server, PtyServer):
                server.unplug()
            case ["replug"] if isinstance(server, PtyServer):
                server.replug()
            case ["drop"] if isinstance(server, TcpServer):
                server.drop()
            case ["take", *rest]:
                emit("taken", cards=self._perform(lambda one: one.take_away(_number(rest))))
            case ["take-residual"]:
                emit("taken", cards=self._perform(lambda one: len(one.take_residual())))
            case ["remember"]:
                self._perform(lambda one: self._saved.append(one.memory.copy()))
            case ["roll-back"] if self._saved:
                self._perform(lambda one: one.roll_back(self._saved[-1]))
            case _:
                self._perform(parse_order(words))

    def _perform(self, act: Act) -> object:
        """Do it to the device; its result."""
        results: list[object] = []

        def perform(device: Shuffler) -> tuple[()]:
            results.append(act(device))
            return ()

        self._server.perform(perform)
        return results[0]


def parse_order(words: list[str]) -> Act:
    """What one order does to the shuffler. Raises InvalidOrder."""
    match words:
        case ["put-in", back, *rest]:
            return lambda one: one.put_in_back(back, _number(rest))
        case ["press", button, *rest]:
            return lambda one: one.press(button, _number(rest))
        case ["door", "open", *rest]:
            return lambda one: one.open_door(_number(rest))
        case ["door", "close", *rest]:
            return lambda one: one.close_door(_number(rest))
        case ["jam", *rest]:
            return lambda one: one.jam(_number(rest))
        case ["clear-jam", *rest]:
            return lambda one: one.clear_jam(_number(rest))
        case ["residual", count, *rest]:
            return lambda one: one.leave_residual(int(count), _number(rest))
        case ["lamp", "on" | "off" as state, code, *text]:
            return lambda one: one.lamp(int(code), " ".join(text), on=state == "on")
        case ["mode", name]:
            return lambda one: one.set_mode(DeviceMode[name.upper()])
        case _:
            return _parse_device_order(words)


def _parse_device_order(words: list[str]) -> Act:
    match words:
        case ["power-off"]:
            return Shuffler.power_off
        case ["power-on"]:
            return Shuffler.power_on
        case ["cut-power-after", writings]:
            return lambda one: one.cut_power_after(int(writings))
        case ["tamper", *text]:
            return lambda one: one.tamper(" ".join(text))
        case ["fill-ring", events]:
            return lambda one: one.fill_ring(int(events))
        case ["firmware", image, version, counter]:
            return lambda one: one.new_firmware(bytes.fromhex(image), version, int(counter))
        case ["replace", device, seed]:
            return lambda one: one.replace(bytes.fromhex(device), bytes.fromhex(seed))
        case _:
            raise InvalidOrder("unknown order")


def _number(rest: list[str]) -> int:
    return int(rest[0]) if rest else 0


def to_json(value: Value) -> object:
    """The value for JSON: bytes as hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    return value


class EventReporter:
    """Reports each recorded event once; after a roll-back a number may get another event."""

    def __init__(self) -> None:
        self._reported: dict[int, bytes] = {}
        self._fresh: list[tuple[int, bytes]] = []

    def has_new(self, device: Shuffler) -> bool:
        """Whether there are new events, acknowledged by the host or not."""
        freed = [(one.ordinal, one.frame) for one in device.log.take()]
        stored = [(one.number, one.payload) for one in device.memory.ring]
        self._fresh += [one for one in (*freed, *stored) if self._reported.get(one[0]) != one[1]]
        return bool(self._fresh)

    def report(self) -> None:
        """Report the new events."""
        for number, payload in self._fresh:
            self._reported[number] = payload
            fields = decode_map(payload)
            kind, body = fields[4], to_json(fields[5])
            assert isinstance(kind, int)
            emit("recorded", number=number, kind=EventKind(kind).name, body=body)
        self._fresh.clear()


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until `quit`, the end of stdin, SIGTERM, SIGINT or SIGHUP; the exit code."""
    options = arguments(argv)
    try:
        _serve(options)
    except LineUnavailable as error:
        print(f"hil.serve.shuffler: {error}", file=sys.stderr)
        return EXIT_UNABLE
    return 0


def _serve(options: argparse.Namespace) -> None:
    """Raises LineUnavailable."""
    block_stop_signals()
    device, line = Shuffler(shuffler_settings(options)), LineServerSettings(baud=BAUD)
    server: LineServer[Shuffler] = (
        PtyServer(device, line, link=options.pty_link)
        if options.tcp is None
        else TcpServer(device, line, port=options.tcp)
    )
    with server:
        executor = OrderExecutor(server)
        url = server.url if isinstance(server, TcpServer) else str(options.pty_link)
        emit("ready", url=url, pins=asdict(device.pins))
        start_reading(sys.stdin, executor.execute, executor.quitting)
        reporter = EventReporter()
        while not executor.quitting.is_set():
            server.wait_for(reporter.has_new, POLL_S)
            reporter.report()
    emit("done")


if __name__ == "__main__":
    sys.exit(main())
