"""Records which rows of the table of play are tried, and which answer, while scripts play."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

from phase_events import ANSWERS, WAYS, parse_events
from script_tables import book_named, file_rows, judged, state_after
from transitions import Transition

from controller.procedure.events import StepInput
from controller.procedure.state import TableState

PAIRS_BOOK = "results"


@contextmanager
def recorded() -> Iterator[tuple[list[Transition], list[Transition]]]:
    """The rows tried, and those that answered, while it is open."""
    tried: list[Transition] = []
    answered: list[Transition] = []
    execute = Transition.execute

    def recording(self: Transition, event_data: object) -> bool:
        tried.append(self)
        place = len(answered)
        done = execute(self, event_data)
        if done:
            answered.insert(place, self)
        return done

    Transition.execute = recording
    try:
        yield tried, answered
    finally:
        Transition.execute = execute


class Witness(NamedTuple):
    """One event in one situation, its answer, and the rows that it tries and that answer."""

    book: str
    words: str
    state: TableState
    event: StepInput
    tried: tuple[Transition, ...]
    answered: tuple[Transition, ...]


class Script(NamedTuple):
    """A script; `answer` is that to its last statement, in the words of phase_event_pairs.txt."""

    book: str
    answer: str
    words: str


def witness(book: str, words: str, state: TableState, event: StepInput) -> Witness:
    with recorded() as (tried, answered):
        judged(book_named(book), state, event)
    return Witness(book, words, state, event, tuple(tried), tuple(answered))


def _scripts(name: str) -> list[Script]:
    return [Script(row[0], row[-2], row[-1]) for row in file_rows(name)]


SCRIPTS = (
    *_scripts("scripts_by_phase.txt"),
    *_scripts("scripts_by_condition.txt"),
    *_scripts("scripts_by_row.txt"),
)


@cache
def witness_of(script: Script) -> Witness:
    way, _, last = script.words.rpartition("; ")
    state = state_after(book_named(script.book), way)
    (event,) = parse_events(last, state)
    return witness(script.book, script.words, state, event)


@cache
def witnesses() -> tuple[Witness, ...]:
    """Every event in every phase at a table that observes results, and the scripts' last ones."""
    found = []
    for way in WAYS.values():
        state = state_after(book_named(PAIRS_BOOK), way)
        for words in ANSWERS:
            (event,) = parse_events(words, state)
            found.append(witness(PAIRS_BOOK, f"{way}; {words}", state, event))
    return (*found, *map(witness_of, SCRIPTS))
