"""The interlock: no card is drawn while a warning of the shuffler is open.

Responsible for: the irregularity at the first card that is.
Not responsible for: warnings (living), clearing them (shuffler) and locking the shoe (core).
Source: NY-a-4-iv-c; S42-a-4-iv, S42-e-8-ii-A; field practice (SugarHouse: warning lights ignored,
cards left in the shuffler, for months).

Decisions. Once for each warning, from one decision of a floorperson to the next: who lets play go
on has not cleared the warning, and the next card breaks the rule again. Where the cards are
shuffled by hand the shuffler is not in use and holds up nothing.
"""

from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import warning_in_words, warning_points
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, irregular
from controller.rules.setting_values import ShuffleMode
from firmware_bridge.values import replace


def interlocked(book: RuleBook, state: TableState) -> bool:
    """Whether no next card may be drawn."""
    in_use = book.shuffler and book.values.shuffle_mode is not ShuffleMode.HAND
    return in_use and state.lineage.interlocked


def card_under_warning(book: RuleBook, step: Step) -> Step:
    """A card was drawn: raise it where a warning is open that nobody was told of at a card."""
    state = step.state
    if not interlocked(book, state):
        return step
    open_now = state.lineage.warnings
    told = tuple(one for one in open_now if one.number > state.dealt_under)
    if not told:
        return step
    step = step.on(replace(state, dealt_under=max(one.number for one in told)))
    points = tuple(dict.fromkeys(p for one in told for p in warning_points(book, one)))
    detail = " and ".join(warning_in_words(one) for one in told)
    return irregular(book, step, IrregularityCode.CARD_UNDER_WARNING, detail, *points)
