"""The simulated rig: the program's core and emulated devices under a simulated clock.

Source: hil/README.md, "The simulated table".
"""

from collections.abc import Callable, Sequence
from typing import Final, Generic

from controller.actions.actions import Action, OperatorAction
from controller.actions.declaration import Role
from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import (
    DeviceSettings,
    ReaderDeviceSettings,
    Settings,
    ShufflerDeviceSettings,
)
from controller.core.state import Conclusion
from controller.custody.manifest_csv import read_manifest
from controller.monitors.advisory import Advisory
from controller.monitors.items import ShoeOpens
from controller.monitors.state import MonitorState
from controller.monitors.take import take
from controller.procedure.people.setting_changes import effective_book
from controller.tape.entries import Entry
from controller.tape.inputs import Input, ManifestGiven
from controller.views.build import build_snapshot
from controller.views.monitored import Monitored, Shown, monitor_items
from controller.views.snapshot import Health, RunFacts, Snapshot
from drivers.model import ReaderSeat
from drivers.shoes.models import ANGEL_EYE_II_EX, FEIG_RFID, AngelEyeSettings, RfidSettings
from firmware_bridge.message import message
from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import usual_batches
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import GATE_INPUT, RfidShoe
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.line import DeviceT
from hil.emulator.lines.served_device import ServedDevice
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.rig.tablelink_programs import REPORT_INTERVAL_MS
from hil.scenario.benches.emulated_hands import AngelEyeHands, EmulatedShufflerHands, RfidShoeHands
from hil.scenario.language.reading import Scenario
from hil.scenario.language.statements import Disturb, HostFault, TablePart
from hil.scenario.play.bench import NotPossible, RigBroken, ShoeHands
from hil.scenario.play.facts import FactReader
from hil.simulation.batches import SLOW, trust_of
from hil.simulation.power import PoweredTable
from hil.simulation.table import UTC_NS

PORTS: Final = {
    TablePart.SHOE: "/dev/shoe",
    TablePart.SHUFFLER: "/dev/shuffler",
    TablePart.RACK: "/dev/rack",
}
ACT_NS: Final = 300_000_000
PATIENCE_NS: Final = 60 * 1_000_000_000
DECISIONS_MAX: Final = 12
_BY_BENCH: Final = message("as_typed", typed="the bench")


class WatchedTable(PoweredTable):
    """A simulated table whose conclusions are collected, with what the shoe monitors say."""

    def __init__(self, settings: Settings, profile: str, devices: dict[str, ServedDevice]) -> None:
        self.facts = FactReader()
        self.advisories: tuple[Advisory, ...] = ()
        self._monitored = Monitored()
        self._monitor_state = MonitorState()
        super().__init__(settings, profile, devices)

    def take(self, item: Input) -> tuple[Entry, ...]:
        """Give the core one input, and read what it concludes."""
        entries = super().take(item)
        if entries:
            conclusion = Conclusion(item, entries)
            self.facts.take(conclusion)
            self._monitor(conclusion)
        return entries

    def _monitor(self, conclusion: Conclusion) -> None:
        shown = Shown.by(effective_book(self.core.book, self.state.table))
        self._monitored, items = monitor_items(self._monitored, shown, conclusion)
        for one in items:
            self._monitor_state, said = take(self._monitor_state, one)
            self.advisories = said if isinstance(one, ShoeOpens) else (*self.advisories, *said)


class SimulatedSide:
    """The program's core under the simulated clock."""

    def __init__(self, table: WatchedTable) -> None:
        self._table = table

    @property
    def facts(self) -> FactReader:
        return self._table.facts

    def snapshot(self) -> Snapshot:
        """The snapshot that the program would show."""
        run = RunFacts(Health.RUNNING, advisories=self._table.advisories)
        return build_snapshot(self._table.core, self._table.state, run)

    def act(self, action: Action, role: Role, person: str, reason: str) -> None:
        """Act as a person."""
        table = self._table
        table.take(OperatorAction(table.at, person, role, "scenario", action, reason))
        table.advance(ACT_NS)

    def decide(self) -> None:
        """Decide as a floorperson until nothing is open."""
        for _ in range(DECISIONS_MAX):
            if not self._table.state.table.open_irregularities:
                return
            self._table.resolve_if_permitted()
            self._table.advance(ACT_NS)

    def metric(self, name: str) -> float | None:
        """Raises NotPossible: nothing is served here."""
        raise NotPossible("the simulated rig serves no metrics")

    def wait(self, ns: int) -> None:
        self._table.advance(ns)

    def catch_up(self) -> None:
        """Everything happens at once here."""

    def settle(self) -> None:
        """Everything happens at once here."""

    def scan_to_verdict_ns(self) -> int:
        """No time passes here between a byte and its verdict."""
        return 0

    def now_ns(self) -> int:
        return UTC_NS + self._table.clock_ns

    def power(self, *, on: bool) -> None:
        if on:
            self._table.turn_on(same_boot=False)
        else:
            self._table.cut_now()

    def befall(self, fault: HostFault, ns: int) -> None:
        """The program ends and starts again, or stands still."""
        match fault:
            case HostFault.KILL:
                self._table.cut_now()
                self._table.turn_on(same_boot=True)
            case HostFault.STOP:
                self._table.advance(ns)
            case _:
                raise NotPossible(f"{fault.value} is not simulated")


class SimulatedLine(Generic[DeviceT]):
    """A device on the simulated table's cable."""

    def __init__(self, table: WatchedTable, device: DeviceT) -> None:
        self._table = table
        self._device = device

    def do(self, act: Callable[[DeviceT], object]) -> None:
        """Do something to the device; a moment passes."""
        act(self._device)
        self._table.advance(ACT_NS)

    def card_left(self) -> None:
        """It is judged already."""

    def until(self, what: str, ready: Callable[[DeviceT], bool]) -> None:
        """Let time pass until the device is `ready`. Raises RigBroken."""
        if not self._table.settle(lambda: ready(self._device), PATIENCE_NS):
            raise RigBroken(f"{what} did not come within {PATIENCE_NS // 10**9} s")


class SimulatedBench:
    """A simulated table for one scenario."""

    def __init__(
        self, scenario: Scenario, shuffler: ShufflerSettings = SLOW, *, locks: bool = False
    ) -> None:
        rfid = scenario.shoe == "rfid"
        shoe: AngelEye | RfidShoe = RfidShoe() if rfid else AngelEye()
        devices: dict[str, ServedDevice] = {PORTS[TablePart.SHOE]: shoe}
        trust = None
        self._rack = TableReader() if scenario.rack else None
        self._shuffler_hands: EmulatedShufflerHands | None = None
        emulated = Shuffler(shuffler)
        if scenario.shuffler:
            devices[PORTS[TablePart.SHUFFLER]] = emulated
            trust = ShufflerDeviceSettings(
                PORTS[TablePart.SHUFFLER], "tablelink", trust=trust_of(emulated)
            )
        if self._rack is not None:
            devices[PORTS[TablePart.RACK]] = self._rack
        settings = Settings(
            table="SIM-1",
            pit="bench",
            decks=8,
            gaming_day_start_s=6 * 3600,
            observed=scenario.observed,
            shoe=DeviceSettings(
                PORTS[TablePart.SHOE],
                "feig-rfid" if rfid else "angel-eye-ii-ex",
                _driver(rfid=rfid),
                allow_commands=locks and not rfid,
            ),
            shuffler=trust,
            readers=_readers(scenario),
        )
        self.simulated = WatchedTable(settings, scenario.profile, devices)
        self.table = SimulatedSide(self.simulated)
        self.shoe: ShoeHands = (
            RfidShoeHands(SimulatedLine(self.simulated, shoe))
            if isinstance(shoe, RfidShoe)
            else AngelEyeHands(SimulatedLine(self.simulated, shoe))
        )
        if scenario.shuffler:
            self._shuffler_hands = EmulatedShufflerHands(SimulatedLine(self.simulated, emulated))
        self.simulated.advance(10**9)
        for batch in usual_batches() if rfid else ():
            content = MANIFESTS.encode(read_manifest(batch.csv()))
            given = ManifestGiven(self.simulated.at, batch.name, _BY_BENCH, content)
            self.simulated.take(given)

    @property
    def shuffler(self) -> EmulatedShufflerHands:
        if self._shuffler_hands is None:
            raise NotPossible("this table has no shuffler; write `device shuffler tablelink`")
        return self._shuffler_hands

    def lay_in_rack(self, cards: Sequence[PhysicalCard]) -> None:
        if self._rack is not None:
            self._rack.lay(cards)
            self.simulated.advance(ACT_NS)

    def move_plug(self, part: TablePart, *, plugged: bool) -> None:
        port = PORTS[part]
        if self.simulated.is_plugged(port) is plugged:
            raise NotPossible(f"the {part.value} is {'' if plugged else 'un'}plugged already")
        (self.simulated.plug if plugged else self.simulated.unplug)(port)
        self.simulated.advance(ACT_NS)

    def disturb(self, fault: Disturb) -> None:
        raise NotPossible("faults of a line are not simulated")


def _driver(*, rfid: bool) -> bytes:
    """The shoe's settings, as on the emulated rig."""
    if rfid:
        return FEIG_RFID.to_store(RfidSettings(gate_input=GATE_INPUT))
    return ANGEL_EYE_II_EX.to_store(AngelEyeSettings(report_interval_ms_min=REPORT_INTERVAL_MS))


def _readers(scenario: Scenario) -> tuple[ReaderDeviceSettings, ...]:
    if not scenario.rack:
        return ()
    return (
        ReaderDeviceSettings(PORTS[TablePart.RACK], "feig-reader", seat=ReaderSeat.DISCARD_RACK),
    )
