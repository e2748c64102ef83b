"""The start of a coup: the call before it, its first card, and a coup whose beginning was not seen.

Source: S42 (g)(2)-(3), (k)(4); NY (f); D-6, D-11, D-16, D-22, D-41.

Decisions. The order of drawing decides which hand a card belongs to; a different claim of the shoe
is one irregularity. A card for a first-four place between coups joins a coup whose beginning was
not seen, but one claimed for Banker's first is Player's where no report can be missing (D-16).
Which cards a partial coup still needs is unknown: it waits for its end.
"""

from typing import Final

from msgspec.structs import replace

from controller.custody.card_states import CardPlace
from controller.procedure.calls.prompts import prompt_before_first_card
from controller.procedure.dealing.burn import check_cards_left, describe_cards
from controller.procedure.dealing.coup_end import close_coup
from controller.procedure.dealing.due_cards import open_coup, raise_first_card_claimed_for_banker
from controller.procedure.dealing.held_hands import open_coup_with_held_cards
from controller.procedure.dealing.shoe import join_shoe, join_shoe_in_burn, rack_drawn_card
from controller.procedure.dealing.shoe_count import (
    count_card,
    count_in_coup,
    is_first_by_shoe_count,
)
from controller.procedure.effects import PromptKind
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.places import HAND_OF, HAND_PLACES, PLACE_NAMES, place_points
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard, LastDrawn
from controller.procedure.step_result import Step, accept, prompt, raise_irregularity
from controller.rules.actions.actions import CallNoMoreBets
from controller.rules.coup import Place
from controller.rules.outcome import CoupFate
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message

_BURN_POINTS: Final = (RulePoint.BURN_COUNT, RulePoint.BURN_BEFORE_PLAY)

# --- "no more bets" ------------------------------------------------------------------------------


def close_betting(book: RuleBook, step: Step, event: CallNoMoreBets) -> Step:
    """The call that opens a coup."""
    if step.shoe.remedy.waiting:
        what = message("no_more_bets_while_card_drawn")
        return accept(step, what, book.clauses(*event.points))
    step = accept(step, message("no_more_bets"), book.clauses(*event.points))
    step = prompt_before_first_card(book, step, called=True)
    if step.shoe.remedy.carried:
        step = open_coup_with_held_cards(book, step)
    return check_cards_left(book, step)


def say_first_burn(book: RuleBook, step: Step, event: CallNoMoreBets) -> Step:
    """The call opens no coup before the burn."""
    owed = message("burn_first_card_and_as_many_more")
    points = step.shoe.remedy.burn_points or _BURN_POINTS
    return _say_owed(book, step, PromptKind.BEFORE_DEAL, owed, RulePoint.BURN_FIRST, *points)


def say_burn(book: RuleBook, step: Step, event: CallNoMoreBets) -> Step:
    """The call opens no coup while burn cards are owed."""
    owed = message("burn_before_first_card_hand", cards=describe_cards(step.shoe.burn_owed))
    points = step.shoe.remedy.burn_points or _BURN_POINTS
    return _say_owed(book, step, PromptKind.BEFORE_DEAL, owed, *points)


def say_over(book: RuleBook, step: Step, event: CallNoMoreBets) -> Step:
    """The call opens no coup after the last hand."""
    shoe = step.shoe
    if shoe.remedy.owes_burn:
        owed = message("burn_cards_before_reshuffle", cards=describe_cards(shoe.remedy.burn_later))
        return _say_owed(book, step, PromptKind.BEFORE_DEAL, owed, *shoe.remedy.burn_points)
    last = shoe.is_last(shoe.coups_begun)
    why = message("last_hand_dealt") if last else message("shoe_over")
    points = (RulePoint.LAST_HAND, RulePoint.RESHUFFLE) if last else (RulePoint.RESHUFFLE,)
    owed = message("draw_no_card_reshuffle", why=why)
    return _say_owed(book, step, PromptKind.RESHUFFLE, owed, *points)


def _say_owed(
    book: RuleBook, step: Step, kind: PromptKind, owed: Message, *points: RulePoint
) -> Step:
    step = accept(step, message("no_more_bets_opens_no_coup", owed=owed), book.clauses(*points))
    return prompt(book, step, kind, owed, *points)


# --- the first card ------------------------------------------------------------------------------


def deal_first_card(book: RuleBook, step: Step, event: CardDrawn, *codes: IrregularityCode) -> Step:
    """Begin a coup with Player's first card, whatever the shoe claims for it."""
    claimed, first = event.claimed, PLACE_NAMES[Place.PLAYER_1]
    step = _begin_coup(book, step, replace(event, claimed=Place.PLAYER_1), claimed)
    if step.shoe.cut.exhausted:
        return _raise_exhausted(book, step)
    step = accept(step, first, book.clauses(*place_points(book, Place.PLAYER_1)))
    for code in codes:
        if code is IrregularityCode.CLAIM_DIFFERS:
            step = raise_first_card_claimed_for_banker(book, step)
        else:
            number = message("coup_number", number=step.coup.number)
            step = raise_irregularity(book, step, code, number)
    return step


def deal_unread_first_card(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode
) -> Step:
    """Begin a coup with a first card that could not be read: the coup is partial."""
    step = _begin_coup(book, step, replace(event, claimed=Place.PLAYER_1), event.claimed)
    if step.shoe.cut.exhausted:
        return _raise_exhausted(book, step)
    return raise_irregularity(book, step, code, PLACE_NAMES[Place.PLAYER_1])


def join_coup(book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode) -> Step:
    """Join a coup whose beginning was not seen, at the place the shoe claims."""
    step = _begin_coup(book, step, event, event.claimed)
    if step.shoe.cut.exhausted:
        return _raise_exhausted(book, step)
    detail = message("card_is_at_place", place=PLACE_NAMES[event.claimed])
    return raise_irregularity(book, step, code, detail)


def _raise_exhausted(book: RuleBook, step: Step) -> Step:
    detail = message("no_further_coup_may_begin")
    return raise_irregularity(book, step, IrregularityCode.CARD_AFTER_SECOND_CUT_CARD, detail)


def open_held_coup(
    book: RuleBook, step: Step, event: CardDrawn, *raised_after: IrregularityCode
) -> Step:
    """Open the coup for which cards are held: this one comes after them."""
    return open_coup_with_held_cards(book, step)


def _begin_coup(book: RuleBook, step: Step, event: CardDrawn, claimed: Place) -> Step:
    """Begin the next coup with this card; partial unless it is a first card that was read."""
    partial = event.claimed is not Place.PLAYER_1 or event.card is None
    by_count = is_first_by_shoe_count(step.shoe, replace(event, claimed=claimed))
    counted = step.shoe.shoe_count if by_count else None
    coup = CoupState(step.shoe.coups_begun + 1, partial=partial, shoe_cards=counted)
    step = with_claimed_card(open_coup(book, step, coup), event)
    if event.claimed is not claimed:
        (first,) = step.coup.cards
        step = step.with_coup(replace(step.coup, cards=(replace(first, claimed=claimed),)))
        step = count_in_coup(step)
    if event.claimed is Place.PLAYER_1 and event.card is None:
        step = step.with_coup(replace(step.coup, unjudged=step.coup.cards))
    return step


# --- a partial coup ------------------------------------------------------------------------------


def deal_partial_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A partial coup receives every card that can belong to it."""
    step = with_claimed_card(step.with_coup(replace(step.coup, missing=0)), event)
    return accept(step, message("partial_coup_not_judged", place=PLACE_NAMES[event.claimed]))


def leave_partial_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The card begins another coup: the end of this one was not reported."""
    step = close_coup(book, step, CoupFate.PARTIAL)
    return step.with_shoe(replace(step.shoe, reports_proven=False))


def with_claimed_card(step: Step, event: CardDrawn) -> Step:
    """The card at the place the shoe claims; aside where that is not a place of a hand."""
    coup, in_hand = step.coup, event.claimed in HAND_PLACES
    place, number = event.claimed if in_hand else Place.OUTSIDE, step.shoe.cards_drawn
    dealt = DealtCard(place, event.card, event.claimed, number=number)
    step = step.place_drawn(HAND_OF[place] if in_hand else CardPlace.ASIDE)
    if coup.unjudged:
        coup = replace(coup, unjudged=(*coup.unjudged, dealt))
    if not in_hand:
        return step.with_coup(replace(coup, aside=(*coup.aside, dealt)))
    step = step.with_shoe(replace(step.shoe, drawn_last=LastDrawn.HAND))
    return step.with_coup(replace(coup, cards=(*coup.cards, dealt)))


def begins_another_coup(coup: CoupState, claimed: Place) -> bool:
    """Whether the claimed place of a hand cannot belong to this partial coup."""
    index = HAND_PLACES.index(claimed) + coup.carried
    first = claimed is Place.PLAYER_1 and len(coup.cards) + len(coup.aside) > coup.carried
    return first or not coup.can_continue_at(index)


# --- a shoe whose beginning was not seen ---------------------------------------------------------


def join_shoe_at_card(book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode) -> Step:
    """Join a shoe in play: nothing before this card is known."""
    step = count_card(book, join_shoe(book, step), event)
    if event.claimed is Place.OUTSIDE:
        step = rack_drawn_card(step, event)
    else:
        step = _begin_coup(book, step, event, event.claimed)
        then = Trigger.COUP_PARTIAL if step.coup.partial else Trigger.CARD
        step = step.advance(book, Trigger.COUP_BEGINS, then)
    return _raise_joined(book, step, event, code)


def join_shoe_at_burn_card(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode
) -> Step:
    """Join a shoe whose burn is in progress."""
    step = count_card(book, join_shoe_in_burn(book, step), event)
    step = step.place_drawn(CardPlace.BURN)
    step = step.with_shoe(replace(step.shoe, burn_cards=(event.card,)))
    return _raise_joined(book, step, event, code)


def _raise_joined(book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode) -> Step:
    detail = message("first_card_seen_place", place=PLACE_NAMES[event.claimed])
    return raise_irregularity(book, step, code, detail)
