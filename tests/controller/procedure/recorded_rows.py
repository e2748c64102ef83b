"""Records which rows of the table of play are tried, and which answer, while scripts play.

Source: controller/procedure/README.md, "The procedure".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace
from phase_events import ANSWERS, WAYS, parse_events
from transitions import Transition

from controller.procedure.events import GamingDayChanged, StepInput
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.procedure.step_result import Step
from controller.profiles.load import load_profile
from controller.rules.setting_values import BurnMode, ShuffleMode
from controller.script.events import ShoeCount, due_place, step_inputs
from controller.script.parser import parse
from controller.script.player import BEGINS_AT_NS, DAY

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


@cache
def book_named(words: str) -> RuleBook:
    """The rule book of Section 42 that observes these, and turning and wagers."""
    named, profile = words.split("+"), load_profile("s42-mini")
    rules = replace(
        profile.rules,
        ghost_hands_max=2,
        cut_cards_per_shoe=1 if "one-cut" in named else 2,
        burn_mode=BurnMode.NONE if "no-burn" in named else profile.rules.burn_mode,
        shuffle_mode=(
            ShuffleMode.CONTINUOUS if "continuous" in named else profile.rules.shuffle_mode
        ),
    )
    facts = [ObservableFact.TURNED, ObservableFact.WAGERS]
    facts += [ObservableFact.RESULT_BUTTON] if "results" in named else []
    facts += [ObservableFact.NO_MORE_BETS] if "calls" in named else []
    return RuleBook.of(replace(profile, rules=rules), 8, tuple(facts))


def judged(book: RuleBook, state: TableState, event: StepInput) -> Step:
    return step(effective_book(book, state), state, event)


def state_after(book: RuleBook, words: str) -> TableState:
    """The table on which these words were dealt."""
    state, count = judged(book, TableState(), GamingDayChanged(DAY)).state, ShoeCount()
    for statement in parse(words) if words else ():
        events, count = step_inputs(statement.body, count, due_place(state), BEGINS_AT_NS)
        for event in events:
            state = judged(book, state, event).state
    return state


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
    text = Path(__file__).with_name(name).read_text("utf-8")
    rows = [[word.strip() for word in line.split(" | ")] for line in text.splitlines()]
    return [Script(row[0], row[-2], row[-1]) for row in rows]


SCRIPTS = (*_scripts("scripts_by_phase.txt"), *_scripts("scripts_by_condition.txt"))


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
