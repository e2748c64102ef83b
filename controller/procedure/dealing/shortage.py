"""Too few cards: a coup that needs a card the shoe no longer has.

Responsible for: saying so as soon as it is known.
Not responsible for: what a floorperson makes of it (catalogue, suspension) and cut cards (cutting).
Source: S42 (k)(4); D-6, D-14.
"""

from controller.procedure.irregularities import IrregularityCode
from controller.procedure.places import DUE_PLACE
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Step, irregular


def cards_left_checked(book: RuleBook, step: Step) -> Step:
    """A coup that still needs a card from an empty shoe cannot be completed (S42 (k)(4))."""
    shoe = step.shoe
    if shoe.joined or shoe.endless or shoe.cards_left() > 0 or step.phase not in DUE_PLACE:
        return step
    detail = f"all {shoe.cards_total} cards are drawn"
    return irregular(book, step, IrregularityCode.INSUFFICIENT_CARDS, detail)
