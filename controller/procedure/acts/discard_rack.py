"""The discard rack: in order, one batch at a time, and as many cards as left the shoe.

Responsible for: what is due with the cards of a coup, counts of the rack against the cards dealt,
and the batch that lies in it.
Not responsible for: the ordered record of a coup's cards (finishing).
Source: NY (a)(4)(iv)(e), (i)(4), (i)(5); S42 (a)(4)(vi), (j)(4), (j)(5).

Decisions. A count that differs is one irregularity; from then on the rack is counted from there.
The first count of a shoe that was joined in play has nothing to be compared with.
"""

from controller.procedure.acts.recording import (
    begin,
    in_play,
    kept,
    recorded,
    refused,
    two_batches,
    with_opening,
)
from controller.procedure.effects import Call, Prompted
from controller.procedure.events import ActRecorded
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.procedure.states.opening import OpeningState
from controller.procedure.step_result import Step, irregular
from controller.profiles.rule_points import RulePoint
from firmware_bridge.values import replace


def coup_discarded(book: RuleBook, step: Step) -> Step:
    """Where the rack is counted, the cards of a finished coup are: how many are to be in it."""
    if step.provisional or not book.observes(Fact.DISCARD_COUNT):
        return step
    held = in_the_rack(step.state, step.shoe)
    text = f"put the cards into the discard rack in order and count it: {held} are to be in it"
    clauses = book.clauses(RulePoint.DISCARD_ORDER)
    return step.with_effect(Prompted(Call.DISCARD, text, clauses, observed=True))


def in_the_rack(state: TableState, shoe: ShoeState) -> int:
    """How many cards are to be in the rack: all that left the shoe and are not on the table."""
    return max(0, shoe.cards_drawn - shoe.cards_on_table() + state.opening.rack_extra)


def emptied(state: TableState) -> OpeningState:
    """No card lies in the rack any more."""
    drawn = state.shoe.cards_drawn if state.shoe is not None else 0
    return replace(state.opening, rack_batch="", rack_extra=-drawn)


def rack_counted(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The cards in the rack were counted: all of one batch, as many as left the shoe."""
    opening, shoe = state.opening, state.shoe
    if shoe is None:
        why = "no shoe was dealt: clear the rack instead"
        return refused(book, state, event, why, RulePoint.DISCARD_ORDER)
    batch = (event.batch or opening.last_batch) if two_batches(book) else ""
    if two_batches(book) and event.batch and event.batch not in book.backs:
        backs = " or ".join(book.backs)
        return refused(book, state, event, f"say which batch: {backs}", RulePoint.DISCARD_ONE_BATCH)
    there = opening.rack_batch or opening.last_batch
    mixed = bool(there and batch and batch != there)
    first_of_joined = shoe.joined and not opening.has(event.kind)
    held = in_the_rack(state, shoe)
    expected = event.amount if first_of_joined else held
    extra = opening.rack_extra + event.amount - held
    step = kept(begin(state), event, amount=event.amount)
    lies_there = there if mixed else batch
    opening = replace(
        step.state.opening, rack_batch=lies_there if event.amount else "", rack_extra=extra
    )
    detail = f"{event.amount} cards, {expected} are due"
    step = recorded(book, with_opening(step, opening), event, detail)
    if mixed:
        both = f"{batch} lies with {there}"
        step = irregular(book, step, IrregularityCode.DISCARD_RACK_MIXED, both)
    return step if event.amount == expected else _differs(book, step, event.amount, expected)


def _differs(book: RuleBook, step: Step, counted: int, expected: int) -> Step:
    """The rack does not hold what it should; a card that is missing was removed by somebody."""
    missing = counted < expected
    points = (RulePoint.CARDS_UNTOUCHED,) if missing else ()
    few_or_many = "missing" if missing else "too many"
    detail = f"{counted} cards, {expected} are due: {abs(counted - expected)} {few_or_many}"
    return irregular(book, step, IrregularityCode.DISCARD_DIFFERS, detail, *points)


def rack_cleared(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """The rack is empty."""
    if in_play(state):
        why = "its cards belong to the shoe in play: end or close the shoe first"
        return refused(book, state, event, why, RulePoint.DISCARD_ORDER)
    return recorded(book, with_opening(begin(state), emptied(state)), event)
