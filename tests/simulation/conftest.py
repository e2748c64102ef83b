"""A simulated table with an Angel Eye or an RFID shoe, a dealer and a floorperson."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import DeviceSettings, ReaderDeviceSettings, Settings
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import ManifestGiven
from controller.custody.manifest_csv import read_manifest
from controller.procedure.effects import CoupClosed, CoupRecord
from controller.procedure.rulebook import ObservableFact
from controller.procedure.verdicts import Irregularity, Verdict
from controller.rules.actions.actions import DeclareResult
from controller.rules.outcome import Outcome
from drivers.model import ReaderSeat
from drivers.readers.feig_model import FEIG_READER, FeigReaderSettings
from drivers.shoes.rfid_model import FEIG_RFID, RfidSettings
from firmware_bridge.feig.settings import Delivery as Sent
from foundation.message import message
from hil.dealing.actions import DealerAction, MistakeMade, NewShoe, PressResult
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.tags import usual_batches
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.device import Delivery, FeigSettings
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.feig.table_reader import TableReader
from hil.rig.shoe_runner import Pace, ShoeRunner
from hil.simulation.table import SimulatedOutlet, SimulatedTable

EXIT, RACK, LAYOUT = "exit", "rack", "layout"
DECISIONS_MAX = 12
NO_PAUSES = Pace()
BY_TEST = message("the_configuration")


@dataclass
class Played:
    """A table after a dealer was played on it."""

    table: SimulatedTable
    shoe: RfidShoe | AngelEye
    readers: dict[str, TableReader] = field(default_factory=dict)

    @property
    def coups(self) -> list[CoupRecord]:
        return [one.record for one in self.table.entries if isinstance(one, CoupClosed)]

    @property
    def events_judged(self) -> list[EventVerdicts]:
        return [one for one in self.table.entries if isinstance(one, EventVerdicts)]

    @property
    def verdicts(self) -> list[Verdict]:
        return [verdict for one in self.events_judged for verdict in one.verdicts]

    @property
    def irregularities(self) -> list[Irregularity]:
        return [one for one in self.verdicts if isinstance(one, Irregularity)]

    @property
    def codes(self) -> list[str]:
        return [one.code.value for one in self.irregularities]

    def decide(self) -> None:
        """Decide as a floorperson until nothing is open."""
        for _ in range(DECISIONS_MAX):
            if not self.table.state.table.open_irregularities:
                return
            self.table.resolve_if_permitted()

    def settle(self) -> None:
        """Let time pass until the program has read everything from its plugged-in devices."""
        devices = {EXIT: self.shoe, **self.readers}
        plugged = [one for port, one in devices.items() if self.table.is_plugged(port)]
        assert self.table.settle(lambda: all(all_read(device) for device in plugged))


def all_read(device: RfidShoe | AngelEye | TableReader) -> bool:
    return device.idle if isinstance(device, AngelEye) else device.all_delivered


class Simulation:
    """Makes tables and plays dealers on them."""

    def table(
        self,
        kind: str,
        *,
        gate: int = 1,
        readers: tuple[str, ...] = (),
        delivery: str = "notify",
        allow_commands: bool = False,
        make: type[SimulatedTable] = SimulatedTable,
    ) -> Played:
        """`kind` is "angel-eye" or "rfid"; an RFID table has both batches bound."""
        rfid = kind == "rfid"
        feig = FeigSettings(
            delivery=Delivery.POLLED if delivery == "poll" else Delivery.ACKNOWLEDGED
        )
        # Without a gate only the time between two cards separates them.
        shoe = RfidShoe(feig, by_hand=not gate) if rfid else AngelEye()
        model = "feig-rfid" if rfid else "angel-eye-ii-ex"
        way = Sent(delivery)
        driver = FEIG_RFID.to_store(RfidSettings(gate_input=gate, delivery=way)) if rfid else b""
        device = DeviceSettings(EXIT, model, driver, allow_commands)
        polled = FEIG_READER.to_store(FeigReaderSettings(delivery=way))
        seats = {RACK: ReaderSeat.DISCARD_RACK, LAYOUT: ReaderSeat.LAYOUT}
        readers_by_port = {port: TableReader(feig) for port in readers}
        settings = Settings(
            table="SIM-1",
            pit="bench",
            decks=8,
            gaming_day_start_s=6 * 3600,
            observed=(ObservableFact.RESULT_BUTTON,),
            shoe=device,
            readers=tuple(
                ReaderDeviceSettings(port, "feig-reader", polled, seat=seats[port])
                for port in readers
            ),
        )
        table = make(settings, "s42-mini", {EXIT: shoe, **readers_by_port})
        played = Played(table, shoe, readers_by_port)
        if rfid:
            for batch in usual_batches():
                content = MANIFESTS.encode(read_manifest(batch.csv()))
                table.take(ManifestGiven(table.at, batch.name, BY_TEST, content))
        return played

    def play(
        self,
        kind: str,
        dealer: DealerSettings,
        *,
        gate: int = 1,
        readers: tuple[str, ...] = (),
        on_action: Callable[[Played, DealerAction], None] | None = None,
        pace: Pace = NO_PAUSES,
        coups_max: int = 0,
        **table: Any,
    ) -> Played:
        """Deal as the dealer's settings say; the floorperson decides after each mistake.

        `coups_max` 0: to the end. `table`: further arguments of `table`.
        """
        played = self.table(kind, gate=gate, readers=readers, **table)

        def people(action: DealerAction) -> None:
            if kind == "rfid" and isinstance(action, PressResult):
                outcome = Outcome(action.winner.value)
                played.table.act(DeclareResult(outcome, action.player_pair, action.banker_pair))

        def after(action: DealerAction) -> None:
            if on_action is not None:
                on_action(played, action)
            if isinstance(action, MistakeMade | NewShoe):
                played.decide()

        def shoe_idle() -> bool:
            return all_read(played.shoe) or not played.table.is_plugged(EXIT)

        ShoeRunner(
            Dealer(dealer),
            SimulatedOutlet(played.table, played.shoe, shoe_idle),
            pace,
            people=people,
            on_action=after,
            pause=played.table.advance,
            coups_max=coups_max,
        ).run()
        played.settle()
        return played


@pytest.fixture(scope="session")
def simulation() -> Simulation:
    return Simulation()
