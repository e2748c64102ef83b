"""An emulated shuffler as a process of its own: `python -m hil.serve.shuffler`.

Responsible for: its command line, the lines on stdin by which people act on it, and the lines on
stdout that tell who it is and what it records. So a program under test can be killed and the
shuffler lives on.
Not responsible for: the shuffler and its line (hil.emulator).
Source: package README, "The shuffler as a process".
"""

import argparse
import json
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event, Thread

from hil.emulator.lines.line import LineServer, LineSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.cbor import Value, payload_map
from hil.emulator.tablelink.compartment import Mode
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.memory import TableLinkMemory
from hil.emulator.tablelink.shuffler import REAL_TIME, Shuffler
from hil.emulator.tablelink.wire import Kind

LOOK_S = 0.2
BAUD = 1_000_000
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
Act = Callable[[Shuffler], object]


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line. Exits with 2 on a wrong one."""
    parser = argparse.ArgumentParser(prog="hil.serve.shuffler", description=__doc__)
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


def settings_of(options: argparse.Namespace) -> ShufflerSettings:
    """The shuffler the options ask for."""
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


def tell(event: str, **facts: object) -> None:
    """One JSON line on stdout."""
    sys.stdout.write(json.dumps({"event": event, **facts}, sort_keys=True) + "\n")
    sys.stdout.flush()


class WrongOrder(ValueError):
    """A line that is no order."""


class People:
    """Obeys one line after the other. `kept` is the memory that `roll-back` puts back."""

    def __init__(self, server: LineServer[Shuffler]) -> None:
        self._server = server
        self._kept: list[TableLinkMemory] = []
        self.quitting = Event()

    def obey(self, line: str) -> None:
        """Do what a line says; what is no order is told as refused."""
        try:
            self._obey(line.split())
        except (WrongOrder, ValueError, KeyError, AssertionError) as error:
            tell("refused", order=line, why=str(error))

    def _obey(self, words: list[str]) -> None:
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
                tell("taken", cards=self._done(lambda one: one.take_away(_number(rest))))
            case ["take-residual"]:
                tell("taken", cards=self._done(lambda one: len(one.take_residual())))
            case ["remember"]:
                self._done(lambda one: self._kept.append(one.memory.copy()))
            case ["roll-back"] if self._kept:
                self._done(lambda one: one.roll_back(self._kept[-1]))
            case _:
                self._done(act_of(words))

    def _done(self, act: Act) -> object:
        """Do it to the device, in the order in which lines came."""
        results: list[object] = []

        def perform(device: Shuffler) -> tuple[()]:
            results.append(act(device))
            return ()

        self._server.perform(perform)
        return results[0]


def act_of(words: list[str]) -> Act:
    """What one order does to the shuffler. Raises WrongOrder."""
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
            return lambda one: one.set_mode(Mode[name.upper()])
        case _:
            return _act_on_device(words)


def _act_on_device(words: list[str]) -> Act:
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
            raise WrongOrder("no such order")


def _number(rest: list[str]) -> int:
    return int(rest[0]) if rest else 0


def plain(value: Value) -> object:
    """As JSON has it: bytes in hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): plain(held) for key, held in value.items()}
    if isinstance(value, tuple):
        return [plain(held) for held in value]
    return value


class Recorder:
    """Tells each event once as it is recorded; after a roll-back numbers come with other events."""

    def __init__(self) -> None:
        self._told: dict[int, bytes] = {}
        self._fresh: list[tuple[int, bytes]] = []

    def look(self, device: Shuffler) -> bool:
        """Whether there is something to tell, freed by its host or not."""
        freed = [(one.ordinal, one.frame) for one in device.log.take()]
        kept = [(one.number, one.payload) for one in device.memory.ring]
        self._fresh += [one for one in (*freed, *kept) if self._told.get(one[0]) != one[1]]
        return bool(self._fresh)

    def tell(self) -> None:
        """Tell what was found."""
        for number, payload in self._fresh:
            self._told[number] = payload
            told = payload_map(payload)
            kind, body = told[4], plain(told[5])
            assert isinstance(kind, int)
            tell("recorded", number=number, kind=Kind(kind).name, body=body)
        self._fresh.clear()


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until `quit`, the end of stdin, SIGTERM or SIGINT."""
    options = arguments(argv)
    # Before any thread starts: all of them leave these signals to the one that waits for them.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    device, line = Shuffler(settings_of(options)), LineSettings(baud=BAUD)
    server: LineServer[Shuffler] = (
        PtyServer(device, line, link=options.pty_link)
        if options.tcp is None
        else TcpServer(device, line, port=options.tcp)
    )
    with server:
        people = People(server)
        url = server.url if isinstance(server, TcpServer) else str(options.pty_link)
        tell("ready", url=url, pins=asdict(device.pins))

        def await_signal() -> None:
            signal.sigwait(STOP_SIGNALS)
            people.quitting.set()

        def read() -> None:
            for one in sys.stdin:
                people.obey(one.strip())
            people.quitting.set()

        for work in (await_signal, read):
            Thread(target=work, daemon=True).start()
        recorder = Recorder()
        while not people.quitting.is_set():
            server.wait_for(recorder.look, LOOK_S)
            recorder.tell()
    tell("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
