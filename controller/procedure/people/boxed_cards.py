"""Boxed cards (found face up in the shoe): taking one out of its hand, and the burn it requires.

Source: S42-k-3-unused, S42-k-3-extra; D-12, D-13.

Decisions. A person reports it; it is always the card drawn last, and only until the coup was closed
or the card was decided on. A boxed card in a burn stays in the discard rack, adds its own amount
and is none of the cards owed, also as the last of them: the burn then goes on (D-13). After the
last hand the shoe is over all the same: what is owed then is burned before the reshuffle (D-7). As
the first burn card it sets no amount, and after its own burn the next card is the first. An amount
that could not be read is burned without a count.
"""

from msgspec.structs import replace

from controller.procedure.dealing.burn import (
    begin_due_burn,
    owe_burn_later,
    owe_burn_now,
    rack_burn_cards,
)
from controller.procedure.dealing.error_cards import move_to_rack, set_aside
from controller.procedure.effects import Refusal
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import COUP_ENDS, Phase, Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ErrorCard, LastDrawn
from controller.procedure.step_result import Step, raise_irregularity, takes
from controller.rules.actions.actions import OperatorAction, ReportFaceUp
from controller.rules.actions.declaration import name_of
from controller.rules.cards import Card, burn_value
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import message


def boxed_card_found(book: RuleBook, step: Step, act: OperatorAction[ReportFaceUp]) -> Step:
    """Take the card drawn last out of play, and burn as many cards as its amount."""
    shoe = step.state.shoe
    drawn_last = shoe.drawn_last if shoe is not None else LastDrawn.NOTHING
    over = step.state.shoe_over
    if over and not (drawn_last is LastDrawn.BURN and shoe is not None and not shoe.is_empty()):
        drawn_last = LastDrawn.NOTHING
    if shoe is None or drawn_last is LastDrawn.NOTHING:
        why = message("no_last_card_to_take_out_of_play")
        clauses = book.clauses(*act.action.points)
        return step.with_effect(Refusal(name_of(act.action), why, clauses))
    step = step.with_shoe(replace(shoe, drawn_last=LastDrawn.NOTHING))
    step, card, back = _take_out(book, step, drawn_last)
    detail = message("card_drawn_last_reported_by", person=act.person)
    step = raise_irregularity(book, step, IrregularityCode.FOUND_FACE_UP, detail)
    amount = burn_value(card) if card is not None else None
    if amount is not None and drawn_last is LastDrawn.BURN and not step.state.burning:
        amount += 1  # the burn is over without the card: one more is owed in its place
    if back in (*COUP_ENDS, Phase.SHOE_OVER) or amount is None:
        step = owe_burn_later(book, step, amount, RulePoint.FOUND_FACE_UP_BURN)
        return begin_due_burn(book, step)
    return owe_burn_now(book, step, amount, back)


def _take_out(book: RuleBook, step: Step, drawn_last: LastDrawn) -> tuple[Step, Card | None, Phase]:
    """The table without the card, the card, and the phase in which the deal resumes."""
    if drawn_last is LastDrawn.HAND:
        return _take_out_of_hand(book, step)
    shoe, remedy = step.shoe, step.shoe.remedy
    if drawn_last is LastDrawn.ERROR:
        error = replace(remedy.waiting[-1], turned=True)
        step = step.with_remedy(replace(remedy, waiting=remedy.waiting[:-1]))
        own = shoe.coup is not None and shoe.coup.number == error.coup
        return (set_aside if own else move_to_rack)(step, error), error.card, step.phase
    if drawn_last is LastDrawn.CARRIED:
        error = remedy.carried[-1]
        step = move_to_rack(step.with_remedy(replace(remedy, carried=remedy.carried[:-1])), error)
        return step, error.card, step.phase
    # The burn before play has not begun again: the cards burned so far are in the discard rack.
    card = shoe.burn_cards[-1] if shoe.burn_cards else shoe.aside[-1]
    if takes(step.phase, Trigger.BOXED_BURN_OWED) and len(shoe.burn_cards) == 1:
        return rack_burn_cards(step), card, Phase.BURN_FIRST
    if shoe.burn_owed:
        taken = replace(remedy, burn_taken=max(0, remedy.burn_taken - 1))
        step = step.with_shoe(replace(shoe, burn_owed=shoe.burn_owed + 1, remedy=taken))
    return step, card, step.phase


def _take_out_of_hand(book: RuleBook, step: Step) -> tuple[Step, Card | None, Phase]:
    coup = step.coup
    dealt = coup.cards[-1]
    error = ErrorCard(dealt.card, dealt.claimed, coup.number, dealt.number, turned=True)
    # Without its only unread card a coup is whole again.
    partial = coup.partial and coup.unjudged != (dealt,)
    coup = replace(coup, cards=coup.cards[:-1], unjudged=coup.unjudged[:-1])
    if partial:
        return set_aside(step.with_coup(coup), error), dealt.card, Phase.PARTIAL
    back = Phase(dealt.place.value)
    if coup.partial:
        step = step.resume(book, back)
    # The shoe still counts the card.
    counted = step.coup.cards if coup.shoe_cards is None else coup.shoe_cards
    coup = replace(coup, partial=False, declared=None, shoe_cards=counted)
    return set_aside(step.with_coup(coup), error), dealt.card, back
