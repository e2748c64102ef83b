"""The table of play: every row, and what asks it.

What is true of any card is asked after it: whether it left the shoe under a warning of the
shuffler, and whether a burn that is owed begins.
Source: D-13, D-16, D-22.
"""

from typing import Final

from controller.procedure.classify import Happening, trigger_of
from controller.procedure.dealing.coup_start import read_partial_claim
from controller.procedure.dealing.remedy_burn import begin_due_burn
from controller.procedure.events import CardDrawn
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.interlock import check_card_under_warning
from controller.procedure.step_result import MACHINE, Step, ask, fill_cache
from controller.procedure.table.cards import CARD_ROWS
from controller.procedure.table.happenings import HAPPENING_ROWS
from controller.procedure.table.moves import MOVE_ROWS
from controller.procedure.table.row import add_rows

ROWS: Final = (*CARD_ROWS, *HAPPENING_ROWS, *MOVE_ROWS)
add_rows(MACHINE, ROWS)
fill_cache()


def judge_happening(book: RuleBook, step: Step, event: Happening) -> Step:
    """Judge what happens at the table."""
    return ask(book, step, trigger_of(event), event)


def card_drawn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge one card; it counts as drawn, whatever is wrong with it."""
    step = judge_happening(book, step, read_partial_claim(step, event))
    return check_card_under_warning(book, begin_due_burn(book, step))
