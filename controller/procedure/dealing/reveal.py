"""Turning cards up: the order of turning, who does it, and what follows.

Source: NY (f)(3), (g); S42 (g)(3), (h), (k)(5); WA procedure 2, 3; D-8, D-26, D-37.

Decisions. Player's part comes before Banker's, the hands before the third cards; this is judged
only where the table observes turning. What already lies face up needs no turning.
"""

from itertools import takewhile

from msgspec.structs import replace

from controller.procedure.calls.announcements import HAND_OF, NAMES
from controller.procedure.calls.face_down import turn_call
from controller.procedure.calls.prompts import prompt_after_turning, prompt_each
from controller.procedure.calls.reveal_seats import (
    next_seat,
    players_reveal,
    wagers_observed,
    wagers_on_layout,
)
from controller.procedure.calls.visibility import PLACES, all_seen, is_on_layout, is_seen
from controller.procedure.effects import ActRecord, Refusal
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CoupState, TableState
from controller.procedure.step_result import Step, accept, raise_irregularity, takes
from controller.rules.actions.actions import GiveUpReveal, OperatorAction
from controller.rules.actions.choices import LayoutPart
from controller.rules.actions.declaration import name_of
from controller.rules.hands import HandName
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.settlement.wagers import Wager
from foundation.message import Message, message

_TURNED_POINT = {
    LayoutPart.PLAYER_HAND: RulePoint.PLAYER_COUNT_CALLED,
    LayoutPart.BANKER_HAND: RulePoint.BANKER_COUNT_CALLED,
    LayoutPart.PLAYER_THIRD: RulePoint.PLAYER_THIRD_HANDED,
    LayoutPart.BANKER_THIRD: RulePoint.BANKER_THIRD_HANDED,
}
_HAND_WORDS = {
    HandName.PLAYER: NAMES[LayoutPart.PLAYER_HAND],
    HandName.BANKER: NAMES[LayoutPart.BANKER_HAND],
}


def cards_turned(book: RuleBook, step: Step, part: LayoutPart) -> Step:
    """Record that cards of a hand were turned up: from now on people have seen them."""
    shoe = step.state.shoe
    if shoe is None or shoe.coup is None:
        return accept(step, message("cards_turned_with_no_coup_on_table"))
    coup = shoe.coup
    if not is_on_layout(coup, part):
        return accept(step, message("not_on_table_so_not_turned", part=_part_name(part)))
    if is_seen(book, coup, part):
        return accept(step, message("part_name_already_seen", part=_part_name(part)))
    early = _unturned_before(book, coup, part)
    step = _mark_turned(step, part)
    if coup.partial:
        return accept(step, message("partial_coup_turned_up_not_judged", part=_part_name(part)))
    step = accept(
        step,
        message("part_turned_up", part=_part_name(part)),
        book.clauses(_TURNED_POINT[part]),
    )
    if early is not None and book.observes(ObservableFact.TURNED):
        detail = message("part_turned_before", part=_part_name(part), early=_part_name(early))
        step = raise_irregularity(book, step, IrregularityCode.TURNED_OUT_OF_ORDER, detail)
    return prompt_after_turning(book, step)


def _mark_turned(step: Step, part: LayoutPart) -> Step:
    reveal = step.coup.reveal
    reveal = replace(reveal, turned=(*reveal.turned, part.value))
    return step.with_coup(replace(step.coup, reveal=reveal))


def _unturned_before(book: RuleBook, coup: CoupState, part: LayoutPart) -> LayoutPart | None:
    """The part that should have been turned before that part and was not."""
    earlier = takewhile(lambda one: one is not part, PLACES)
    unturned = (one for one in earlier if is_on_layout(coup, one) and not is_seen(book, coup, one))
    return next(unturned, None)


def _part_name(part: LayoutPart) -> Message:
    return NAMES[part]


def check_third_card(book: RuleBook, step: Step) -> Step:
    """Check that everything before a third card was turned and called."""
    if not book.observes(ObservableFact.TURNED):
        return step
    coup = step.coup
    part = next(part for part in PLACES if coup.cards[-1].place in PLACES[part])
    early = _unturned_before(book, coup, part)
    if early is None:
        return step
    detail = message("while_lay_face_down", part=_part_name(part), early=_part_name(early))
    return raise_irregularity(book, step, IrregularityCode.THIRD_CARD_BEFORE_TURNED, detail)


# --- the right to turn a hand --------------------------------------------------------------------


def reveal_given_up(book: RuleBook, state: TableState, act: OperatorAction[GiveUpReveal]) -> Step:
    """Offer the right to turn to the next patron; if none is left, the dealer turns."""
    refusal, points = _refusal_reason(book, state, act)
    if refusal is not None:
        return Step(state).with_effect(Refusal(name_of(act.action), refusal, book.clauses(*points)))
    step = Step(state)
    coup = step.coup
    if wagers_observed(book):
        coup, to, points = _pass_right_on(
            book, coup, wagers_on_layout(state, coup.number), act.action.hand
        )
        step = step.with_coup(coup)
    else:
        to = message("right_offered_counter_clockwise")
        points = act.action.points
    if act.action.by_order:
        points = (RulePoint.REVEAL_RELINQUISH, *points)
    hand = _HAND_WORDS[act.action.hand]
    detail = (
        message("given_up_by_order", hand=hand, typed=act.reason, to=to)
        if act.action.by_order
        else message("hand_given_up_to", hand=hand, to=to)
    )
    clauses = book.clauses(*points)
    step = step.with_effect(ActRecord("reveal-given-up", act.person, detail, clauses))
    return _prompt_next_turn(book, step, act.action.hand)


def _refusal_reason(
    book: RuleBook, state: TableState, act: OperatorAction[GiveUpReveal]
) -> tuple[Message | None, tuple[RulePoint, ...]]:
    """Why this right cannot be given up now, and the points; None where it can."""
    coup = state.shoe.coup if state.shoe is not None else None
    if coup is None or coup.partial or len(coup.cards) < 4:
        return message("no_hand_handed_over_wait_for_fourth"), ()
    if not players_reveal(book, coup):
        return message("no_patron_turns_cards_at_this_table"), (RulePoint.CARDS_UNTOUCHED,)
    if act.action.by_order and not (act.person and act.reason):
        why = message("order_needs_named_dealer_or_floorperson")
        return why, (RulePoint.REVEAL_RELINQUISH,)
    if all_seen(book, coup) and takes(state.play_phase, Trigger.COUP_DONE):
        return message("every_card_lies_face_up_nothing_left"), ()
    if wagers_observed(book) and _seat_with_right(coup, act.action.hand) == 0:
        hand = _HAND_WORDS[act.action.hand]
        return message("dealer_already_turns_hand", hand=hand), (RulePoint.REVEAL_DEALER,)
    return None, ()


def _seat_with_right(coup: CoupState, hand: HandName) -> int:
    return coup.reveal.player_seat if hand is HandName.PLAYER else coup.reveal.banker_seat


def _pass_right_on(
    book: RuleBook, coup: CoupState, wagers: tuple[Wager, ...], hand: HandName
) -> tuple[CoupState, Message, tuple[RulePoint, ...]]:
    holder, reveal = _seat_with_right(coup, hand), coup.reveal
    player = hand is HandName.PLAYER
    before = reveal.player_given_up if player else reveal.banker_given_up
    given_up = (*before, holder)
    seat = next_seat(wagers, holder, given_up, book.values.seat_direction)
    if player:
        reveal = replace(reveal, player_seat=seat, player_given_up=given_up)
    else:
        reveal = replace(reveal, banker_seat=seat, banker_given_up=given_up)
    coup = replace(coup, reveal=reveal)
    if seat == 0:
        return coup, message("seat_holder_dealer_turns", holder=holder), (RulePoint.REVEAL_DEALER,)
    point = RulePoint.REVEAL_TURN if before else RulePoint.REVEAL_RIGHT
    return coup, message("seat_offered_to_seat", holder=holder, seat=seat), (point,)


def _prompt_next_turn(book: RuleBook, step: Step, hand: HandName) -> Step:
    """Prompt who turns the part of that hand that still lies face down."""
    coup = step.coup
    parts = (part for part in PLACES if HAND_OF[part] is hand and is_on_layout(coup, part))
    part = next((part for part in parts if not is_seen(book, coup, part)), None)
    if part is None or not wagers_observed(book):
        return step
    return prompt_each(book, step, (turn_call(book, step.state, coup, part),))
