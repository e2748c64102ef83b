"""Conduct at the table: who touched cards or wagers, and who holds the shoe.

Source: NY (b)(4), (f)(3)(i), (i)(5); S42 (b)(5), (j)(5); HG-bac-shoe, HG-mini-dealer; WA-pre-1.

Decisions. A patron who turns a hand by right, or who holds the shoe where it passes, breaks no rule
by touching cards.
"""

from msgspec.structs import replace

from controller.procedure.acts.recording import begin_act, record_act, refuse_act, with_opening
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, raise_irregularity
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import message


def pass_shoe(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that the shoe passed to the patron of a seat."""
    if not book.shoe_passes:
        why = message("dealer_draws_cards_at_this_table")
        return refuse_act(book, state, act, why, RulePoint.DEALER_DRAWS)
    if act.action.seat == 0 or (book.seats and act.action.seat not in book.seats):
        why = message("name_seat_from_1")
        if book.seats:
            why = message("name_seat_of", seats=book.seats)
        return refuse_act(book, state, act, why, RulePoint.SHOE_PASSES)
    opening = replace(state.opening, holder=act.action.seat)
    return record_act(
        book,
        with_opening(begin_act(state), opening),
        act,
        message("seat_number", seat=act.action.seat),
    )


def record_cards_touched(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that somebody touched cards; `person` and `second` are the staff on duty."""
    shoe = state.shoe
    coup = shoe.coup if shoe is not None else None
    rights = (coup.reveal.player_seat, coup.reveal.banker_seat) if coup is not None else ()
    if act.action.seat and act.action.seat in rights:
        why = message("seat_turns_hand_this_coup_by_right", seat=act.action.seat)
        return refuse_act(book, state, act, why, RulePoint.CARDS_UNTOUCHED, RulePoint.REVEAL_RIGHT)
    if act.action.seat and act.action.seat == state.opening.holder and book.shoe_passes:
        why = message("seat_holds_shoe_and_deals_not_incident", seat=act.action.seat)
        return refuse_act(book, state, act, why, RulePoint.SHOE_PASSES)
    return _record_incident(book, state, act, IrregularityCode.CARDS_TOUCHED)


def record_wager_touched(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that a wager was touched after betting closed."""
    return _record_incident(book, state, act, IrregularityCode.WAGER_TOUCHED)


def _record_incident(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct], code: IrregularityCode
) -> Step:
    seat = act.action.seat
    where = message("at_seat", seat=seat) if seat else message("by_somebody_without_seat")
    staff = tuple(one for one in (act.person, act.action.second) if one)
    detail = message("incident_on_duty", where=where, staff=staff)
    step = record_act(book, begin_act(state), act, detail)
    return raise_irregularity(book, step, code, detail)
