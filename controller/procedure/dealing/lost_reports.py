"""Missing reports: marks the coup or burn in progress as incomplete, and guesses nothing.

Source: the shoe's wire document ("What the field has learnt"); D-22, D-32.

Decisions. Where a shoe is over and nothing is in progress, an unproven continuity needs no
decision: the beginning of the next shoe proves it, and without that beginning the shoe is joined.
Reports that are proven to be missing always need one. A burn with missing reports is followed
without a count and ends with the first coup. So is a burn for an irregularity between coups; in
mid-coup the floorperson compares what is left of it.
"""

from msgspec.structs import replace

from controller.procedure.cells import Breach, Handling
from controller.procedure.dealing.held_hands import open_partial_coups_drawn_after
from controller.procedure.dealing.remedy_burn import lose_burn_count, rack_burn_cards
from controller.procedure.events import ProgramReplaced, ReportsMissing
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Step, raise_irregularity
from firmware_bridge.message import message


def reports_missing(book: RuleBook, step: Step, event: ReportsMissing, cell: Breach) -> Step:
    """Reports of the shoe may be missing before the next event."""
    cards_drawn = step.shoe.cards_drawn
    detail = (
        message("at_least_after_card_shoe", count_min=event.count_min, cards_drawn=cards_drawn)
        if event.count_min
        else message("unknown_number_after_card_shoe", cards_drawn=cards_drawn)
    )
    proven = event.count_min if cell.code is IrregularityCode.REPORTS_LOST else 0
    step = _lose_progress(book, step, cell.then, proven)
    return raise_irregularity(book, step, cell.code, detail)


def program_replaced(book: RuleBook, step: Step, event: ProgramReplaced, cell: Breach) -> Step:
    """Another version took over an open shoe: what was in progress is partial."""
    step = mark_progress_partial(book, step)
    detail = message("program_version", version=event.software)
    return raise_irregularity(book, step, cell.code, detail)


def mark_progress_partial(book: RuleBook, step: Step) -> Step:
    """Mark the coup or burn in progress, if any, as incomplete: as where reports are missing."""
    return _lose_progress(book, step, book.cell(step.phase, Trigger.REPORTS_LOST).then, 0)


def _lose_progress(book: RuleBook, step: Step, lost: Handling, missing: int) -> Step:
    """`missing`: how many reports are proven to be missing, 0 where that is unknown."""
    step = step.with_shoe(replace(step.shoe, reports_proven=False))
    match lost:
        case Handling.LOSE_BURN:
            return _lose_burn(book, step)
        case Handling.LOSE_BOXED_BURN:
            return _lose_burn(book, rack_burn_cards(step))
        case Handling.LOSE_REMEDY_BURN:
            return lose_burn_count(book, step)
        case Handling.LOSE_COUP_BURN:
            return _lose_coup(book, lose_burn_count(book, step), missing)
        case Handling.LOSE_HELD_CARDS if step.shoe.remedy.drawn_after:
            step = open_partial_coups_drawn_after(book, step)
            return _lose_coup(book, step, missing) if step.shoe.coup is not None else step
        case Handling.LOSE_COUP:
            return _lose_coup(book, step, missing)
        case _:
            return step


def _lose_burn(book: RuleBook, step: Step) -> Step:
    shoe = step.shoe
    remedy = replace(shoe.remedy, burn_return_phase=None)
    step = step.with_shoe(replace(shoe, burn_owed=0, burn_proven=False, remedy=remedy))
    return step.advance(book, Trigger.BURN_UNPROVEN)


def _lose_coup(book: RuleBook, step: Step, missing: int) -> Step:
    coup = step.coup
    missing += coup.missing
    step = step.with_coup(replace(coup, partial=True, missing=missing, unjudged=()))
    return step.advance(book, Trigger.COUP_PARTIAL)
