"""Missing reports: marks the coup or burn in progress as incomplete, and guesses nothing.

Source: the shoe's wire document ("What the field has learnt"); D-22, D-32.

Decisions. Reports that are proven to be missing always need a decision. With no shoe in play an
unproven continuity breaks nothing off, and is kept for the next one (opening.between_shoes). A burn
with missing reports is followed without a count and ends with the first coup. So is a burn for an
irregularity between coups; in mid-coup the floorperson compares what is left of it.
"""

from msgspec.structs import replace

from controller.procedure.dealing.burn import rack_burn_cards
from controller.procedure.dealing.held_hands import open_partial_coups_drawn_after
from controller.procedure.events import ProgramReplaced, ReportsMissing
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Step, ask, raise_irregularity
from foundation.message import message


def reports_missing(
    book: RuleBook, step: Step, event: ReportsMissing, code: IrregularityCode
) -> Step:
    """Reports of the shoe may be missing before the next event."""
    cards_drawn = step.shoe.cards_drawn
    detail = (
        message("report_not_understood_after_card", why=event.why, cards_drawn=cards_drawn)
        if event.why is not None
        else message("at_least_after_card_shoe", count_min=event.count_min, cards_drawn=cards_drawn)
        if event.count_min
        else message("unknown_number_after_card_shoe", cards_drawn=cards_drawn)
    )
    if code is IrregularityCode.JUDGING_FAILED:
        detail = message("report_not_judged_after_card_shoe", cards_drawn=cards_drawn)
    proven = event.count_min if code is IrregularityCode.REPORTS_LOST else 0
    return raise_irregularity(book, _lose_progress(book, step, proven), code, detail)


def program_replaced(
    book: RuleBook, step: Step, event: ProgramReplaced, code: IrregularityCode
) -> Step:
    """Another version took over an open shoe: what was in progress is partial."""
    step = mark_progress_partial(book, step)
    detail = message("program_version", version=event.software)
    return raise_irregularity(book, step, code, detail)


def mark_progress_partial(book: RuleBook, step: Step) -> Step:
    """Mark the coup or burn in progress, if any, as incomplete: as where reports are missing."""
    return _lose_progress(book, step, 0)


def _lose_progress(book: RuleBook, step: Step, missing: int) -> Step:
    """`missing`: how many reports are proven to be missing, 0 where that is unknown."""
    step = step.with_shoe(replace(step.shoe, reports_proven=False))
    return ask(book, step, Trigger.PROGRESS_LOST, missing)


def lose_burn(book: RuleBook, step: Step, missing: int) -> Step:
    """How many cards the burn before play needs is no longer known."""
    shoe = step.shoe
    remedy = replace(shoe.remedy, burn_return_phase=None)
    return step.with_shoe(replace(shoe, burn_owed=0, burn_proven=False, remedy=remedy))


def lose_boxed_burn(book: RuleBook, step: Step, missing: int) -> Step:
    """The same of the burn for a boxed first card."""
    return lose_burn(book, rack_burn_cards(step), missing)


def lose_held_cards(book: RuleBook, step: Step, missing: int) -> Step:
    """Cards are held that were drawn for coups: these are partial."""
    step = open_partial_coups_drawn_after(book, step)
    return _lose_progress(book, step, missing) if step.shoe.coup is not None else step


def lose_coup(book: RuleBook, step: Step, missing: int) -> Step:
    """Which cards of the coup are missing is not known."""
    coup = step.coup
    missing += coup.missing
    return step.with_coup(replace(coup, partial=True, missing=missing, unjudged=()))
