"""Deals a card that a hand is due: whose it is, what the rules say after it, what is to be called.

Not: a coup's first card from the shoe, and cards that no hand is due (drawing).
Source: S42 (g)(3), (h), (i), (k)(1), (k)(4); NY (f), (g), (h), (i)(1); D-16.
"""

from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from controller.custody.card_states import CardPlace
from controller.custody.moves import CardPlaced
from controller.procedure.calls.prompts import prompt_after_card, prompt_before_first_card
from controller.procedure.dealing.burn import check_cards_left
from controller.procedure.dealing.ghost_hand import begin_ghost_hand
from controller.procedure.dealing.reveal import check_third_card
from controller.procedure.dealing.shoe_count import count_in_coup
from controller.procedure.effects import PromptKind
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.places import (
    HAND_OF,
    PLACE_NAMES,
    due_place,
    obliging_points,
    place_points,
    points_of_ruling,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard, LastDrawn
from controller.procedure.step_result import (
    RULINGS,
    Step,
    accept,
    prompt,
    prompt_after_decision,
    raise_irregularity,
)
from controller.procedure.wagering.wagers import lock_wagers
from controller.rules.coup import Place, draw_decision
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import message

_HANDS: Final = MappingProxyType(
    {
        CardPlace.PLAYER: (message("player_hand"), RulePoint.PLAYER_CARDS),
        CardPlace.BANKER: (message("banker_hand"), RulePoint.BANKER_CARDS),
    }
)


def open_coup(book: RuleBook, step: Step, coup: CoupState) -> Step:
    """Open a coup: from now on its wagers are locked."""
    shoe = replace(step.shoe, coups_begun=coup.number, coup=coup, shoe_count=())
    step = step.with_shoe(shoe)
    step = begin_ghost_hand(book, lock_wagers(book, step))
    return prompt_before_first_card(book, step) if step.state.betting_open else step


def deal_unread_card(book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode) -> Step:
    """Deal a card that a hand is due and that could not be read: the coup becomes partial."""
    place = due_place(step.phase)
    dealt = DealtCard(place, None, event.claimed, number=step.shoe.cards_drawn)
    step = place_card(book, step, dealt, drawn_last=LastDrawn.HAND)
    return raise_irregularity(book, step, code, PLACE_NAMES[place])


def deal_due_card(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode | None = None
) -> Step:
    """Deal a card that a hand is due. The order of drawing decides which hand (D-16)."""
    place = due_place(step.phase)
    dealt = DealtCard(place, event.card, event.claimed, number=step.shoe.cards_drawn)
    step = place_card(book, step, dealt, drawn_last=LastDrawn.HAND)
    if place in (Place.PLAYER_3, Place.BANKER_3):
        step = check_third_card(book, step)
    if not step.coup.carried:
        # In a coup that began with held cards the shoe's claims are off, and not judged.
        if code is not None:
            step = _raise_claim(book, step, event, code)
        step = count_in_coup(step)
    if step.shoe.cut.exhausted:
        return raise_irregularity(
            book, step, IrregularityCode.CARD_AFTER_SECOND_CUT_CARD, PLACE_NAMES[place]
        )
    return step


def apply_drawing_rules(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Move on by what the rules say of the hands with the card just dealt."""
    step = step.advance(book, RULINGS[draw_decision(step.coup.faces())])
    return check_next_card(book, step, event)


def check_next_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Check whether the card that is due now can be drawn."""
    return step if step.shoe.cut.exhausted else check_cards_left(book, step)


def place_card(book: RuleBook, step: Step, dealt: DealtCard, *, drawn_last: LastDrawn) -> Step:
    """Put the card into its hand and prompt the calls; the caller moves on.

    Where it could not be read the coup becomes partial.
    """
    coup = replace(
        step.coup,
        cards=(*step.coup.cards, dealt),
        partial=dealt.card is None,
        unjudged=(dealt,) if dealt.card is None else (),
    )
    shoe = replace(step.shoe, coup=coup, drawn_last=drawn_last)
    drawn = dealt.carried_from is None
    step = step.with_move(CardPlaced(dealt.number, HAND_OF[dealt.place], drawn))
    if dealt.card is None:
        return step.with_shoe(shoe)
    step = step.with_shoe(shoe)
    faces = coup.faces()
    ruling = draw_decision(faces)
    decided = () if dealt.place is Place.BANKER_3 else points_of_ruling(ruling, faces)
    clauses = book.clauses(*place_points(book, dealt.place), *decided)
    what = PLACE_NAMES[dealt.place]
    if dealt.carried_from is not None:
        what = message("what_held_from_before", what=what)
    step = accept(step, what, clauses)
    return prompt_after_card(book, step, ruling)


def _raise_claim(book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode) -> Step:
    """Raise a difference between the shoe's claim and the order of drawing."""
    place = step.coup.cards[-1].place
    if code is IrregularityCode.PLAYER_THIRD_UNAUTHORISED:
        detail = message("by_order_drawing_banker_third_card")
        points = (*obliging_points(book, step.coup.faces()[:-1]), RulePoint.THIRD_TO_BANKER)
        step = raise_irregularity(book, step, code, detail, instead=points)
        text = message("move_card_to_banker_hand_banker_third")
        return prompt_after_decision(book, step, text, (RulePoint.THIRD_TO_BANKER,))
    detail = message(
        "place_claimed_otherwise", place=PLACE_NAMES[place], claimed=PLACE_NAMES[event.claimed]
    )
    step = raise_irregularity(book, step, code, detail)
    hand, claimed = (one.value.partition("_")[0] for one in (place, event.claimed))
    if hand == claimed:
        return step
    name, point = _HANDS[HAND_OF[place]]
    text = message("move_card_to_hand", hand=name, place=PLACE_NAMES[place])
    return prompt_after_decision(book, step, text, (point,))


def raise_first_card_claimed_for_banker(book: RuleBook, step: Step) -> Step:
    """Raise a coup's first card that the shoe claims for Banker; say what to look for (D-16)."""
    place, claimed = PLACE_NAMES[Place.PLAYER_1], PLACE_NAMES[Place.BANKER_1]
    detail = message("place_claimed_otherwise", place=place, claimed=claimed)
    step = raise_irregularity(book, step, IrregularityCode.CLAIM_DIFFERS, detail)
    text = message("look_whether_card_lies_on_player_area")
    points = (RulePoint.FOUR_CARDS, RulePoint.PLAYER_CARDS)
    return prompt(book, step, PromptKind.REMEDY, text, *points)
