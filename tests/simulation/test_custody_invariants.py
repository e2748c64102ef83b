"""Whatever goes wrong at the exit: custody adds up, agrees with the procedure, and can be put back.

Responsible for: seeded shoes with every fault of the exit at random cards, readers beside the shoe,
cables pulled at random moments, both deliveries; after each input the numbers of custody against
those of the procedure; the whole tape told again, taken out of its bytes before each input.
Not responsible for: what is found (test_incidents, test_layout_reader).
Source: controller/custody/README.md; D-17 to D-22.
"""

from dataclasses import replace
from random import Random

import pytest

from controller.core.build import core_of
from controller.core.state import STATES
from controller.custody.card_states import Whereabouts
from controller.custody.state import check, counts
from controller.procedure.places import PLAYER_PLACES
from controller.procedure.state import ShoeState
from controller.profiles.load import load_clauses
from controller.tape.actions import CallNoMoreBets
from hil.dealing.actions import Action, Draw, NewShoe, Pause
from hil.dealing.cards import PhysicalCard
from hil.dealing.dealer import DealerSettings
from hil.dealing.tags import FOREIGN_TAG, usual_batches
from hil.emulator.feig.rfid_shoe import ExitFault
from hil.emulator.feig.table_reader import BANKER_ANTENNA, PLAYER_ANTENNA
from hil.rig.shoe_runner import Pace
from hil.simulation.table import SimulatedTable

W = Whereabouts
EXIT, RACK, LAYOUT = "exit", "rack", "layout"
NOTHING_BESIDE: tuple[str, ...] = ()
# A reader that is polled is asked every 20 ms.
COUPS = {"notify": 14, "poll": 3}
# The exit tells cards apart by the time between them.
BY_HAND_NS = 100_000_000
# Longer than any movement at the exit.
AWAY_NS = 6_000_000_000
SHORT = [
    (1, "notify", NOTHING_BESIDE, False),
    (2, "notify", (RACK, LAYOUT), False),
    (3, "notify", (RACK, LAYOUT), True),
    (4, "poll", (RACK,), True),
]
LONG = [
    (seed, delivery, readers, pulled)
    for delivery, seeds in (("notify", range(5, 10)), ("poll", range(5, 7)))
    for seed in seeds
    for readers in (NOTHING_BESIDE, (RACK, LAYOUT))
    for pulled in (False, True)
]
LONG_COUPS = {"notify": 0, "poll": 6}


class Watched(SimulatedTable):
    """A table that holds, after every input, what must hold of its cards.

    `foreign` is how many cards of no batch may have come out: which cards they stand for nobody
    can say.
    """

    foreign = 0

    def take(self, item):
        before = getattr(self, "state", None)
        told = super().take(item)
        custody, table = self.state.custody, self.state.table
        assert check(custody) == ()
        if before is not None and custody is before.custody and table is before.table:
            return told
        for batch in counts(custody):
            assert sum(number for _, number in batch.places) == 8 * 52
        shoe = table.shoe
        if shoe is not None and not shoe.ended and custody.shoe is not None:
            self.agrees(shoe)
        return told

    def agrees(self, shoe: ShoeState) -> None:
        """Custody knows as many cards at each place as the procedure put there with a face."""
        custody = self.state.custody
        numbers = dict.fromkeys(W, 0)
        for batch in counts(custody):
            for place, number in batch.places:
                numbers[place] += number
        hands: dict[Whereabouts, list[object]] = {W.PLAYER: [], W.BANKER: []}
        for dealt in shoe.coup.cards if shoe.coup is not None else ():
            hand = W.PLAYER if dealt.place in PLAYER_PLACES else W.BANKER
            hands[hand].append(dealt.card)
        for hand, cards in hands.items():
            known = sum(card is not None for card in cards)
            # A card that passed unread may be seen at its hand later than its coup.
            most = len(cards) if LAYOUT not in self.core.devices.ports else 8 * 52
            assert known <= numbers[hand] <= most, (hand, cards, numbers)
        burned = shoe.burn_cards
        in_burn = numbers[W.BURN] if RACK not in self.core.devices.ports else len(burned)
        assert sum(card is not None for card in burned) <= in_burn <= len(burned)
        in_play = next((one for one in counts(custody) if one.batch == custody.shoe.in_play), None)
        if in_play is not None and not shoe.joined:
            left = 8 * 52 - dict(in_play.places)[W.SHOE]
            lacking = shoe.cards_drawn - left
            assert 0 <= lacking <= self.foreign, (lacking, numbers)


class Trouble:
    """A fault at about every sixth card, cables pulled now and then, cards laid where they go."""

    def __init__(self, seed: int, readers: tuple[str, ...], *, pulled: bool) -> None:
        self.chance = Random(seed)
        self.readers = readers
        self.pulled = pulled
        self.fault: ExitFault | None = None
        self.dealt: list[PhysicalCard] = []
        self.batch = usual_batches()[0]
        self.coup = (0, 0)

    def __call__(self, played, action: Action) -> None:
        match action:
            case NewShoe(number=number):
                self.batch = usual_batches()[(number - 1) % 2]
            case Draw():
                self.drawn(played, action)
            case Pause():
                # A burn of which nobody knows the length ends with the call.
                played.table.act(CallNoMoreBets())
            case _:
                pass
        played.decide()
        self.cables(played)
        shoe = played.table.state.table.shoe
        if shoe is not None and shoe.coup is None and not shoe.burn_owed:
            self.racked(played)

    def drawn(self, played, action: Draw) -> None:
        piece = self.batch.of(action.card)
        if self.fault is ExitFault.FOREIGN_TAG:
            piece = replace(piece, tag=FOREIGN_TAG)
        self.dealt.append(piece)
        hand = self.hand_of_last(played)
        if LAYOUT in self.readers and hand is not None:
            played.readers[LAYOUT].lay([piece], hand)
            self.taken(played)
        self.fault = None
        if self.chance.random() < 1 / 6:
            self.fault = self.chance.choice(list(ExitFault))
            played.table.foreign += self.fault is ExitFault.FOREIGN_TAG
            played.shoe.order(self.fault)

    def hand_of_last(self, played) -> int | None:
        """The antenna of the hand that the card drawn last went to, as a careful dealer lays it."""
        shoe = played.table.state.table.shoe
        coup = shoe.coup if shoe is not None else None
        before, self.coup = (
            self.coup,
            (coup.number, len(coup.cards)) if coup is not None else (0, 0),
        )
        if coup is None or not coup.cards or self.coup in (before, (before[0], before[1] - 1)):
            return None
        player = coup.cards[-1].place in PLAYER_PLACES
        return PLAYER_ANTENNA if player else BANKER_ANTENNA

    def racked(self, played) -> None:
        """What lies on the table and belongs to no coup any more goes into the discard rack."""
        dealt, self.dealt = self.dealt, []
        if dealt and RACK in self.readers:
            played.readers[RACK].lay(dealt)
            self.taken(played)

    def taken(self, played) -> None:
        if all(map(played.table.is_plugged, (EXIT, *self.readers))):
            played.settle()

    def cables(self, played) -> None:
        for port in (EXIT, *self.readers) if self.pulled else ():
            if not played.table.is_plugged(port):
                played.table.later(AWAY_NS)
                played.table.plug(port)
                played.settle()
            elif self.chance.random() < 1 / 25:
                played.table.unplug(port)


def trouble(simulation, seed: int, delivery: str, readers, *, pulled: bool, coups: int):
    return simulation.play(
        "rfid",
        DealerSettings(seed=seed),
        readers=readers,
        delivery=delivery,
        make=Watched,
        on_action=Trouble(seed, readers, pulled=pulled),
        coups_max=coups,
        pace=Pace(draw_ns=BY_HAND_NS),
    )


def told_again(played) -> None:
    """From its tape, the state taken out of its bytes before every input."""
    table = played.table
    core = core_of(table.inputs[0], load_clauses())
    state, entries = core.initial(), []
    for item in table.inputs:
        stored = STATES.encode(state)
        state = STATES.decode(stored)
        assert STATES.encode(state) == stored
        state, output = core.handle(state, item)
        entries += output.entries
    assert entries == table.entries
    assert state == table.state


@pytest.mark.parametrize(("seed", "delivery", "readers", "pulled"), SHORT)
def test_custody_holds_whatever_goes_wrong(simulation, seed, delivery, readers, pulled) -> None:
    played = trouble(simulation, seed, delivery, readers, pulled=pulled, coups=COUPS[delivery])
    assert played.coups
    told_again(played)


@pytest.mark.full
@pytest.mark.parametrize(("seed", "delivery", "readers", "pulled"), LONG)
def test_custody_holds_over_whole_shoes(simulation, seed, delivery, readers, pulled) -> None:
    coups = LONG_COUPS[delivery]
    played = trouble(simulation, seed, delivery, readers, pulled=pulled, coups=coups)
    assert len(played.coups) > (3 if coups else 40)
    told_again(played)
