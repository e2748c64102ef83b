"""The discard rack: in order, one batch at a time, and as many cards as left the shoe.

Source: NY (a)(4)(iv)(e), (i)(4), (i)(5); S42 (a)(4)(vi), (j)(4), (j)(5).

Decisions. A count that differs is one irregularity; later counts are compared with that count. The
first count of a shoe that was joined in play cannot be compared with anything.
"""

from msgspec.structs import replace

from controller.procedure.acts.recording import (
    begin_act,
    complete_act,
    record_act,
    refuse_act,
    shoe_in_play,
    uses_two_batches,
    with_opening,
)
from controller.procedure.effects import Prompt, PromptKind
from controller.procedure.events import ActReported
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.procedure.states.opening import OpeningState
from controller.procedure.step_result import Step, raise_irregularity
from controller.profiles.rule_points import RulePoint


def prompt_coup_discard(book: RuleBook, step: Step) -> Step:
    """Where the rack is counted: prompt to discard the cards and count the rack."""
    if step.provisional or not book.observes(ObservableFact.DISCARD_COUNT):
        return step
    held = cards_due_in_rack(step.state, step.shoe)
    text = f"put the cards into the discard rack in order and count it: it should hold {held}"
    clauses = book.clauses(RulePoint.DISCARD_ORDER)
    return step.with_effect(Prompt(PromptKind.DISCARD, text, clauses, observed=True))


def cards_due_in_rack(state: TableState, shoe: ShoeState) -> int:
    """How many cards the rack should hold: all that left the shoe and are not on the table."""
    return max(0, shoe.cards_drawn - shoe.cards_on_table() + state.opening.rack_extra)


def with_empty_rack(state: TableState) -> OpeningState:
    """The opening state with an empty rack."""
    drawn = state.shoe.cards_drawn if state.shoe is not None else 0
    return replace(state.opening, rack_batch="", rack_extra=-drawn)


def record_rack_count(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Compare a count of the rack with the cards that left the shoe, all of one batch."""
    opening, shoe = state.opening, state.shoe
    if shoe is None:
        why = "no shoe was dealt: clear the rack instead"
        return refuse_act(book, state, event, why, RulePoint.DISCARD_ORDER)
    batch = (event.batch or opening.last_batch) if uses_two_batches(book) else ""
    if uses_two_batches(book) and event.batch and event.batch not in book.backs:
        backs = " or ".join(book.backs)
        return refuse_act(
            book, state, event, f"name the batch: {backs}", RulePoint.DISCARD_ONE_BATCH
        )
    rack_batch = opening.rack_batch or opening.last_batch
    mixed = bool(rack_batch and batch and batch != rack_batch)
    first_of_joined = shoe.joined and not opening.has(event.kind)
    held = cards_due_in_rack(state, shoe)
    expected = event.amount if first_of_joined else held
    extra = opening.rack_extra + event.amount - held
    step = complete_act(begin_act(state), event, amount=event.amount)
    present = rack_batch if mixed else batch
    opening = replace(
        step.state.opening, rack_batch=present if event.amount else "", rack_extra=extra
    )
    detail = f"counted {event.amount}, expected {expected}"
    step = record_act(book, with_opening(step, opening), event, detail)
    if mixed:
        both = f"cards of {batch} lie with cards of {rack_batch}"
        step = raise_irregularity(book, step, IrregularityCode.DISCARD_RACK_MIXED, both)
    return (
        step
        if event.amount == expected
        else _raise_count_difference(book, step, event.amount, expected)
    )


def _raise_count_difference(book: RuleBook, step: Step, counted: int, expected: int) -> Step:
    """The rack does not hold the expected cards; a missing card was removed by somebody."""
    missing = counted < expected
    points = (RulePoint.CARDS_UNTOUCHED,) if missing else ()
    few_or_many = "missing" if missing else "too many"
    detail = f"counted {counted}, expected {expected}: {abs(counted - expected)} {few_or_many}"
    return raise_irregularity(book, step, IrregularityCode.DISCARD_DIFFERS, detail, *points)


def record_rack_cleared(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """Record that the rack was cleared."""
    if shoe_in_play(state):
        why = "its cards belong to the shoe in play: end or close the shoe first"
        return refuse_act(book, state, event, why, RulePoint.DISCARD_ORDER)
    return record_act(book, with_opening(begin_act(state), with_empty_rack(state)), event)
