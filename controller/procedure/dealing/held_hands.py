"""Hands of held cards: the coup that begins with cards drawn in error, or drawn while one waited.

Not: holding the cards, and the decision on them (error_cards).
Source: S42 (k)(1), (k)(2), (j)(1); D-11.

Decisions. In a coup that begins with held cards the shoe's claims are off by as many cards: they
are recorded and not judged. A result declared while the cards were held is judged after the card
before it; the cards after a coup that it ends begin the next one.
"""

from msgspec.structs import replace

from controller.custody.moves import CardPlaced
from controller.procedure.dealing.burn import check_cards_left
from controller.procedure.dealing.coup_end import close_coup, judge_result, resume_coup
from controller.procedure.dealing.due_cards import open_coup, place_card
from controller.procedure.dealing.error_cards import carry_point, move_to_rack
from controller.procedure.dealing.shoe_count import count_in_coup
from controller.procedure.effects import PromptKind
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.places import HAND_OF, HAND_PLACES, PLACE_NAMES, due_place
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard, ErrorCard, LastDrawn
from controller.procedure.step_result import RULINGS, Step, prompt, raise_irregularity, takes
from controller.rules.coup import Place, draw_decision, is_complete
from controller.rules.outcome import CoupFate
from foundation.message import message


def begin_hand_drawn_after(book: RuleBook, step: Step) -> Step:
    """Cards that were drawn for a hand while another card waited begin the coup at once."""
    drawn = any(not one.in_error and one.claimed in HAND_PLACES for one in step.shoe.remedy.carried)
    if not drawn or not takes(step.phase, Trigger.COUP_BEGINS):
        return step
    return check_cards_left(book, open_coup_with_held_cards(book, step))


def open_coup_with_held_cards(book: RuleBook, step: Step) -> Step:
    """Open a coup with the cards held for it, as its first ones in drawing order."""
    held = step.shoe.remedy.carried
    # The shoe counts cards that were burned or void before these ones.
    counted = step.shoe.shoe_count or None
    step = open_coup(book, step, CoupState(step.shoe.coups_begun + 1, shoe_cards=counted))
    step = step.advance(book, Trigger.COUP_BEGINS)
    points = tuple(dict.fromkeys(carry_point(error) for error in held))
    first = PLACE_NAMES[Place.PLAYER_1]
    text = message("held_cards_dealt_first", count=len(held), first=first)
    step = prompt(book, step, PromptKind.REMEDY, text, *points)
    step = step.with_shoe(replace(step.shoe, drawn_last=LastDrawn.NOTHING))
    for index, error in enumerate(held):
        if is_complete(step.coup.faces()):
            break
        step = step.with_remedy(replace(step.shoe.remedy, carried=held[index + 1 :]))
        step = _deal_held_card(book, step, error)
        if step.coup.partial:
            return _raise_unread_held_card(book, step, held[index:])
        if error.declared is not None:
            missing = not is_complete(step.coup.faces())
            step = judge_result(book, step, error.declared)
            if not missing:
                return begin_hand_drawn_after(book, step)
            step = resume_coup(book, step) if held[index + 1 :] else step
    return _judge_result_after_coup(book, step)


def _judge_result_after_coup(book: RuleBook, step: Step) -> Step:
    """Judge the result declared after more held cards than the coup needs, if there is one.

    Of a later coup the shoe has counted none of those cards.
    """
    left = step.shoe.remedy.carried
    ends = [index for index, one in enumerate(left) if one.declared is not None]
    more = ends[0] + 1 if ends else len(left)
    uncounted = tuple(replace(one, in_error=True, declared=None) for one in left[:more])
    step = step.with_remedy(replace(step.shoe.remedy, carried=(*uncounted, *left[more:])))
    declared = left[ends[0]].declared if ends else None
    if declared is None:
        return step
    return begin_hand_drawn_after(book, judge_result(book, step, declared))


def _deal_held_card(book: RuleBook, step: Step, error: ErrorCard) -> Step:
    # The shoe counted a card that was drawn for a hand, but not one drawn in error.
    counted = not error.in_error and error.claimed in HAND_PLACES
    off = step.coup.carried + (0 if counted else 1)
    step = step.with_coup(replace(step.coup, carried=off))
    claimed = error.claimed if counted else Place.OUTSIDE
    dealt = DealtCard(due_place(step.phase), error.card, claimed, error.coup, error.number)
    step = place_card(book, step, dealt, drawn_last=LastDrawn.NOTHING)
    if step.coup.partial:
        return step.advance(book, Trigger.COUP_PARTIAL)
    step = step.advance(book, RULINGS[draw_decision(step.coup.faces())])
    return count_in_coup(step) if counted else step


def _raise_unread_held_card(book: RuleBook, step: Step, held: tuple[ErrorCard, ...]) -> Step:
    """Raise an unread card; a result declared after it is the coup's, to be judged once it is read.

    `held` begins with that card.
    """
    place = step.coup.cards[-1].place
    declared = next((one.declared for one in held if one.declared is not None), None)
    step = step.with_coup(replace(step.coup, declared=declared))
    left = tuple(replace(one, declared=None) for one in step.shoe.remedy.carried)
    step = step.with_remedy(replace(step.shoe.remedy, carried=left))
    detail = message("place_held_from_before", place=PLACE_NAMES[place])
    return raise_irregularity(book, step, IrregularityCode.CARD_UNREADABLE, detail)


def open_partial_coups_drawn_after(book: RuleBook, step: Step) -> Step:
    """Open the coups of the cards drawn after a card in error, at the places the shoe claims.

    Reports are missing after them: the order of drawing no longer says what they are. Each declared
    result ends one of them.
    """
    remedy = step.shoe.remedy
    waiting = tuple(one for one in remedy.waiting if one.in_error)
    step = step.with_remedy(replace(remedy, waiting=waiting))
    hand: list[ErrorCard] = []
    for one in remedy.drawn_after:
        if not takes(step.phase, Trigger.COUP_BEGINS):
            # A result ended the last hand of the shoe: the cards after it are of no hand.
            step = move_to_rack(step, one)
            continue
        hand.append(one)
        if one.declared is not None:
            step = _open_partial_coup(book, step, hand).advance(book, Trigger.COUP_PARTIAL)
            step = close_coup(book, step, CoupFate.PARTIAL)
            hand = []
    return _open_partial_coup(book, step, hand) if hand else step


def _open_partial_coup(book: RuleBook, step: Step, hand: list[ErrorCard]) -> Step:
    drawn = [DealtCard(one.claimed, one.card, one.claimed, number=one.number) for one in hand]
    coup = CoupState(
        step.shoe.coups_begun + 1,
        cards=tuple(one for one in drawn if one.place in HAND_PLACES),
        aside=tuple(
            replace(one, place=Place.OUTSIDE) for one in drawn if one.place not in HAND_PLACES
        ),
        declared=hand[-1].declared,
        partial=True,
        suspended_cards=True,
    )
    placed = (CardPlaced(one.number, HAND_OF[one.place]) for one in coup.cards)
    return open_coup(book, step.with_move(*placed), coup).advance(book, Trigger.COUP_BEGINS)
