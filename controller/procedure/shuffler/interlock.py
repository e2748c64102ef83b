"""The interlock: no card is drawn while a warning of the shuffler is open.

Source: NY-a-4-iv-c; S42-a-4-iv, S42-e-8-ii-A; field practice (SugarHouse: warning lights ignored,
cards left in the shuffler, for months).

Decisions. It is raised once for each warning between two decisions of a floorperson: a decision to
continue does not clear the warning, and the next card breaks the rule again. Where the cards are
shuffled by hand the shuffler is not in use and does not block play.
"""

from msgspec.structs import replace

from controller.custody.batch_life.state import OpenWarning
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import describe_warning, warning_points
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, ask, raise_irregularity
from controller.rules.setting_values import ShuffleMode
from foundation.message import message


def is_interlocked(book: RuleBook, state: TableState) -> bool:
    """Whether no next card may be drawn."""
    in_use = book.shuffler and book.values.shuffle_mode is not ShuffleMode.HAND
    return in_use and state.lineage.interlocked


def check_card_under_warning(book: RuleBook, step: Step) -> Step:
    """Raise a card drawn under open warnings that were not yet raised at a card."""
    state = step.state
    if not is_interlocked(book, state):
        return step
    open_now = state.lineage.warnings
    newer = tuple(one for one in open_now if one.number > state.dealt_under_warning)
    if not newer:
        return step
    return ask(book, step, Trigger.DRAWN_UNDER_WARNING, newer)


def raise_card_under_warning(
    book: RuleBook, step: Step, newer: tuple[OpenWarning, ...], code: IrregularityCode
) -> Step:
    """A card was drawn under these warnings."""
    raised = max(one.number for one in newer)
    step = step.with_state(replace(step.state, dealt_under_warning=raised))
    points = tuple(dict.fromkeys(p for one in newer for p in warning_points(book, one)))
    detail = message("reasons_joined", reasons=tuple(map(describe_warning, newer)))
    return raise_irregularity(book, step, code, detail, *points)
