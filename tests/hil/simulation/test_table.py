"""The simulated table's machinery: bytes when due, ticks, cables, people."""

import pytest

from controller.core.settings import DeviceSettings, ReaderDeviceSettings, Settings
from controller.core.tape.entries import DeviceEventRecorded, RunBegan
from controller.core.tape.inputs import Started, Tick
from controller.procedure.effects import Refusal
from controller.rules.actions.actions import LockShoe, OperatorAction
from drivers.events import CardPassed, Stage, StageChanged, TagSeen
from drivers.model import ReaderSeat
from drivers.shoes.rfid_model import FEIG_RFID, RfidSettings
from firmware_bridge.transport.port import PortLost, PortOpened
from hil.dealing.tags import usual_batches
from hil.emulator.feig.device import FeigSettings
from hil.emulator.feig.reader import GateChange, Movement
from hil.emulator.feig.rfid_shoe import GATE_INPUT, RfidShoe
from hil.emulator.feig.table_reader import TableReader
from hil.simulation.table import NS_PER_MS, SimulatedOutlet, SimulatedTable

EXIT, RACK = "exit", "rack"
RED, _ = usual_batches()
CARD, OTHER = RED.cards[0], RED.cards[1]


class Bench:
    def __init__(self, rack: TableReader | None = None) -> None:
        self.shoe = RfidShoe()
        self.rack = rack or TableReader()
        device = DeviceSettings(EXIT, "feig-rfid", FEIG_RFID.to_store(RfidSettings(gate_input=1)))
        settings = Settings(
            "SIM-1",
            "bench",
            8,
            0,
            (),
            device,
            readers=(ReaderDeviceSettings(RACK, "feig-reader", seat=ReaderSeat.DISCARD_RACK),),
        )
        self.table = SimulatedTable(settings, "s42-mini", {EXIT: self.shoe, RACK: self.rack})

    def passed(self) -> list[str | None]:
        return [
            one.event.tag
            for one in self.table.entries
            if isinstance(one, DeviceEventRecorded) and isinstance(one.event, CardPassed)
        ]

    def stages(self, port: str) -> list[Stage]:
        return [
            one.event.stage
            for one in self.table.entries
            if isinstance(one, DeviceEventRecorded)
            and one.port == port
            and isinstance(one.event, StageChanged)
        ]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_run_starts_and_every_port_opens(bench: Bench) -> None:
    first, *rest = bench.table.inputs
    assert isinstance(first, Started)
    assert [one.port for one in rest if isinstance(one, PortOpened)] == [EXIT, RACK]
    assert isinstance(bench.table.entries[0], RunBegan)
    assert bench.stages(EXIT)[-1] is Stage.ONLINE


def test_the_inputs_of_a_run_are_in_the_order_of_its_clock(bench: Bench) -> None:
    bench.shoe.draw_piece(CARD)
    bench.table.advance(2_000 * NS_PER_MS)
    stamps = [one.at.monotonic_ns for one in bench.table.inputs]
    assert stamps == sorted(stamps)
    assert bench.table.clock_ns == 1_000_000_000 + 2_000 * NS_PER_MS


def test_what_a_device_does_reaches_the_program(bench: Bench) -> None:
    bench.shoe.draw_piece(CARD)
    assert bench.table.settle(lambda: bench.shoe.all_delivered)
    assert bench.passed() == [CARD.tag]


def test_a_deadline_of_the_program_is_a_tick(bench: Bench) -> None:
    before = len(bench.table.inputs)
    # A light barrier without a tag: after a while it was a card without one.
    bench.shoe.move((Movement(100, GateChange(GATE_INPUT, high=True)),))
    bench.table.advance(2_000 * NS_PER_MS)
    assert any(isinstance(one, Tick) for one in bench.table.inputs[before:])
    assert bench.passed() == [None]


def test_settle_waits_no_longer_than_its_limit(bench: Bench) -> None:
    assert not bench.table.settle(lambda: False, longest_ns=500 * NS_PER_MS)
    assert bench.table.clock_ns == 1_000_000_000 + 500 * NS_PER_MS


def test_an_unplugged_device_delivers_everything_after_replug(bench: Bench) -> None:
    bench.table.unplug(EXIT)
    assert not bench.table.is_plugged(EXIT)
    bench.shoe.draw_piece(CARD)
    bench.table.advance(3_000 * NS_PER_MS)
    assert bench.passed() == []
    bench.table.plug(EXIT)
    assert bench.table.settle(lambda: bench.shoe.all_delivered)
    assert bench.passed() == [CARD.tag]


def test_cables_are_independent(bench: Bench) -> None:
    bench.table.unplug(EXIT)
    bench.rack.lay([OTHER])
    assert bench.table.settle(lambda: bench.rack.all_delivered)
    (lost,) = (one for one in bench.table.inputs if isinstance(one, PortLost))
    assert lost.port == EXIT
    seen = [one for one in bench.table.entries if isinstance(one, DeviceEventRecorded)]
    assert isinstance(seen[-1].event, TagSeen)


@pytest.mark.parametrize("pulled", [False, True])
def test_a_cable_is_unplugged_and_plugged_in_turn(bench: Bench, pulled: bool) -> None:
    if pulled:
        bench.table.unplug(EXIT)
    with pytest.raises(AssertionError, match="plugged in"):
        (bench.table.unplug if pulled else bench.table.plug)(EXIT)


def test_a_person_acts(bench: Bench) -> None:
    (entry,) = bench.table.act(LockShoe())
    assert isinstance(entry, Refusal)
    assert isinstance(bench.table.inputs[-1], OperatorAction)


def test_devices_that_never_rest_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hil.simulation.table.MOMENTS_MAX", 50)
    bench = Bench(TableReader(FeigSettings(keep_alive_ns=NS_PER_MS)))
    bench.rack.lay([OTHER])
    with pytest.raises(RuntimeError, match="never come to rest"):
        bench.table.advance(1_000 * NS_PER_MS)


def test_an_outlet_plays_one_device_of_the_table(bench: Bench) -> None:
    outlet = SimulatedOutlet(bench.table, bench.shoe, lambda: bench.shoe.all_delivered)
    outlet.perform(lambda shoe: shoe.draw_piece(CARD))
    assert outlet.settle()
    assert bench.passed() == [CARD.tag]
    reports = outlet.take_reports()
    assert reports
    assert all(one.delivered for one in reports)
