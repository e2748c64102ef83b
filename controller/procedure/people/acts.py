"""Sends each act of a person to its handler; received cards, their shuffle, and conduct.

Source: NY (a)(2), (b)(4), (d), (f)(3)(i), (i)(5); S42 (b)(5), (d), (e)(1)-(3), (j)(5); NJ 1.12(d);
WA shuffle; WA-pre-1; HG-bac-shoe, HG-mini-dealer; D-34.

Decisions. A patron who turns a hand by right, or who holds the shoe where it passes, breaks no rule
by touching cards.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec.structs import replace

from controller.custody.moves import BatchCounted
from controller.procedure.acts.discard_rack import record_rack_cleared, record_rack_count
from controller.procedure.acts.duties import (
    ACTS_PER_SHOE,
    BATCH_ACTS,
    RECEIPT_ACTS,
    accepts_preshuffled,
)
from controller.procedure.acts.recording import (
    begin_act,
    cards_in_shoe,
    complete_act,
    describe_miscount,
    record_act,
    refuse_act,
    shoe_in_play,
    uses_two_batches,
    with_lineage,
    with_opening,
    without_stack,
)
from controller.procedure.effects import PromptKind
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.batches import (
    load_batch,
    put_into_shuffler,
    record_foreign_back,
    record_shuffler_opened,
    release_batch,
    suspend_alternation,
)
from controller.procedure.opening.cut import (
    make_cut,
    move_cut_cards,
    offer_cut,
    order_recut,
    place_cut_cards,
)
from controller.procedure.opening.dead_table import (
    record_cards_viewed,
    record_respread,
    request_respread,
    spread_cards,
)
from controller.procedure.people.stated_shoe import report_jam, state_shoe_empty
from controller.procedure.people.wager_statements import record_verbal_wager
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import apply_act, contradiction
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, prompt, raise_irregularity
from controller.procedure.wagering.wagers import refusal_to_reshuffle
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import SUPERVISORS
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from foundation.message import Message, message

ActHandler: TypeAlias = Callable[[RuleBook, TableState, OperatorAction[RecordAct]], Step]

_BY_HAND_ONLY: Final = (ActKind.FEATHERED, ActKind.LACED, ActKind.RESHUFFLED)


def act_reported(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record a named person's act, or refuse it."""
    if (
        act.action.kind in BATCH_ACTS
        and uses_two_batches(book)
        and act.action.batch not in book.backs
    ):
        why = message("name_the_batch", backs=book.backs)
        return refuse_act(book, state, act, why, RulePoint.BATCH_SETS, RulePoint.BATCH_ONE_BACK)
    refusal = contradiction(book, state, act)
    if refusal is not None:
        return refusal
    step = _HANDLERS.get(act.action.kind, _complete)(book, state, act)
    return apply_act(book, state, step, act)


def _complete(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record an act that needs no check."""
    return record_act(book, complete_act(begin_act(state), act), act)


def _recount(step: Step, batch: str) -> Step:
    """Note that this batch was counted again, or replaced by new cards."""
    lineage = step.state.lineage
    short = tuple(one for one in lineage.short if one != batch)
    return with_lineage(step, replace(lineage, short=short))


def _batch(book: RuleBook, act: OperatorAction[RecordAct]) -> str:
    return act.action.batch if uses_two_batches(book) else ""


def _complete_with_reference(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Step:
    """Record an act that needs the number of a document."""
    if not act.action.reference:
        why = message("reference_needed")
        points = (RulePoint.LAYOUT_APPROVED, RulePoint.OPENING_PRESHUFFLED)
        own = points[0] if act.action.kind is ActKind.LAYOUT_APPROVED else points[1]
        return refuse_act(book, state, act, why, own)
    return _complete(book, state, act)


# --- cards are received ---------------------------------------------------------------------------


def _receive_cards(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record new cards: every act on the old cards of this batch is due again."""
    batch = _batch(book, act)
    if shoe_in_play(state) and batch in ("", state.lineage.last_dealt):
        why = message("these_cards_in_play_close_shoe_first")
        return refuse_act(book, state, act, why, RulePoint.OPENING_INSPECTED)
    opening = state.opening.without(*RECEIPT_ACTS, *ACTS_PER_SHOE, batch=batch)
    step = _recount(with_opening(begin_act(state), opening), batch)
    return record_act(book, step, act, batch)


def _receive_preshuffled(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    if not accepts_preshuffled(book.values):
        why = message("these_rules_do_not_allow_preshuffled_cards")
        return refuse_act(book, state, act, why, RulePoint.OPENING_INSPECTED, RulePoint.SHUFFLED)
    if not act.action.reference:
        return _complete_with_reference(book, state, act)
    batch = _batch(book, act)
    return record_act(book, complete_act(begin_act(state), act, batch), act, batch)


def _record_count(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record or refuse a count of received cards; custody compares it with its batch either way."""
    step = _check_received_cards(book, state, act)
    if not act.action.amount:
        return step
    counted = BatchCounted(
        act.action.batch, act.action.amount, message("kind_counted", kind=act.action.kind.value)
    )
    return step.with_move(counted)


def _check_received_cards(
    book: RuleBook, state: TableState, act: OperatorAction[RecordAct]
) -> Step:
    batch = _batch(book, act)
    if act.action.kind is ActKind.VERIFIED:
        why = _refusal_to_verify(state, act, batch)
        if why is not None:
            return refuse_act(book, state, act, why, RulePoint.OPENING_VERIFIED)
    due = cards_in_shoe(book)
    if act.action.amount not in (0, due):
        miscount = describe_miscount(act.action.amount, due)
        why = message("count_every_deck_again_name_what_missing", miscount=miscount)
        points = (RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL, RulePoint.OPENING_INSPECTED)
        return refuse_act(book, state, act, why, *points)
    step = complete_act(begin_act(state), act, batch, act.action.amount)
    if act.action.amount and act.action.kind in (ActKind.INSPECTED, ActKind.VERIFIED):
        step = _recount(step, batch)
    return record_act(book, step, act, batch)


def _refusal_to_verify(
    state: TableState, act: OperatorAction[RecordAct], batch: str
) -> Message | None:
    """Why this person may not verify the inspection; None where the person may."""
    if act.role not in SUPERVISORS:
        return message("floorperson_verifies_inspection")
    inspected = state.opening.find(ActKind.INSPECTED, batch)
    if inspected is None:
        return message("record_inspection_first")
    if inspected.person == act.person:
        return message("inspected_cards_somebody_else_must_verify_them", person=act.person)
    return None


# --- shuffle --------------------------------------------------------------------------------------


def _shuffle(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    batch = _batch(book, act)
    cards_in_play = shoe_in_play(state) and batch in ("", state.lineage.last_dealt)
    if cards_in_play:
        why = message("these_cards_in_play_end_or_close")
        return refuse_act(book, state, act, why, RulePoint.SHUFFLED)
    owed = refusal_to_reshuffle(book, state) if batch in ("", state.lineage.last_dealt) else None
    if owed is not None:
        return begin_act(state).with_effect(owed)
    step = begin_act(state)
    # A stack that is shuffled by hand has to be cut, whatever was done with it before.
    opening = state.opening if uses_two_batches(book) else without_stack(state.opening)
    step = complete_act(with_opening(step, opening), act, batch)
    if batch == state.lineage.in_shuffler:
        step = with_lineage(step, replace(state.lineage, opened=False))
    mode = ShuffleMode.HAND if book.tracks_batches else book.values.shuffle_mode
    cards = batch or message("all_cards")
    detail = message("cards_mode", cards=cards, mode=mode.value)
    return record_act(book, step, act, detail, *_documented_points(book))


def _documented_points(book: RuleBook) -> tuple[RulePoint, ...]:
    """The point of a shuffle that the house's internal controls have to describe."""
    own = book.clauses(RulePoint.SHUFFLE_DOCUMENTED)
    device = book.clauses(RulePoint.CONTINUOUS_SHUFFLER)
    if all(clause in device for clause in own):
        return ()
    return (RulePoint.SHUFFLE_DOCUMENTED,)


def _finish_shuffle(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record feathering, lacing or a further shuffle of a stack shuffled by hand."""
    if book.values.shuffle_mode is not ShuffleMode.HAND:
        why = message("only_after_shuffle_by_hand")
        return refuse_act(book, state, act, why, RulePoint.SHUFFLE_FINISH)
    before = ActKind.LACED if act.action.kind is ActKind.RESHUFFLED else ActKind.SHUFFLED
    if not state.opening.has(before):
        why = message("record_first_cards_before", before=before.value)
        return refuse_act(book, state, act, why, RulePoint.SHUFFLE_FINISH)
    step = _complete(book, state, act)
    if act.action.kind is not ActKind.FEATHERED:
        return step
    text = message("floorperson_checks_feathered_stack")
    return prompt(book, step, PromptKind.SHUFFLE_AND_CUT, text, RulePoint.SHUFFLE_FINISH)


def _check_feathered(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record a floorperson's check of the feathered stack (S42-e-2-i)."""
    why = None
    if act.role not in SUPERVISORS:
        why = message("floorperson_checks_feathered_stack")
    elif not state.opening.has(ActKind.FEATHERED):
        why = message("record_first_cards_before", before=ActKind.FEATHERED.value)
    if why is not None:
        return refuse_act(book, state, act, why, RulePoint.SHUFFLE_FINISH)
    return record_act(book, begin_act(state), act)


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


_HANDLERS: Final[Mapping[ActKind, ActHandler]] = MappingProxyType(
    {
        ActKind.LAYOUT_APPROVED: _complete_with_reference,
        ActKind.RECEIVED: _receive_cards,
        ActKind.PRESHUFFLED: _receive_preshuffled,
        ActKind.INSPECTED: _record_count,
        ActKind.VERIFIED: _record_count,
        ActKind.SPREAD: _check_received_cards,
        ActKind.WASHED: _check_received_cards,
        ActKind.STACKED: _check_received_cards,
        ActKind.SHUFFLED: _shuffle,
        ActKind.FEATHERED: _finish_shuffle,
        ActKind.FEATHER_CHECKED: _check_feathered,
        ActKind.LACED: _finish_shuffle,
        ActKind.RESHUFFLED: _finish_shuffle,
        ActKind.CUT_OFFERED: offer_cut,
        ActKind.CUT: make_cut,
        ActKind.CUT_BY_DEALER: make_cut,
        ActKind.CUT_MOVED: move_cut_cards,
        ActKind.CUT_CARDS_PLACED: place_cut_cards,
        ActKind.RECUT: order_recut,
        ActKind.LOADED: load_batch,
        ActKind.INTO_SHUFFLER: put_into_shuffler,
        ActKind.RELEASED: release_batch,
        ActKind.SHUFFLER_OPENED: record_shuffler_opened,
        ActKind.DISCARD_COUNTED: record_rack_count,
        ActKind.DISCARD_CLEARED: record_rack_cleared,
        ActKind.FOREIGN_BACK: record_foreign_back,
        ActKind.ALTERNATION_SUSPENDED: suspend_alternation,
        ActKind.DEAD_TABLE_SPREAD: spread_cards,
        ActKind.DEAD_TABLE_VIEWED: record_cards_viewed,
        ActKind.RESPREAD_ASKED: request_respread,
        ActKind.RESPREAD: record_respread,
        ActKind.SHOE_PASSED: pass_shoe,
        ActKind.CARDS_TOUCHED: record_cards_touched,
        ActKind.WAGER_TOUCHED: record_wager_touched,
        ActKind.SHOE_EMPTY: state_shoe_empty,
        ActKind.SHOE_JAMMED: report_jam,
        ActKind.VERBAL_WAGER: record_verbal_wager,
    }
)
