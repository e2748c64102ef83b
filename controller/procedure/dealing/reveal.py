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
from controller.procedure.events import CardsTurned, LayoutPart, RevealGivenUp
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import HANDS_COMPLETE
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CoupState, TableState
from controller.procedure.step_result import Step, accept, raise_irregularity
from controller.profiles.rule_points import RulePoint
from controller.rules.hands import HandName
from controller.settlement.wagers import Wager

_TURNED_POINT = {
    LayoutPart.PLAYER_HAND: RulePoint.PLAYER_COUNT_CALLED,
    LayoutPart.BANKER_HAND: RulePoint.BANKER_COUNT_CALLED,
    LayoutPart.PLAYER_THIRD: RulePoint.PLAYER_THIRD_HANDED,
    LayoutPart.BANKER_THIRD: RulePoint.BANKER_THIRD_HANDED,
}
_HAND_WORDS = {HandName.PLAYER: "the Player's Hand", HandName.BANKER: "the Banker's Hand"}


def cards_turned(book: RuleBook, step: Step, event: CardsTurned) -> Step:
    """Record that cards of a hand were turned up: from now on people have seen them."""
    shoe, part = step.state.shoe, event.what
    if shoe is None or shoe.coup is None:
        return accept(step, "cards turned with no coup on the table: no effect")
    coup = shoe.coup
    if not is_on_layout(coup, part):
        return accept(step, f"{_part_name(part)}: not on the table, so not turned")
    if is_seen(book, coup, part):
        return accept(step, f"{_part_name(part)}: already seen")
    early = _unturned_before(book, coup, part)
    step = _mark_turned(step, part)
    if coup.partial:
        return accept(step, f"{_part_name(part)} of a partial coup turned up, not judged")
    step = accept(step, f"{_part_name(part)} turned up", book.clauses(_TURNED_POINT[part]))
    if early is not None and book.observes(ObservableFact.TURNED):
        detail = f"{_part_name(part)} before {_part_name(early)}"
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


def _part_name(part: LayoutPart) -> str:
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
    detail = f"{_part_name(part)}, while {_part_name(early)} lay face down"
    return raise_irregularity(book, step, IrregularityCode.THIRD_CARD_BEFORE_TURNED, detail)


# --- the right to turn a hand --------------------------------------------------------------------


def reveal_given_up(book: RuleBook, state: TableState, event: RevealGivenUp) -> Step:
    """Offer the right to turn to the next patron; if none is left, the dealer turns."""
    refusal, points = _refusal_reason(book, state, event)
    if refusal:
        return Step(state).with_effect(Refusal("give-up", refusal, book.clauses(*points)))
    step = Step(state)
    coup = step.coup
    if wagers_observed(book):
        coup, to, points = _pass_right_on(
            book, coup, wagers_on_layout(state, coup.number), event.hand
        )
        step = step.with_coup(coup)
    else:
        to = (
            "offered to the patron to the right, then counter-clockwise; if nobody accepts, the"
            " dealer turns it"
        )
        points = (RulePoint.REVEAL_RIGHT, RulePoint.REVEAL_TURN, RulePoint.REVEAL_DEALER)
    if event.by_order:
        points = (RulePoint.REVEAL_RELINQUISH, *points)
    why = f" by order ({event.reason})" if event.by_order else ""
    detail = f"{_HAND_WORDS[event.hand]} given up{why}; {to}"
    clauses = book.clauses(*points)
    step = step.with_effect(ActRecord("reveal-given-up", event.person, detail, clauses))
    return _prompt_next_turn(book, step, event.hand)


def _refusal_reason(
    book: RuleBook, state: TableState, event: RevealGivenUp
) -> tuple[str, tuple[RulePoint, ...]]:
    """Why this right cannot be given up now, and the points; empty where it can."""
    coup = state.shoe.coup if state.shoe is not None else None
    if coup is None or coup.partial or len(coup.cards) < 4:
        return "no hand has been handed over: wait for the fourth card", ()
    if not players_reveal(book, coup):
        return "no patron turns cards at this table: the dealer does", (RulePoint.CARDS_UNTOUCHED,)
    if event.by_order and not (event.person and event.reason):
        why = "an order needs a named dealer or floorperson and a reason"
        return why, (RulePoint.REVEAL_RELINQUISH,)
    if all_seen(book, coup) and state.play_phase in HANDS_COMPLETE:
        return "every card lies face up: nothing is left to turn", ()
    if wagers_observed(book) and _seat_with_right(coup, event.hand) == 0:
        return f"the dealer already turns {_HAND_WORDS[event.hand]}", (RulePoint.REVEAL_DEALER,)
    return "", ()


def _seat_with_right(coup: CoupState, hand: HandName) -> int:
    return coup.reveal.player_seat if hand is HandName.PLAYER else coup.reveal.banker_seat


def _pass_right_on(
    book: RuleBook, coup: CoupState, wagers: tuple[Wager, ...], hand: HandName
) -> tuple[CoupState, str, tuple[RulePoint, ...]]:
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
        return coup, f"seat {holder}; the dealer turns it", (RulePoint.REVEAL_DEALER,)
    point = RulePoint.REVEAL_TURN if before else RulePoint.REVEAL_RIGHT
    return coup, f"seat {holder}; offered to seat {seat}", (point,)


def _prompt_next_turn(book: RuleBook, step: Step, hand: HandName) -> Step:
    """Prompt who turns the part of that hand that still lies face down."""
    coup = step.coup
    parts = (part for part in PLACES if HAND_OF[part] is hand and is_on_layout(coup, part))
    part = next((part for part in parts if not is_seen(book, coup, part)), None)
    if part is None or not wagers_observed(book):
        return step
    return prompt_each(book, step, (turn_call(book, step.state, coup, part),))
