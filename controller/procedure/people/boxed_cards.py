"""Cards found face up in the shoe (boxed cards).

Responsible for: taking such a card out of its hand, and the burn that it asks for.
Not responsible for: sensing that it lay face up: a person says so; and for the burn's cards
(remedy_burn).
Source: S42-k-3-unused, S42-k-3-extra; D-12, D-13.

Decisions. A person means the card drawn last, and only while nothing was built on it: not after
the coup was closed or the card was already decided on. A card found in a burn stays in the discard
rack and adds its own amount (D-13); found as the first burn card it sets no amount, and after its
own the next card is the first. An amount that could not be read is burned without a count.
"""

from controller.procedure.dealing.error_cards import racked, set_aside
from controller.procedure.dealing.remedy_burn import asked_at_once, asked_later, burn_due
from controller.procedure.effects import Refused
from controller.procedure.events import FoundFaceUp
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.states.remedy import ErrorCard, LastDrawn
from controller.procedure.step_result import Step, irregular
from controller.profiles.rule_points import RulePoint
from controller.rules.cards import Card, burn_value
from firmware_bridge.values import replace


def found_face_up(book: RuleBook, step: Step, event: FoundFaceUp) -> Step:
    """The card drawn last lay face up: it is not used, and its amount is burned."""
    shoe = step.state.shoe
    drawn_last = shoe.drawn_last if shoe is not None else LastDrawn.NOTHING
    if shoe is None or drawn_last is LastDrawn.NOTHING or step.phase is Phase.SHOE_OVER:
        why = "no card was drawn last that could still be taken out of play"
        clauses = book.clauses(RulePoint.FOUND_FACE_UP)
        return step.with_effect(Refused("found-face-up", why, clauses))
    step = step.with_shoe(replace(shoe, drawn_last=LastDrawn.NOTHING))
    step, card, back = _taken_out(step, drawn_last)
    detail = f"the card drawn last, said {event.person}"
    step = irregular(book, step, IrregularityCode.FOUND_FACE_UP, detail)
    if back is Phase.RESULT or card is None:
        return burn_due(book, asked_later(book, step, card, RulePoint.FOUND_FACE_UP_BURN))
    return asked_at_once(book, step, burn_value(card), back)


def _taken_out(step: Step, drawn_last: LastDrawn) -> tuple[Step, Card | None, Phase]:
    """The table without the card, the card, and where the deal goes on."""
    if drawn_last is LastDrawn.HAND:
        return _out_of_hand(step)
    shoe, remedy = step.shoe, step.shoe.remedy
    if drawn_last is LastDrawn.ERROR:
        error = replace(remedy.waiting[-1], turned=True)
        step = step.with_remedy(replace(remedy, waiting=remedy.waiting[:-1]))
        own = shoe.coup is not None and shoe.coup.number == error.coup
        return (set_aside if own else racked)(step, error), error.card, step.phase
    if drawn_last is LastDrawn.CARRIED:
        error = remedy.carried[-1]
        step = racked(step.with_remedy(replace(remedy, carried=remedy.carried[:-1])), error)
        return step, error.card, step.phase
    # The burn before play has not begun again: what was burned so far went to the discard rack.
    card = shoe.burn_cards[-1] if shoe.burn_cards else shoe.aside[-1]
    first = shoe.burn_proven and remedy.burn_back is None and len(shoe.burn_cards) == 1
    if step.phase is Phase.BURN_REST and first:
        shoe = replace(shoe, burn_cards=(), aside=(*shoe.aside, card))
        return step.with_shoe(shoe), card, Phase.BURN_FIRST
    return step, card, step.phase


def _out_of_hand(step: Step) -> tuple[Step, Card | None, Phase]:
    coup = step.coup
    dealt = coup.cards[-1]
    error = ErrorCard(dealt.card, dealt.claimed, coup.number, turned=True)
    coup = replace(coup, cards=coup.cards[:-1])
    if coup.partial:
        return set_aside(step.with_coup(coup), error), dealt.card, Phase.RESULT
    coup = replace(coup, declared=None, abandoned=False)
    return set_aside(step.with_coup(coup), error), dealt.card, Phase(dealt.place.value)
