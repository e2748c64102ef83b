"""The demonstration: an emulated shoe, the unchanged program, and a person who watches.

Responsible for: putting one demo together (line, emulator, dealer, program, floorperson, screen),
seeing it through to its end, to Ctrl-C or to a failure, and taking it apart in order.
Not responsible for: any of the parts (demo_*), and the command line (cli).
Source: package README, "The demo".
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from hil.demo.batches import enrol, make_key, whereabouts
from hil.demo.dealing import Dealing, Dealt
from hil.demo.floorperson import ScriptedFloorperson
from hil.demo.follow import Chronicle, Newest
from hil.demo.plan import DemoSettings, Manner, Transport
from hil.demo.program import DemoProgram
from hil.demo.screen import Screen
from hil.demo.shuffler import DemoShuffler
from hil.demo.view import Scene
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.serve import TcpServer
from hil.rig.program import ProgramFailed
from hil.rig.shoe_models import ShoeKind, ShoeLine, line_settings, serve, url_of

FRAME_S = 0.08
CONNECT_S_MAX = 10.0
# Nothing is dropped while a busy machine keeps the program waiting.
PATIENCE_S = 60.0
# A careless dealer is to be seen dealing on, however busy the machine is.
LOOKS_AWAY_S = 3.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FOOTER = "Ctrl-C stops, and verifies what was dealt"


class CannotBegin(Exception):
    """The demo cannot begin; the message says why and what to do."""


def play(settings: DemoSettings, screen: Screen) -> Dealt:
    """Play the demo. Raises CannotBegin and ProgramFailed."""
    _make_folder(settings.folder)
    with (
        told_to_stop() as stopping,
        _line(settings) as server,
        DemoShuffler(settings) as shuffler,
        DemoProgram(settings, url_of(server), _prepared(settings, shuffler)) as program,
    ):
        program.start()
        if isinstance(server, TcpServer) and not server.wait_connected(1, CONNECT_S_MAX):
            raise ProgramFailed(program.last_words("the program did not connect to the shoe"))
        chronicle, newest = Chronicle(settings.folder), Newest(program.client)
        dealing = Dealing(settings, server, program.act, newest, chronicle, shuffler)
        looks_away_s = LOOKS_AWAY_S if settings.manner is Manner.CARELESS else 0.0
        floorperson = ScriptedFloorperson(
            newest, program.act, settings.tempo.reading_s, looks_away_s
        )
        parts = Parts(settings, program, newest, chronicle, dealing, floorperson)
        try:
            failure = parts.run(screen, stopping)
        finally:
            parts.take_apart()
    with (settings.folder / "truth.jsonl").open("w", encoding="utf-8") as file:
        dealing.write_truth(file.write)
    complete = dealing.complete and not failure
    return Dealt(
        truth=dealing.truth,
        complete=complete,
        interrupted=stopping.is_set() and not complete,
        failure=failure,
        whereabouts=whereabouts(newest.table),
        batches=dealing.batches,
    )


@contextmanager
def told_to_stop() -> Iterator[Event]:
    """An event that Ctrl-C sets; a second one ends everything at once. For the main thread."""
    stopping = Event()

    def stop(_number: int, _frame: object) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()

    before = [(number, signal.signal(number, stop)) for number in STOP_SIGNALS]
    try:
        yield stopping
    finally:
        for number, previous in before:
            signal.signal(number, previous)


def _make_folder(folder: Path) -> None:
    """A folder of the demo's own: nothing that is there is written over or added to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        why = error.strerror or str(error)
        raise CannotBegin(f"{folder} cannot be made: {why}; name another with --journal") from error
    if taken:
        raise CannotBegin(f"{folder} is not empty; name a new folder with --journal")


def _prepared(settings: DemoSettings, shuffler: DemoShuffler) -> str:
    """Key, batches and pairing, as at any table before its start; the shuffler's section."""
    make_key(settings.folder)
    if settings.shoe is ShoeKind.RFID:
        enrol(settings.folder)
    shuffler.pair()
    return shuffler.config()


def _line(settings: DemoSettings) -> ShoeLine:
    speed = settings.tempo.line_speed
    line = line_settings(settings.shoe, speed=speed, patience_s=PATIENCE_S)
    tcp = 0 if settings.transport is Transport.TCP else None
    link = settings.folder / "shoe"
    if settings.shoe is ShoeKind.RFID:
        return serve(RfidShoe(by_hand=speed > 0), line, link=link, tcp=tcp)
    return serve(AngelEye(), line, link=link, tcp=tcp)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a running demo consists of."""

    settings: DemoSettings
    program: DemoProgram
    newest: Newest
    chronicle: Chronicle
    dealing: Dealing
    floorperson: ScriptedFloorperson

    def run(self, screen: Screen, stopping: Event) -> str:
        """Show it until it is over; what went wrong, empty where nothing did."""
        self.newest.start()
        self.chronicle.start()
        self.floorperson.start()
        self.dealing.start()
        with screen:
            failure = self._watch(screen, stopping)
            self.dealing.stop()
            screen.show(self._scene(), self.chronicle)
            if not failure and not stopping.is_set():
                stopping.wait(self.settings.tempo.last_look_s)
        return failure or self.dealing.failure

    def _watch(self, screen: Screen, stopping: Event) -> str:
        while self.dealing.running:
            screen.show(self._scene(), self.chronicle)
            if stopping.wait(FRAME_S):
                return ""
            if not self.program.alive:
                return self.program.last_words("the program ended in the middle of the demo")
            if self.floorperson.failure:
                return self.floorperson.failure
        return ""

    def _scene(self) -> Scene:
        settings = self.settings
        return Scene(
            table=self.newest.table,
            history=self.chronicle.of_this_shoe(),
            shoes=settings.shoes,
            footer=f" seed {settings.seed}   {settings.speed.value} speed   {FOOTER}",
            careless=settings.manner is Manner.CARELESS,
        )

    def take_apart(self) -> None:
        """End every part in order; the program has to end well. Raises ProgramFailed."""
        self.dealing.stop()
        self.floorperson.stop()
        self.chronicle.stop()
        if self.program.alive:
            self.program.stop()
        self.newest.join()
