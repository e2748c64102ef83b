"""Scripts for what few events reach: cards beyond the decks, and every decision in every phase.

scripts_by_row.txt has, for each, the rule book, the answer to the last statement in the words of
phase_event_pairs.txt, and the script: a card more than one deck holds, in each phase in which a
shoe can run out; a floorperson's decision in each phase that a suspension may interrupt, with each
one that is permitted there; some rare rows. Found by exploring tables at random, then shortened.
test_table.py plays them.

Source: D-32.
"""

from typing import NamedTuple

from script_tables import book_named, file_rows, state_after

from controller.procedure.phases import RESUMABLE_PHASES, Phase
from controller.procedure.state import TableState
from controller.rules.actions.choices import FloorDecision

# The shoe that runs out in the burn for a boxed first card is over at that card.
RUN_OUT = frozenset(RESUMABLE_PHASES) - {Phase.BOXED_BURN}


class Script(NamedTuple):
    """A script, whose last statement has this answer."""

    book: str
    answer: str
    words: str

    def before(self) -> TableState:
        """The table before the last statement."""
        return state_after(book_named(self.book), self.words.rpartition("; ")[0])

    @property
    def last(self) -> str:
        return self.words.rpartition("; ")[2]


SCRIPTS = tuple(Script(*columns) for columns in file_rows("scripts_by_row.txt"))


def test_a_shoe_runs_out_in_every_phase() -> None:
    beyond = [one for one in SCRIPTS if "CARDS_EXCEED_DECKS" in one.answer]
    assert {one.before().play_phase for one in beyond} == RUN_OUT


def test_every_phase_that_a_suspension_interrupts_is_decided_on() -> None:
    decided = [one for one in SCRIPTS if one.last.startswith("resolve ")]
    phases = {one.before().play_phase for one in decided}
    assert phases == set(RESUMABLE_PHASES)
    assert {one.last.split()[1] for one in decided} == {one.value for one in FloorDecision}
