"""Play a dealer on an emulated device.

Responsible for: turning each physical action into the device's input, pacing, waiting while the
table is suspended, and gathering the truth of cards and reports in one order.
Not responsible for: what is dealt (hil.dealing), how bytes travel (the outlet) and what the program
makes of it.
Source: package README, "The runner".
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Protocol, Self, TypeAlias, assert_never

from hil.dealing.actions import (
    Action,
    ClearError,
    CutCard,
    Draw,
    ForcedExit,
    MistakeMade,
    NewShoe,
    Pause,
    PauseKind,
    PressResult,
    SettingMode,
    StandBy,
)
from hil.dealing.dealer import Dealer
from hil.dealing.tags import PhysicalBatch, usual_batches
from hil.dealing.truth import CoupTruth, ReportTruth, Truth, TruthRecord
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.reports import Report

GATE_POLL_S = 0.002
CARDS_OF_A_DECK = 52
NS_PER_S = 1_000_000_000


DealingShoe: TypeAlias = AngelEye | RfidShoe


class Outlet(Protocol):
    """A served dealing shoe: a LineServer or a CableOutlet."""

    def perform(self, act: Callable[[DealingShoe], tuple[Report, ...]]) -> tuple[Report, ...]:
        """Do something to the device."""
        ...

    def settle(self) -> bool:
        """Let all reports leave."""
        ...

    def take_reports(self) -> tuple[ReportTruth, ...]:
        """The reports that have left, delivered or lost, since the last call."""
        ...


@dataclass(frozen=True, slots=True)
class Pace:
    """Pauses after actions, in nanoseconds. All 0: as fast as it goes."""

    draw_ns: int = 0
    cut_card_ns: int = 0
    key_ns: int = 0
    after_burn_ns: int = 0
    between_coups_ns: int = 0
    between_shoes_ns: int = 0

    @classmethod
    def uniform(cls, pause_ns: int) -> Self:
        """The same pause after everything."""
        return cls(**{field.name: pause_ns for field in fields(cls)})

    def pause_ns(self, action: Action) -> int:
        """How long to wait after that action."""
        match action:
            case Draw():
                return self.draw_ns
            case CutCard():
                return self.cut_card_ns
            case PressResult() | StandBy() | ForcedExit() | ClearError() | SettingMode():
                return self.key_ns
            case Pause(PauseKind.AFTER_BURN):
                return self.after_burn_ns
            case Pause(PauseKind.BETWEEN_COUPS):
                return self.between_coups_ns
            case Pause(PauseKind.BETWEEN_SHOES):
                return self.between_shoes_ns
            case Pause() | NewShoe() | MistakeMade():
                return 0
            case _:
                assert_never(action)


def sleep_ns(pause_ns: int) -> None:
    """Wait in real time; simulations pass their own."""
    time.sleep(pause_ns / NS_PER_S)


def poll_gate() -> None:
    """What to do while the gate is closed, in real time."""
    time.sleep(GATE_POLL_S)


def always() -> bool:
    """The gate of a careless dealer: he never waits."""
    return True


def ignore_action(action: Action) -> None:
    """The hook that does nothing."""


def ignore_record(record: TruthRecord) -> None:
    """The sink that keeps nothing."""


@dataclass(slots=True)
class ShoeRunner:
    """Plays `dealer` on `outlet` and keeps the truth.

    `may_deal` is asked before every card and key (not before clearing an error, which the table
    may be waiting for); while it says no, `while_held` is called again and again. `people` is told
    each action once its reports have left, and does what belongs to it at no device: at a shoe
    without keys the dealer declares the result at the console. `on_action` is told it after that;
    for MistakeMade that is the moment at which a careful dealer stops and calls. `on_record` gets
    each truth record once. `coups_max` 0: all.
    """

    dealer: Dealer
    outlet: Outlet
    pace: Pace = Pace()
    may_deal: Callable[[], bool] = always
    while_held: Callable[[], None] = poll_gate
    pause: Callable[[int], None] = sleep_ns
    people: Callable[[Action], None] = ignore_action
    on_action: Callable[[Action], None] = ignore_action
    on_record: Callable[[TruthRecord], None] = ignore_record
    coups_max: int = 0
    held_times: int = 0
    _records_seen: int = 0
    _coups_seen: int = 0

    def run(self) -> Truth:
        """Play to the end, or through the pause after the last coup wanted."""
        for action in self.dealer.actions():
            self._wait_for_gate(action)
            self.outlet.perform(partial(perform, action=action))
            self.outlet.settle()
            self.people(action)
            self.collect()
            self.on_action(action)
            pause_ns = self.pace.pause_ns(action)
            if pause_ns:
                self.pause(pause_ns)
            ended = isinstance(action, Pause | NewShoe)
            if ended and self.coups_max and self._coups_seen >= self.coups_max:
                break
        self.collect()
        return self.dealer.truth

    def collect(self) -> None:
        """Put the reports that left into the truth and hand new records on."""
        records = self.dealer.truth.records
        records.extend(self.outlet.take_reports())
        fresh = records[self._records_seen :]
        self._records_seen = len(records)
        for record in fresh:
            self._coups_seen += isinstance(record, CoupTruth)
            self.on_record(record)

    def _wait_for_gate(self, action: Action) -> None:
        if isinstance(action, ClearError | Pause | MistakeMade):
            return
        if not self.may_deal():
            self.held_times += 1
        while not self.may_deal():
            self.while_held()


def perform(device: DealingShoe, action: Action) -> tuple[Report, ...]:
    """Do one action to the device; the reports it makes at once."""
    if isinstance(device, RfidShoe):
        return perform_rfid(device, action)
    match action:
        case Draw():
            return device.draw(action.card, burn_key=action.burn_key)
        case CutCard():
            return device.draw_cut_card()
        case PressResult():
            return device.press_result(action.winner, action.player_pair, action.banker_pair)
        case StandBy():
            return device.stand_by()
        case NewShoe():
            return device.power_on()
        case ForcedExit():
            return device.force_exit()
        case ClearError():
            return device.clear_error(action.code)
        case SettingMode():
            device.setting_mode = action.on
            return ()
        case Pause() | MistakeMade():
            return ()
        case _:
            assert_never(action)


def perform_rfid(device: RfidShoe, action: Action) -> tuple[Report, ...]:
    """The same to a shoe that has an exit and no keys; batches take turns, shoe by shoe."""
    match action:
        case Draw():
            return device.draw(action.card)
        case CutCard():
            return device.draw_cut_card()
        case NewShoe():
            return device.load(batch_of_shoe(action), action.loading.slots())
        case (
            PressResult()
            | StandBy()
            | ForcedExit()
            | ClearError()
            | SettingMode()
            | Pause()
            | MistakeMade()
        ):
            return ()
        case _:
            assert_never(action)


def batch_of_shoe(shoe: NewShoe) -> PhysicalBatch:
    """The batch a shoe is dealt from: batches take turns, the red one first."""
    deck_count = len(shoe.loading.cards) // CARDS_OF_A_DECK
    return usual_batches(deck_count)[(shoe.number - 1) % 2]
