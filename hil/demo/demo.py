"""Puts one demo together (line, emulator, dealer, program, floorperson, screen) and runs it."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hil.demo.batches import batch_places
from hil.demo.dealing import DealingResult, DealingThread
from hil.demo.floorperson import ScriptedFloorperson
from hil.demo.follow import JournalFollower, SnapshotFollower
from hil.demo.plan import OPERATOR, DealerConduct, DemoSettings, Transport
from hil.demo.program import DemoProgram, open_browser
from hil.demo.screen import Screen
from hil.demo.shuffler import DemoShuffler
from hil.demo.view import Scene
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.serve import TcpServer
from hil.rig.commissioning import enrol, make_key
from hil.rig.program import ProgramFailed
from hil.rig.shoe_models import ShoeKind, ShoeLine, line_settings, serve, url_of

FRAME_S = 0.08
# How long an emulated line waits for a program on a busy machine before bytes are lost.
PATIENCE_S = 60.0
# Time for a careless dealer to deal on visibly, even on a busy machine.
LOOKS_AWAY_S = 3.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FOOTER = "Ctrl-C stops, and verifies what was dealt"


class CannotStart(Exception):
    """The demo cannot start; the message says why and what to do."""


def play(
    settings: DemoSettings, screen: Screen, say: Callable[[str], object] = str
) -> DealingResult:
    """Play the demo; `say` gets each line about its page.

    Raises CannotStart, ControlError and ProgramFailed.
    """
    _make_folder(settings.folder)
    with (
        stop_request() as stopping,
        _line(settings) as server,
        DemoShuffler(settings) as shuffler,
        DemoProgram(settings, url_of(server), _prepare(settings, shuffler)) as program,
    ):
        program.start()
        if isinstance(server, TcpServer) and not server.wait_connected():
            raise ProgramFailed(program.with_log_tail("the program did not connect to the shoe"))
        page = program.page
        _announce(settings, page, say)
        journal_events, snapshots = (
            JournalFollower(settings.folder),
            SnapshotFollower(program.client),
        )
        dealing = DealingThread(settings, server, program.act, snapshots, journal_events, shuffler)
        looks_away_s = LOOKS_AWAY_S if settings.conduct is DealerConduct.CARELESS else 0.0
        floorperson = ScriptedFloorperson(
            snapshots, program.act, settings.tempo.reading_s, looks_away_s
        )
        running = RunningDemo(settings, program, snapshots, journal_events, dealing, floorperson)
        try:
            failure = running.run(screen, stopping)
            if settings.page and not failure and not stopping.is_made:
                say(f"the last coup is dealt; {page} stays on until Ctrl-C")
                failure = running.stay(stopping)
        finally:
            running.shut_down()
    with (settings.folder / "truth.jsonl").open("w", encoding="utf-8") as file:
        dealing.write_truth(file.write)
    complete = dealing.complete and not failure
    return DealingResult(
        truth=dealing.truth,
        complete=complete,
        interrupted=stopping.is_made and not complete,
        failure=failure,
        batch_places=batch_places(snapshots.table),
        batches=dealing.batches,
        page=page,
    )


def _announce(settings: DemoSettings, page: str, say: Callable[[str], object]) -> None:
    """Say where the page is, and open it if that is asked for."""
    say(f"page: {page}")
    if settings.page and not open_browser(page):
        say("page: no browser can be opened from here; open the address in one yourself")


class StopRequest:
    """Whether a signal asked for the end. Takes no lock: its handler may run within `wait`."""

    def __init__(self) -> None:
        self.is_made = False

    def wait(self, seconds: float) -> bool:
        """Wait for it so long; whether it is made."""
        until = time.monotonic() + seconds
        while not self.is_made and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, FRAME_S))
        return self.is_made


@contextmanager
def stop_request() -> Iterator[StopRequest]:
    """Made by Ctrl-C; a second Ctrl-C raises KeyboardInterrupt. For the main thread."""
    stopping = StopRequest()

    def stop(_number: int, _frame: object) -> None:
        if stopping.is_made:
            raise KeyboardInterrupt
        stopping.is_made = True

    before = [(number, signal.signal(number, stop)) for number in STOP_SIGNALS]
    try:
        yield stopping
    finally:
        for number, previous in before:
            signal.signal(number, previous)


def _make_folder(folder: Path) -> None:
    """Make the demo's own folder. Raises CannotStart if it has any content."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        used = any(folder.iterdir())
    except OSError as error:
        why = error.strerror or str(error)
        raise CannotStart(
            f"{folder}: it cannot be created: {why}. Remedy: name another with --journal"
        ) from error
    if used:
        raise CannotStart(f"{folder}: it is not empty. Remedy: name a new folder with --journal")


def _prepare(settings: DemoSettings, shuffler: DemoShuffler) -> str:
    """Make key, batches and pairing; the shuffler's section of table.toml."""
    make_key(settings.folder)
    if settings.shoe is ShoeKind.RFID:
        enrol(settings.folder, OPERATOR)
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
class RunningDemo:
    """A running demo and its parts."""

    settings: DemoSettings
    program: DemoProgram
    snapshots: SnapshotFollower
    journal_events: JournalFollower
    dealing: DealingThread
    floorperson: ScriptedFloorperson

    def run(self, screen: Screen, stopping: StopRequest) -> str:
        """Run and show it until it is over; the failure, empty if there was none."""
        self.snapshots.start()
        self.journal_events.start()
        self.floorperson.start()
        self.dealing.start()
        with screen:
            failure = self._watch(screen, stopping)
            self.dealing.stop()
            screen.show(self._scene(), self.journal_events)
            if not failure and not stopping.is_made:
                stopping.wait(self.settings.tempo.last_look_s)
        return failure or self.dealing.failure

    def stay(self, stopping: StopRequest) -> str:
        """Leave the program running until a signal asks for the end; the failure, if any."""
        while not stopping.wait(FRAME_S):
            if not self.program.alive:
                return self.program.with_log_tail("the program ended while its page was shown")
        return ""

    def _watch(self, screen: Screen, stopping: StopRequest) -> str:
        while self.dealing.running:
            screen.show(self._scene(), self.journal_events)
            if stopping.wait(FRAME_S):
                return ""
            if not self.program.alive:
                return self.program.with_log_tail("the program ended in the middle of the demo")
            if self.floorperson.failure:
                return self.floorperson.failure
        return ""

    def _scene(self) -> Scene:
        settings = self.settings
        return Scene(
            table=self.snapshots.table,
            history=self.journal_events.this_shoe_events(),
            shoes=settings.shoes,
            footer=f" seed {settings.seed}   {settings.speed.value} speed   {FOOTER}",
            careless=settings.conduct is DealerConduct.CARELESS,
        )

    def shut_down(self) -> None:
        """End every part in order. Raises ProgramFailed."""
        self.dealing.stop()
        self.floorperson.stop()
        self.journal_events.stop()
        if self.program.alive:
            self.program.stop()
        self.snapshots.join()
