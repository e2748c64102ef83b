"""Conduct at the table: who touched cards or wagers, and who holds the shoe.

Responsible for: recording incidents with the staff on duty, and the seat that holds the shoe.
Not responsible for: the patrons' right to turn their hands (revealing) and wagers (wagering).
Source: NY (b)(4), (f)(3)(i), (i)(5); S42 (b)(5), (j)(5); HG-bac-shoe, HG-mini-dealer; WA-pre-1.

Decisions. A patron who turns a hand by right touches no card against the rules.
"""

from controller.procedure.acts.recording import begin, recorded, refused, with_opening
from controller.procedure.events import ActRecorded
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, irregular
from controller.profiles.rule_points import RulePoint
from firmware_bridge.values import replace


def shoe_passed(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The shoe goes to the patron of a seat; the order of the cards stays as it is."""
    if not book.clauses(RulePoint.SHOE_PASSES):
        why = "the dealer draws the cards at this table: no seat holds the shoe"
        return refused(book, state, event, why, RulePoint.DEALER_DRAWS)
    if event.seat == 0 or (book.seats and event.seat not in book.seats):
        seats = ", ".join(map(str, book.seats)) or "from 1"
        return refused(book, state, event, f"say the seat: {seats}", RulePoint.SHOE_PASSES)
    opening = replace(state.opening, holder=event.seat)
    return recorded(book, with_opening(begin(state), opening), event, f"seat {event.seat}")


def cards_touched(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """Somebody who may not touch cards did; `person` and `second` are the staff on duty."""
    shoe = state.shoe
    coup = shoe.coup if shoe is not None else None
    rights = (coup.reveal.player_seat, coup.reveal.banker_seat) if coup is not None else ()
    if event.seat and event.seat in rights:
        why = f"seat {event.seat} turns a hand of this coup by right: that is no incident"
        return refused(book, state, event, why, RulePoint.CARDS_UNTOUCHED, RulePoint.REVEAL_RIGHT)
    return _incident(book, state, event, IrregularityCode.CARDS_TOUCHED)


def wager_touched(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A wager was handled after it stood."""
    return _incident(book, state, event, IrregularityCode.WAGER_TOUCHED)


def _incident(
    book: RuleBook, state: TableState, event: ActRecorded, code: IrregularityCode
) -> Step:
    where = f"at seat {event.seat}" if event.seat else "by somebody without a seat"
    detail = f"{where}, on duty: {event.person}{f', {event.second}' if event.second else ''}"
    step = recorded(book, begin(state), event, detail)
    return irregular(book, step, code, detail)
