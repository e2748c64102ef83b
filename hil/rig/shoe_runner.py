"""Plays a dealer on an emulated shoe: paces, waits for the table, collects the truth."""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Protocol, Self, TypeAlias, assert_never

from hil.dealing.actions import (
    ClearDeviceError,
    DealerAction,
    Draw,
    DrawCutCard,
    MistakeMade,
    NewShoe,
    Pause,
    PauseKind,
    PressForcedExit,
    PressResult,
    PressStandBy,
    SettingMode,
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
        """Wait until all reports have left; False if they have not in time."""
        ...

    def take_reports(self) -> tuple[ReportTruth, ...]:
        """The reports that have left, delivered or lost, since the last call."""
        ...


@dataclass(frozen=True, slots=True)
class Pace:
    """Pauses after actions, in nanoseconds. All 0: as fast as possible."""

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

    def pause_ns(self, action: DealerAction) -> int:
        """How long to wait after that action."""
        match action:
            case Draw():
                return self.draw_ns
            case DrawCutCard():
                return self.cut_card_ns
            case (
                PressResult()
                | PressStandBy()
                | PressForcedExit()
                | ClearDeviceError()
                | SettingMode()
            ):
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
    """The gate of a dealer who never waits."""
    return True


def ignore_action(action: DealerAction) -> None:
    """The action hook that does nothing."""


def ignore_record(record: TruthRecord) -> None:
    """The record hook that does nothing."""


@dataclass(slots=True)
class ShoeRunner:
    """Plays `dealer` on `outlet` and records the truth.

    `may_deal` is called before every card and key (not before clearing an error, which the table
    may be waiting for); while it is False, `while_waiting` is called repeatedly. `people` is called
    with each action once its reports have left, and does what happens at no device: at a shoe
    without keys the dealer declares the result at the console. `on_action` is called after that;
    for MistakeMade that is the moment at which a careful dealer stops and calls. `on_record`
    receives each truth record once. `coups_max` 0: all.
    """

    dealer: Dealer
    outlet: Outlet
    pace: Pace = Pace()
    may_deal: Callable[[], bool] = always
    while_waiting: Callable[[], None] = poll_gate
    pause: Callable[[int], None] = sleep_ns
    people: Callable[[DealerAction], None] = ignore_action
    on_action: Callable[[DealerAction], None] = ignore_action
    on_record: Callable[[TruthRecord], None] = ignore_record
    coups_max: int = 0
    times_held: int = 0
    _records_seen: int = 0
    _coups_seen: int = 0

    def run(self) -> Truth:
        """Play to the end, or through the pause after coup `coups_max`."""
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
        """Add the reports that have left to the truth and pass new records on."""
        records = self.dealer.truth.records
        records.extend(self.outlet.take_reports())
        fresh = records[self._records_seen :]
        self._records_seen = len(records)
        for record in fresh:
            self._coups_seen += isinstance(record, CoupTruth)
            self.on_record(record)

    def _wait_for_gate(self, action: DealerAction) -> None:
        if isinstance(action, ClearDeviceError | Pause | MistakeMade):
            return
        if not self.may_deal():
            self.times_held += 1
        while not self.may_deal():
            self.while_waiting()


def perform(device: DealingShoe, action: DealerAction) -> tuple[Report, ...]:
    """Do one action to the device; the reports it makes immediately."""
    if isinstance(device, RfidShoe):
        return perform_rfid(device, action)
    match action:
        case Draw():
            return device.draw(action.card, burn_key=action.burn_key)
        case DrawCutCard():
            return device.draw_cut_card()
        case PressResult():
            return device.press_result(action.winner, action.player_pair, action.banker_pair)
        case PressStandBy():
            return device.stand_by()
        case NewShoe():
            return device.power_on()
        case PressForcedExit():
            return device.force_exit()
        case ClearDeviceError():
            return device.clear_error(action.code)
        case SettingMode():
            device.setting_mode = action.on
            return ()
        case Pause() | MistakeMade():
            return ()
        case _:
            assert_never(action)


def perform_rfid(device: RfidShoe, action: DealerAction) -> tuple[Report, ...]:
    """The same for a shoe without keys; batches take turns, shoe by shoe."""
    match action:
        case Draw():
            return device.draw(action.card)
        case DrawCutCard():
            return device.draw_cut_card()
        case NewShoe():
            return device.load(batch_of_shoe(action), action.loading.slots())
        case (
            PressResult()
            | PressStandBy()
            | PressForcedExit()
            | ClearDeviceError()
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
