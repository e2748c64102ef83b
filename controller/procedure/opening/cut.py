"""The cut: the order of the offer, its depth, where the cut cards go, and the re-cut.

Not: cut cards that leave the shoe (dealing.cut_card).
Source: S42 (e)(4)-(7); D-5, D-26.

Decisions. Seats before the one that cuts have declined. A cut too near an end is refused and cut
again; so are misplaced cut cards. A re-cut returns to the state before the cut; once any card has
left the shoe, the shoe is reloaded instead (D-5).
"""

import re

from msgspec.structs import replace

from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.recording import (
    SUPERVISORS,
    begin_act,
    cards_in_shoe,
    complete_act,
    record_act,
    refuse_act,
    shoe_in_play,
    with_opening,
)
from controller.procedure.events import ActReported
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.opening import NOBODY, THE_DEALER, OpeningDefect, OpeningState
from controller.procedure.step_result import Step
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import SeatDirection, ShuffleMode

_NUMBER = re.compile(r"[1-9][0-9]?")
_CUT_ACTS = (
    ActKind.CUT_OFFERED,
    ActKind.CUT,
    ActKind.CUT_BY_DEALER,
    ActKind.CUT_MOVED,
    ActKind.CUT_CARDS_PLACED,
)


def offer_order(seats: tuple[int, ...], direction: SeatDirection) -> tuple[int, ...]:
    """Seats from the highest clockwise: descending where seats count counter-clockwise (D-26)."""
    downwards = tuple(sorted(seats, reverse=True))
    if direction is SeatDirection.COUNTER_CLOCKWISE:
        return downwards
    return (*downwards[:1], *sorted(downwards[1:]))


def offer_cut(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record the offer; `reference` names the occupied seats, else all seats of the layout."""
    refusal = _refuse_any_cut(book, state, event)
    if refusal is not None:
        return refusal
    named = tuple(dict.fromkeys(int(seat) for seat in _NUMBER.findall(event.reference)))
    seats = named or book.seats
    order = offer_order(seats, book.values.seat_direction)
    opening = replace(state.opening, offered=order)
    step = complete_act(with_opening(begin_act(state), opening), event)
    words = ", ".join(map(str, order)) or "from the highest seat clockwise"
    return record_act(book, step, event, f"offered to seats in the order {words}, then the dealer")


def make_cut(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record a cut `amount` cards deep; seat 0, or the act cut-by-dealer, is the dealer."""
    refusal = _refuse_any_cut(book, state, event)
    if refusal is not None:
        return refusal
    opening = state.opening
    seat = THE_DEALER if event.kind is ActKind.CUT_BY_DEALER else event.seat
    if opening.recut_by and seat not in opening.recut_by:
        who = _describe_cutters(opening.recut_by)
        why = f"the re-cut belongs to {who}: the last to cut or the next entitled"
        return refuse_act(book, state, event, why, RulePoint.RECUT_BY)
    if seat and opening.offered and seat not in opening.offered:
        order = ", ".join(map(str, opening.offered))
        why = f"the cut was offered to seats {order}, not to seat {seat}; offer it first"
        return refuse_act(book, state, event, why, RulePoint.CUT_OFFERED)
    least, cards = book.values.cut_min_cards_from_either_end, cards_in_shoe(book)
    most = cards - least
    if event.amount == 0 and book.observes(ObservableFact.CUT_DEPTH):
        why = f"state the depth: from {least} to {most} cards"
        return refuse_act(book, state, event, why, RulePoint.CUT_DEPTH)
    if event.amount and not least <= event.amount <= most:
        what = f"{event.amount} cards deep; from {least} to {most} is allowed"
        defect = OpeningDefect(ActKind.CUT, IrregularityCode.CUT_TOO_SHALLOW, "", what)
        step = refuse_act(book, state, event, f"{what}: cut again", RulePoint.CUT_DEPTH)
        return with_opening(step, opening.with_defect(defect))
    return _complete_cut(book, state, event, seat)


def _complete_cut(book: RuleBook, state: TableState, event: ActReported, seat: int) -> Step:
    """Complete the cut; the record of a re-cut says which of the two entitled made it."""
    opening = state.opening
    defects = tuple(defect for defect in opening.defects if defect.act is not ActKind.CUT)
    step = with_opening(
        begin_act(state), replace(opening, cutter=seat, recut_by=(), defects=defects)
    )
    depth = f", {event.amount} cards deep" if event.amount else ""
    points = (RulePoint.CUT_DEPTH, *((RulePoint.CUT_BY_DEALER,) if seat == THE_DEALER else ()))
    detail = f"by {describe_cutter(seat)}{depth}"
    if opening.recut_by:
        which = "the last to cut" if seat == opening.recut_by[0] else "the next entitled"
        detail, points = f"re-cut {detail}: {which}", (*points, RulePoint.RECUT_BY)
    step = complete_act(step, event, amount=event.amount)
    return record_act(book, step, event, detail, *points)


def move_cut_cards(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that the cards in front of the cut card were moved to the back."""
    refusal = _refuse_any_cut(book, state, event) or _refuse_uncut(
        book, state, event, RulePoint.CUT_MOVED
    )
    return refusal or record_act(book, complete_act(begin_act(state), event), event)


def place_cut_cards(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record the cut cards; `amount` cards are behind the first one, 0 where not stated."""
    points = (RulePoint.CUT_CARD_PLACEMENT, RulePoint.SECOND_CUT_CARD)
    refusal = _refuse_any_cut(book, state, event) or _refuse_uncut(book, state, event, points[0])
    if refusal is not None:
        return refusal
    least = book.values.cut_card_min_from_back
    if event.amount == 0 and book.observes(ObservableFact.CUT_DEPTH):
        why = f"state how many cards are behind the cut card: at least {least}"
        return refuse_act(book, state, event, why, points[0])
    if 0 < event.amount < least or event.amount >= cards_in_shoe(book):
        cards = cards_in_shoe(book)
        what = f"{event.amount} cards behind it, at least {least} of {cards} are required"
        defect = OpeningDefect(event.kind, IrregularityCode.CUT_CARD_PLACEMENT, "", what)
        step = refuse_act(book, state, event, f"{what}: place it again", points[0])
        return with_opening(step, state.opening.with_defect(defect))
    detail = f"{event.amount} cards behind the first" if event.amount else ""
    return record_act(
        book, complete_act(begin_act(state), event, amount=event.amount), event, detail
    )


def order_recut(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record a floorperson's order of a re-cut, because the cut was improper."""
    why = _refusal_to_recut(state, event)
    if why:
        return refuse_act(book, state, event, why, RulePoint.RECUT)
    opening = state.opening
    candidates = _entitled_to_recut(opening)
    opening = opening.without(*_CUT_ACTS[1:], ActKind.LOADED)
    opening = replace(opening, recut_by=candidates, loaded="")
    detail = f"by the last to cut, {describe_cutter(candidates[0])}"
    if len(candidates) > 1:
        detail += f", or the next entitled, {describe_cutter(candidates[1])}"
    return record_act(book, with_opening(begin_act(state), opening), event, detail)


def _refusal_to_recut(state: TableState, event: ActReported) -> str:
    if event.role not in SUPERVISORS:
        return "a floorperson orders a re-cut"
    if not event.reason:
        return "give the reason: what was improper about the cut"
    if shoe_in_play(state):
        # Burn cards were shown, and after the first coup it is no longer the cut that is at fault.
        return (
            "cards have left the shoe: close it and reload (all cards back, new shuffle, cut and"
            " burn; the same batch may come back where no coup was dealt)"
        )
    if state.opening.cutter == NOBODY:
        return "nothing is cut yet: offer the cut"
    return ""


def _entitled_to_recut(opening: OpeningState) -> tuple[int, ...]:
    """The last to cut, and the next seat in the order of the offer, else the dealer."""
    last = opening.cutter
    if last == THE_DEALER:
        return (THE_DEALER,)
    if last not in opening.offered:
        return (last, THE_DEALER)
    after = opening.offered[opening.offered.index(last) + 1 :]
    return (last, after[0] if after else THE_DEALER)


def describe_cutter(seat: int) -> str:
    return "the dealer" if seat == THE_DEALER else f"seat {seat}"


def _describe_cutters(seats: tuple[int, ...]) -> str:
    return " or ".join(describe_cutter(seat) for seat in seats)


def _refuse_any_cut(book: RuleBook, state: TableState, event: ActReported) -> Step | None:
    """Refuse any cut that cannot be made now; None where it can."""
    if book.values.shuffle_mode is ShuffleMode.CONTINUOUS:
        why = "a continuous shuffler has no cut"
        return refuse_act(book, state, event, why, RulePoint.CONTINUOUS_SHUFFLER)
    if shoe_in_play(state):
        why = "cards have left the shoe: nothing is cut before the shoe is over or closed"
        return refuse_act(book, state, event, why, RulePoint.CUT_OFFERED)
    return None


def _refuse_uncut(
    book: RuleBook, state: TableState, event: ActReported, point: RulePoint
) -> Step | None:
    if state.opening.cutter == NOBODY or state.opening.recut_by:
        return refuse_act(book, state, event, "the cards are not cut yet: record the cut", point)
    return None
