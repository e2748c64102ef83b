"""An emulated shuffler with two compartments, which takes real pieces of plastic and shuffles them.

Responsible for: what people do to it: putting cards in, pressing buttons, taking cards out, opening
doors, jams, cards left behind, lamps and the key; and the durations of a real one.
Not responsible for: its works (shuffler_works), the line (tablelink_talk) and power
(tablelink_device).
Source: package README, "TableLink devices".
"""

from collections.abc import Iterable
from functools import partial

from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import BACKS, DECKS, NAMES, batch
from hil.emulator.lines.reports import Report
from hil.emulator.tablelink.compartment import Breaking, Holding, Mode
from hil.emulator.tablelink.mechanism import MODE_SET, ShufflerSettings, ShufflerWorks
from hil.emulator.tablelink.order_rules import COMPARTMENTS, HOUSING, WORK, chosen
from hil.emulator.tablelink.wire import Answer, Ask

NS_PER_MS = 1_000_000
CARDS_OF_A_DECK = 52
BUTTONS = {ask.name.lower().replace("_", "-"): ask for ask in (*WORK, Ask.SELF_TEST, Ask.ABORT)}
# As long as a real one takes for eight decks.
REAL_TIME = ShufflerSettings(
    load_card_ns=25 * NS_PER_MS,
    count_card_ns=15 * NS_PER_MS,
    shuffle_ns=90_000 * NS_PER_MS,
    store_ns=2_000 * NS_PER_MS,
    release_ns=3_000 * NS_PER_MS,
    self_test_ns=1_500 * NS_PER_MS,
)


class Shuffler(ShufflerWorks):
    """`refusals` are the presses it answered with a beep."""

    def __init__(self, settings: ShufflerSettings | None = None) -> None:
        super().__init__(settings or ShufflerSettings())
        self.refusals: list[str] = []

    @property
    def busy(self) -> bool:
        """Whether something is under way inside, or about to be."""
        return bool(self._acts) or self._machine().busy

    def put_in(self, cards: Iterable[PhysicalCard]) -> tuple[Report, ...]:
        """Lay cards into the tray, the first one on top."""
        self.tray.extend(cards)
        return ()

    def put_in_back(self, back: str, count: int = 0) -> tuple[Report, ...]:
        """Lay in so many cards of the usual batch with that back; 0: all eight decks."""
        deck_count = max((count + CARDS_OF_A_DECK - 1) // CARDS_OF_A_DECK, 1) if count else DECKS
        name = NAMES[BACKS.index(back)]
        faces = (one for one in batch(name, back, deck_count).cards if one.card is not None)
        cards = sorted(faces, key=lambda one: one.deck)
        return self.put_in(cards[: count or None])

    def take_away(self, compartment: int = 0) -> int:
        """Take what it has released; how many cards that were."""
        return len(self.take(compartment))

    def press(self, button: str, compartment: int = 0) -> tuple[Report, ...]:
        """Press load, count, shuffle, store, release, abort or self-test; the machine chooses the

        compartment where none is given.
        """
        ask = BUTTONS[button]
        return self._do(lambda: self._pressed(ask, compartment))

    def take(self, compartment: int = 0) -> tuple[PhysicalCard, ...]:
        """The cards it has released, the one on top first; those of any compartment for 0."""
        for number in (compartment,) if compartment else COMPARTMENTS:
            if self.standing(number).holding is Holding.RELEASED:
                self._do(lambda: None)  # its sensors look again
                return self.bays[number].take_out(len(self.bays[number].pieces))
        return ()

    def reach_in(
        self, compartment: int, out: int = 0, cards: Iterable[PhysicalCard] = ()
    ) -> tuple[PhysicalCard, ...]:
        """By hand, through an open door: so many cards out, and others in."""
        bay = self.bays[compartment]
        assert bay.door_open or self._housing_open, "open a door first, and let it be noticed"
        taken = bay.take_out(out)
        bay.pieces.extend(cards)
        self._do(lambda: None)
        return taken

    def open_door(self, compartment: int = HOUSING) -> tuple[Report, ...]:
        """Open the housing, or one compartment."""
        return self._do(lambda: self._door(compartment, is_open=True))

    def close_door(self, compartment: int = HOUSING) -> tuple[Report, ...]:
        """Close it again."""
        return self._do(lambda: self._door(compartment, is_open=False))

    def jam(self, compartment: int = 0) -> tuple[Report, ...]:
        """A card sticks in that compartment; for 0, in the one that is at work, else the first."""
        return self._do(lambda: self._jam(self._at_work(compartment), jammed=True))

    def clear_jam(self, compartment: int = 0) -> tuple[Report, ...]:
        """Somebody pulls it out; for 0, out of both."""
        numbers = (compartment,) if compartment else COMPARTMENTS
        for number in numbers:
            self._do(partial(self._jam, number, jammed=False))
        return ()

    def leave_residual(self, count: int, compartment: int = 0) -> tuple[Report, ...]:
        """So many cards of a compartment stay where none may be; seen when it stands still."""
        return self._do(lambda: self._leave(count, self._at_work(compartment)))

    def take_residual(self) -> tuple[PhysicalCard, ...]:
        """Take out what was left behind."""
        found = tuple(piece for bay in self.bays.values() for piece in bay.stuck)
        for bay in self.bays.values():
            bay.stuck.clear()
        self._do(lambda: None)
        return found

    def lamp(self, code: int, text: str, *, on: bool) -> tuple[Report, ...]:
        """The machine warns of something of its own, or no longer."""
        return self._do(lambda: self._set_lamp(code, text, on=on))

    def set_mode(self, mode: Mode) -> tuple[Report, ...]:
        """Turn the key; what is under way ends."""
        return self._do(lambda: self._turn_key(Mode(mode)))

    # What people do, when its time has come.

    def _pressed(self, ask: Ask, compartment: int) -> None:
        if not self.powered:
            return
        argument = compartment
        if ask in WORK and not compartment:
            argument = chosen(ask, tuple(map(self.standing, COMPARTMENTS)))
        judgement = self._judge(ask, argument)
        if judgement.answer is not Answer.DONE:
            self.refusals.append(judgement.text)
        elif judgement.act is not None:
            judgement.act()

    def _at_work(self, compartment: int) -> int:
        if compartment:
            return compartment
        return next((n for n in COMPARTMENTS if self.bays[n].operation), COMPARTMENTS[0])

    def _door(self, compartment: int, *, is_open: bool) -> None:
        if compartment == HOUSING:
            self._housing_open = is_open
        else:
            self.bays[compartment].door_open = is_open

    def _jam(self, compartment: int, *, jammed: bool) -> None:
        self.bays[compartment].jammed = jammed

    def _leave(self, count: int, compartment: int) -> None:
        bay = self.bays[compartment]
        bay.stuck.extend(bay.take_out(count))

    def _set_lamp(self, code: int, text: str, *, on: bool) -> None:
        if on:
            self._lamps[code] = text
        else:
            self._lamps.pop(code, None)

    def _turn_key(self, mode: Mode) -> None:
        if self.powered:
            for number in COMPARTMENTS:
                self._break_off(number, Breaking.PERSON)
            self.memory.put(MODE_SET, int(mode))
