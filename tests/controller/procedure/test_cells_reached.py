"""Every cell of the grid answers some script, or is in the short list of the unreachable.

The events of phase_event_pairs.txt reach most cells; scripts_by_cell.txt has one script for each
other cell: what the table observes, phase, trigger, the answer in the words of that file, and the
script, whose last statement the cell answers. The exhaustive search (test_model.py) fails if it
reaches a cell of the list.

Source: controller/procedure/README.md, "The procedure".
"""

from itertools import product

import pytest
from phase_events import answer
from recorded_cells import (
    BOOK_WORDS,
    CELL_SCRIPTS,
    PAIRS_BOOK,
    UNREACHABLE,
    CellKey,
    CellScript,
    book_named,
    judged,
    observed_of,
    state_after,
    witness,
    witness_of,
    witnesses_of_pairs,
)

from controller.procedure.card_rows import Observed
from controller.procedure.cells import Cell
from controller.procedure.events import CutCardDrawn
from controller.procedure.grid import grid_of
from controller.procedure.phases import Phase, Trigger

BOOKS = tuple(Observed(*facts) for facts in product((True, False), repeat=3))
UNREACHABLE_MAX = 4
# No shoe was open yet, or one with both cut cards out was given up.
NO_SHOE = ("", "start; burn Ac: 2c; cut; cut; P1 7h; resolve close-shoe")


@pytest.mark.parametrize("script", CELL_SCRIPTS, ids=lambda one: f"{one.book}-{'-'.join(one.cell)}")
def test_the_cell_answers_the_script(script: CellScript) -> None:
    found = witness_of(script)
    assert script.cell in found.answered
    result = judged(book_named(script.book), found.state, found.event)
    assert answer(found.state, result) == script.answer


def distinct_cells() -> set[tuple[CellKey, Cell]]:
    """The cells of all rule books; those that are the same in several books once."""
    return {one for book in BOOKS for one in grid_of(book).items()}


def reached_cells() -> set[tuple[CellKey, Cell]]:
    every = (*witnesses_of_pairs(), *map(witness_of, CELL_SCRIPTS))
    return {(key, grid_of(observed_of(one.book))[key]) for one in every for key in one.answered}


def test_every_cell_is_reached_or_listed_with_its_reason() -> None:
    missing = distinct_cells() - reached_cells()
    assert {key for key, _ in missing} == set(UNREACHABLE)
    assert len(UNREACHABLE) <= UNREACHABLE_MAX
    assert all(UNREACHABLE.values())


@pytest.mark.parametrize("words", NO_SHOE)
def test_with_no_shoe_open_every_cut_card_is_the_first(words: str) -> None:
    """The exhaustive search ends where no shoe is open; so two cells are unreachable there."""
    state = state_after(book_named(PAIRS_BOOK), words)
    assert state.phase is Phase.CLOSED
    found = witness(PAIRS_BOOK, state, CutCardDrawn())
    assert found.answered == ((Phase.CLOSED, Trigger.FIRST_CUT_CARD),)


def test_no_script_is_there_for_a_cell_that_the_pairs_reach() -> None:
    by_pairs = {
        (key, grid_of(observed_of(one.book))[key])
        for one in witnesses_of_pairs()
        for key in one.answered
    }
    scripts = [(one.cell, grid_of(observed_of(one.book))[one.cell]) for one in CELL_SCRIPTS]
    assert not by_pairs & set(scripts)
    assert len(set(scripts)) == len(scripts)


def test_the_rule_books_are_named_by_what_they_observe() -> None:
    assert {observed_of("+".join(words)) for words in named_books()} == set(BOOKS)


def named_books() -> list[tuple[str, ...]]:
    """Every choice of the words for what a table observes."""
    words = BOOK_WORDS[:3]
    return [
        tuple(word for word, chosen in zip(words, choice, strict=True) if chosen)
        for choice in product((True, False), repeat=3)
    ]
