"""Power fails at every step of an exchange: of the program, of the shuffler, of both at once.

Responsible for: that afterwards what is known of both batches is so in truth, or held; that people
find their way on; and that no wrong, unshuffled or repeated batch comes into play without an
irregularity at its first card, whether people look at what the program says or not.
Not responsible for: the journal's durability (tests/controller/journal) and the link's own cuts
(test_tablelink_exactly_once).
Source: NY (a)(4)(iv); S42 (a)(4), (e); D-20, D-22; hil/README.md, "The simulated table".
"""

from collections.abc import Callable
from copy import deepcopy
from random import Random

import pytest

from controller.custody.batch_life.stages import READY, BatchStage
from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import Decision
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.tape.actions import RecordAct
from hil.dealing.tags import BACKS
from hil.rig.batch_exchange import compartment_of
from hil.simulation.batches import MS, WHOLE, BatchTable, S

SHUFFLED = (BatchStage.SHUFFLED, BatchStage.STORED, *READY)
OVER = (Phase.CLOSED, Phase.SHOE_OVER)
# A card has left the shoe, and none is known of; or the coup is over, and its end is not known.
UNHEARD = tuple(phase for phase in Phase if phase not in (*OVER, Phase.BETWEEN_COUPS))
# What a shoe may still have to say of its own interruption is not among these.
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


def into_shoe(table: BatchTable) -> None:
    table.act(RecordAct(ActKind.LOADED, "blue", amount=416))
    if table.hands["blue"] and not table.row:
        table.fill_shoe("blue")


def load(table: BatchTable) -> None:
    table.lay_in("red")
    table.press("load", "red", 0)
    table.later(S)


def in_the_burn(table: BatchTable) -> None:
    if table.gone:
        value = table.gone[0].card.burn_value
        for _ in range(value // 2):
            table.draw()


def burned(table: BatchTable) -> None:
    if table.gone:
        while len(table.gone) < 1 + table.gone[0].card.burn_value:
            table.draw()
        table.stand_by()


def in_play(table: BatchTable) -> None:
    if table.gone:
        table.coup_card()
        table.coup_card()


def shoe_over(table: BatchTable) -> None:
    if table.gone:
        table.close()
        table.gather()


def collected(table: BatchTable) -> None:
    table.lay_in("blue")
    table.press("load", "blue")


PHASES: tuple[tuple[str, Act], ...] = (
    ("release", lambda t: (t.press("release", "blue", 0), t.later(500 * MS))),
    ("released", lambda t: t.later(S)),
    ("taken out", lambda t: t.take_out("blue")),
    ("load", load),
    ("loaded", lambda t: t.later(2 * S)),
    ("cut", cut),
    ("put into the shoe", into_shoe),
    ("first card", lambda t: t.draw() if t.row else None),
    ("count", lambda t: (t.press("count", "red", 0), t.later(S))),
    ("counted", lambda t: t.later(2 * S)),
    ("shuffle begins", lambda t: t.press("shuffle", "red", 0)),
    ("in the middle of the shuffle", lambda t: t.later(10 * S)),
    ("shuffle ends", lambda t: t.later(11 * S)),
    ("store", lambda t: t.press("store", "red")),
    ("in the burn", in_the_burn),
    ("burned", burned),
    ("in play", in_play),
    ("coup", lambda t: t.coup() if t.gone else None),
    ("shoe over", shoe_over),
    ("collected", collected),
)
NAMES = tuple(name for name, _ in PHASES)


class Tables:
    """Tables that stand at the beginning of each phase, made once."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], BatchTable] = {}

    def at(self, kind: str, name: str) -> BatchTable:
        if (kind, name) not in self._made:
            self._make(kind)
        return copied(self._made[kind, name])

    def _make(self, kind: str) -> None:
        """Red was dealt and lies in the rack, blue is stored; then all goes well."""
        table = BatchTable(tags=kind == "tags")
        table.put_away("red")
        table.put_away("blue")
        table.bring_out("red")
        table.deal_shoe("red")
        for name, act in PHASES:
            assert not table.irregular(), name
            assert not table.lineage.warnings, name
            self._made[kind, name] = copied(table)
            act(table)


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables()


def copied(table: BatchTable) -> BatchTable:
    """A table of its own that stands as this one."""
    kept = (table.core, table.state, *table.entries, *table.inputs)
    pieces = tuple(piece for back in BACKS for piece in WHOLE[back])
    return deepcopy(table, {id(each): each for each in (*kept, *pieces)})


# --- cuts -----------------------------------------------------------------------------------------


class Cuts:
    """One way to lose power during a phase; `seed` says exactly when."""

    def __init__(self, seed: int) -> None:
        self.source = Random(seed)

    def program(self, table: BatchTable, act: Act, *, stored: bool) -> None:
        table.cut_after(self.source.randrange(1, 5), stored=stored)
        act(table)
        if table.is_on:
            table.cut_now()
        table.later(self.source.choice((100 * MS, 3 * S, 40 * S)))

    def before_the_store(self, table: BatchTable, act: Act) -> None:
        self.program(table, act, stored=False)

    def after_the_store(self, table: BatchTable, act: Act) -> None:
        self.program(table, act, stored=True)

    def shuffler(self, table: BatchTable, act: Act) -> None:
        act(table)
        table.shuffler.power_off()
        table.later(self.source.choice((100 * MS, 3 * S, 40 * S)))

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

    def over(self, table: BatchTable) -> None:
        """Power is back, and all that came meanwhile is heard."""
        table.shuffler.power_on()
        if not table.is_on:
            table.turn_on(same_boot=self.source.random() < 0.5)
        table.later(8 * S)


Way = Callable[[Cuts, BatchTable, Act], None]
WAYS: tuple[Way, ...] = (
    Cuts.before_the_store,
    Cuts.after_the_store,
    Cuts.shuffler,
    Cuts.shuffler_while_it_writes,
    Cuts.both,
)


def survives(table: BatchTable, name: str, way: Way, seed: int) -> None:
    """Power fails in that phase and is back; then people go on, by the seed heedful or not."""
    cuts, since = Cuts(seed), len(table.entries)
    way(cuts, table, dict(PHASES)[name])
    cuts.over(table)
    assert untrue(table) == []
    if seed % 4 < 2:
        goes_on(table)
    else:
        goes_on_blindly(table, name)
    assert silent(table, since) == []


# --- truth ----------------------------------------------------------------------------------------


def untrue(table: BatchTable) -> list[str]:
    """What is known of the batches and is not so."""
    found = []
    for back in BACKS:
        life, bay = table.life(back), table.shuffler.bays[compartment_of(back)]
        if table.gone and table.gone[0].back == back and life.stage is BatchStage.IN_SHOE:
            continue  # its first card is missed with the shoe's next report
        inside = bool(bay.pieces)
        lies = tuple(bay.pieces or table.hands[back] or table.row)
        ready = life.stage in SHUFFLED and not life.bars
        if ready and (lies not in table.shuffler.orders or lies in table.used):
            found.append(f"{back} is {life.stage} and is not shuffled")
        if ready and life.stage not in READY and not inside:
            found.append(f"{back} is {life.stage} and is not in the shuffler")
        if ready and life.stage in READY and inside and not life.compartment:
            found.append(f"{back} is {life.stage} and is in the shuffler")
        if life.stage is BatchStage.IN_PLAY and table.firsts[-1].back != back:
            found.append(f"{back} is {life.stage} and was not dealt")
    return found


def silent(table: BatchTable, since: int) -> list[str]:
    """First cards of a batch that may not be dealt, of which nobody was told."""
    return [
        f"{first.back}: {first.wrong}"
        for first in table.firsts
        if first.wrong and not table.irregular(min(first.entries, since))
    ]


def nothing_dealt(table: BatchTable) -> bool:
    return not table.gone and table.state.table.phase in {Phase.OPENING, Phase.BURN_FIRST}


def ends_shoe(table: BatchTable) -> None:
    """The coup is dealt to its end, and a floorperson closes the shoe.

    What an Angel Eye told while nobody listened is missed with its next report.
    """
    for _ in range(20):
        table.resolve(Decision.CLOSE_SHOE)
        table.clear_all()
        if table.state.table.phase in OVER or nothing_dealt(table):
            break
        if table.coup_open:
            table.coup()
        elif table.state.table.phase is Phase.RESULT and table.declared is not None:
            table.act(table.declared)
        elif table.state.table.phase in UNHEARD and table.gone:
            table.draw()
        else:
            table.close()
    assert table.state.table.phase in OVER or nothing_dealt(table)
    table.gather()


def goes_on(table: BatchTable) -> None:
    """People who look at what the program says end the shoe, if one is open, and deal the next."""
    ends_shoe(table)
    due = "red" if table.lineage.last_played == "blue" else "blue"
    other = "blue" if due == "red" else "red"
    assert table.ready_anyhow(due), (table.life(due), table.lineage.warnings)
    if not table.shuffler.bays[compartment_of(other)].pieces:
        assert table.store_anyhow(other), (table.life(other), table.lineage.warnings)
    table.clear_all()
    since = len(table.entries)
    table.fill_shoe(due)
    table.burn()
    assert not {one.code for one in table.irregular(since)} & ABOUT_BATCHES
    assert table.firsts[-1].wrong == ""
    table.clear_all()
    table.coup()
    table.clear_all()
    assert table.state.table.phase is Phase.BETWEEN_COUPS
    assert table.life(due).stage is BatchStage.IN_PLAY


def goes_on_blindly(table: BatchTable, name: str) -> None:
    """People who look at nothing do the rest as if nothing had been."""
    for _, act in PHASES[NAMES.index(name) + 1 :]:
        act(table)
        for _ in range(12):
            if not table.state.table.open_irregularities:
                break
            table.resolve_anyhow()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_power_fails(tables: Tables, name: str, way: Way) -> None:
    seed = NAMES.index(name) + WAYS.index(way)
    survives(tables.at(KINDS[seed % 2], name), name, way, seed)


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_power_fails_at_any_moment(tables: Tables, name: str, way: Way, kind: str) -> None:
    for seed in range(100, 116):
        survives(tables.at(kind, name), name, way, seed)
