"""From the cards' arrival to the loaded shoe: acts of people, taken or refused.

Responsible for: sending each act to what judges it, and acts on received cards and their shuffle.
Not responsible for: the cut (cut_acts), batches and loading (batches), the discard rack
(discarding), a dead table (dead_table), conduct (conduct), and what is missing (loading).
Source: NY (a)(2), (d); S42 (d), (e)(1)-(3); NJ 1.12(d); WA shuffle; D-34.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.discard_rack import rack_cleared, rack_counted
from controller.procedure.acts.duties import BATCH_ACTS, RECEIPT_ACTS, USED_UP, takes_preshuffled
from controller.procedure.acts.recording import (
    SUPERVISORS,
    begin,
    cards_in_shoe,
    counted_wrong,
    in_play,
    kept,
    recorded,
    refused,
    stack_apart,
    two_batches,
    with_opening,
)
from controller.procedure.events import ActRecorded
from controller.procedure.opening.batches import (
    alternation_suspended,
    foreign_back,
    into_shuffler,
    loaded,
    released,
    shuffler_opened,
)
from controller.procedure.opening.conduct import cards_touched, shoe_passed, wager_touched
from controller.procedure.opening.cut import (
    cut,
    cut_cards_placed,
    cut_moved,
    cut_offered,
    recut_ordered,
)
from controller.procedure.opening.dead_table import respread, respread_asked, spread, viewed
from controller.procedure.people.wager_statements import verbal_wager
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.operator_facts import act_lived, not_so
from controller.procedure.state import TableState
from controller.procedure.step_result import Step
from controller.procedure.wagering.wagers import reshuffle_refused
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from firmware_bridge.values import replace

Take: TypeAlias = Callable[[RuleBook, TableState, ActRecorded], Step]

_BY_HAND_ONLY: Final = (ActKind.FEATHERED, ActKind.LACED, ActKind.RESHUFFLED)


def act_recorded(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A named person's act goes into the record, or is refused."""
    if event.kind in BATCH_ACTS and two_batches(book) and event.batch not in book.backs:
        backs = " or ".join(book.backs)
        why = f"say which batch: {backs}"
        return refused(book, state, event, why, RulePoint.BATCH_SETS, RulePoint.BATCH_ONE_BACK)
    not_as_said = not_so(book, state, event)
    if not_as_said is not None:
        return not_as_said
    taken = _TAKEN_BY.get(event.kind, _noted)(book, state, event)
    return act_lived(book, state, taken, event)


def _noted(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """An act that only has to be done."""
    return recorded(book, kept(begin(state), event), event)


def _batch(book: RuleBook, event: ActRecorded) -> str:
    return event.batch if two_batches(book) else ""


def _with_reference(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """An act that is nothing without the number of a paper."""
    if not event.reference:
        why = "say the reference: the number of the approval, the receipt or the package"
        points = (RulePoint.LAYOUT_APPROVED, RulePoint.OPENING_PRESHUFFLED)
        own = points[0] if event.kind is ActKind.LAYOUT_APPROVED else points[1]
        return refused(book, state, event, why, own)
    return _noted(book, state, event)


# --- cards are received ---------------------------------------------------------------------------


def _received(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """New cards: everything that was done with the old ones of this batch is due again."""
    batch = _batch(book, event)
    if in_play(state) and batch in ("", state.opening.last_batch):
        why = "these cards are in play: close the shoe first"
        return refused(book, state, event, why, RulePoint.OPENING_INSPECTED)
    opening = state.opening.without(*RECEIPT_ACTS, *USED_UP, batch=batch)
    return recorded(book, with_opening(begin(state), opening), event, batch)


def _preshuffled(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    if not takes_preshuffled(book.values):
        why = "these rules know no cards that come shuffled: inspect, verify and shuffle them"
        return refused(book, state, event, why, RulePoint.OPENING_INSPECTED, RulePoint.SHUFFLED)
    if not event.reference:
        return _with_reference(book, state, event)
    batch = _batch(book, event)
    return recorded(book, kept(begin(state), event, batch), event, batch)


def _of_received_cards(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    batch = _batch(book, event)
    if event.kind is ActKind.VERIFIED:
        why = _not_verified(state, event, batch)
        if why:
            return refused(book, state, event, why, RulePoint.OPENING_VERIFIED)
    due = cards_in_shoe(book)
    if event.amount not in (0, due):
        why = f"{counted_wrong(event.amount, due)}: count every deck again, name what is missing"
        points = (RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL, RulePoint.OPENING_INSPECTED)
        return refused(book, state, event, why, *points)
    return recorded(book, kept(begin(state), event, batch, event.amount), event, batch)


def _not_verified(state: TableState, event: ActRecorded, batch: str) -> str:
    """Why this person does not verify the inspection; empty where nothing speaks against it."""
    if event.role not in SUPERVISORS:
        return "a floorperson verifies the inspection"
    inspected = state.opening.find(ActKind.INSPECTED, batch)
    if inspected is None:
        return "nothing is inspected yet: record the dealer's inspection first"
    if inspected.person == event.person:
        return f"{event.person} inspected the cards: somebody else verifies it"
    return ""


# --- shuffle --------------------------------------------------------------------------------------


def _shuffled(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    batch = _batch(book, event)
    mine = in_play(state) and batch in ("", state.opening.last_batch)
    if mine:
        why = "these cards are in play: end or close the shoe first"
        return refused(book, state, event, why, RulePoint.SHUFFLED)
    owed = reshuffle_refused(book, state) if batch in ("", state.opening.last_batch) else None
    if owed is not None:
        return begin(state).with_effect(owed)
    step = begin(state)
    # A stack that is shuffled by hand was not cut yet, whatever was done with it before.
    opening = state.opening if two_batches(book) else stack_apart(state.opening)
    if batch == opening.in_shuffler:
        opening = replace(opening, shuffler_opened=False)
    step = kept(with_opening(step, opening), event, batch)
    mode = ShuffleMode.HAND if book.tells_batches else book.values.shuffle_mode
    detail = f"{batch or 'all cards'}, {mode.value}"
    return recorded(book, step, event, detail, *_documented(book))


def _documented(book: RuleBook) -> tuple[RulePoint, ...]:
    """A shuffle that has to stand in the house's internal controls."""
    own = book.clauses(RulePoint.SHUFFLE_DOCUMENTED)
    device = book.clauses(RulePoint.CONTINUOUS_SHUFFLER)
    if all(clause in device for clause in own):
        return ()
    return (RulePoint.SHUFFLE_DOCUMENTED,)


def _finished(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """Feathered, laced, shuffled once more: of a stack that was shuffled by hand."""
    if book.values.shuffle_mode is not ShuffleMode.HAND:
        why = "asked for after a shuffle by hand only"
        return refused(book, state, event, why, RulePoint.SHUFFLE_FINISH)
    before = ActKind.LACED if event.kind is ActKind.RESHUFFLED else ActKind.SHUFFLED
    if not state.opening.has(before):
        why = f"record first that the cards were {before.value}"
        return refused(book, state, event, why, RulePoint.SHUFFLE_FINISH)
    return _noted(book, state, event)


_TAKEN_BY: Final[Mapping[ActKind, Take]] = MappingProxyType(
    {
        ActKind.LAYOUT_APPROVED: _with_reference,
        ActKind.RECEIVED: _received,
        ActKind.PRESHUFFLED: _preshuffled,
        ActKind.INSPECTED: _of_received_cards,
        ActKind.VERIFIED: _of_received_cards,
        ActKind.SPREAD: _of_received_cards,
        ActKind.WASHED: _of_received_cards,
        ActKind.STACKED: _of_received_cards,
        ActKind.SHUFFLED: _shuffled,
        ActKind.FEATHERED: _finished,
        ActKind.LACED: _finished,
        ActKind.RESHUFFLED: _finished,
        ActKind.CUT_OFFERED: cut_offered,
        ActKind.CUT: cut,
        ActKind.CUT_BY_DEALER: cut,
        ActKind.CUT_MOVED: cut_moved,
        ActKind.CUT_CARDS_PLACED: cut_cards_placed,
        ActKind.RECUT: recut_ordered,
        ActKind.LOADED: loaded,
        ActKind.INTO_SHUFFLER: into_shuffler,
        ActKind.RELEASED: released,
        ActKind.SHUFFLER_OPENED: shuffler_opened,
        ActKind.DISCARD_COUNTED: rack_counted,
        ActKind.DISCARD_CLEARED: rack_cleared,
        ActKind.FOREIGN_BACK: foreign_back,
        ActKind.ALTERNATION_SUSPENDED: alternation_suspended,
        ActKind.DEAD_TABLE_SPREAD: spread,
        ActKind.DEAD_TABLE_VIEWED: viewed,
        ActKind.RESPREAD_ASKED: respread_asked,
        ActKind.RESPREAD: respread,
        ActKind.SHOE_PASSED: shoe_passed,
        ActKind.CARDS_TOUCHED: cards_touched,
        ActKind.WAGER_TOUCHED: wager_touched,
        ActKind.VERBAL_WAGER: verbal_wager,
    }
)
