"""Journals and scripted cores for the tests of tables and of the office.

The reports are encoded here by the wire document, independently of the program's encoder.
Source: firmware_bridge/angel_eye/README.md.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from importlib.resources import files
from pathlib import Path

import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core.build import build_core
from controller.core.settings import DeviceSettings, Settings
from controller.core.stored_settings import SETTINGS
from controller.core.tape.entries import CoreOutput, Entry
from controller.core.tape.inputs import Input, Started
from controller.core.tape.records import entry_record, input_record
from controller.journal.encoding import GENESIS
from controller.journal.evidence_log.leaf import Leaf, LeafKind
from controller.journal.evidence_log.log import EvidenceLog
from controller.journal.people import PeopleFile
from controller.journal.store import Journal
from controller.outlets.control.server import ControlServer
from controller.outlets.control.table_requests import TableRequests
from controller.procedure.people.permitted import is_own_void, permitted_decisions
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.record.build import build_snapshot
from controller.record.snapshot import RunFacts, Snapshot
from controller.rules.actions.actions import (
    Action,
    CloseShoe,
    OperatorAction,
    Resolution,
    StateWagers,
)
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.profiles.load import load_clauses, profile_text
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.table.loop import Loop
from controller.table.table import Health, RunSpec, Table
from controller.version import software_identifier
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.simulation.sealed_journal import note_evidence

THIS = software_identifier()
UNPLUGGED = message("usb_unplugged")

PORT = "/dev/ttyUSB0"
NINE_O_CLOCK_NS = 1_763_715_600 * 1_000_000_000  # 2025-11-21 09:00:00 UTC
REPORT_NS = 300 * 1_000_000
NS_PER_DAY = 86_400 * 1_000_000_000

# Player 9h Kc, Banker 2d 5s: a natural against seven.
PLAYER_WINS = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
# The first burn card is an ace, so one more is burned.
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
# A third card for Player after a natural.
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")


def report(number: int, data_hex: str) -> bytes:
    """A whole report: ENQ, SEQ 0 to F, data, ETX, the XOR from SEQ to ETX as two hex digits."""
    body = f"{number % 16:X}".encode() + bytes.fromhex(data_hex) + b"\x03"
    return b"\x05" + body + f"{reduce(int.__xor__, body):02X}".encode()


def start_of_run(at: Timestamp, software: str = THIS, name: str = "M7") -> Started:
    """The first input of a run of a table in pit 3."""
    shoe = DeviceSettings(PORT, "angel-eye-ii-ex")
    settings = Settings(name, "3", 8, 6 * 3600, (ObservableFact.RESULT_BUTTON,), shoe)
    return Started(
        at=at,
        boot_id="boot-1",
        software=software,
        configuration=SETTINGS.encode(settings),
        profile=profile_text("s42-mini").encode(),
        zone=(files("tzdata") / "zoneinfo" / "UTC").read_bytes(),
        replaced="",
    )


class Dealing:
    """Writes a table's journal input by input under its own clock."""

    def __init__(self, folder: Path, software: str = THIS) -> None:
        self.at = Timestamp(1_000_000_000, NINE_O_CLOCK_NS)
        self.reports = 0
        started = start_of_run(self.at, software)
        self.journal = Journal.open(folder)
        core = build_core(started, load_clauses())
        self.loop = Loop(self.journal, core, core.initial(), lambda: self.at)
        self.loop.begin(started)
        self.loop.take(PortOpened(PORT, self.at, bytes(32)))

    def reported(self, *data: str) -> None:
        """Process these reports of the shoe one by one."""
        for data_hex in data:
            self._later()
            self.loop.take(Chunk(PORT, self.at, report(self.reports, data_hex)))
            self.loop.store_if_due()
            self.reports += 1

    def resolved(self, decision: FloorDecision) -> None:
        """Process a floorperson's decision."""
        self._later()
        action = Resolution(decision)
        role = Role.FLOORPERSON
        self.loop.take(OperatorAction(self.at, "A. Floor", role, "test", action, "seen by me"))
        self.loop.store_if_due(force=True)

    def end(self) -> None:
        self.loop.store_if_due(force=True)
        self.journal.close()

    def _later(self) -> None:
        self.at = Timestamp(self.at.monotonic_ns + REPORT_NS, self.at.utc_ns + REPORT_NS)


@pytest.fixture
def deal(fast_dir: Path) -> Callable[..., Path]:
    """Deal the given reports, leave the shoe open; returns the journal's folder."""

    def dealt(*data: str, name: str = "journal", software: str = THIS) -> Path:
        folder = fast_dir / name
        dealing = Dealing(folder, software)
        dealing.reported(*data)
        dealing.end()
        return folder

    return dealt


@pytest.fixture
def begun_log() -> Callable[[Path], None]:
    """Puts a log that speaks of no record yet beside a journal that was written without a table."""

    def begun(folder: Path) -> None:
        first = Leaf(LeafKind.COMMISSIONED, 0, GENESIS, NINE_O_CLOCK_NS)
        EvidenceLog.begin(folder, "M7", first).close()

    return begun


@pytest.fixture
def three_coups(deal: Callable[..., Path]) -> Path:
    """A journal with an opening and three counted coups."""
    return deal(*OPENING, *PLAYER_WINS * 3)


@pytest.fixture
def read_in_pieces(fast_dir: Path) -> Path:
    """A journal whose reports were read byte by byte, so that chunks share records."""
    dealing = Dealing(fast_dir / "journal")
    for number, data_hex in enumerate((*OPENING, *PLAYER_WINS)):
        for byte in report(number, data_hex):
            dealing.loop.take(Chunk(PORT, dealing.at, bytes((byte,))))
        dealing.loop.store_if_due()
    dealing.end()
    return fast_dir / "journal"


@pytest.fixture
def suspended(deal: Callable[..., Path]) -> Path:
    """A journal of a table that is suspended by an overdraw."""
    return deal(*OPENING, *PLAYER_WINS, *OVERDRAW)


@pytest.fixture
def coup_sharing_an_input(fast_dir: Path) -> tuple[Path, "Script"]:
    """A journal, and its table: the last input ended coup 1 and dealt the first card of coup 2.

    A reader's frame may hold such cards, and cannot be cut.
    """
    table = Script().begun().reported(*OPENING, *PLAYER_WINS, PLAYER_WINS[0])
    *outputs, last, card_of_next = table.outputs
    outputs.append(replace(last, entries=(*last.entries, *card_of_next.entries)))
    folder = fast_dir / "shared"
    with Journal.open(folder) as journal:
        for item, output in zip(table.inputs[:-1], outputs, strict=True):
            journal.append([input_record(item), *map(entry_record, output.entries)])
    return folder, table


@pytest.fixture
def opening_and_coups() -> Callable[[int], tuple[str, ...]]:
    """The reports of an opening and this number of coups."""
    return lambda coups: (*OPENING, *PLAYER_WINS * coups)


@pytest.fixture
def serve() -> Iterator[Callable[..., Path]]:
    """Continue a table from a journal and serve its control socket; returns the socket's path."""
    running: list[tuple[Table, ControlServer]] = []

    def started(journal: Path, name: str = "M7") -> Path:
        beginning = RunSpec(
            journal, load_clauses(), lambda _replaced: start_of_run(now(), name=name)
        )
        table = Table(name, beginning, now)
        table.start()
        assert table.health is Health.RUNNING, table.failure

        def shown() -> Snapshot:
            assert table.published is not None
            return build_snapshot(*table.published, RunFacts(table.health, table.failure))

        path = journal.parent / "control.sock"
        server = ControlServer(path, TableRequests(table, shown, PeopleFile(journal)))
        server.start()
        running.append((table, server))
        return path

    yield started
    for table, server in running:
        server.stop()
        table.stop()
        table.join()


class Script:
    """A core driven by a test under its own clock; records every input and output."""

    def __init__(
        self,
        *,
        allow_commands: bool = False,
        profile: str = "",
        zone: str = "UTC",
        start_s: int = 6 * 3600,
        decks: int = 8,
        observed: tuple[ObservableFact, ...] = (ObservableFact.RESULT_BUTTON,),
        software: str = THIS,
        utc_ns: int = NINE_O_CLOCK_NS,
        stall_minutes: int | UnsetType = UNSET,
    ) -> None:
        self.at = Timestamp(1_000_000_000, utc_ns)
        self.reports = 0
        shoe = DeviceSettings(PORT, "angel-eye-ii-ex", allow_commands=allow_commands)
        settings = Settings("M7", "3", decks, start_s, observed, shoe, stall_minutes=stall_minutes)
        self.started = Started(
            at=self.at,
            boot_id="boot-1",
            software=software,
            configuration=SETTINGS.encode(settings),
            profile=(profile or profile_text("s42-mini")).encode(),
            zone=files("tzdata").joinpath("zoneinfo", *zone.split("/")).read_bytes(),
            replaced="",
        )
        self.core = build_core(self.started, load_clauses())
        self.state = self.core.initial()
        self.inputs: list[Input] = []
        self.outputs: list[CoreOutput] = []

    @property
    def entries(self) -> list[Entry]:
        return [entry for output in self.outputs for entry in output.entries]

    @property
    def writes(self) -> list[bytes]:
        return [data for output in self.outputs for _, data in output.writes]

    def of(self, kind: type[Entry]) -> list[Entry]:
        return [entry for entry in self.entries if isinstance(entry, kind)]

    def give(self, item: Input) -> CoreOutput:
        """Process one input; returns the core's output."""
        self.state, output = self.core.handle(self.state, item)
        self.inputs.append(item)
        self.outputs.append(output)
        return output

    def begun(self, boot_id: str = "boot-1") -> "Script":
        """Start a run and open its port."""
        self.give(replace(self.started, at=self.at, boot_id=boot_id))
        self.opened()
        return self

    def opened(self) -> CoreOutput:
        return self.give(PortOpened(PORT, self.at, bytes(32)))

    def lost(self) -> CoreOutput:
        return self.give(PortLost(PORT, self.at, UNPLUGGED))

    def reported(self, *data: str) -> "Script":
        """Process these reports of the shoe one by one."""
        for data_hex in data:
            self.later()
            self.give(Chunk(PORT, self.at, report(self.reports, data_hex)))
            self.reports += 1
        return self

    def reports_missed(self, count: int) -> None:
        """The shoe sends this number of reports while nothing receives them."""
        self.reports += count

    def acted(self, action: Action, role: Role = Role.FLOORPERSON) -> CoreOutput:
        self.later()
        return self.give(OperatorAction(self.at, "A. Floor", role, "test", action, "seen by me"))

    def resolved(self, provisional: Provisional | None = Provisional.TAKE_OVER) -> CoreOutput:
        """Process the mildest decision possible now: continue, else void, else close."""
        book, table = self.core.book, self.state.table
        permitted = permitted_decisions(book, table, provisional)
        void = Resolution(FloorDecision.VOID_COUP, provisional, second="C. Lee")
        if FloorDecision.CONTINUE in permitted:
            resolution = Resolution(FloorDecision.CONTINUE, provisional)
        elif FloorDecision.VOID_COUP in permitted or is_own_void(book, table, void):
            resolution = void
        else:
            resolution = Resolution(FloorDecision.CLOSE_SHOE, provisional)
        return self.acted(resolution)

    def later(self, ns: int = REPORT_NS) -> None:
        self.at = Timestamp(self.at.monotonic_ns + ns, self.at.utc_ns + ns)


@pytest.fixture(name="script", scope="session")
def script_fixture() -> type[Script]:
    return Script


@pytest.fixture
def troubled_shoe() -> Script:
    """A shoe with every kind of trouble, to its end and into the next one.

    An overdraw with a whole coup dealt while suspended, lost reports, a pulled plug, a restart of
    the machine while suspended, a cut card, a last hand.
    """
    # More decks than usual: the same cards come again and again.
    script = Script(allow_commands=True, decks=16).begun()
    script.reported(*OPENING, *PLAYER_WINS, *OVERDRAW, "47 90", *PLAYER_WINS, "44 81 C9")
    script.resolved()
    script.reported(*PLAYER_WINS[1:], *PLAYER_WINS[:2])
    script.reports_missed(1)
    script.reported("44 92 B5", "47 90")
    script.resolved()
    script.reported(*PLAYER_WINS[:3])
    script.lost()
    script.later(60_000_000_000)
    script.opened()
    script.reported(PLAYER_WINS[3])
    script.at = Timestamp(5_000_000_000, script.at.utc_ns)
    script.begun(boot_id="boot-2")
    script.resolved()
    while script.state.table.phase is Phase.SUSPENDED or script.state.table.open_irregularities:
        script.resolved()
    script.reported(*PLAYER_WINS)
    while script.state.table.phase is Phase.SUSPENDED:
        script.resolved()
    script.reported(*PLAYER_WINS[:2], "43", *PLAYER_WINS[2:], *PLAYER_WINS)
    script.reported(*OPENING, *PLAYER_WINS, *PLAYER_WINS[:2])
    return script


@pytest.fixture
def record(fast_dir: Path) -> Callable[..., Path]:
    """Store a script's inputs by the loop, one transaction each; returns the journal's folder."""

    def recorded(script: Script, name: str = "journal") -> Path:
        folder = fast_dir / name
        with Journal.open(folder) as journal:
            loop = Loop(journal, script.core, script.core.initial(), lambda: script.at)
            for item in script.inputs:
                if isinstance(item, Started):
                    loop.begin(item)
                else:
                    loop.take(item)
                    loop.store_if_due(force=True)
        return folder

    return recorded


# Player 2h Kc 4c, Banker 3d 10s 5d; both stand on 7; a pair of fours against nine.
THIRD_CARDS = ("44 81 C2", "44 91 93", "44 82 AD", "44 92 BA", "44 83 A4", "44 93 95", "47 C0")
TIE = ("44 81 C7", "44 91 97", "44 82 AD", "44 92 BA", "47 A0")
PAIR = ("44 81 C4", "44 91 96", "44 82 A4", "44 92 BA", "47 91")


@pytest.fixture(scope="session")
def disputed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with one sealed, signed shoe: read only. Its coups:

    1 a natural, 2 third cards with wagers, 3 a tie, 4 void after an overdraw, 5 dealt meanwhile,
    6 a pair. The first card of coup 5 was drawn before anybody decided.
    """
    script = Script(
        observed=(ObservableFact.RESULT_BUTTON, ObservableFact.WAGERS), zone="America/New_York"
    ).begun()
    script.reported(*OPENING, *PLAYER_WINS)
    wagers = (Wager(3, WagerKind.BANKER, 500_000_00), Wager(1, WagerKind.TIE, 25_00))
    script.acted(StateWagers(wagers), Role.DEALER)
    script.reported(*THIRD_CARDS, *TIE, *OVERDRAW, "47 90", PLAYER_WINS[0])
    folder = tmp_path_factory.mktemp("disputed") / "journal"
    folder.mkdir()
    second = PeopleFile(folder).id_of("C. Lee")
    script.acted(Resolution(FloorDecision.VOID_COUP, Provisional.TAKE_OVER, None, second))
    script.reported(*PLAYER_WINS[1:], *PAIR)
    while script.state.table.open_irregularities:
        script.resolved()
    script.acted(CloseShoe())
    sealer = Sealer("M7", SigningSettings(folder.parent / "table.key"), lambda: script.at)
    with Journal.open(folder) as journal:
        sealer.begin(journal)
        loop = Loop(journal, script.core, script.core.initial(), lambda: script.at)
        for item in script.inputs:
            if isinstance(item, Started):
                note_evidence(sealer, loop.begin(item), journal)
            else:
                loop.take(item)
                note_evidence(sealer, loop.store_if_due(force=True), journal)
        sealer.end(journal.head)
    return folder


WHOLE_SHOE = (*OPENING, *PLAYER_WINS, *PLAYER_WINS[:2], "43", *PLAYER_WINS[2:], *PLAYER_WINS)


@pytest.fixture
def stored_and_sealed() -> Callable[..., None]:
    """Store a script's inputs in a journal, seal each shoe at its end; `look` runs after each."""

    def store(
        folder: Path,
        script: Script,
        key: Path,
        look: Callable[[Journal, Loop], object] = lambda _journal, _loop: None,
        *,
        seal: bool = True,
    ) -> None:
        sealer = Sealer("M7", SigningSettings(key), lambda: script.at)
        with Journal.open(folder) as journal:
            sealer.begin(journal)
            loop = Loop(journal, script.core, script.core.initial(), lambda: script.at)
            for item in script.inputs:
                if isinstance(item, Started):
                    stored = loop.begin(item)
                else:
                    loop.take(item)
                    stored = loop.store_if_due(force=True)
                if seal:
                    note_evidence(sealer, stored, journal)
                look(journal, loop)
            sealer.end(journal.head if seal else None)

    return store


@pytest.fixture
def sealed_journal(fast_dir: Path, stored_and_sealed) -> Callable[..., Path]:
    """A journal with gaming days of these numbers of sealed shoes, then part of the next shoe.

    `trouble` is given the script before the first shoe, `end` at the end.
    """

    def made(
        *shoes: int,
        then: Sequence[str] = (*OPENING, *PLAYER_WINS, *PLAYER_WINS[:2]),
        name: str = "journal",
        trouble: Callable[[Script], object] = lambda _script: None,
        end: Callable[[Script], object] = lambda _script: None,
    ) -> Path:
        script = Script().begun()
        trouble(script)
        for day, count in enumerate(shoes):
            script.later(NS_PER_DAY if day else 0)
            script.reported(*WHOLE_SHOE * count)
        script.reported(*then)
        end(script)
        stored_and_sealed(fast_dir / name, script, fast_dir / "table.key")
        return fast_dir / name

    return made
