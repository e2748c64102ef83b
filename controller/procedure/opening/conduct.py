"""Conduct at the table: who touched cards or wagers, and who holds the shoe.

Source: NY (b)(4), (f)(3)(i), (i)(5); S42 (b)(5), (j)(5); HG-bac-shoe, HG-mini-dealer; WA-pre-1.

Decisions. A patron who turns a hand by right, or who holds the shoe where it passes, breaks no rule
by touching cards.
"""

from msgspec.structs import replace

from controller.procedure.acts.recording import begin_act, record_act, refuse_act, with_opening
from controller.procedure.events import ActReported
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, raise_irregularity
from controller.profiles.rule_points import RulePoint


def pass_shoe(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that the shoe passed to the patron of a seat."""
    if not book.shoe_passes:
        why = "the dealer draws the cards at this table: no seat holds the shoe"
        return refuse_act(book, state, event, why, RulePoint.DEALER_DRAWS)
    if event.seat == 0 or (book.seats and event.seat not in book.seats):
        seats = ", ".join(map(str, book.seats)) or "from 1"
        return refuse_act(book, state, event, f"name the seat: {seats}", RulePoint.SHOE_PASSES)
    opening = replace(state.opening, holder=event.seat)
    return record_act(book, with_opening(begin_act(state), opening), event, f"seat {event.seat}")


def record_cards_touched(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that somebody touched cards; `person` and `second` are the staff on duty."""
    shoe = state.shoe
    coup = shoe.coup if shoe is not None else None
    rights = (coup.reveal.player_seat, coup.reveal.banker_seat) if coup is not None else ()
    if event.seat and event.seat in rights:
        why = f"seat {event.seat} turns a hand of this coup by right: that is not an incident"
        return refuse_act(
            book, state, event, why, RulePoint.CARDS_UNTOUCHED, RulePoint.REVEAL_RIGHT
        )
    if event.seat and event.seat == state.opening.holder and book.shoe_passes:
        why = f"seat {event.seat} holds the shoe and deals: that is not an incident"
        return refuse_act(book, state, event, why, RulePoint.SHOE_PASSES)
    return _record_incident(book, state, event, IrregularityCode.CARDS_TOUCHED)


def record_wager_touched(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that a wager was touched after betting closed."""
    return _record_incident(book, state, event, IrregularityCode.WAGER_TOUCHED)


def _record_incident(
    book: RuleBook, state: TableState, event: ActReported, code: IrregularityCode
) -> Step:
    where = f"at seat {event.seat}" if event.seat else "by somebody without a seat"
    detail = f"{where}, on duty: {event.person}{f', {event.second}' if event.second else ''}"
    step = record_act(book, begin_act(state), event, detail)
    return raise_irregularity(book, step, code, detail)
