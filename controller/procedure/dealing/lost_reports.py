"""Reports that are missing: what was in progress is incomplete, and nothing is guessed.

Responsible for: lost reports, an unproven continuity, another program version taking over, and
marking what was in progress.
Not responsible for: cards that follow (drawing) and what a floorperson makes of it (suspension).
Source: the shoe's wire document ("What the field has learnt"); D-22, D-32.

Decisions. Where a shoe is over and nothing is in progress, an unproven continuity needs no
decision: the next shoe's own beginning proves it, and without that beginning it is joined. Reports
that are proven to be missing need one always. A burn with missing reports is followed without a
count: it ends with the first coup. So is a burn for an irregularity between coups; in mid-coup
what is left of it is the floorperson's to compare.
"""

from controller.procedure.dealing.remedy_burn import burn_count_lost, without_burn_cards
from controller.procedure.events import Loss, ReportsMissing
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import BURN_PHASES, BURN_STOPS, Phase, Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Step, accept, irregular
from firmware_bridge.values import replace


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
    step = progress_unproven(book, step, 0 if unproven else event.count_min)
    return irregular(book, step, code, detail)


def program_replaced(book: RuleBook, step: Step, software: str) -> Step:
    """Another version goes on with an open shoe: what was in progress is partial."""
    if step.state.shoe is None or step.phase is Phase.SHOE_OVER:
        return accept(step, "no shoe is open")
    step = progress_unproven(book, step)
    return irregular(book, step, IrregularityCode.PROGRAM_REPLACED, software)


def progress_unproven(book: RuleBook, step: Step, missing: int = 0) -> Step:
    """Mark the coup or burn in progress, if any, as incomplete from here on.

    `missing`: how many reports are proven to be missing, 0 where that is unknown.
    """
    if step.phase is Phase.BURN_REST and step.shoe.remedy.burn_back in BURN_STOPS:
        step = burn_count_lost(book, step)
    shoe, coup = step.shoe, step.shoe.coup
    if coup is not None:
        missing += coup.missing
        step = step.with_coup(replace(coup, partial=True, missing=missing))
        return step.moved(book, Trigger.COUP_PARTIAL)
    if step.phase in BURN_PHASES and shoe.remedy.burn_back not in BURN_STOPS:
        if shoe.remedy.burn_back is Phase.BURN_FIRST:
            shoe = without_burn_cards(shoe)
        remedy = replace(shoe.remedy, burn_back=None)
        step = step.with_shoe(replace(shoe, burn_owed=0, burn_proven=False, remedy=remedy))
        return step.moved(book, Trigger.BURN_UNPROVEN)
    return step
