"""Turning cards up: the order of it, who does it, and what follows.

Responsible for: what was turned, what was turned too early, and a right to turn that is given up.
Not responsible for: who has the right first (reveal_seats), what any output shows
(controller.views.disclosure), cards drawn in error (errors) and the calls (calls).
Source: NY (f)(3), (g); S42 (g)(3), (h), (k)(5); WA procedure 2, 3; D-8, D-26, D-37.

Decisions. Player's part comes before Banker's, the hands before the third cards; that is judged
only where the table is told of turning. What lies face up already needs no turning.
"""

from itertools import takewhile

from controller.procedure.calls.announcements import HAND_OF, NAMES
from controller.procedure.calls.face_down import turning
from controller.procedure.calls.prompts import after_turning, prompted
from controller.procedure.calls.reveal_seats import (
    next_seat,
    players_reveal,
    wagers_known,
    wagers_of,
)
from controller.procedure.calls.visibility import PLACES, all_seen, is_seen, is_there
from controller.procedure.dealing.coup_end import is_over
from controller.procedure.effects import Recorded, Refused
from controller.procedure.events import CardsTurned, RevealGivenUp, TurnedCards
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import CoupState, TableState
from controller.procedure.step_result import Step, accept, irregular
from controller.profiles.rule_points import RulePoint
from controller.rules.hands import HandName
from controller.settlement.wagers import Wager
from firmware_bridge.values import replace

_CALLED = {
    TurnedCards.PLAYER_HAND: RulePoint.PLAYER_COUNT_CALLED,
    TurnedCards.BANKER_HAND: RulePoint.BANKER_COUNT_CALLED,
    TurnedCards.PLAYER_THIRD: RulePoint.PLAYER_THIRD_HANDED,
    TurnedCards.BANKER_THIRD: RulePoint.BANKER_THIRD_HANDED,
}
_HAND_WORDS = {HandName.PLAYER: "the Player's Hand", HandName.BANKER: "the Banker's Hand"}


def cards_turned(book: RuleBook, step: Step, event: CardsTurned) -> Step:
    """Cards of a hand were turned up: from now on people have seen them."""
    shoe, part = step.state.shoe, event.what
    if shoe is None or shoe.coup is None:
        return accept(step, "cards turned with no coup on the table: nothing to do")
    coup = shoe.coup
    if not is_there(coup, part):
        return accept(step, f"{_words(part)}: not on the table, so not turned")
    if is_seen(book, coup, part):
        return accept(step, f"{_words(part)}: seen already")
    early = _before(book, coup, part)
    step = _marked(step, part)
    if coup.partial:
        return accept(step, f"{_words(part)} turned up, of a partial coup, not judged")
    step = accept(step, f"{_words(part)} turned up", book.clauses(_CALLED[part]))
    if early is not None and book.observes(Fact.TURNED):
        detail = f"{_words(part)} before {_words(early)}"
        step = irregular(book, step, IrregularityCode.TURNED_OUT_OF_ORDER, detail)
    return after_turning(book, step)


def _marked(step: Step, part: TurnedCards) -> Step:
    reveal = step.coup.reveal
    reveal = replace(reveal, turned=(*reveal.turned, part.value))
    return step.with_coup(replace(step.coup, reveal=reveal))


def _before(book: RuleBook, coup: CoupState, part: TurnedCards) -> TurnedCards | None:
    """What should have been turned before that part and was not."""
    earlier = takewhile(lambda one: one is not part, PLACES)
    lying = (one for one in earlier if is_there(coup, one) and not is_seen(book, coup, one))
    return next(lying, None)


def _words(part: TurnedCards) -> str:
    return NAMES[part]


def third_card_checked(book: RuleBook, step: Step) -> Step:
    """A third card was drawn: what lies before it must have been turned and called."""
    if not book.observes(Fact.TURNED):
        return step
    coup = step.coup
    part = next(part for part in PLACES if coup.cards[-1].place in PLACES[part])
    early = _before(book, coup, part)
    if early is None:
        return step
    detail = f"{_words(part)}, while {_words(early)} lay face down"
    return irregular(book, step, IrregularityCode.THIRD_CARD_BEFORE_TURNED, detail)


# --- the right to turn a hand --------------------------------------------------------------------


def right_given_up(book: RuleBook, state: TableState, event: RevealGivenUp) -> Step:
    """A patron gave up turning a hand: it is offered to the next one, at last the dealer turns."""
    refusal, points = _refusal(book, state, event)
    if refusal:
        return Step(state).with_effect(Refused("give-up", refusal, book.clauses(*points)))
    step = Step(state)
    coup = step.coup
    if wagers_known(book):
        coup, to, points = _passed_on(book, coup, wagers_of(state, coup.number), event.hand)
        step = step.with_coup(coup)
    else:
        to = "offered to the patron to the right, then on counter-clockwise; nobody: the dealer"
        points = (RulePoint.REVEAL_RIGHT, RulePoint.REVEAL_TURN, RulePoint.REVEAL_DEALER)
    if event.by_order:
        points = (RulePoint.REVEAL_RELINQUISH, *points)
    why = f" by order ({event.reason})" if event.by_order else ""
    detail = f"{_HAND_WORDS[event.hand]} given up{why}; {to}"
    clauses = book.clauses(*points)
    step = step.with_effect(Recorded("reveal-given-up", event.person, detail, clauses))
    return _handed_on(book, step, event.hand)


def _refusal(
    book: RuleBook, state: TableState, event: RevealGivenUp
) -> tuple[str, tuple[RulePoint, ...]]:
    """Why this right cannot be given up now, and where a rule says so; empty where it can."""
    coup = state.shoe.coup if state.shoe is not None else None
    if coup is None or coup.partial or len(coup.cards) < 4:
        return "no hand has been handed over: wait for the fourth card", ()
    if not players_reveal(book, coup):
        return "no patron turns cards at this table: the dealer does", (RulePoint.CARDS_UNTOUCHED,)
    if event.by_order and not (event.person and event.reason):
        why = "a named dealer or floorperson orders it and says why"
        return why, (RulePoint.REVEAL_RELINQUISH,)
    if all_seen(book, coup) and is_over(coup):
        return "every card lies face up: nothing is left to turn", ()
    if wagers_known(book) and _holder(coup, event.hand) == 0:
        return f"the dealer turns {_HAND_WORDS[event.hand]} already", (RulePoint.REVEAL_DEALER,)
    return "", ()


def _holder(coup: CoupState, hand: HandName) -> int:
    return coup.reveal.player_seat if hand is HandName.PLAYER else coup.reveal.banker_seat


def _passed_on(
    book: RuleBook, coup: CoupState, wagers: tuple[Wager, ...], hand: HandName
) -> tuple[CoupState, str, tuple[RulePoint, ...]]:
    holder, reveal = _holder(coup, hand), coup.reveal
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


def _handed_on(book: RuleBook, step: Step, hand: HandName) -> Step:
    """Say who turns what still lies face down of that hand."""
    coup = step.coup
    parts = (part for part in PLACES if HAND_OF[part] is hand and is_there(coup, part))
    part = next((part for part in parts if not is_seen(book, coup, part)), None)
    if part is None or not wagers_known(book):
        return step
    return prompted(book, step, (turning(book, step.state, coup, part),))
