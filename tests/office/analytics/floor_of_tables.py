"""The journals of four tables over two days, for the queries of docs/analytics.md.

Two are dealt by dealers who sign on, with mistakes that a floorperson decides after a while, and
one correction; two have a shuffler each. Everything is the same each time.
"""

import dataclasses
from pathlib import Path
from typing import Final, cast

from msgspec.structs import replace

from controller.core.settings import DeviceSettings, Settings
from controller.core.stored_settings import SETTINGS, read_settings
from controller.core.tape.inputs import Input, Started
from controller.procedure.rulebook import ObservableFact
from controller.rules.actions.actions import (
    Action,
    CorrectCoup,
    OperatorAction,
    SignDealerOff,
    SignDealerOn,
)
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from hil.dealing.actions import DealerAction, MistakeMade, NewShoe, PressResult
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.emulator.angel_eye.device import AngelEye
from hil.rig.shoe_runner import Outlet, Pace, ShoeRunner
from hil.simulation.batches import SLOW, BatchTable
from hil.simulation.sealed_journal import DECISIONS_MAX, EXIT, store_sealed
from hil.simulation.table import SimulatedOutlet, SimulatedTable

S: Final = 1_000_000_000
ANN, BEN, CAL = "person-a00000000001", "person-b00000000002", "person-c00000000003"
FLOOR, PIT = "person-f00000000004", "person-900000000005"
# A card a second, and a coup about every forty seconds.
PACE: Final = Pace(
    draw_ns=S,
    key_ns=2 * S,
    between_coups_ns=30 * S,
    after_burn_ns=5 * S,
    between_shoes_ns=9 * 3600 * S,
)
FIRST: Final = (
    PlannedMistake(Mistake.WRONG_RESULT, coup=4, shoe=1),
    PlannedMistake(Mistake.WRONG_PAIR, coup=7, shoe=1),
    PlannedMistake(Mistake.WRONG_RESULT, coup=5, shoe=3),
    PlannedMistake(Mistake.WRONG_RESULT, coup=9, shoe=3),
    PlannedMistake(Mistake.WRONG_RESULT, coup=6, shoe=4),
)
SECOND: Final = (
    PlannedMistake(Mistake.WRONG_PAIR, coup=6, shoe=2),
    PlannedMistake(Mistake.WRONG_RESULT, coup=3, shoe=3),
)
# The coup that a floorperson and the pit manager correct, once so many results were pressed.
CORRECTED, CORRECTED_AFTER = 8, 12


class PeopledTable:
    """A table at which dealers take turns shoe by shoe, and a floorperson decides."""

    def __init__(self, name: str, dealers: tuple[str, ...]) -> None:
        settings = Settings(
            table=name,
            pit="3",
            decks=2,
            gaming_day_start_s=6 * 3600,
            observed=(ObservableFact.RESULT_BUTTON,),
            shoe=DeviceSettings(EXIT, "angel-eye-ii-ex"),
        )
        self.shoe = AngelEye()
        self.table = SimulatedTable(settings, "s42-mini", {EXIT: self.shoe})
        self.dealers = dealers
        self.at_work = ""
        self.decided = self.results = 0

    def act(self, person: str, role: Role, action: Action) -> None:
        table = self.table
        table.take(OperatorAction(table.at, person, role, "bench", action, "as seen"))

    def relieve(self, number: int) -> None:
        """The next dealer takes over with each shoe."""
        if self.at_work:
            self.act(self.at_work, Role.DEALER, SignDealerOff())
        self.at_work = self.dealers[(number - 1) % len(self.dealers)]
        self.act(self.at_work, Role.DEALER, SignDealerOn())

    def attend(self, action: DealerAction) -> None:
        if isinstance(action, NewShoe):
            self.relieve(action.number)
        if not isinstance(action, MistakeMade | NewShoe | PressResult):
            return
        self.results += isinstance(action, PressResult)
        if self.results == CORRECTED_AFTER:
            self.results += 1
            correction = CorrectCoup(CORRECTED, Outcome.TIE, PIT)
            self.act(FLOOR, Role.FLOORPERSON, correction)
        for _ in range(DECISIONS_MAX):
            if not self.table.state.table.open_irregularities:
                return
            self.decided += 1
            self.table.advance((20 + 5 * self.decided) * S)
            self.table.resolve_if_permitted()

    def inputs(
        self, seed: int, shoes: int, mistakes: tuple[PlannedMistake, ...]
    ) -> tuple[Input, ...]:
        """All inputs of a run that deals these shoes."""
        dealer = Dealer(DealerSettings(seed=seed, shoes=shoes, decks=2, mistakes=mistakes))
        outlet = cast("Outlet", SimulatedOutlet(self.table, self.shoe, lambda: self.shoe.idle))
        runner = ShoeRunner(dealer, outlet, PACE, on_action=self.attend, pause=self.table.advance)
        runner.run()
        self.table.settle(lambda: self.shoe.idle)
        return tuple(self.table.inputs)


def shuffled_inputs(name: str, device: str, shoes: int) -> tuple[Input, ...]:
    """All inputs of a table with this shuffler; each shoe has one coup."""
    table = BatchTable(shuffler=dataclasses.replace(SLOW, device=bytes.fromhex(device)))
    for back in ("red", "blue"):
        table.shuffle_and_store(back)
    for number in range(shoes):
        back, other = (("red", "blue"), ("blue", "red"))[number % 2]
        table.release_and_take(back)
        if table.held_cards[other]:
            table.shuffle_and_store(other)
        table.deal_shoe(back)
    started, *rest = table.inputs
    assert isinstance(started, Started)
    named = replace(read_settings(started.configuration), table=name)
    return (replace(started, configuration=SETTINGS.encode(named)), *rest)


def write_floor(folder: Path) -> None:
    """Write the journals into folders named like their tables."""
    dealt = (
        ("M-1", PeopledTable("M-1", (ANN, BEN)).inputs(11, 4, FIRST)),
        ("M-2", PeopledTable("M-2", (CAL,)).inputs(12, 3, SECOND)),
        ("M-11", shuffled_inputs("M-11", "5eed0000c0ffee01", 4)),
        ("M-12", shuffled_inputs("M-12", "5eed0000c0ffee02", 3)),
    )
    for name, inputs in dealt:
        store_sealed(folder / name, inputs, name)
