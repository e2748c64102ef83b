"""Sends each act of a person to its handler; acts on received cards and their shuffle.

Source: NY (a)(2), (d); S42 (d), (e)(1)-(3); NJ 1.12(d); WA shuffle; D-34.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec.structs import replace

from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.discard_rack import record_rack_cleared, record_rack_count
from controller.procedure.acts.duties import (
    ACTS_PER_SHOE,
    BATCH_ACTS,
    RECEIPT_ACTS,
    accepts_preshuffled,
)
from controller.procedure.acts.recording import (
    SUPERVISORS,
    begin_act,
    cards_in_shoe,
    complete_act,
    describe_miscount,
    record_act,
    refuse_act,
    shoe_in_play,
    uses_two_batches,
    with_opening,
    without_stack,
)
from controller.procedure.events import ActReported
from controller.procedure.opening.batches import (
    load_batch,
    put_into_shuffler,
    record_foreign_back,
    record_shuffler_opened,
    release_batch,
    suspend_alternation,
)
from controller.procedure.opening.conduct import (
    pass_shoe,
    record_cards_touched,
    record_wager_touched,
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
from controller.procedure.shuffler.operator_facts import apply_act, contradiction
from controller.procedure.state import TableState
from controller.procedure.step_result import Step
from controller.procedure.wagering.wagers import refusal_to_reshuffle
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode

ActHandler: TypeAlias = Callable[[RuleBook, TableState, ActReported], Step]

_BY_HAND_ONLY: Final = (ActKind.FEATHERED, ActKind.LACED, ActKind.RESHUFFLED)


def act_reported(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record a named person's act, or refuse it."""
    if event.kind in BATCH_ACTS and uses_two_batches(book) and event.batch not in book.backs:
        backs = " or ".join(book.backs)
        why = f"name the batch: {backs}"
        return refuse_act(book, state, event, why, RulePoint.BATCH_SETS, RulePoint.BATCH_ONE_BACK)
    refusal = contradiction(book, state, event)
    if refusal is not None:
        return refusal
    step = _HANDLERS.get(event.kind, _complete)(book, state, event)
    return apply_act(book, state, step, event)


def _complete(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record an act that needs no check."""
    return record_act(book, complete_act(begin_act(state), event), event)


def _batch(book: RuleBook, event: ActReported) -> str:
    return event.batch if uses_two_batches(book) else ""


def _complete_with_reference(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record an act that needs the number of a document."""
    if not event.reference:
        why = "give the reference: the number of the approval, the receipt or the package"
        points = (RulePoint.LAYOUT_APPROVED, RulePoint.OPENING_PRESHUFFLED)
        own = points[0] if event.kind is ActKind.LAYOUT_APPROVED else points[1]
        return refuse_act(book, state, event, why, own)
    return _complete(book, state, event)


# --- cards are received ---------------------------------------------------------------------------


def _receive_cards(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record new cards: every act on the old cards of this batch is due again."""
    batch = _batch(book, event)
    if shoe_in_play(state) and batch in ("", state.opening.last_batch):
        why = "these cards are in play: close the shoe first"
        return refuse_act(book, state, event, why, RulePoint.OPENING_INSPECTED)
    opening = state.opening.without(*RECEIPT_ACTS, *ACTS_PER_SHOE, batch=batch).recounted(batch)
    return record_act(book, with_opening(begin_act(state), opening), event, batch)


def _receive_preshuffled(book: RuleBook, state: TableState, event: ActReported) -> Step:
    if not accepts_preshuffled(book.values):
        why = "these rules do not allow preshuffled cards: inspect, verify and shuffle them"
        return refuse_act(book, state, event, why, RulePoint.OPENING_INSPECTED, RulePoint.SHUFFLED)
    if not event.reference:
        return _complete_with_reference(book, state, event)
    batch = _batch(book, event)
    return record_act(book, complete_act(begin_act(state), event, batch), event, batch)


def _check_received_cards(book: RuleBook, state: TableState, event: ActReported) -> Step:
    batch = _batch(book, event)
    if event.kind is ActKind.VERIFIED:
        why = _refusal_to_verify(state, event, batch)
        if why:
            return refuse_act(book, state, event, why, RulePoint.OPENING_VERIFIED)
    due = cards_in_shoe(book)
    if event.amount not in (0, due):
        why = (
            f"{describe_miscount(event.amount, due)}: count every deck again, name what is missing"
        )
        points = (RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL, RulePoint.OPENING_INSPECTED)
        return refuse_act(book, state, event, why, *points)
    step = complete_act(begin_act(state), event, batch, event.amount)
    if event.amount and event.kind in (ActKind.INSPECTED, ActKind.VERIFIED):
        step = with_opening(step, step.state.opening.recounted(batch))
    return record_act(book, step, event, batch)


def _refusal_to_verify(state: TableState, event: ActReported, batch: str) -> str:
    """Why this person may not verify the inspection; empty where the person may."""
    if event.role not in SUPERVISORS:
        return "a floorperson verifies the inspection"
    inspected = state.opening.find(ActKind.INSPECTED, batch)
    if inspected is None:
        return "nothing is inspected yet: record the dealer's inspection first"
    if inspected.person == event.person:
        return f"{event.person} inspected the cards: somebody else must verify them"
    return ""


# --- shuffle --------------------------------------------------------------------------------------


def _shuffle(book: RuleBook, state: TableState, event: ActReported) -> Step:
    batch = _batch(book, event)
    cards_in_play = shoe_in_play(state) and batch in ("", state.opening.last_batch)
    if cards_in_play:
        why = "these cards are in play: end or close the shoe first"
        return refuse_act(book, state, event, why, RulePoint.SHUFFLED)
    owed = refusal_to_reshuffle(book, state) if batch in ("", state.opening.last_batch) else None
    if owed is not None:
        return begin_act(state).with_effect(owed)
    step = begin_act(state)
    # A stack that is shuffled by hand has to be cut, whatever was done with it before.
    opening = state.opening if uses_two_batches(book) else without_stack(state.opening)
    if batch == opening.in_shuffler:
        opening = replace(opening, shuffler_opened=False)
    step = complete_act(with_opening(step, opening), event, batch)
    mode = ShuffleMode.HAND if book.tracks_batches else book.values.shuffle_mode
    detail = f"{batch or 'all cards'}, {mode.value}"
    return record_act(book, step, event, detail, *_documented_points(book))


def _documented_points(book: RuleBook) -> tuple[RulePoint, ...]:
    """The point of a shuffle that the house's internal controls have to describe."""
    own = book.clauses(RulePoint.SHUFFLE_DOCUMENTED)
    device = book.clauses(RulePoint.CONTINUOUS_SHUFFLER)
    if all(clause in device for clause in own):
        return ()
    return (RulePoint.SHUFFLE_DOCUMENTED,)


def _finish_shuffle(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record feathering, lacing or a further shuffle of a stack shuffled by hand."""
    if book.values.shuffle_mode is not ShuffleMode.HAND:
        why = "only after a shuffle by hand"
        return refuse_act(book, state, event, why, RulePoint.SHUFFLE_FINISH)
    before = ActKind.LACED if event.kind is ActKind.RESHUFFLED else ActKind.SHUFFLED
    if not state.opening.has(before):
        why = f"record first that the cards were {before.value}"
        return refuse_act(book, state, event, why, RulePoint.SHUFFLE_FINISH)
    return _complete(book, state, event)


_HANDLERS: Final[Mapping[ActKind, ActHandler]] = MappingProxyType(
    {
        ActKind.LAYOUT_APPROVED: _complete_with_reference,
        ActKind.RECEIVED: _receive_cards,
        ActKind.PRESHUFFLED: _receive_preshuffled,
        ActKind.INSPECTED: _check_received_cards,
        ActKind.VERIFIED: _check_received_cards,
        ActKind.SPREAD: _check_received_cards,
        ActKind.WASHED: _check_received_cards,
        ActKind.STACKED: _check_received_cards,
        ActKind.SHUFFLED: _shuffle,
        ActKind.FEATHERED: _finish_shuffle,
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
