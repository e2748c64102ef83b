"""Emulates a shuffler with two compartments, and what people do to it."""

from collections.abc import Iterable
from functools import partial

from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import BACKS, DECKS, NAMES, batch
from hil.emulator.lines.reports import Report
from hil.emulator.tablelink.compartment import (
    AbortReason,
    CompartmentPhase,
    CompartmentRecord,
    DeviceMode,
    Operation,
)
from hil.emulator.tablelink.mechanism import MODE_SET, ShufflerMechanism, ShufflerSettings
from hil.emulator.tablelink.order_rules import (
    CARD_REQUESTS,
    COMPARTMENTS,
    HOUSING,
    choose_compartment,
)
from hil.emulator.tablelink.wire import RequestStatus, RequestType

NS_PER_MS = 1_000_000
CARDS_OF_A_DECK = 52
BUTTONS = {
    request.name.lower().replace("_", "-"): request
    for request in (*CARD_REQUESTS, RequestType.SELF_TEST, RequestType.ABORT)
}
# The durations of a real shuffler with eight decks.
REAL_TIME = ShufflerSettings(
    load_card_ns=25 * NS_PER_MS,
    count_card_ns=15 * NS_PER_MS,
    shuffle_ns=90_000 * NS_PER_MS,
    store_ns=2_000 * NS_PER_MS,
    release_ns=3_000 * NS_PER_MS,
    self_test_ns=1_500 * NS_PER_MS,
)


class Shuffler(ShufflerMechanism):
    """The shuffler. `refusals` are the button presses it refused.

    `lies`: it proves each shuffle and does not shuffle. `stuck_doors`: their sensors no longer say
    that they are closed.
    """

    def __init__(self, settings: ShufflerSettings | None = None) -> None:
        super().__init__(settings or ShufflerSettings())
        self.refusals: list[str] = []
        self.lies = False
        self.stuck_doors: set[int] = set()

    @property
    def busy(self) -> bool:
        """Whether an operation is under way or queued."""
        return bool(self._acts) or self._machine().busy

    def put_in(self, cards: Iterable[PhysicalCard]) -> tuple[Report, ...]:
        """Put cards into the tray, the first one on top."""
        self.tray.extend(cards)
        return ()

    def put_in_back(self, back: str, count: int = 0) -> tuple[Report, ...]:
        """Put in `count` cards of the usual batch with that back; 0: all eight decks."""
        deck_count = max((count + CARDS_OF_A_DECK - 1) // CARDS_OF_A_DECK, 1) if count else DECKS
        name = NAMES[BACKS.index(back)]
        faces = (one for one in batch(name, back, deck_count).cards if one.card is not None)
        cards = sorted(faces, key=lambda one: one.deck)
        return self.put_in(cards[: count or None])

    def take_away(self, compartment: int = 0) -> int:
        """Take the released cards; returns how many there were."""
        return len(self.take(compartment))

    def press(self, button: str, compartment: int = 0) -> tuple[Report, ...]:
        """Press load, count, shuffle, store, release, abort or self-test.

        The machine chooses the compartment where none is given.
        """
        request = BUTTONS[button]
        return self._queue(lambda: self._press(request, compartment))

    def take(self, compartment: int = 0) -> tuple[PhysicalCard, ...]:
        """Take the released cards, top card first; 0: from any compartment."""
        for number in (compartment,) if compartment else COMPARTMENTS:
            if self.compartment_record(number).phase is CompartmentPhase.RELEASED:
                self._queue(lambda: None)  # its sensors update
                return self.bays[number].take_out(len(self.bays[number].pieces))
        return ()

    def reach_in(
        self, compartment: int, out: int = 0, cards: Iterable[PhysicalCard] = ()
    ) -> tuple[PhysicalCard, ...]:
        """Take `out` cards out by hand through an open door, and put others in."""
        bay = self.bays[compartment]
        assert bay.door_open or self._housing_open, "open a door first, and let the sensors update"
        removed = bay.take_out(out)
        bay.pieces.extend(cards)
        self._queue(lambda: None)
        return removed

    def open_door(self, compartment: int = HOUSING) -> tuple[Report, ...]:
        """Open the housing, or one compartment."""
        return self._queue(lambda: self._move_door(compartment, is_open=True))

    def close_door(self, compartment: int = HOUSING) -> tuple[Report, ...]:
        """Close the housing, or one compartment."""
        return self._queue(lambda: self._move_door(compartment, is_open=False))

    def jam(self, compartment: int = 0) -> tuple[Report, ...]:
        """Jam a card in that compartment; 0: in the one that is working, else the first."""
        return self._queue(lambda: self._jam(self._working_compartment(compartment), jammed=True))

    def clear_jam(self, compartment: int = 0) -> tuple[Report, ...]:
        """Remove the jammed card; 0: from both compartments."""
        numbers = (compartment,) if compartment else COMPARTMENTS
        for number in numbers:
            self._queue(partial(self._jam, number, jammed=False))
        return ()

    def leave_residual(self, count: int, compartment: int = 0) -> tuple[Report, ...]:
        """Leave `count` cards behind; sensed when the compartment is at rest."""
        return self._queue(lambda: self._leave_cards(count, self._working_compartment(compartment)))

    def take_residual(self) -> tuple[PhysicalCard, ...]:
        """Remove the cards left behind."""
        found = tuple(piece for bay in self.bays.values() for piece in bay.stuck)
        for bay in self.bays.values():
            bay.stuck.clear()
        self._queue(lambda: None)
        return found

    def lamp(self, code: int, text: str, *, on: bool) -> tuple[Report, ...]:
        """Switch a warning of the machine's own on or off."""
        return self._queue(lambda: self._set_lamp(code, text, on=on))

    def set_mode(self, mode: DeviceMode) -> tuple[Report, ...]:
        """Turn the mode key; operations under way are aborted."""
        return self._queue(lambda: self._turn_key(DeviceMode(mode)))

    # Executing the acts.

    def _press(self, request: RequestType, compartment: int) -> None:
        if not self.powered:
            return
        argument = compartment
        if request in CARD_REQUESTS and not compartment:
            argument = choose_compartment(
                request, tuple(map(self.compartment_record, COMPARTMENTS))
            )
        decision = self._decide(request, argument)
        if decision.status is not RequestStatus.DONE:
            self.refusals.append(decision.text)
        elif decision.act is not None:
            decision.act()

    def _working_compartment(self, compartment: int) -> int:
        if compartment:
            return compartment
        return next((n for n in COMPARTMENTS if self.bays[n].operation), COMPARTMENTS[0])

    def _end_shuffle(self, number: int, before: CompartmentRecord, operation: Operation) -> None:
        pieces = list(self.bays[number].pieces)
        super()._end_shuffle(number, before, operation)
        if self.lies:
            self.bays[number].pieces[:] = pieces

    def _move_door(self, compartment: int, *, is_open: bool) -> None:
        if not is_open and compartment in self.stuck_doors:
            return
        if compartment == HOUSING:
            self._housing_open = is_open
        else:
            self.bays[compartment].door_open = is_open

    def _jam(self, compartment: int, *, jammed: bool) -> None:
        self.bays[compartment].jammed = jammed

    def _leave_cards(self, count: int, compartment: int) -> None:
        bay = self.bays[compartment]
        bay.stuck.extend(bay.take_out(count))

    def _set_lamp(self, code: int, text: str, *, on: bool) -> None:
        if on:
            self._own_warnings[code] = text
        else:
            self._own_warnings.pop(code, None)

    def _turn_key(self, mode: DeviceMode) -> None:
        if self.powered:
            for number in COMPARTMENTS:
                self._abort_operation(number, AbortReason.PERSON)
            self.memory.put(MODE_SET, int(mode))
