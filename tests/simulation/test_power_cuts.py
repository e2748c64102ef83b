"""Power fails at every step of an exchange: of the program, of the shuffler, of both.

Afterwards what is known of both batches is true, or the batch is held; people can recover; and no
wrong, unshuffled or repeated batch comes into play without an irregularity at its first card.

Source: NY (a)(4)(iv); S42 (a)(4), (e); D-20, D-22.
"""

from collections.abc import Callable
from copy import deepcopy
from itertools import product
from random import Random

import pytest

from controller.custody.batch_life.stages import READY, BatchStage
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind, FloorDecision
from hil.dealing.tags import BACKS
from hil.rig.batch_exchange import compartment_of
from hil.simulation.batches import MS, WHOLE_BATCHES, BatchTable, S

SHUFFLED = (BatchStage.SHUFFLED, BatchStage.STORED, *READY)
OVER = (Phase.CLOSED, Phase.SHOE_OVER)
# A drawn card, or the end of a coup, may not have been reported to the program.
UNREPORTED = tuple(phase for phase in Phase if phase not in (*OVER, Phase.BETWEEN_COUPS))
# Irregularities about the shoe's own interruption are not among these.
ABOUT_BATCHES = {
    IrregularityCode.BATCH_BLOCKED,
    IrregularityCode.BATCH_UNSHUFFLED,
    IrregularityCode.BATCH_NOT_READY,
    IrregularityCode.BATCH_REPEATED,
    IrregularityCode.WRONG_BATCH,
    IrregularityCode.IDLE_BATCH_OUT,
    IrregularityCode.DISCARD_RACK_MIXED,
    IrregularityCode.CARD_UNDER_WARNING,
}
KINDS = ("tags", "no tags")
Act = Callable[[BatchTable], object]


def cut(table: BatchTable) -> None:
    table.act(RecordAct(ActKind.CUT_BY_DEALER, amount=60))


def put_into_shoe(table: BatchTable) -> None:
    table.act(RecordAct(ActKind.LOADED, "blue", amount=416))
    if table.held_cards["blue"] and not table.shoe_cards:
        table.fill_shoe("blue")


def load(table: BatchTable) -> None:
    table.fill_tray("red")
    table.press("load", "red", 0)
    table.advance(S)


def burn_half(table: BatchTable) -> None:
    if table.drawn_cards:
        value = table.drawn_cards[0].card.burn_value
        for _ in range(value // 2):
            table.draw()


def finish_burn(table: BatchTable) -> None:
    if table.drawn_cards:
        while len(table.drawn_cards) < 1 + table.drawn_cards[0].card.burn_value:
            table.draw()
        table.stand_by()


def draw_two_cards(table: BatchTable) -> None:
    if table.drawn_cards:
        table.draw_coup_card()
        table.draw_coup_card()


def close_and_collect(table: BatchTable) -> None:
    if table.drawn_cards:
        table.close_shoe()
        table.collect_cards()


def load_blue(table: BatchTable) -> None:
    table.fill_tray("blue")
    table.press("load", "blue")


PHASES: tuple[tuple[str, Act], ...] = (
    ("release", lambda t: (t.press("release", "blue", 0), t.advance(500 * MS))),
    ("released", lambda t: t.advance(S)),
    ("taken out", lambda t: t.take_out("blue")),
    ("load", load),
    ("loaded", lambda t: t.advance(2 * S)),
    ("cut", cut),
    ("put into the shoe", put_into_shoe),
    ("first card", lambda t: t.draw() if t.shoe_cards else None),
    ("count", lambda t: (t.press("count", "red", 0), t.advance(S))),
    ("counted", lambda t: t.advance(2 * S)),
    ("shuffle begins", lambda t: t.press("shuffle", "red", 0)),
    ("in the middle of the shuffle", lambda t: t.advance(10 * S)),
    ("shuffle ends", lambda t: t.advance(11 * S)),
    ("store", lambda t: t.press("store", "red")),
    ("in the burn", burn_half),
    ("burned", finish_burn),
    ("in play", draw_two_cards),
    ("coup", lambda t: t.deal_coup() if t.drawn_cards else None),
    ("shoe over", close_and_collect),
    ("collected", load_blue),
)
NAMES = tuple(name for name, _ in PHASES)


class TableCopies:
    """Copies of tables at the start of each phase."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, str], BatchTable] = {}

    def at(self, kind: str, name: str) -> BatchTable:
        if (kind, name) not in self._tables:
            self._make(kind)
        return copy_of(self._tables[kind, name])

    def _make(self, kind: str) -> None:
        """Red was dealt and is in the rack, blue is stored; then every phase succeeds."""
        table = BatchTable(tags=kind == "tags")
        table.shuffle_and_store("red")
        table.shuffle_and_store("blue")
        table.release_and_take("red")
        table.deal_shoe("red")
        for name, act in PHASES:
            assert not table.irregularities(), name
            assert not table.lineage.warnings, name
            self._tables[kind, name] = copy_of(table)
            act(table)


@pytest.fixture(scope="module")
def tables() -> TableCopies:
    return TableCopies()


def copy_of(table: BatchTable) -> BatchTable:
    """An independent copy of the table in the same state."""
    shared = (table.core, table.state, *table.entries, *table.inputs)
    pieces = tuple(piece for back in BACKS for piece in WHOLE_BATCHES[back])
    return deepcopy(table, {id(each): each for each in (*shared, *pieces)})


# --- cuts -----------------------------------------------------------------------------------------


class PowerCuts:
    """Ways to lose power during a phase; `seed` selects the moment."""

    def __init__(self, seed: int) -> None:
        self.source = Random(seed)

    def program(self, table: BatchTable, act: Act, *, stored: bool) -> None:
        table.cut_after(self.source.randrange(1, 5), stored=stored)
        act(table)
        if table.is_on:
            table.cut_now()
        table.advance(self.source.choice((100 * MS, 3 * S, 40 * S)))

    def before_the_store(self, table: BatchTable, act: Act) -> None:
        self.program(table, act, stored=False)

    def after_the_store(self, table: BatchTable, act: Act) -> None:
        self.program(table, act, stored=True)

    def shuffler(self, table: BatchTable, act: Act) -> None:
        act(table)
        table.shuffler.power_off()
        table.advance(self.source.choice((100 * MS, 3 * S, 40 * S)))

    def shuffler_while_it_writes(self, table: BatchTable, act: Act) -> None:
        table.shuffler.cut_power_after(self.source.randrange(8))
        act(table)
        table.shuffler.memory.cut_in = None
        self.shuffler(table, lambda _: None)

    def both(self, table: BatchTable, act: Act) -> None:
        table.shuffler.cut_power_after(self.source.randrange(8))
        self.program(table, act, stored=self.source.random() < 0.5)
        table.shuffler.memory.cut_in = None
        table.shuffler.power_off()

    def restore_power(self, table: BatchTable) -> None:
        """Restore power and let the program read everything that happened meanwhile."""
        table.shuffler.power_on()
        if not table.is_on:
            table.turn_on(same_boot=self.source.random() < 0.5)
        table.advance(8 * S)


PowerCut = Callable[[PowerCuts, BatchTable, Act], None]
POWER_CUTS: tuple[PowerCut, ...] = (
    PowerCuts.before_the_store,
    PowerCuts.after_the_store,
    PowerCuts.shuffler,
    PowerCuts.shuffler_while_it_writes,
    PowerCuts.both,
)


def check_power_cut(table: BatchTable, name: str, power_cut: PowerCut, seed: int) -> None:
    """Cut and restore power in that phase; then people continue, attentively or not by the seed."""
    cuts, since = PowerCuts(seed), len(table.entries)
    power_cut(cuts, table, dict(PHASES)[name])
    cuts.restore_power(table)
    assert wrong_knowledge(table) == []
    if seed % 4 < 2:
        continue_play(table)
    else:
        continue_blindly(table, name)
    assert undetected_first_cards(table, since) == []


# --- truth ----------------------------------------------------------------------------------------


def wrong_knowledge(table: BatchTable) -> list[str]:
    """What the program believes of the batches and is wrong."""
    found = []
    for back in BACKS:
        life, bay = table.life(back), table.shuffler.bays[compartment_of(back)]
        if (
            table.drawn_cards
            and table.drawn_cards[0].back == back
            and life.stage is BatchStage.IN_SHOE
        ):
            continue  # its first card is found missing at the shoe's next report
        inside = bool(bay.pieces)
        cards = tuple(bay.pieces or table.held_cards[back] or table.shoe_cards)
        ready = life.stage in SHUFFLED and not life.block_reasons
        if ready and (cards not in table.shuffler.orders or cards in table.dealt_orders):
            found.append(f"{back} is {life.stage} and is not shuffled")
        if ready and life.stage not in READY and not inside:
            found.append(f"{back} is {life.stage} and is not in the shuffler")
        if ready and life.stage in READY and inside and not life.compartment:
            found.append(f"{back} is {life.stage} and is in the shuffler")
        if life.stage is BatchStage.IN_PLAY and table.first_cards[-1].back != back:
            found.append(f"{back} is {life.stage} and was not dealt")
    return found


def undetected_first_cards(table: BatchTable, since: int) -> list[str]:
    """First cards of a batch that may not be dealt, without an irregularity."""
    return [
        f"{first.back}: {first.defect}"
        for first in table.first_cards
        if first.defect and not table.irregularities(min(first.entries, since))
    ]


def nothing_dealt(table: BatchTable) -> bool:
    return not table.drawn_cards and table.state.table.phase in {Phase.OPENING, Phase.BURN_FIRST}


def end_shoe(table: BatchTable) -> None:
    """Deal the coup to its end and close the shoe as a floorperson.

    Reports of an Angel Eye that were lost are found missing at its next report.
    """
    for _ in range(20):
        table.resolve(FloorDecision.CLOSE_SHOE)
        table.clear_all()
        if table.state.table.phase in OVER or nothing_dealt(table):
            break
        if table.coup_open:
            table.deal_coup()
        elif table.state.table.phase is Phase.RESULT and table.declared is not None:
            table.act(table.declared)
        elif table.state.table.phase in UNREPORTED and table.drawn_cards:
            table.draw()
        else:
            table.close_shoe()
    assert table.state.table.phase in OVER or nothing_dealt(table)
    table.collect_cards()


def continue_play(table: BatchTable) -> None:
    """Attentive people end the shoe, if one is open, and deal the next one."""
    end_shoe(table)
    due = "red" if table.lineage.last_played == "blue" else "blue"
    other = "blue" if due == "red" else "red"
    assert table.bring_to_ready(due), (table.life(due), table.lineage.warnings)
    if not table.shuffler.bays[compartment_of(other)].pieces:
        assert table.bring_to_stored(other), (table.life(other), table.lineage.warnings)
    table.clear_all()
    since = len(table.entries)
    table.fill_shoe(due)
    table.burn()
    assert not {one.code for one in table.irregularities(since)} & ABOUT_BATCHES
    assert table.first_cards[-1].defect == ""
    table.clear_all()
    table.deal_coup()
    table.clear_all()
    assert table.state.table.phase is Phase.BETWEEN_COUPS
    assert table.life(due).stage is BatchStage.IN_PLAY


def continue_blindly(table: BatchTable, name: str) -> None:
    """Inattentive people do the remaining phases as if nothing had happened."""
    for _, act in PHASES[NAMES.index(name) + 1 :]:
        act(table)
        for _ in range(12):
            if not table.state.table.open_irregularities:
                break
            table.resolve_if_permitted()


@pytest.mark.parametrize("name", NAMES)
def test_power_cut_in_each_phase(tables: TableCopies, name: str) -> None:
    for seed, power_cut in enumerate(POWER_CUTS, NAMES.index(name)):
        print(f"{name}: {power_cut.__name__}, {KINDS[seed % 2]}, seed {seed}")
        check_power_cut(tables.at(KINDS[seed % 2], name), name, power_cut, seed)


@pytest.mark.full
@pytest.mark.parametrize("power_cut", POWER_CUTS, ids=lambda power_cut: power_cut.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_power_cut_at_random_moments(tables: TableCopies, name: str, power_cut: PowerCut) -> None:
    for kind, seed in product(KINDS, range(100, 116)):
        print(f"{name}: {power_cut.__name__}, {kind}, seed {seed}")
        check_power_cut(tables.at(kind, name), name, power_cut, seed)
