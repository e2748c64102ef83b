"""The grid: one cell for every phase and trigger, lawful exactly where the state table has an edge.

Source: controller/procedure/README.md, "The procedure".
"""

from collections import Counter
from graphlib import TopologicalSorter
from itertools import product
from typing import get_args

import pytest
from msgspec.structs import replace
from recorded_cells import (
    CELL_SCRIPTS,
    CellKey,
    Witness,
    book_named,
    happening_of,
    judged,
    witness_of,
    witnesses_of_pairs,
)

from controller.actions.actions import CallNoMoreBets, DeclareResult
from controller.procedure.card_rows import Observed
from controller.procedure.cells import Condition, Handling, Lawful, Nothing
from controller.procedure.classify import Counts, Happening, classify
from controller.procedure.dealing import order
from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    CutCardDrawn,
    Loss,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.procedure.grid import grid_of, phase_table_of
from controller.procedure.phases import EDGES, Phase, Trigger
from controller.procedure.verdicts import Irregularity
from controller.rules.coup import DrawDecision, Place
from controller.rules.outcome import Outcome
from controller.state_table import StateTable

BOOKS = tuple(Observed(*facts) for facts in product((True, False), repeat=3))
WAITING = tuple(phase for phase in Phase if phase not in (Phase.OPENING, Phase.SUSPENDED))
HAPPENINGS = (
    *(CardDrawn(None, claim) for claim in Place),
    CutCardDrawn(),
    CallNoMoreBets(),
    ResultDeclared(Outcome.TIE, False, False),
    DeclareResult(Outcome.TIE),
    CoupForcedOut(),
    ShoeStandsBy(),
    ShoeDeviceStarted(),
    *(ReportsMissing(loss, 1) for loss in Loss),
    ProgramReplaced("2.0"),
)
FIRST_TRIGGERS = frozenset(
    classify(one, Counts(cut_cards, 2)) for one in HAPPENINGS for cut_cards in range(3)
)
# Cells in which a happening has no effect, by trigger; why: the reason in the cell.
NOTHING_CELLS = {
    Trigger.FIRST_CUT_CARD: 1,
    Trigger.SECOND_CUT_CARD: 1,
    Trigger.NO_MORE_BETS: 17,
    Trigger.RESULT_DECLARED: 6,
    Trigger.FORCED_EXIT: 10,
    Trigger.STAND_BY: 21,
    Trigger.CONTINUITY_UNPROVEN: 2,
    Trigger.REPORTS_LOST: 1,
    Trigger.PROGRAM_REPLACED: 2,
}
NOTHING_REASONS = 13
# Where the card that leaves a partial coup is asked again: a burn may be owed, or the shoe over.
AFTER_PARTIAL = (
    Phase.BETWEEN_COUPS,
    Phase.REMEDY_BURN,
    Phase.REMEDY_BURN_UNCOUNTED,
    Phase.SHOE_OVER,
)


def test_every_kind_of_happening_is_there() -> None:
    met = {*map(type, HAPPENINGS), DrawDecision}
    assert met == set(get_args(Happening))


@pytest.mark.parametrize("book", BOOKS, ids=str)
def test_every_phase_has_a_cell_for_every_first_trigger(book: Observed) -> None:
    grid = grid_of(book)
    assert {phase for phase, _ in grid} == set(WAITING)
    assert {(phase, one) for phase, one in product(WAITING, FIRST_TRIGGERS)} <= set(grid)


@pytest.mark.parametrize("book", BOOKS, ids=str)
def test_a_condition_leads_to_a_cell_of_its_row_and_a_chain_of_them_ends(book: Observed) -> None:
    grid = grid_of(book)
    leads_to = {
        (phase, trigger): [(phase, instead) for _, instead in cell.unless]
        for (phase, trigger), cell in grid.items()
    }
    assert all(set(instead) <= set(grid) for instead in leads_to.values())
    TopologicalSorter(leads_to).prepare()  # raises where there is a cycle


@pytest.mark.parametrize("book", BOOKS, ids=str)
def test_every_cell_is_asked_by_a_happening_a_condition_or_another_cell(book: Observed) -> None:
    grid = grid_of(book)
    led_to = {(phase, instead) for (phase, _), cell in grid.items() for _, instead in cell.unless}
    asked_again = {cell.asks for cell in grid.values() if cell.asks is not None}
    assert asked_again == {Trigger.COUP_UNSEEN}
    others = {key for key in grid if key[1] not in FIRST_TRIGGERS} - led_to
    assert others <= {(phase, Trigger.COUP_UNSEEN) for phase in AFTER_PARTIAL}
    assert {(phase, Trigger.COUP_UNSEEN) for phase in AFTER_PARTIAL} <= set(grid)


@pytest.mark.parametrize("book", BOOKS, ids=str)
def test_the_state_table_has_an_edge_exactly_where_the_cell_is_lawful(book: Observed) -> None:
    table = phase_table_of(book)
    for key, cell in grid_of(book).items():
        assert table.has_edge(*key) is isinstance(cell, Lawful), key
    moves = {(source, trigger): to for source, trigger, to in EDGES}
    assert all(table.next(*key) is to for key, to in moves.items())


def test_every_handling_has_a_function_and_is_used() -> None:
    used = {cell.then for book in BOOKS for cell in grid_of(book).values()}
    assert used == set(Handling) == set(order._ANSWERS)


def test_every_condition_has_a_function_and_is_used() -> None:
    used = {one for book in BOOKS for cell in grid_of(book).values() for one, _ in cell.unless}
    assert used == set(Condition) == set(order._HOLDS)


def test_cells_without_effect_are_few_and_each_says_why() -> None:
    every = {key: cell for key, cell in grid_of(BOOKS[0]).items() if isinstance(cell, Nothing)}
    assert Counter(trigger for _, trigger in every) == NOTHING_CELLS
    assert len({(key[1], cell.reason) for key, cell in every.items()}) == NOTHING_REASONS
    assert all(cell.reason for cell in every.values())
    assert not any(isinstance(one, Nothing) for one in cards_of(BOOKS[0])), "no card is nothing"


def cards_of(book: Observed) -> list[object]:
    triggers = {classify(CardDrawn(None, claim)) for claim in Place}
    return [cell for (_, trigger), cell in grid_of(book).items() if trigger in triggers]


# --- asked again ---------------------------------------------------------------------------------


def answering(one: Witness) -> list[CellKey]:
    """The cells that answer the event itself, in order; a card read later asks for its coup."""
    return list(one.answered) if isinstance(happening_of(one.event), get_args(Happening)) else []


def test_a_happening_is_asked_again_only_in_another_phase() -> None:
    asked_again = 0
    for one in witnesses_of_pairs():
        keys, grid = answering(one), book_named(one.book).grid
        assert len({phase for phase, _ in keys}) == len(keys), one
        assert all(grid[key].again for key in keys[:-1]), one
        asked_again += len(keys) > 1
    assert asked_again > 50


class CountedMoves:
    """The state table, counting the moves; a question whether there is an edge is none."""

    def __init__(self, table: StateTable[Phase, Trigger]) -> None:
        self.has_edge = table.has_edge
        self._table = table
        self.moves: list[CellKey] = []

    def next(self, phase: Phase, trigger: Trigger) -> object:
        self.moves.append((phase, trigger))
        return self._table.next(phase, trigger)


def is_lawful_card(one: Witness) -> bool:
    """A card in order at a table that is not suspended, and that holds no card for later."""
    held = one.state.shoe is not None and (
        one.state.shoe.remedy.waiting or one.state.shoe.remedy.carried
    )
    if not isinstance(one.event, CardDrawn) or one.state.suspension is not None or held:
        return False
    verdicts = judged(book_named(one.book), one.state, one.event).verdicts
    return not any(isinstance(verdict, Irregularity) for verdict in verdicts)


def test_a_lawful_card_takes_at_most_two_triggers() -> None:
    """Of one cell, and at most two moves; of two cells where it ends a burn, coup or shoe first."""
    every = (*witnesses_of_pairs(), *map(witness_of, CELL_SCRIPTS))
    lawful = [one for one in every if is_lawful_card(one)]
    most = {1: 0, 2: 0}
    for one in lawful:
        book = book_named(one.book)
        counted = CountedMoves(book.phase_table)
        judged(replace(book, phase_table=counted), one.state, one.event)
        cells = len(one.answered)
        most[cells] = max(most[cells], len(counted.moves))
    assert len(lawful) > 60
    assert most == {1: 2, 2: 4}
