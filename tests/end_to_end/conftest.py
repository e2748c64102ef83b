"""End-to-end rig: an emulator on a pty or TCP, the real program, and a scripted floorperson."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.core.tape.entries import DeviceEventRecorded, Entry, EventVerdicts
from controller.procedure.effects import CoupClosed, CoupRecord
from controller.procedure.phases import Phase
from controller.procedure.state import TableState
from controller.procedure.verdicts import Irregularity
from controller.rules.outcome import CoupFate
from controller.system.command_line.errors import ExitCode
from drivers.events import CardPassed
from hil.dealing.actions import DealerAction, MistakeMade, NewShoe, Place
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.mistakes import ONLY_REMARKED, Mistake
from hil.dealing.tags import usual_batches
from hil.dealing.truth import CoupTruth, Truth
from hil.emulator.angel_eye.device import AngelEye, AngelEyeSettings
from hil.emulator.feig.device import Delivery, FeigSettings
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.faults import FaultPlan
from hil.emulator.lines.line import LineServer
from hil.emulator.lines.serve import TcpServer
from hil.rig.device_programs import RfidPrograms
from hil.rig.in_process import RigSettings, TableRig
from hil.rig.program import Program
from hil.rig.shoe_models import ShoeKind, ShoeLine, line_settings, rfid_line, serve
from hil.rig.shoe_runner import ShoeRunner, ignore_action
from hil.usb.bed import UsbTestBed

SHOWS_LATER = (Mistake.SHOE_CHANGED_EARLY,)
Floorperson = Callable[[TableRig], None]


@dataclass
class Played:
    """The result of playing a dealer against a table."""

    truth: Truth
    coups: list[CoupRecord]
    irregularities: list[Irregularity]
    state: TableState

    @property
    def codes(self) -> list[str]:
        return [one.code.value for one in self.irregularities]


def irregularities(rig: TableRig) -> list[Irregularity]:
    events = [entry for entry in rig.of(EventVerdicts) if isinstance(entry, EventVerdicts)]
    return [v for entry in events for v in entry.verdicts if isinstance(v, Irregularity)]


def coups(rig: TableRig) -> list[CoupRecord]:
    return [entry.record for entry in rig.of(CoupClosed) if isinstance(entry, CoupClosed)]


class Bench:
    """Plays shoes. `transport` is "pty" or "tcp"."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = 0

    @staticmethod
    def irregularities(rig: TableRig) -> list[Irregularity]:
        return irregularities(rig)

    @staticmethod
    def coups(rig: TableRig) -> list[CoupRecord]:
        return coups(rig)

    def server(
        self,
        transport: str,
        faults: FaultPlan | None = None,
        repeats: int = 3,
        shoe: ShoeKind = ShoeKind.ANGEL_EYE,
        way: Delivery = Delivery.ACKNOWLEDGED,
    ) -> ShoeLine:
        device = AngelEye(AngelEyeSettings(repeats=repeats))
        settings = replace(line_settings(shoe, speed=0), faults=faults)
        tcp = 0 if transport == "tcp" else None
        if shoe is ShoeKind.RFID:
            return serve(RfidShoe(FeigSettings(delivery=way)), settings, tcp=tcp)
        return serve(device, settings, tcp=tcp)

    def play(
        self,
        dealer: DealerSettings,
        transport: str = "pty",
        faults: FaultPlan | None = None,
        rig_settings: RigSettings | None = None,
        floorperson: Floorperson = TableRig.resolve_if_permitted,
        *,
        until_sealed: bool = False,
    ) -> Played:
        """Deal the whole shoe; the floorperson resolves every suspension.

        `until_sealed`: the table runs until its shoes are sealed, which a slow token delays.
        """
        self.number += 1
        rig_options = rig_settings or RigSettings()
        polled = getattr(rig_options.driver, "delivery", "") == "poll"
        way = Delivery.POLLED if polled else Delivery.ACKNOWLEDGED
        with self.server(transport, faults, shoe=rig_options.shoe, way=way) as server:
            url = server.url if isinstance(server, TcpServer) else server.path
            with TableRig(self.folder / f"journal-{self.number}", url, rig_settings) as rig:
                if isinstance(server, TcpServer):
                    server.wait_connected(1)
                truth = self.deal(dealer, server, rig, floorperson)
                self.end(rig, floorperson, len(truth.shoes))
                if until_sealed:
                    rig.wait_until_sealed(len(truth.shoes))
                return Played(truth, coups(rig), irregularities(rig), rig.state)

    @staticmethod
    def end(rig: TableRig, floorperson: Floorperson, shoes: int = 1) -> None:
        """Wait for the end of the last shoe, and resolve late irregularities, too.

        A shoe that was closed and reloaded is over as well: its end is not the last one.
        """

        def is_over(state: TableState) -> bool:
            return state.phase is Phase.SHOE_OVER and state.shoe_number >= shoes

        while not is_over(rig.state) or rig.state.open_irregularities:
            rig.wait_for(lambda s: is_over(s) or bool(s.open_irregularities))
            if rig.state.open_irregularities:
                floorperson(rig)

    def deal(
        self,
        settings: DealerSettings,
        server: LineServer,
        rig: TableRig,
        floorperson: Floorperson = TableRig.resolve_if_permitted,
    ) -> Truth:
        """A careful dealer: after a mistake he waits until the table has reported it.

        That a shoe was changed early shows only when the new one starts.
        """
        known = 0
        changed = False

        def on_action(action: DealerAction) -> None:
            nonlocal known, changed
            early = isinstance(action, MistakeMade) and action.mistake in SHOWS_LATER
            changed = changed or early
            awaited = (
                isinstance(action, MistakeMade)
                and not early
                and action.mistake not in ONLY_REMARKED
            )
            begun = isinstance(action, NewShoe) and changed
            if begun or awaited:
                changed = False
                rig.wait_for(lambda state: state.irregularities > known)
                while rig.state.open_irregularities:
                    floorperson(rig)
                known = rig.state.irregularities

        line = rfid_line(server)
        people = ignore_action if line is None else rig.console_dealer(line)
        return ShoeRunner(Dealer(settings), server, people=people, on_action=on_action).run()


CONFIG = """\
[table]
name = "BENCH-1"

[rules]
profile = "s42-mini"
decks = 8
observed = ["result_button"]

[shoe]
port = "{port}"
report_interval_ms_min = {interval}
reports_s_max = {reports}

[journal]
folder = "journal"

[metrics]
enabled = false
"""


def program_on(
    folder: Path, port: str, report_interval_ms_min: int = 250, reports_s_max: int = 0
) -> Program:
    """The real program for a port, with its journal in the folder; not started."""
    config = folder / "table.toml"
    config.write_text(
        CONFIG.format(port=port, interval=report_interval_ms_min, reports=reports_s_max)
    )
    return Program(config, folder / "program.log")


@pytest.fixture(name="program_on", scope="session")
def program_on_fixture() -> Callable[..., Program]:
    return program_on


@pytest.fixture
def bench(fast_dir: Path) -> Bench:
    return Bench(fast_dir)


def words(card: object) -> str:
    """Compares cards in capitals: the bench writes 7H, the program 7h."""
    return str(card).upper()


_HANDS = (Place.PLAYER, Place.BANKER)


def as_dealt(coup: CoupTruth) -> tuple[object, ...]:
    """A dealt coup: both hands, points, winner, and whether it is void."""
    hands = tuple(tuple(words(card) for card in coup.cards_of(place)) for place in _HANDS)
    winner = None if coup.void or coup.winner is None else coup.winner.value
    return (*hands, winner)


def as_recorded(record: CoupRecord) -> tuple[object, ...]:
    """The same of a coup in the table's record."""
    player = tuple(words(c.card) for c in record.cards if c.place.value.startswith("player"))
    banker = tuple(words(c.card) for c in record.cards if c.place.value.startswith("banker"))
    outcome = None if record.fate is CoupFate.VOID else record.outcome
    return (player, banker, outcome.value if outcome is not None else None)


@pytest.fixture(name="as_dealt")
def as_dealt_fixture() -> Callable[[CoupTruth], tuple[object, ...]]:
    return as_dealt


@pytest.fixture(name="as_recorded")
def as_recorded_fixture() -> Callable[[CoupRecord], tuple[object, ...]]:
    return as_recorded


# --- the real program at an RFID shoe -------------------------------------------------------------


def whole(entries: Sequence[Entry], truth: Truth, drawn: Sequence[str]) -> None:
    """Every coup is as dealt, none is held, and every card is recorded once in order."""
    events = [one for one in entries if isinstance(one, EventVerdicts)]
    held = [v.code for one in events for v in one.verdicts if isinstance(v, Irregularity)]
    assert held == []
    records = [one.record for one in entries if isinstance(one, CoupClosed)]
    assert [as_recorded(one) for one in records] == [as_dealt(coup) for coup in truth.coups]
    noted = [one.event for one in entries if isinstance(one, DeviceEventRecorded)]
    passed = [event for event in noted if isinstance(event, CardPassed)]
    assert [event.tag for event in passed] == list(drawn)
    assert all(event.sure for event in passed)


@pytest.fixture(name="whole")
def whole_fixture() -> Callable[[Sequence[Entry], Truth, Sequence[str]], None]:
    return whole


@pytest.fixture(scope="session")
def enrolled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the key of a table and both batches, imported by the command."""
    folder = tmp_path_factory.mktemp("enrolled")
    key, batches = folder / "table.key", folder / "batches"
    assert main(["keys", "make", str(key)]) == ExitCode.DONE
    for batch in usual_batches():
        delivered = folder / f"{batch.name}.csv"
        delivered.write_text(batch.csv())
        where = ("--folder", str(batches), "--key", str(key))
        who = ("--maker", "the bench", "--operator", "Ann Lee")
        assert main(["batch", "import", str(delivered), *who, *where]) == ExitCode.DONE
    return folder


@pytest.fixture
def rfid_programs(fast_dir: Path, enrolled: Path) -> RfidPrograms:
    shutil.copytree(enrolled / "batches", fast_dir / "batches")
    shutil.copy(enrolled / "table.key.pub", fast_dir)
    return RfidPrograms(fast_dir)


@pytest.fixture
def usb_bed() -> Iterator[UsbTestBed]:
    with UsbTestBed() as bed:
        yield bed
