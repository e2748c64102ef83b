"""Raises that too few cards are left for the coup, as soon as it is known.

Source: S42 (k)(4); D-6, D-14.
"""

from controller.procedure.irregularities import IrregularityCode
from controller.procedure.places import DUE_PLACE
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Step, raise_irregularity


def check_cards_left(book: RuleBook, step: Step) -> Step:
    """Raise a coup that needs a card from an empty shoe: it cannot be completed (S42 (k)(4))."""
    shoe = step.shoe
    if shoe.joined or shoe.endless or shoe.cards_left() > 0 or step.phase not in DUE_PLACE:
        return step
    detail = f"all {shoe.cards_total} cards are drawn"
    return raise_irregularity(book, step, IrregularityCode.INSUFFICIENT_CARDS, detail)
