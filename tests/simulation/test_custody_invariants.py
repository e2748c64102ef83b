"""Custody under every fault of the exit: it adds up, matches the procedure, and can be restored.

Source: D-17 to D-22.
"""

from dataclasses import replace
from random import Random

import pytest

from controller.core.build import build_core
from controller.core.state import encode_state
from controller.custody.card_states import CardPlace
from controller.custody.state import batch_counts, check_consistent
from controller.procedure.places import PLAYER_PLACES
from controller.procedure.state import ShoeState
from controller.rules.actions.actions import CallNoMoreBets
from controller.rules.profiles.load import load_clauses
from hil.dealing.actions import DealerAction, Draw, NewShoe, Pause
from hil.dealing.cards import PhysicalCard
from hil.dealing.dealer import DealerSettings
from hil.dealing.tags import FOREIGN_TAG, usual_batches
from hil.emulator.feig.rfid_shoe import ExitFault
from hil.emulator.feig.table_reader import BANKER_ANTENNA, PLAYER_ANTENNA
from hil.rig.shoe_runner import Pace
from hil.simulation.table import SimulatedTable

W = CardPlace
EXIT, RACK, LAYOUT = "exit", "rack", "layout"
NOTHING_BESIDE: tuple[str, ...] = ()
# A polled reader is polled every 20 ms.
COUPS = {"notify": 14, "poll": 3}
# The exit separates cards by the time between them.
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
    (seed, delivery, readers, cables_pulled)
    for delivery, seeds in (("notify", range(5, 10)), ("poll", range(5, 7)))
    for seed in seeds
    for readers in (NOTHING_BESIDE, (RACK, LAYOUT))
    for cables_pulled in (False, True)
]
LONG_COUPS = {"notify": 0, "poll": 6}


class CheckedTable(SimulatedTable):
    """A table that checks the invariants of custody after every input.

    `foreign` is the number of cards of no known batch that may have been drawn; which cards they
    replaced is unknown.
    """

    foreign = 0

    def take(self, item):
        before = getattr(self, "state", None)
        output = super().take(item)
        custody, table = self.state.custody, self.state.table
        check_consistent(custody)
        if before is not None and custody is before.custody and table is before.table:
            return output
        for batch in batch_counts(custody):
            assert sum(number for _, number in batch.places) == 8 * 52
        shoe = table.shoe
        if shoe is not None and not shoe.ended and custody.shoe is not None:
            self.check_counts(shoe)
        return output

    def check_counts(self, shoe: ShoeState) -> None:
        """Custody and procedure agree on the number of identified cards at each place."""
        custody = self.state.custody
        numbers = dict.fromkeys(W, 0)
        for batch in batch_counts(custody):
            for place, number in batch.places:
                numbers[place] += number
        hands: dict[CardPlace, list[object]] = {W.PLAYER: [], W.BANKER: []}
        for dealt in shoe.coup.cards if shoe.coup is not None else ():
            hand = W.PLAYER if dealt.place in PLAYER_PLACES else W.BANKER
            hands[hand].append(dealt.card)
        for hand, cards in hands.items():
            known = sum(card is not None for card in cards)
            # An unread card may be read at its hand after its coup.
            most = len(cards) if LAYOUT not in self.core.devices.ports else 8 * 52
            assert known <= numbers[hand] <= most, (hand, cards, numbers)
        burned = shoe.burn_cards
        in_burn = numbers[W.BURN] if RACK not in self.core.devices.ports else len(burned)
        assert sum(card is not None for card in burned) <= in_burn <= len(burned)
        in_play = next(
            (one for one in batch_counts(custody) if one.batch == custody.shoe.in_play), None
        )
        if in_play is not None and not shoe.joined:
            left = 8 * 52 - dict(in_play.places)[W.SHOE]
            lacking = shoe.cards_drawn - left
            assert 0 <= lacking <= self.foreign, (lacking, numbers)


class FaultyExit:
    """A fault at about every sixth card, cables pulled at random, cards laid correctly."""

    def __init__(self, seed: int, readers: tuple[str, ...], *, cables_pulled: bool) -> None:
        self.chance = Random(seed)
        self.readers = readers
        self.cables_pulled = cables_pulled
        self.fault: ExitFault | None = None
        self.dealt: list[PhysicalCard] = []
        self.batch = usual_batches()[0]
        self.coup = (0, 0)

    def __call__(self, played, action: DealerAction) -> None:
        match action:
            case NewShoe(number=number):
                self.batch = usual_batches()[(number - 1) % 2]
            case Draw():
                self.on_draw(played, action)
            case Pause():
                # A burn of unknown length ends with the call.
                played.table.act(CallNoMoreBets())
            case _:
                pass
        played.decide()
        self.pull_or_plug_cables(played)
        shoe = played.table.state.table.shoe
        if shoe is not None and shoe.coup is None and not shoe.burn_owed:
            self.fill_rack(played)

    def on_draw(self, played, action: Draw) -> None:
        piece = self.batch.of(action.card)
        if self.fault is ExitFault.FOREIGN_TAG:
            piece = replace(piece, tag=FOREIGN_TAG)
        self.dealt.append(piece)
        hand = self.antenna_of_last_card(played)
        if LAYOUT in self.readers and hand is not None:
            played.readers[LAYOUT].lay([piece], hand)
            self.settle_if_plugged(played)
        self.fault = None
        if self.chance.random() < 1 / 6:
            self.fault = self.chance.choice(list(ExitFault))
            played.table.foreign += self.fault is ExitFault.FOREIGN_TAG
            played.shoe.order(self.fault)

    def antenna_of_last_card(self, played) -> int | None:
        """The antenna of the hand that the last card belongs to."""
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

    def fill_rack(self, played) -> None:
        """Put the cards of finished coups into the discard rack."""
        dealt, self.dealt = self.dealt, []
        if dealt and RACK in self.readers:
            played.readers[RACK].lay(dealt)
            self.settle_if_plugged(played)

    def settle_if_plugged(self, played) -> None:
        if all(map(played.table.is_plugged, (EXIT, *self.readers))):
            played.settle()

    def pull_or_plug_cables(self, played) -> None:
        for port in (EXIT, *self.readers) if self.cables_pulled else ():
            if not played.table.is_plugged(port):
                played.table.advance(AWAY_NS)
                played.table.plug(port)
                played.settle()
            elif self.chance.random() < 1 / 25:
                played.table.unplug(port)


def play_with_faults(
    simulation, seed: int, delivery: str, readers, *, cables_pulled: bool, coups: int
):
    return simulation.play(
        "rfid",
        DealerSettings(seed=seed),
        readers=readers,
        delivery=delivery,
        make=CheckedTable,
        on_action=FaultyExit(seed, readers, cables_pulled=cables_pulled),
        coups_max=coups,
        pace=Pace(draw_ns=BY_HAND_NS),
    )


def check_replay(played) -> None:
    """Replay the tape, with the state decoded from its bytes before every input."""
    table = played.table
    core = build_core(table.inputs[0], load_clauses())
    state, entries = core.initial(), []
    for item in table.inputs:
        stored = encode_state(state)
        state = core.devices.read_state(stored)
        assert encode_state(state) == stored
        state, output = core.handle(state, item)
        entries += output.entries
    assert entries == table.entries
    assert state == table.state


@pytest.mark.parametrize(("seed", "delivery", "readers", "cables_pulled"), SHORT)
def test_custody_is_consistent_under_exit_faults(
    simulation, seed, delivery, readers, cables_pulled
) -> None:
    played = play_with_faults(
        simulation, seed, delivery, readers, cables_pulled=cables_pulled, coups=COUPS[delivery]
    )
    assert played.coups
    check_replay(played)


@pytest.mark.full
@pytest.mark.parametrize(("seed", "delivery", "readers", "cables_pulled"), LONG)
def test_custody_is_consistent_over_whole_shoes(
    simulation, seed, delivery, readers, cables_pulled
) -> None:
    coups = LONG_COUPS[delivery]
    played = play_with_faults(
        simulation, seed, delivery, readers, cables_pulled=cables_pulled, coups=coups
    )
    assert len(played.coups) > (3 if coups else 40)
    check_replay(played)
