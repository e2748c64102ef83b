"""Every cell of the grid matters: changed, it answers some event otherwise.

One cell is changed at a time, in every way of `changes`; then the events that ask it in the pairs
and in the scripts are judged again. A condition is taken out of its cell in the scripts of
scripts_by_condition.txt: what the table observes, phase, trigger, condition, answer, script.

Source: controller/procedure/README.md, "The procedure".
"""

import random
from collections.abc import Iterator
from functools import cache

import pytest
from msgspec.structs import replace
from phase_events import answer
from recorded_cells import (
    CELL_SCRIPTS,
    CONDITION_SCRIPTS,
    UNREACHABLE,
    CellKey,
    CellScript,
    Witness,
    book_named,
    judged,
    witness_of,
    witnesses_of_pairs,
)

from controller.procedure.cells import Breach, Cell, Condition, Handling, Lawful, Nothing
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import BEFORE_A_COUP, Phase, Trigger
from controller.procedure.rulebook import RuleBook

# The pairs lose no held cards with an unproven continuity.
HELD = "start; burn Ac: 2c; out 4d; P1 7h"
HELD_CARDS_LOST = (
    CellScript(
        "results",
        (Phase.BETWEEN_COUPS, Trigger.CONTINUITY_UNPROVEN),
        None,
        "GAP",
        f"{HELD}; result tie; lost unproven",
    ),
    CellScript(
        "results",
        (Phase.BETTING_CLOSED, Trigger.CONTINUITY_UNPROVEN),
        None,
        "GAP>pa",
        f"{HELD}; lost unproven",
    ),
)
# Ordinary runs try this many of the other handlings of each cell, chosen by this seed.
SAMPLE = 2
SEED = 14
OTHER_CODES = (IrregularityCode.WAGER_TOUCHED, IrregularityCode.CARD_EXTRA)
INTERNAL_ERRORS = (AssertionError, AttributeError, KeyError, RecursionError, TypeError, ValueError)

T, H = Trigger, Handling
LOST = (T.REPORTS_LOST, T.CONTINUITY_UNPROVEN)
ENDS = (Phase.RESULT, Phase.DECLARED)
# Handlings that do the same in a phase: (triggers, phases, from, to) -> why.
SAME_ANSWER = {
    (None, ENDS, H.CLOSE_COUP, H.CLOSE_BEFORE_NEXT_SHOE): (
        "both close the coup; only whether the card is counted differs, and it is counted where it"
        " is asked again"
    ),
    ((T.MORE_AFTER_ERROR,), ENDS, H.HOLD_AFTER, H.HOLD_FIRST_AFTER): (
        "in these phases the call that the first card of a hand implies closes nothing"
    ),
    (LOST, (Phase.SHOE_OVER,), H.LOSE_NOTHING, H.LOSE_HELD_CARDS): "a shoe that is over holds none",
    (LOST, (Phase.BURN_UNCOUNTED,), H.LOSE_BURN, H.LOSE_HELD_CARDS): (
        "its count is lost already, and a burn before play holds no cards"
    ),
    (LOST, (Phase.BURN_UNCOUNTED,), H.LOSE_BURN, H.LOSE_NOTHING): "its count is lost already",
}
# A card without a place before a coup is dealt as Player's first: that cell's code is raised.
CODE_OF_ANOTHER_CELL = ((Phase.BETWEEN_COUPS, T.UNCLAIMED_CARD),)
# The word for what is due is made from the state; the cell's reason is for readers.
REASON_FOR_READERS = (H.SAY_FIRST_BURN, H.SAY_BURN, H.SAY_OVER)


@cache
def witnesses_by_cell() -> dict[tuple[CellKey, Cell], list[Witness]]:
    """The events that ask each cell; a cell of several rule books is one."""
    found: dict[tuple[CellKey, Cell], list[Witness]] = {}
    scripts = (*CELL_SCRIPTS, *CONDITION_SCRIPTS, *HELD_CARDS_LOST)
    for one in (*witnesses_of_pairs(), *map(witness_of, scripts)):
        for key in dict.fromkeys(one.asked):
            found.setdefault((key, book_named(one.book).grid[key]), []).append(one)
    return found


def outcome(book: RuleBook, one: Witness) -> object:
    """What the event leads to, or the internal error that a changed cell causes."""
    try:
        return judged(book, one.state, one.event)
    except INTERNAL_ERRORS as error:
        return type(error).__name__


@cache
def usual_outcome(place: int, key: CellKey, cell: Cell) -> object:
    one = witnesses_by_cell()[key, cell][place]
    return outcome(book_named(one.book), one)


def is_noticed(key: CellKey, cell: Cell, changed: Cell) -> bool:
    """Whether an event that asks this cell is answered otherwise."""
    for place, one in enumerate(witnesses_by_cell()[key, cell]):
        book = book_named(one.book)
        book = replace(book, grid={**book.grid, key: changed})
        if outcome(book, one) != usual_outcome(place, key, cell):
            return True
    return False


def changes(cell: Cell) -> Iterator[Cell]:
    """The cell as another one: nothing, another kind, code, reason, not asked again."""
    yield Nothing("changed", unless=cell.unless)
    if isinstance(cell, Breach):
        yield from (replace(cell, code=code) for code in OTHER_CODES)
        rest = {"again": cell.again, "asks": cell.asks, "reads": cell.reads}
        yield Lawful(cell.then, **rest, unless=cell.unless)
    elif isinstance(cell, Nothing) and cell.then not in REASON_FOR_READERS:
        yield replace(cell, reason="changed")
    if cell.again:
        yield replace(cell, again=False)
    if cell.asks is not None:
        yield replace(cell, asks=None)


def is_same_answer(key: CellKey, cell: Cell, other: Handling) -> bool:
    phase, trigger = key
    return any(
        phase in phases and (triggers is None or trigger in triggers) and cell.then is then
        for (triggers, phases, then, instead) in SAME_ANSWER
        if instead is other
    )


def reached() -> list[tuple[CellKey, Cell]]:
    return [one for one in witnesses_by_cell() if one[0] not in UNREACHABLE]


def test_no_cell_can_be_left_out_or_changed() -> None:
    unnoticed = [
        (key, changed)
        for key, cell in reached()
        for changed in changes(cell)
        if not is_noticed(key, cell, changed)
        and not (key in CODE_OF_ANOTHER_CELL and cell.then is changed.then)
    ]
    assert unnoticed == []
    assert len(reached()) > 550


def unnoticed_handlings(handlings: dict[CellKey, tuple[Handling, ...]]) -> list[object]:
    return [
        (key, cell.then, other)
        for key, cell in reached()
        for other in handlings[key]
        if other is not cell.then
        and not is_noticed(key, cell, replace(cell, then=other))
        and not is_same_answer(key, cell, other)
    ]


def test_no_cell_can_be_handled_as_two_others_chosen_by_chance() -> None:
    chance = random.Random(SEED)
    chosen = {key: tuple(chance.sample(tuple(Handling), SAMPLE)) for key, _ in reached()}
    assert unnoticed_handlings(chosen) == []


@pytest.mark.parametrize("script", HELD_CARDS_LOST, ids=lambda one: one.cell[0])
def test_held_cards_are_lost_with_an_unproven_continuity(script: CellScript) -> None:
    found = witness_of(script)
    assert answer(found.state, judged(book_named(script.book), *found[1:3])) == script.answer


@pytest.mark.full
def test_no_cell_can_be_handled_as_any_other() -> None:
    every = {key: tuple(Handling) for key, _ in reached()}
    assert unnoticed_handlings(every) == []


def test_every_same_answer_is_one() -> None:
    """An exception that no cell needs any more is taken out."""
    for triggers, phases, then, instead in SAME_ANSWER:
        cells = [
            (key, cell)
            for key, cell in reached()
            if key[0] in phases and (triggers is None or key[1] in triggers) and cell.then is then
        ]
        changed = [not is_noticed(*one, replace(one[1], then=instead)) for one in cells]
        assert any(changed), (phases, then, instead)


# --- conditions ----------------------------------------------------------------------------------

SHOE_COUNT_SEEN_NEVER = (
    *((phase, T.COUP_UNSEEN) for phase in BEFORE_A_COUP),
    *((phase, T.CLAIMED_BANKER_2) for phase in BEFORE_A_COUP),
    *((phase, T.CLAIMED_BANKER_3) for phase in BEFORE_A_COUP),
    (Phase.BETTING_CLOSED, T.CLAIMED_PLAYER_3),
    *((Phase.PLAYER_1, one) for one in (T.CLAIMED_BANKER_2, T.CLAIMED_PLAYER_3)),
    *((Phase.PLAYER_1, one) for one in (T.CLAIMED_BANKER_3, T.CLAIMED_FURTHER)),
    *((Phase.BANKER_1, one) for one in (T.CLAIMED_PLAYER_3, T.CLAIMED_FURTHER)),
    (Phase.PLAYER_2, T.CLAIMED_BANKER_3),
    (Phase.BANKER_2, T.CLAIMED_FURTHER),
    (Phase.PLAYER_3, T.CLAIMED_BANKER_2),
    *((Phase.BANKER_3, one) for one in (T.CLAIMED_PLAYER_2, T.CLAIMED_PLAYER_3)),
)
# Conditions that no script makes hold with another answer, and why.
WITHOUT_SCRIPT = {
    Condition.SHOE_COUNT: (
        SHOE_COUNT_SEEN_NEVER,
        "the cards of a hand that the shoe counts in no hand are few: no script gives this claim",
    ),
    Condition.DRAWN_AFTER: (
        (
            *((phase, T.COUP_UNSEEN) for phase in BEFORE_A_COUP),
            (Phase.BETTING_CLOSED, T.CLAIMED_BANKER_1),
            (Phase.BETTING_CLOSED, T.CLAIMED_PLAYER_2),
            (Phase.BETTING_CLOSED, T.CLAIMED_BANKER_2),
        ),
        "a card waits, too, and holds this one the same way with betting closed",
    ),
    Condition.BURN_OWED: (
        ((Phase.SHOE_OVER, T.COUP_UNSEEN),),
        "a burn that is owed comes before the shoe is over, unless no card is left",
    ),
    Condition.COUNT_OFF: (
        ((Phase.ABANDONED_COMPLETE, T.FORCED_EXIT),),
        UNREACHABLE[Phase.ABANDONED_COMPLETE, T.COUNT_LEFT],
    ),
}


def name_of(script: CellScript) -> str:
    return "-".join((script.book, *script.cell, script.condition.name.lower()))


@pytest.mark.parametrize("script", CONDITION_SCRIPTS, ids=name_of)
def test_without_its_condition_the_cell_answers_otherwise(script: CellScript) -> None:
    found, book = witness_of(script), book_named(script.book)
    cell = book.grid[script.cell]
    fewer = tuple(one for one in cell.unless if one[0] is not script.condition)
    assert fewer != cell.unless
    usual = judged(book, found.state, found.event)
    assert answer(found.state, usual) == script.answer
    changed = replace(book, grid={**book.grid, script.cell: replace(cell, unless=fewer)})
    assert outcome(changed, found) != usual


def test_every_condition_of_every_cell_has_a_script_or_a_reason() -> None:
    every = {
        (key, condition) for (key, cell) in witnesses_by_cell() for condition, _ in cell.unless
    }
    scripts = {(one.cell, one.condition) for one in CONDITION_SCRIPTS}
    without = {(key, condition) for condition, (keys, _) in WITHOUT_SCRIPT.items() for key in keys}
    assert every - scripts == without
    assert scripts <= every
