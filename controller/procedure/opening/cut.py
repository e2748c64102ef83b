"""The cut: the order of the offer, its depth, where the cut cards go, and the re-cut.

Not: cut cards that leave the shoe (dealing.cut_card).
Source: S42 (e)(4)-(7); D-5, D-26.

Decisions. Seats before the one that cuts have declined. A cut too near an end is refused and cut
again; so are misplaced cut cards. A re-cut returns to the state before the cut; once any card has
left the shoe, the shoe is reloaded instead (D-5).
"""

import re

from msgspec.structs import replace

from controller.procedure.acts.recording import (
    begin_act,
    cards_in_shoe,
    complete_act,
    record_act,
    refuse_act,
    shoe_in_play,
    with_lineage,
    with_opening,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import NOBODY, THE_DEALER, OpeningDefect, OpeningState, TableState
from controller.procedure.step_result import Step
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import SUPERVISORS
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import SeatDirection, ShuffleMode
from foundation.message import Message, message

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


def offer_cut(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record the offer; `reference` names the seats in the order in which it was offered to them.

    Without one it was offered to all seats of the layout by the rule.
    """
    refusal = _refuse_any_cut(book, state, act)
    if refusal is not None:
        return refusal
    named = tuple(dict.fromkeys(int(seat) for seat in _NUMBER.findall(act.action.reference)))
    by_rule = offer_order(named or book.seats, book.values.seat_direction)
    order = named or by_rule
    opening = replace(state.opening, offered=order)
    step = complete_act(with_opening(begin_act(state), opening), act)
    detail = message("cut_offered_from_highest_seat")
    if order:
        detail = message("cut_offered_in_order", seats=order)
    if order != by_rule:
        detail = message("cut_offered_otherwise", seats=order, by_rule=by_rule)
    return record_act(book, step, act, detail)


def make_cut(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record a cut `amount` cards deep; seat 0, or the act cut-by-dealer, is the dealer."""
    refusal = _refuse_any_cut(book, state, act)
    if refusal is not None:
        return refusal
    opening = state.opening
    seat = THE_DEALER if act.action.kind is ActKind.CUT_BY_DEALER else act.action.seat
    if opening.recut_by and seat not in opening.recut_by:
        who = tuple(map(describe_cutter, opening.recut_by))
        why = message("recut_belongs_to", cutters=who)
        return refuse_act(book, state, act, why, RulePoint.RECUT_BY)
    if seat and opening.offered and seat not in opening.offered:
        order = opening.offered
        why = message("cut_offered_to_seats_not_to_seat", order=order, seat=seat)
        return refuse_act(book, state, act, why, RulePoint.CUT_OFFERED)
    least, cards = book.values.cut_min_cards_from_either_end, cards_in_shoe(book)
    most = cards - least
    if act.action.amount == 0 and book.observes(ObservableFact.CUT_DEPTH):
        why = message("state_depth_from_to_cards", least=least, most=most)
        return refuse_act(book, state, act, why, RulePoint.CUT_DEPTH)
    if act.action.amount and not least <= act.action.amount <= most:
        what = message(
            "cards_deep_from_to_allowed", amount=act.action.amount, least=least, most=most
        )
        defect = OpeningDefect(ActKind.CUT, IrregularityCode.CUT_TOO_SHALLOW, "", what)
        step = refuse_act(
            book,
            state,
            act,
            message("what_then_remedy", what=what, remedy=message("cut_again")),
            RulePoint.CUT_DEPTH,
        )
        return with_opening(step, opening.with_defect(defect))
    return _complete_cut(book, state, act, seat)


def _complete_cut(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct], seat: int
) -> Step:
    """Complete the cut; the record of a re-cut says which of the two entitled made it."""
    opening = state.opening
    defects = tuple(defect for defect in opening.defects if defect.act is not ActKind.CUT)
    step = with_opening(
        begin_act(state), replace(opening, cutter=seat, recut_by=(), defects=defects)
    )
    points = (RulePoint.CUT_DEPTH, *((RulePoint.CUT_BY_DEALER,) if seat == THE_DEALER else ()))
    detail = _describe_cut(seat, act.action.amount)
    if opening.recut_by:
        last = seat == opening.recut_by[0]
        which = message("last_to_cut") if last else message("next_entitled")
        detail = message("recut_recorded", cut=detail, which=which)
        points = (*points, RulePoint.RECUT_BY)
    step = complete_act(step, act, amount=act.action.amount)
    return record_act(book, step, act, detail, *points)


def _describe_cut(seat: int, depth: int) -> Message:
    cutter = describe_cutter(seat)
    if depth:
        return message("cut_by_to_depth", cutter=cutter, depth=depth)
    return message("by_cutter", cutter=cutter)


def move_cut_cards(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that the cards in front of the cut card were moved to the back."""
    refusal = _refuse_any_cut(book, state, act) or _refuse_uncut(
        book, state, act, RulePoint.CUT_MOVED
    )
    return refusal or record_act(book, complete_act(begin_act(state), act), act)


def place_cut_cards(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record the cut cards; `amount` cards are behind the first one, 0 where not stated."""
    points = (RulePoint.CUT_CARD_PLACEMENT, RulePoint.SECOND_CUT_CARD)
    refusal = _refuse_any_cut(book, state, act) or _refuse_uncut(book, state, act, points[0])
    if refusal is not None:
        return refusal
    least = book.values.cut_card_min_from_back
    if act.action.amount == 0 and book.observes(ObservableFact.CUT_DEPTH):
        why = message("state_how_many_cards_behind_cut_card", least=least)
        return refuse_act(book, state, act, why, points[0])
    if 0 < act.action.amount < least or act.action.amount >= cards_in_shoe(book):
        cards = cards_in_shoe(book)
        what = message(
            "some_cards_behind_at_least_required",
            amount=act.action.amount,
            least=least,
            cards=cards,
        )
        defect = OpeningDefect(act.action.kind, IrregularityCode.CUT_CARD_PLACEMENT, "", what)
        step = refuse_act(
            book,
            state,
            act,
            message("what_then_remedy", what=what, remedy=message("place_it_again")),
            points[0],
        )
        return with_opening(step, state.opening.with_defect(defect))
    behind = act.action.amount
    detail = message("cards_behind_first_cut_card", behind=behind) if behind else ""
    return record_act(
        book, complete_act(begin_act(state), act, amount=act.action.amount), act, detail
    )


def order_recut(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record a floorperson's order of a re-cut, because the cut was improper."""
    why = _refusal_to_recut(state, act)
    if why is not None:
        return refuse_act(book, state, act, why, RulePoint.RECUT)
    opening = state.opening
    candidates = _entitled_to_recut(opening)
    opening = opening.without(*_CUT_ACTS[1:], ActKind.LOADED)
    opening = replace(opening, recut_by=candidates)
    lineage = replace(state.lineage, loaded="")
    first = describe_cutter(candidates[0])
    detail = message("recut_by_last_to_cut", first=first)
    if len(candidates) > 1:
        following = describe_cutter(candidates[1])
        detail = message("recut_by_last_or_next", first=first, following=following)
    step = with_lineage(with_opening(begin_act(state), opening), lineage)
    return record_act(book, step, act, detail)


def _refusal_to_recut(state: TableState, act: OperatorAction[RecordAct]) -> Message | None:
    if act.role not in SUPERVISORS:
        return message("floorperson_orders_re_cut")
    if not act.reason:
        return message("give_reason_what_improper_about_cut")
    if shoe_in_play(state):
        # Burn cards were shown, and after the first coup it is no longer the cut that is at fault.
        return message("close_shoe_and_reload_to_cut")
    if state.opening.cutter == NOBODY:
        return message("nothing_cut_yet_offer_cut")
    return None


def _entitled_to_recut(opening: OpeningState) -> tuple[int, ...]:
    """The last to cut, and the next seat in the order of the offer, else the dealer."""
    last = opening.cutter
    if last == THE_DEALER:
        return (THE_DEALER,)
    if last not in opening.offered:
        return (last, THE_DEALER)
    after = opening.offered[opening.offered.index(last) + 1 :]
    return (last, after[0] if after else THE_DEALER)


def describe_cutter(seat: int) -> Message:
    return message("the_dealer") if seat == THE_DEALER else message("seat_number", seat=seat)


def _refuse_any_cut(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Step | None:
    """Refuse any cut that cannot be made now; None where it can."""
    if book.values.shuffle_mode is ShuffleMode.CONTINUOUS:
        why = message("continuous_shuffler_no_cut")
        return refuse_act(book, state, act, why, RulePoint.CONTINUOUS_SHUFFLER)
    if shoe_in_play(state):
        why = message("no_cut_while_shoe_is_dealt")
        return refuse_act(book, state, act, why, RulePoint.CUT_OFFERED)
    return None


def _refuse_uncut(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct], point: RulePoint
) -> Step | None:
    if state.opening.cutter == NOBODY or state.opening.recut_by:
        return refuse_act(book, state, act, message("cards_not_cut_yet_record_cut"), point)
    return None
