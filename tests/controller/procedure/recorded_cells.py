"""Records which cells of the grid are asked, and which give their own answer, while scripts play.

Source: controller/procedure/README.md, "The procedure".
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace
from phase_events import ANSWERS, WAYS, parse_events
from script_tables import BOOK_WORDS, book_named, file_rows, judged, state_after

from controller.actions.actions import OperatorAction
from controller.procedure.card_rows import Observed
from controller.procedure.cells import Cell, Condition
from controller.procedure.events import StepInput
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState

CellKey = tuple[Phase, Trigger]
PAIRS_BOOK = "results"


class _RecordedConditions(tuple):
    """The conditions of a cell, which note where none of them holds: then the cell answers."""

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[object]:
        yield from super().__iter__()
        self.answered.append(self.key)


class RecordedGrid(dict):
    """A grid that notes the cells asked, and those that give their own answer."""

    def __init__(self, grid: dict[CellKey, Cell]) -> None:
        super().__init__()
        self.asked: list[CellKey] = []
        self.answered: list[CellKey] = []
        for key, cell in grid.items():
            conditions = _RecordedConditions(cell.unless)
            conditions.key, conditions.answered = key, self.answered
            self[key] = replace(cell, unless=conditions)

    def __getitem__(self, key: CellKey) -> Cell:
        self.asked.append(key)
        return super().__getitem__(key)

    def clear_notes(self) -> None:
        self.asked.clear()
        self.answered.clear()


def observed_of(words: str) -> Observed:
    named = words.split("+")
    return Observed(*(word in named for word in BOOK_WORDS[:3]))


@cache
def recorded_book(words: str) -> RuleBook:
    book = book_named(words)
    return replace(book, grid=RecordedGrid(book.grid))


class Witness(NamedTuple):
    """One event in one situation, and the cells that it asks."""

    book: str
    state: TableState
    event: StepInput
    asked: tuple[CellKey, ...]
    answered: tuple[CellKey, ...]


def happening_of(event: StepInput) -> object:
    """What happened: of a person's action that alone."""
    return event.action if isinstance(event, OperatorAction) else event


def witness(book: str, state: TableState, event: StepInput) -> Witness:
    recorded = recorded_book(book)
    recorded.grid.clear_notes()
    judged(recorded, state, event)
    return Witness(book, state, event, tuple(recorded.grid.asked), tuple(recorded.grid.answered))


@cache
def witnesses_of_pairs() -> tuple[Witness, ...]:
    """Every event in every phase, at a table that observes results."""
    found = []
    for way in WAYS.values():
        state = state_after(book_named(PAIRS_BOOK), way)
        for words in ANSWERS:
            (event,) = parse_events(words, state)
            found.append(witness(PAIRS_BOOK, state, event))
    return tuple(found)


class CellScript(NamedTuple):
    """A script whose last statement is answered by a cell, and the answer.

    With a condition: the cell is asked, and another one answers because the condition holds.
    """

    book: str
    cell: CellKey
    condition: Condition | None
    answer: str
    words: str


def read_cell_scripts() -> tuple[CellScript, ...]:
    """The scripts for the cells that no event of phase_event_pairs.txt reaches."""
    return tuple(
        CellScript(book, (Phase(phase), Trigger(trigger)), None, given, words)
        for book, phase, trigger, given, words in file_rows("scripts_by_cell.txt")
    )


def read_condition_scripts() -> tuple[CellScript, ...]:
    """The scripts in which a condition of a cell holds."""
    return tuple(
        CellScript(
            book, (Phase(phase), Trigger(trigger)), Condition[condition.upper()], given, words
        )
        for book, phase, trigger, condition, given, words in file_rows("scripts_by_condition.txt")
    )


@cache
def witness_of(script: CellScript) -> Witness:
    way, _, last = script.words.rpartition("; ")
    state = state_after(book_named(script.book), way)
    (event,) = parse_events(last, state)
    return witness(script.book, state, event)


CELL_SCRIPTS = read_cell_scripts()
CONDITION_SCRIPTS = read_condition_scripts()
# Cells that nothing reaches, and why.
UNREACHABLE = {
    (Phase.CLOSED, Trigger.SECOND_CUT_CARD): "with no shoe open no cut card was counted",
    (Phase.CLOSED, Trigger.EXTRA_CUT_CARD): "with no shoe open no cut card was counted",
    (Phase.PLAYER_1, Trigger.FORCED_EXIT): (
        "a coup without a card had one that was found face up: the shoe's count is off, and a"
        " forced exit only restarts it"
    ),
    (Phase.ABANDONED_COMPLETE, Trigger.COUNT_LEFT): (
        "a forced exit leaves complete hands only where the shoe's count is right, and no card"
        " of the coup follows that could change it"
    ),
}
