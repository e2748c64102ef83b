"""No script of the net is answered by a row that `smartshoe rules play` leaves out at its table."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
import scripts_file
from transitions import Transition
from verdict_answers import rule_book

from controller.core.script.parser import parse
from controller.core.script.player import play
from controller.procedure.phases import Phase, Trigger
from controller.procedure.step_result import MACHINE
from controller.procedure.table.book_table import table_at
from controller.procedure.table.row import answers_whenever
from controller.procedure.table.table import ROWS
from controller.rules.profiles.load import profile_names

SCRIPTS = scripts_file.read()
# The scripts of a profile ask so many rows at least.
ROWS_MIN = 120


@cache
def row_places() -> dict[int, tuple[int, Trigger, Phase]]:
    """The row that each transition was made of, by its place in the table."""
    found = {}
    for trigger in Trigger:
        for phase in Phase:
            written: list[int] = []
            for place, one in enumerate(ROWS):
                if trigger in one.on and phase in one.at:
                    hidden = any(answers_whenever(ROWS[other], one) for other in written)
                    written += [] if hidden else [place]
            made = MACHINE.get_transitions(trigger, source=phase)
            for place, one in zip(written, made, strict=True):
                found[id(one)] = (place, trigger, phase)
    return found


@contextmanager
def answered() -> Iterator[set[int]]:
    """The transitions that answer while it is open."""
    found: set[int] = set()
    execute = Transition.execute

    def recording(self: Transition, event_data: object) -> bool:
        done = execute(self, event_data)
        if done:
            found.add(id(self))
        return done

    Transition.execute = recording
    try:
        yield found
    finally:
        Transition.execute = execute


def omitted_places(profile: str, observed: str) -> set[int]:
    omitted = table_at(rule_book(profile, 8, observed)).omitted
    return {ROWS.index(one.row) for one in omitted}


@pytest.mark.parametrize("profile", profile_names())
def test_no_row_that_was_left_out_answers_a_script_of_the_profile(profile: str) -> None:
    scripts = [one for one in SCRIPTS if one.profile == profile]
    assert len(scripts) > 200
    by_observed: dict[str, set[int]] = {}
    for one in scripts:
        with answered() as found:
            book = rule_book(profile, one.decks, one.observed)
            play(book, parse("\n".join(one.statements)))
        by_observed.setdefault(one.observed, set()).update(found)
    places = row_places()
    every: set[int] = set()
    for observed, made in by_observed.items():
        rows = {places[one][0] for one in made if one in places}
        omitted = omitted_places(profile, observed)
        assert omitted
        assert not rows & omitted, [ROWS[place] for place in rows & omitted]
        every |= rows
    assert len(every) > ROWS_MIN
