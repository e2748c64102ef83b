"""Tables on which the scripts of the text files are dealt: the rule book in words, and repetitions.

A rule book is named by what it observes of order, and by what else differs: `results+one-cut`. In a
script `12 x (P 7h; B 7c)` stands for these statements twelve times.
"""

import re
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from controller.core.script.parser import parse
from controller.core.script.player import BEGINS_AT_NS, DAY, ShoeCount, due_place, step_inputs
from controller.procedure.events import GamingDayChanged, StepInput
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.procedure.step_result import Step
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import BurnMode, ShuffleMode

# What a rule book observes of order, in words; then a shoe with one cut card, without a burn, of
# one deck; a table with a shuffler that reports.
BOOK_WORDS = ("results", "calls", "continuous", "one-cut", "no-burn", "one-deck", "shuffler")
_REPEATED = re.compile(r"(\d+) x \(([^)]*)\)")


@cache
def book_named(words: str) -> RuleBook:
    """The rule book of Section 42 that observes these, and turning and wagers."""
    named, profile = words.split("+"), load_profile("s42-mini")
    continuous = "continuous" in named
    rules = replace(
        profile.rules,
        ghost_hands_max=2,
        cut_cards_per_shoe=1 if "one-cut" in named else 2,
        burn_mode=BurnMode.NONE if "no-burn" in named else profile.rules.burn_mode,
        shuffle_mode=ShuffleMode.CONTINUOUS if continuous else profile.rules.shuffle_mode,
    )
    facts = [ObservableFact.TURNED, ObservableFact.WAGERS]
    facts += [ObservableFact.RESULT_BUTTON] if "results" in named else []
    facts += [ObservableFact.NO_MORE_BETS] if "calls" in named else []
    decks = 1 if "one-deck" in named else 8
    profile = replace(profile, rules=rules)
    return RuleBook.of(profile, decks, tuple(facts), shuffler="shuffler" in named)


def file_rows(name: str) -> list[list[str]]:
    """The columns of a text file beside this one, a row for each line."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    return [[word.strip() for word in line.split(" | ")] for line in text.splitlines()]


def judged(book: RuleBook, state: TableState, event: StepInput) -> Step:
    return step(effective_book(book, state), state, event)


def state_after(book: RuleBook, words: str) -> TableState:
    """The table on which these words were dealt."""
    state, count = judged(book, TableState(), GamingDayChanged(DAY)).state, ShoeCount()
    words = _REPEATED.sub(lambda found: "; ".join([found[2]] * int(found[1])), words)
    for statement in parse(words) if words else ():
        events, count = step_inputs(statement.body, count, due_place(state), BEGINS_AT_NS)
        for event in events:
            state = judged(book, state, event).state
    return state
