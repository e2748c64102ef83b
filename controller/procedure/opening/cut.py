"""The cut: to whom it is offered, how deep it may be, where the cut cards go, and the re-cut.

Responsible for: the acts of the cut, from the offer to a re-cut that a supervisor orders.
Not responsible for: cut cards that leave the shoe (cutting) and for what is missing at the first
card (loading).
Source: S42 (e)(4)-(7); D-5, D-26.

Decisions. Seats in front of the one that cuts have declined. A cut too near an end is refused and
cut again; so are cut cards that are not where they belong. A re-cut goes back to before the cut;
once any card has left the shoe it is a reload instead (D-5).
"""

import re

from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.recording import (
    SUPERVISORS,
    begin,
    cards_in_shoe,
    in_play,
    kept,
    recorded,
    refused,
    with_opening,
)
from controller.procedure.events import ActRecorded
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.opening import NOBODY, THE_DEALER, Fault, OpeningState
from controller.procedure.step_result import Step
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import SeatDirection, ShuffleMode
from firmware_bridge.values import replace

_NUMBER = re.compile(r"[1-9][0-9]?")
_CUT_ACTS = (
    ActKind.CUT_OFFERED,
    ActKind.CUT,
    ActKind.CUT_BY_DEALER,
    ActKind.CUT_MOVED,
    ActKind.CUT_CARDS_PLACED,
)


def offer_order(seats: tuple[int, ...], direction: SeatDirection) -> tuple[int, ...]:
    """From the highest seat clockwise: descending where seats ascend counter-clockwise (D-26)."""
    downwards = tuple(sorted(seats, reverse=True))
    if direction is SeatDirection.COUNTER_CLOCKWISE:
        return downwards
    return (*downwards[:1], *sorted(downwards[1:]))


def cut_offered(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The cut is offered; `reference` names the occupied seats, else all seats of the layout."""
    hindered = _hindered(book, state, event)
    if hindered is not None:
        return hindered
    named = tuple(dict.fromkeys(int(seat) for seat in _NUMBER.findall(event.reference)))
    seats = named or book.seats
    order = offer_order(seats, book.values.seat_direction)
    opening = replace(state.opening, offered=order)
    step = kept(with_opening(begin(state), opening), event)
    words = ", ".join(map(str, order)) or "from the highest seat clockwise"
    return recorded(book, step, event, f"offered to seats in the order {words}, then the dealer")


def cut(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """Somebody cuts `amount` cards deep; seat 0, or the dealer's own act, is the dealer."""
    hindered = _hindered(book, state, event)
    if hindered is not None:
        return hindered
    opening = state.opening
    seat = THE_DEALER if event.kind is ActKind.CUT_BY_DEALER else event.seat
    if opening.recut_by and seat not in opening.recut_by:
        why = f"the re-cut is {_either(opening.recut_by)}'s: the last to cut or the next entitled"
        return refused(book, state, event, why, RulePoint.RECUT_BY)
    if seat and opening.offered and seat not in opening.offered:
        order = ", ".join(map(str, opening.offered))
        why = f"the cut was offered to seats {order}, not to seat {seat}; offer it first"
        return refused(book, state, event, why, RulePoint.CUT_OFFERED)
    least, cards = book.values.cut_min_cards_from_either_end, cards_in_shoe(book)
    most = cards - least
    if event.amount == 0 and book.observes(Fact.CUT_DEPTH):
        why = f"say how deep: from {least} to {most} cards"
        return refused(book, state, event, why, RulePoint.CUT_DEPTH)
    if event.amount and not least <= event.amount <= most:
        what = f"{event.amount} cards deep; from {least} to {most} is allowed"
        fault = Fault(ActKind.CUT, IrregularityCode.CUT_TOO_SHALLOW, "", what)
        step = refused(book, state, event, f"{what}: cut again", RulePoint.CUT_DEPTH)
        return with_opening(step, opening.with_fault(fault))
    return _taken(book, state, event, seat)


def _taken(book: RuleBook, state: TableState, event: ActRecorded, seat: int) -> Step:
    """The cut stands; of a re-cut the record says which of the two carried it out."""
    opening = state.opening
    faults = tuple(fault for fault in opening.faults if fault.act is not ActKind.CUT)
    step = with_opening(begin(state), replace(opening, cutter=seat, recut_by=(), faults=faults))
    depth = f", {event.amount} cards deep" if event.amount else ""
    points = (RulePoint.CUT_DEPTH, *((RulePoint.CUT_BY_DEALER,) if seat == THE_DEALER else ()))
    detail = f"by {cutter_in_words(seat)}{depth}"
    if opening.recut_by:
        which = "the last to cut" if seat == opening.recut_by[0] else "the next entitled"
        detail, points = f"re-cut {detail}: {which}", (*points, RulePoint.RECUT_BY)
    step = kept(step, event, amount=event.amount)
    return recorded(book, step, event, detail, *points)


def cut_moved(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The cards in front of the cut card went to the back."""
    hindered = _hindered(book, state, event) or _not_cut(book, state, event, RulePoint.CUT_MOVED)
    return hindered or recorded(book, kept(begin(state), event), event)


def cut_cards_placed(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The cut cards are in place; `amount` cards are behind the first one, 0 where not stated."""
    points = (RulePoint.CUT_CARD_PLACEMENT, RulePoint.SECOND_CUT_CARD)
    hindered = _hindered(book, state, event) or _not_cut(book, state, event, points[0])
    if hindered is not None:
        return hindered
    least = book.values.cut_card_min_from_back
    if event.amount == 0 and book.observes(Fact.CUT_DEPTH):
        why = f"say how many cards are behind the cut card: at least {least}"
        return refused(book, state, event, why, points[0])
    if 0 < event.amount < least or event.amount >= cards_in_shoe(book):
        what = f"{event.amount} cards behind it, at least {least} of {cards_in_shoe(book)} are due"
        fault = Fault(event.kind, IrregularityCode.CUT_CARD_PLACEMENT, "", what)
        step = refused(book, state, event, f"{what}: place it again", points[0])
        return with_opening(step, state.opening.with_fault(fault))
    detail = f"{event.amount} cards behind the first" if event.amount else ""
    return recorded(book, kept(begin(state), event, amount=event.amount), event, detail)


def recut_ordered(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A supervisor orders a re-cut because the cut was improper or harms the game."""
    why = _no_recut(state, event)
    if why:
        return refused(book, state, event, why, RulePoint.RECUT)
    opening = state.opening
    candidates = _entitled(opening)
    opening = opening.without(*_CUT_ACTS[1:], ActKind.LOADED)
    opening = replace(opening, recut_by=candidates, loaded="")
    detail = f"by the last to cut, {cutter_in_words(candidates[0])}"
    if len(candidates) > 1:
        detail += f", or the next entitled, {cutter_in_words(candidates[1])}"
    return recorded(book, with_opening(begin(state), opening), event, detail)


def _no_recut(state: TableState, event: ActRecorded) -> str:
    if event.role not in SUPERVISORS:
        return "a floorperson orders a re-cut"
    if not event.reason:
        return "say the reason: what was improper with the cut"
    if in_play(state):
        # Burn cards were shown, and after the first coup it is no longer the cut that is at fault.
        return (
            "cards have left the shoe: close it and reload (all cards back, new shuffle, cut and"
            " burn; the same batch may come back where no coup was dealt)"
        )
    if state.opening.cutter == NOBODY:
        return "nothing is cut yet: offer the cut"
    return ""


def _entitled(opening: OpeningState) -> tuple[int, ...]:
    """The last to cut, and the seat after that one in the order of the offer, else the dealer."""
    last = opening.cutter
    if last == THE_DEALER:
        return (THE_DEALER,)
    if last not in opening.offered:
        return (last, THE_DEALER)
    after = opening.offered[opening.offered.index(last) + 1 :]
    return (last, after[0] if after else THE_DEALER)


def cutter_in_words(seat: int) -> str:
    return "the dealer" if seat == THE_DEALER else f"seat {seat}"


def _either(seats: tuple[int, ...]) -> str:
    return " or ".join(cutter_in_words(seat) for seat in seats)


def _hindered(book: RuleBook, state: TableState, event: ActRecorded) -> Step | None:
    """Why nothing can be cut now."""
    if book.values.shuffle_mode is ShuffleMode.CONTINUOUS:
        why = "a continuous shuffler has no cut"
        return refused(book, state, event, why, RulePoint.CONTINUOUS_SHUFFLER)
    if in_play(state):
        why = "cards have left the shoe: nothing is cut before it is over or closed"
        return refused(book, state, event, why, RulePoint.CUT_OFFERED)
    return None


def _not_cut(
    book: RuleBook, state: TableState, event: ActRecorded, point: RulePoint
) -> Step | None:
    if state.opening.cutter == NOBODY or state.opening.recut_by:
        return refused(book, state, event, "the cards are not cut yet: record the cut", point)
    return None
