"""The simulated rig: the program's core and emulated devices under a simulated clock."""

from collections.abc import Callable, Sequence
from typing import Final, Generic

from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import (
    DeviceSettings,
    ReaderDeviceSettings,
    Settings,
    ShufflerDeviceSettings,
)
from controller.core.state import Conclusion, CoreState
from controller.core.tape.entries import CoreOutput, Entry
from controller.core.tape.inputs import Input, ManifestGiven
from controller.custody.manifest_csv import read_manifest
from controller.monitors.items import ShoeOpens, TimePasses
from controller.procedure.people.setting_changes import effective_book
from controller.record.build import build_snapshot
from controller.record.monitored import Shown, TableWatch
from controller.record.snapshot import Health, RunFacts, Snapshot
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.actions.declaration import Role
from controller.rules.advisory import Advisory
from drivers.model import ReaderSeat
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX, AngelEyeSettings
from drivers.shoes.rfid_model import FEIG_RFID, RfidSettings
from foundation.message import message
from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import usual_batches
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import GATE_INPUT, RfidShoe
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.faults import Envelope
from hil.emulator.lines.line import DeviceT
from hil.emulator.lines.served_device import ServedDevice
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.rig.device_programs import REPORT_INTERVAL_MS
from hil.scenario.benches.emulated_hands import (
    AngelEyeHands,
    AnswerT,
    EmulatedShufflerHands,
    RfidShoeHands,
)
from hil.scenario.language.reading import Scenario
from hil.scenario.language.statements import Disturb, HostFault, TablePart
from hil.scenario.play.bench import NotPossible, RigBroken, ShoeHands
from hil.scenario.play.disturbances import Disturbances, missing_verdict
from hil.scenario.play.facts import FactReader
from hil.scenario.play.online import devices_offline
from hil.simulation.batches import SLOW, WitnessedShuffler, trust_of
from hil.simulation.faulty_line import FaultyLine
from hil.simulation.host import HostTable

PORTS: Final = {
    TablePart.SHOE: "/dev/shoe",
    TablePart.SHUFFLER: "/dev/shuffler",
    TablePart.RACK: "/dev/rack",
}
ACT_NS: Final = 300_000_000
PATIENCE_NS: Final = 60 * 1_000_000_000
# Longer than the longest operation of the shuffler.
HASTE_NS: Final = 25 * 1_000_000_000
DECISIONS_MAX: Final = 12
_BY_BENCH: Final = message("as_typed", typed="the bench")


Watch = Callable[[CoreState, Input, CoreOutput], object]


class WatchedTable(HostTable):
    """A simulated table whose conclusions are collected, with what the shoe monitors say.

    `watches` are called after each input that is stored, with the state before it and the output,
    before anything of it is written.
    """

    def __init__(self, settings: Settings, profile: str, devices: dict[str, ServedDevice]) -> None:
        self.facts = FactReader()
        self.advisories: tuple[Advisory, ...] = ()
        self.watches: list[Watch] = []
        self._monitors = TableWatch()
        super().__init__(settings, profile, devices)

    def take(self, item: Input) -> tuple[Entry, ...]:
        """Give the core one input, and read what it concludes."""
        entries = super().take(item)
        if entries:
            conclusion = Conclusion(item, entries)
            self.facts.take(conclusion)
            self._monitor(conclusion)
        return entries

    def _stored_output(self, item: Input) -> CoreOutput:
        before = self.state
        output = super()._stored_output(item)
        if self._open is None or self._open.stored:
            for watch in self.watches:
                watch(before, item, output)
        return output

    def _monitor(self, conclusion: Conclusion) -> None:
        shown = Shown.by(effective_book(self.core.book, self.state.table))
        self._monitors, taken = self._monitors.take(shown, conclusion)
        for item, said in taken:
            self.advisories = said if isinstance(item, ShoeOpens) else (*self.advisories, *said)

    def time_passes(self) -> None:
        """Let the monitors look at a pause that lasts, as the program does from time to time."""
        self._monitors, said = self._monitors.take_item(TimePasses(self.at.monotonic_ns))
        self.advisories += said


class SimulatedSide:
    """The program's core under the simulated clock."""

    def __init__(self, table: WatchedTable) -> None:
        self._table = table
        self._delivered = self._settled = 0  # cards sent; judged when they were last waited for
        self.disturbances = Disturbances()

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
        self._table.time_passes()

    def card_left(self) -> None:
        """The shoe has sent a card: it will be judged."""
        self._delivered += 1

    def catch_up(self) -> None:
        """Let time pass until every card that was delivered has its verdict. Raises RigBroken."""
        delivered, facts = self._delivered, self.facts
        if self.reaches(lambda: facts.cards_judged >= delivered):
            if delivered > self._settled:
                self.disturbances.card_judged()
        elif not self.disturbances.excuse:
            raise RigBroken(
                f"{missing_verdict(delivered, facts.cards_judged)}, and nothing more comes"
            )
        self._delivered = self._settled = facts.cards_judged

    def reaches(self, ready: Callable[[], bool]) -> bool:
        """Let time pass until `ready`; False where nothing is left that could bring it.

        What the scenario has disturbed is not waited for: it may last.
        """
        return ready() if self.disturbances.excuse else self._table.settle(ready, PATIENCE_NS)

    def await_online(self) -> None:
        """Let time pass until each device is online. Raises RigBroken."""
        if not self._table.settle(lambda: not devices_offline(self.snapshot()), PATIENCE_NS):
            raise RigBroken(f"not online: {', '.join(devices_offline(self.snapshot()))}")

    def settle(self) -> None:
        """Everything happens at once here."""

    def scan_to_verdict_ns(self) -> int:
        """No time passes here between a byte and its verdict."""
        return 0

    def now_ns(self) -> int:
        return self._table.at.utc_ns

    def power(self, *, on: bool) -> None:
        """Raises NotPossible."""
        if on is self._table.is_on:
            raise NotPossible(f"the power is {'on' if on else 'off'} already")
        if on:
            self._table.turn_on(same_boot=False)
        else:
            self._table.cut_now()

    def befall(self, fault: HostFault, ns: int) -> None:
        """The program ends and starts again, stands still, or cannot store."""
        table = self._table
        if not table.is_on and fault is not HostFault.DISK_FREE:
            raise NotPossible("the program does not run")
        match fault:
            case HostFault.KILL:
                table.cut_now()
                table.turn_on(same_boot=True)
            case HostFault.STOP:
                table.stop(ns)
            case HostFault.SLOW_DISK:
                table.slow_down(ns)
            case HostFault.CLOCK_STEP:
                table.utc_step_ns += ns
            case HostFault.DISK_FULL:
                table.fill_disk()
            case HostFault.DISK_FREE:
                if not table.is_on:
                    table.turn_on(same_boot=True)


class SimulatedLine(Generic[DeviceT]):
    """A device on the simulated table's cable."""

    def __init__(
        self, table: WatchedTable, side: SimulatedSide, device: DeviceT, *, patient: bool
    ) -> None:
        self._table = table
        self._side = side
        self._patient = patient
        self._device = device

    def do(self, act: Callable[[DeviceT], object]) -> None:
        """Do something to the device; a moment passes."""
        act(self._device)
        self._table.advance(ACT_NS)

    def ask(self, question: Callable[[DeviceT], AnswerT]) -> AnswerT:
        """Look at the device; no time passes."""
        return question(self._device)

    def card_left(self) -> None:
        """Let the shoe send it; without a host a record waits in an RFID shoe's reader."""
        device = self._device
        if not (self._table.is_on and self._table.is_plugged(PORTS[TablePart.SHOE])):
            return
        sent = isinstance(device, RfidShoe) or device.idle
        if isinstance(device, RfidShoe):
            sent = self._table.settle(lambda: device.all_delivered, HASTE_NS)
        if sent:
            self._side.card_left()
        elif not self._side.disturbances.excuse:
            raise RigBroken("a card has left the shoe, and the shoe does not get rid of its report")

    def until(self, what: str, ready: Callable[[DeviceT], bool]) -> None:
        """Let time pass until the device is `ready`. Raises RigBroken where one waits for it."""
        patience_ns = PATIENCE_NS if self._patient else HASTE_NS
        done = self._table.settle(lambda: ready(self._device), patience_ns)
        if self._patient and not done:
            raise RigBroken(f"{what} did not come within {PATIENCE_NS // 10**9} s")


class SimulatedBench:
    """A simulated table for one scenario.

    `locks`: the program locks the exit of an Angel Eye. Unless people are `patient` they go on
    where a device does not get rid of its reports, or does not end its work.
    """

    def __init__(
        self,
        scenario: Scenario,
        shuffler: ShufflerSettings = SLOW,
        *,
        locks: bool = False,
        patient: bool = True,
    ) -> None:
        rfid = scenario.shoe == "rfid"
        shoe: AngelEye | RfidShoe = RfidShoe() if rfid else AngelEye()
        devices: dict[str, ServedDevice] = {PORTS[TablePart.SHOE]: shoe}
        trust = None
        self._rack = TableReader() if scenario.rack else None
        self._shuffler_hands: EmulatedShufflerHands | None = None
        emulated = WitnessedShuffler(shuffler)
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
        self.lines = {
            TablePart.SHOE: FaultyLine(Envelope.FEIG if rfid else Envelope.ANGEL_EYE, "shoe")
        }
        if scenario.shuffler:
            self.lines[TablePart.SHUFFLER] = FaultyLine(Envelope.TABLELINK, "shuffler")
        if scenario.rack:
            self.lines[TablePart.RACK] = FaultyLine(Envelope.FEIG, "rack")
        self.simulated = WatchedTable(settings, scenario.profile, devices)
        self.table = SimulatedSide(self.simulated)
        self.shoe: ShoeHands = (
            RfidShoeHands(SimulatedLine(self.simulated, self.table, shoe, patient=patient))
            if isinstance(shoe, RfidShoe)
            else AngelEyeHands(SimulatedLine(self.simulated, self.table, shoe, patient=patient))
        )
        if scenario.shuffler:
            line = SimulatedLine(self.simulated, self.table, emulated, patient=patient)
            self._shuffler_hands = EmulatedShufflerHands(line)
        self.simulated.advance(10**9)
        self.table.await_online()
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
        if port not in self.simulated.ports:
            raise NotPossible(f"this table has no {part.value}")
        if self.simulated.is_plugged(port) is plugged:
            raise NotPossible(f"the {part.value} is {'' if plugged else 'un'}plugged already")
        (self.simulated.plug if plugged else self.simulated.unplug)(port)
        self.simulated.advance(ACT_NS)

    def disturb(self, fault: Disturb) -> None:
        """Begin a fault of a line, or end all of them. Raises NotPossible."""
        line = self.lines.get(fault.part)
        if line is None:
            raise NotPossible(f"this table has no {fault.part.value}")
        table = self.simulated
        table.lines[PORTS[fault.part]] = line
        line.begin(fault.fault, fault.permille / 1000, fault.ns, table.clock_ns)


def _driver(*, rfid: bool) -> bytes:
    """The shoe's settings, as on the emulated rig."""
    if rfid:
        return FEIG_RFID.to_store(RfidSettings(gate_input=GATE_INPUT))
    return ANGEL_EYE_II_EX.to_store(
        AngelEyeSettings(report_interval_ms_min=REPORT_INTERVAL_MS, reports_s_max=0)
    )


def _readers(scenario: Scenario) -> tuple[ReaderDeviceSettings, ...]:
    if not scenario.rack:
        return ()
    return (
        ReaderDeviceSettings(PORTS[TablePart.RACK], "feig-reader", seat=ReaderSeat.DISCARD_RACK),
    )
