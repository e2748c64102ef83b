"""What a person states of the shoe itself: that it is empty, or that it is jammed.

Source: S42 (k)(4), S42 (e)(6); D-6, D-14, D-17, D-19, D-40.

Decisions. Only a floorperson states that the shoe is empty: no further card is drawn from it, and a
coup that still needs one is void by (k)(4). The count held stands beside the statement; cards
missing by it are custody's finding, and their batch is loaded no more before it was counted again.
A jam is a fault of the device: it is cleared and play goes on, or a floorperson closes the shoe.
"""

from msgspec.structs import replace

from controller.custody.moves import CardsMissing
from controller.procedure.acts.recording import (
    begin_act,
    record_act,
    refuse_act,
    uses_two_batches,
    with_lineage,
)
from controller.procedure.dealing.coup_end import state_shoe_end
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger, due_words
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, ask, raise_irregularity
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.declaration import SUPERVISORS
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message


def state_shoe_empty(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """A floorperson states that no card is left in the shoe."""
    shoe = state.shoe
    if act.role not in SUPERVISORS:
        why = message("floorperson_looks_into_shoe_and_states_empty")
        return refuse_act(book, state, act, why, RulePoint.INSUFFICIENT_CARDS)
    if shoe is None or state.shoe_over or shoe.endless:
        why = message("no_shoe_in_play_can_run_out")
        return refuse_act(book, state, act, why, RulePoint.INSUFFICIENT_CARDS)
    left = 0 if shoe.joined else shoe.cards_left()
    count = message("cards_left_by_count", left=left)
    if shoe.joined:
        count = message("joined_shoe_count_unknown")
    step = begin_act(state)
    exhausted = replace(shoe, cut=replace(shoe.cut, in_burn=False, exhausted=True))
    step = record_act(book, step.with_shoe(exhausted), act, count)
    if left:
        step = _note_short_batch(book, step, left)
    detail = message("person_states_shoe_empty_count", person=act.person, count=count)
    step = ask(book, step, Trigger.STATED_EMPTY, detail)
    return state_shoe_end(book, step, act.person, act.reason)


def _note_short_batch(book: RuleBook, step: Step, missing: int) -> Step:
    """Note that its batch, either one if unknown, is loaded no more before it was counted again."""
    lineage = step.state.lineage
    known = (lineage.last_dealt,) if lineage.last_dealt else book.backs
    batches = known if uses_two_batches(book) else ("",)
    short = tuple(dict.fromkeys((*lineage.short, *batches)))
    if short == lineage.short:
        return step
    step = step.with_move(CardsMissing(lineage.last_dealt, missing))
    return with_lineage(step, replace(lineage, short=short))


def raise_shortage(book: RuleBook, step: Step, detail: Message, code: IrregularityCode) -> Step:
    """A card is due: as after the second cut card none can be drawn."""
    if any(one.code is code for one in step.state.open_irregularities):
        return step
    due = message("detail_and_due", detail=detail, due=due_words(step.state.due_phase))
    return raise_irregularity(book, step, code, due)


def report_jam(book: RuleBook, state: TableState, act: OperatorAction[RecordAct]) -> Step:
    """A person reports that the shoe is jammed: a fault of the device, not of the cards."""
    if state.shoe is None or state.shoe_over:
        return refuse_act(book, state, act, message("no_shoe_in_play"), RulePoint.SHOE_DEVICE)
    step = record_act(book, begin_act(state), act)
    due = due_words(state.play_phase)
    detail = message("person_reports_due", person=act.person, due=due)
    return raise_irregularity(book, step, IrregularityCode.SHOE_JAMMED, detail)
