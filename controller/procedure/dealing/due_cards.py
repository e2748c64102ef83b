"""Deals a card that a hand is due: whose it is, what the rules say after it, what is to be called.

Not: a coup's first card from the shoe, and cards that no hand is due (drawing).
Source: S42 (g)(3), (h), (i), (k)(1), (k)(4); NY (f), (g), (h), (i)(1); D-16.
"""

from types import MappingProxyType

from msgspec.structs import replace

from controller.procedure.calls.prompts import prompt_after_card, prompt_before_first_card
from controller.procedure.dealing.ghost_hand import begin_ghost_hand
from controller.procedure.dealing.reveal import check_third_card
from controller.procedure.dealing.shoe_count import claims_by_shoe_count, count_in_coup
from controller.procedure.dealing.shortage import check_cards_left
from controller.procedure.effects import PromptKind
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.places import (
    DUE_PLACE,
    PLACE_NAMES,
    obliging_points,
    place_points,
    points_of_ruling,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard
from controller.procedure.states.remedy import LastDrawn
from controller.procedure.step_result import Step, accept, prompt, raise_irregularity
from controller.procedure.wagering.wagers import lock_wagers
from controller.profiles.rule_points import RulePoint
from controller.rules.coup import DrawDecision, Place, draw_decision

_TRIGGER_OF_DECISION = MappingProxyType(
    {
        DrawDecision.NATURAL: Trigger.NATURAL,
        DrawDecision.PLAYER_DRAWS: Trigger.PLAYER_DRAWS,
        DrawDecision.PLAYER_STANDS_BANKER_DRAWS: Trigger.PLAYER_STANDS_BANKER_DRAWS,
        DrawDecision.BOTH_STAND: Trigger.BOTH_STAND,
        DrawDecision.BANKER_DRAWS: Trigger.BANKER_DRAWS,
        DrawDecision.BANKER_STANDS: Trigger.BANKER_STANDS,
    }
)


def open_coup(book: RuleBook, step: Step, coup: CoupState) -> Step:
    """Open a coup: from now on its wagers are locked."""
    shoe = replace(step.shoe, coups_begun=coup.number, coup=coup, shoe_count=())
    step = step.with_shoe(shoe)
    step = begin_ghost_hand(book, lock_wagers(book, step))
    betting_open = step.phase is Phase.BETWEEN_COUPS
    step = step.advance(book, Trigger.COUP_BEGINS)
    return prompt_before_first_card(book, step) if betting_open else step


def deal_due_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Deal a card that a hand is due. The order of drawing decides which hand (D-16)."""
    place = DUE_PLACE[step.phase]
    step = place_card(
        book, step, DealtCard(place, event.card, event.claimed), drawn_last=LastDrawn.HAND
    )
    if step.coup.partial:
        return raise_irregularity(book, step, IrregularityCode.CARD_UNREADABLE, PLACE_NAMES[place])
    if place in (Place.PLAYER_3, Place.BANKER_3):
        step = check_third_card(book, step)
    if not step.coup.carried:
        step = count_in_coup(_check_claim(book, step, event, place))
    if step.shoe.cut.exhausted:
        return raise_irregularity(
            book, step, IrregularityCode.CARD_AFTER_SECOND_CUT_CARD, PLACE_NAMES[place]
        )
    return check_cards_left(book, step)


def place_card(book: RuleBook, step: Step, dealt: DealtCard, *, drawn_last: LastDrawn) -> Step:
    """Put the card into its hand, apply the rules after it and prompt the calls.

    Where it could not be read the coup becomes partial.
    """
    coup = replace(
        step.coup,
        cards=(*step.coup.cards, dealt),
        partial=dealt.card is None,
        unjudged=(dealt,) if dealt.card is None else (),
    )
    shoe = replace(step.shoe, coup=coup, drawn_last=drawn_last)
    if dealt.card is None:
        return step.advance(book, Trigger.COUP_PARTIAL, shoe=shoe)
    faces = coup.faces()
    ruling = draw_decision(faces)
    step = step.advance(book, _TRIGGER_OF_DECISION.get(ruling, Trigger.CARD), shoe=shoe)
    decided = () if dealt.place is Place.BANKER_3 else points_of_ruling(ruling, faces)
    clauses = book.clauses(*place_points(book, dealt.place), *decided)
    held = ", held from before" if dealt.carried_from is not None else ""
    step = accept(step, PLACE_NAMES[dealt.place] + held, clauses)
    return prompt_after_card(book, step, ruling)


def _check_claim(book: RuleBook, step: Step, event: CardDrawn, place: Place) -> Step:
    """Raise a difference between the shoe's claim and the order of drawing."""
    if event.claimed in (place, *claims_by_shoe_count(step.coup.shoe_cards, place)):
        return step
    if place is Place.BANKER_3 and event.claimed is Place.PLAYER_3:
        detail = "by the order of drawing it is the Banker's third card"
        points = (*obliging_points(book, step.coup.faces()[:-1]), RulePoint.THIRD_TO_BANKER)
        code = IrregularityCode.PLAYER_THIRD_UNAUTHORISED
        step = raise_irregularity(book, step, code, detail, instead=points)
        text = "move the card to the Banker's Hand: it is the Banker's third card"
        return prompt(book, step, PromptKind.REMEDY, text, RulePoint.THIRD_TO_BANKER)
    detail = f"it is {PLACE_NAMES[place]}, the shoe reports {PLACE_NAMES[event.claimed]}"
    return raise_irregularity(book, step, IrregularityCode.CLAIM_DIFFERS, detail)


def raise_first_card_claimed_for_banker(book: RuleBook, step: Step) -> Step:
    """Raise a coup's first card that the shoe claims for Banker; say what to look for (D-16)."""
    reported = PLACE_NAMES[Place.BANKER_1]
    detail = f"it is {PLACE_NAMES[Place.PLAYER_1]}, the shoe reports {reported}"
    step = raise_irregularity(book, step, IrregularityCode.CLAIM_DIFFERS, detail)
    text = (
        "look whether a card lies on the Player's area: if none does, this card is Player's first, "
        "move it there"
    )
    points = (RulePoint.FOUR_CARDS, RulePoint.PLAYER_CARDS)
    return prompt(book, step, PromptKind.REMEDY, text, *points)
