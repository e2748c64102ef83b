"""A card that a hand is due: whose it is, what the rules say after it, what is to be called.

Responsible for: the cards of a whole coup in the order of drawing, and the prompts after them.
Not responsible for: a coup's first card and cards no hand is due (drawing).
Source: S42 (g)(3), (h), (i), (k)(1), (k)(4); NY (f), (g), (h), (i)(1); D-16.
"""

from dataclasses import replace
from types import MappingProxyType

from controller.procedure.calls import after_card
from controller.procedure.catalogue import IrregularityCode
from controller.procedure.events import CardDrawn
from controller.procedure.phases import Phase, Trigger
from controller.procedure.places import DUE_PLACE, WORDS, place_clauses, ruling_points
from controller.procedure.revealing import third_card_checked
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import DealtCard
from controller.procedure.steps import Step, accept, irregular
from controller.rules.coup import Decision, Place, decision

_TRIGGER_OF_DECISION = MappingProxyType(
    {
        Decision.NATURAL: Trigger.NATURAL,
        Decision.PLAYER_DRAWS: Trigger.PLAYER_DRAWS,
        Decision.PLAYER_STANDS_BANKER_DRAWS: Trigger.PLAYER_STANDS_BANKER_DRAWS,
        Decision.BOTH_STAND: Trigger.BOTH_STAND,
        Decision.BANKER_DRAWS: Trigger.BANKER_DRAWS,
        Decision.BANKER_STANDS: Trigger.BANKER_STANDS,
    }
)


def due_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card that a hand is due. The order of drawing decides whose it is (D-16)."""
    phase = step.phase
    place = DUE_PLACE[phase]
    dealt = DealtCard(place, event.card, event.claimed)
    # A coup left too early is taken up again; what was declared of it no longer holds.
    coup = replace(step.coup, abandoned=False, declared=None, cards=(*step.coup.cards, dealt))
    if event.card is None:
        step = step.with_coup(replace(coup, partial=True)).moved(book, Trigger.COUP_PARTIAL)
        return irregular(book, step, IrregularityCode.CARD_UNREADABLE, WORDS[place])
    ruling = decision(coup.faces())
    step = step.with_coup(coup)
    step = step.moved(book, _TRIGGER_OF_DECISION.get(ruling, Trigger.CARD))
    decided = () if phase is Phase.BANKER_3 else ruling_points(coup.faces())
    clauses = (*place_clauses(book, place), *book.clauses(*decided))
    step = accept(step, WORDS[place], tuple(dict.fromkeys(clauses)))
    step = after_card(book, step, ruling)
    if place in (Place.PLAYER_3, Place.BANKER_3):
        step = third_card_checked(book, step)
    step = _claim_checked(book, step, event, place)
    if step.shoe.cut.exhausted:
        return irregular(book, step, IrregularityCode.CARD_AFTER_SECOND_CUT_CARD, WORDS[place])
    return cards_left_checked(book, step)


def _claim_checked(book: RuleBook, step: Step, event: CardDrawn, place: Place) -> Step:
    """A difference between the shoe's belief and the order is one irregularity."""
    if event.claimed is place:
        return step
    if place is Place.BANKER_3 and event.claimed is Place.PLAYER_3:
        detail = "by the order of drawing it is the Banker's third card"
        return irregular(book, step, IrregularityCode.PLAYER_THIRD_UNAUTHORISED, detail)
    detail = f"it is {WORDS[place]}, the shoe says {WORDS[event.claimed]}"
    return irregular(book, step, IrregularityCode.CLAIM_DIFFERS, detail)


def cards_left_checked(book: RuleBook, step: Step) -> Step:
    """A coup that still needs a card from an empty shoe cannot be completed (S42 (k)(4))."""
    shoe = step.shoe
    if shoe.joined or shoe.cards_left() > 0 or step.phase not in DUE_PLACE:
        return step
    detail = f"all {shoe.cards_total} cards are drawn"
    return irregular(book, step, IrregularityCode.INSUFFICIENT_CARDS, detail)
