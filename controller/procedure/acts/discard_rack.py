"""The discard rack: in order, one batch at a time, and as many cards as left the shoe.

Source: NY (a)(4)(iv)(e), (i)(4), (i)(5); S42 (a)(4)(vi), (j)(4), (j)(5).

Decisions. A count that differs is one irregularity; later counts are compared with that count. The
first count of a shoe that was joined in play cannot be compared with anything.
"""

from msgspec.structs import replace

from controller.custody.batch_life.state import Lineage
from controller.procedure.acts.recording import (
    begin_act,
    complete_act,
    record_act,
    refuse_act,
    shoe_in_play,
    uses_two_batches,
    with_lineage,
)
from controller.procedure.effects import Prompt, PromptKind
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.procedure.step_result import Step, raise_irregularity
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import message


def prompt_coup_discard(book: RuleBook, step: Step) -> Step:
    """Where the rack is counted: prompt to discard the cards and count the rack."""
    if step.provisional or not book.observes(ObservableFact.DISCARD_COUNT):
        return step
    held = cards_due_in_rack(step.state, step.shoe)
    text = message("put_cards_into_discard_rack_in_order", held=held)
    clauses = book.clauses(RulePoint.DISCARD_ORDER)
    return step.with_effect(Prompt(PromptKind.DISCARD, text, clauses, observed=True))


def cards_due_in_rack(state: TableState, shoe: ShoeState) -> int:
    """How many cards the rack should hold: all that left the shoe and are not on the table."""
    return max(0, shoe.cards_drawn - shoe.cards_on_table() + state.lineage.rack_extra)


def empty_rack(state: TableState) -> Lineage:
    """The record of the batches with an empty rack."""
    drawn = state.shoe.cards_drawn if state.shoe is not None else 0
    return replace(state.lineage, in_rack="", rack_extra=-drawn)


def record_rack_count(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Compare a count of the rack with the cards that left the shoe, all of one batch."""
    lineage, shoe = state.lineage, state.shoe
    if shoe is None:
        why = message("no_shoe_dealt_clear_rack_instead")
        return refuse_act(book, state, act, why, RulePoint.DISCARD_ORDER)
    batch = (act.action.batch or lineage.last_dealt) if uses_two_batches(book) else ""
    if uses_two_batches(book) and act.action.batch and act.action.batch not in book.backs:
        why = message("name_the_batch", backs=book.backs)
        return refuse_act(book, state, act, why, RulePoint.DISCARD_ONE_BATCH)
    rack_batch = lineage.in_rack or lineage.last_dealt
    mixed = bool(act.action.amount and rack_batch and batch and batch != rack_batch)
    first_of_joined = shoe.joined and not state.opening.has(act.action.kind)
    held = cards_due_in_rack(state, shoe)
    expected = act.action.amount if first_of_joined else held
    extra = lineage.rack_extra + act.action.amount - held
    step = complete_act(begin_act(state), act, amount=act.action.amount)
    present = rack_batch if mixed else batch
    lineage = replace(
        step.state.lineage, in_rack=present if act.action.amount else "", rack_extra=extra
    )
    detail = message("count_differs_from_expected", amount=act.action.amount, expected=expected)
    step = record_act(book, with_lineage(step, lineage), act, detail)
    if mixed:
        both = message("cards_lie_with_cards", batch=batch, rack_batch=rack_batch)
        step = raise_irregularity(book, step, IrregularityCode.DISCARD_RACK_MIXED, both)
    return (
        step
        if act.action.amount == expected
        else _raise_count_difference(book, step, act.action.amount, expected)
    )


def _raise_count_difference(book: RuleBook, step: Step, counted: int, expected: int) -> Step:
    """The rack does not hold the expected cards; a missing card was removed by somebody."""
    missing = counted < expected
    points = (RulePoint.CARDS_UNTOUCHED,) if missing else ()
    differ = abs(counted - expected)
    detail = (
        message(
            "cards_missing_by_count",
            counted=counted,
            expected=expected,
            differ=differ,
        )
        if missing
        else message("counted_expected_too_many", counted=counted, expected=expected, differ=differ)
    )
    return raise_irregularity(book, step, IrregularityCode.DISCARD_DIFFERS, detail, *points)


def record_rack_cleared(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """Record that the rack was cleared."""
    if shoe_in_play(state):
        why = message("cards_belong_to_shoe_in_play_end")
        return refuse_act(book, state, act, why, RulePoint.DISCARD_ORDER)
    return record_act(book, with_lineage(begin_act(state), empty_rack(state)), act)
