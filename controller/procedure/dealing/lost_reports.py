"""Missing reports: marks the coup or burn in progress as incomplete, and guesses nothing.

Source: the shoe's wire document ("What the field has learnt"); D-22, D-32.

Decisions. Where a shoe is over and nothing is in progress, an unproven continuity needs no
decision: the beginning of the next shoe proves it, and without that beginning the shoe is joined.
Reports that are proven to be missing always need one. A burn with missing reports is followed
without a count and ends with the first coup. So is a burn for an irregularity between coups; in
mid-coup the floorperson compares what is left of it.
"""

from msgspec.structs import replace

from controller.procedure.dealing.held_hands import open_partial_coups_drawn_after
from controller.procedure.dealing.remedy_burn import lose_burn_count, without_burn_cards
from controller.procedure.events import Loss, ReportsMissing
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import (
    BEFORE_A_COUP,
    BURNS_BEFORE_PLAY,
    REMEDY_BURNS,
    Phase,
    Trigger,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Step, accept, raise_irregularity


def reports_missing(book: RuleBook, step: Step, event: ReportsMissing) -> Step:
    """Reports of the shoe may be missing before the next event."""
    shoe = step.state.shoe
    if shoe is None:
        return accept(step, "reports may be missing; no shoe is open")
    unproven = event.loss is Loss.UNPROVEN
    if unproven and step.phase is Phase.SHOE_OVER:
        return accept(step, "reports may be missing; the shoe is over")
    code = IrregularityCode.CONTINUITY_UNPROVEN if unproven else IrregularityCode.REPORTS_LOST
    count = f"at least {event.count_min}" if event.count_min else "an unknown number"
    detail = f"{count}, after card {shoe.cards_drawn} of the shoe"
    step = mark_progress_partial(book, step, 0 if unproven else event.count_min)
    return raise_irregularity(book, step, code, detail)


def program_replaced(book: RuleBook, step: Step, software: str) -> Step:
    """Another version took over an open shoe: what was in progress is partial."""
    if step.state.shoe is None or step.phase is Phase.SHOE_OVER:
        return accept(step, "no shoe is open")
    step = mark_progress_partial(book, step)
    return raise_irregularity(book, step, IrregularityCode.PROGRAM_REPLACED, software)


def mark_progress_partial(book: RuleBook, step: Step, missing: int = 0) -> Step:
    """Mark the coup or burn in progress, if any, as incomplete from here on.

    `missing`: how many reports are proven to be missing, 0 where that is unknown.
    """
    step = step.with_shoe(replace(step.shoe, reports_proven=False))
    if step.phase in REMEDY_BURNS:
        step = lose_burn_count(book, step)
    if step.shoe.remedy.drawn_after and step.phase in BEFORE_A_COUP:
        step = open_partial_coups_drawn_after(book, step)
    shoe, coup = step.shoe, step.shoe.coup
    if coup is not None:
        missing += coup.missing
        step = step.with_coup(replace(coup, partial=True, missing=missing, unjudged=()))
        return step.advance(book, Trigger.COUP_PARTIAL)
    if step.phase in BURNS_BEFORE_PLAY:
        if step.phase is Phase.BOXED_BURN:
            shoe = without_burn_cards(shoe)
        remedy = replace(shoe.remedy, burn_return_phase=None)
        step = step.with_shoe(replace(shoe, burn_owed=0, burn_proven=False, remedy=remedy))
        return step.advance(book, Trigger.BURN_UNPROVEN)
    return step
