"""What a person states of the shoe itself: that it is empty, or that it is jammed.

Source: S42 (k)(4), S42 (e)(6); D-6, D-14, D-17, D-19, D-40.

Decisions. Only a floorperson states that the shoe is empty: no further card is drawn from it, and a
coup that still needs one is void by (k)(4). The count held stands beside the statement; cards
missing by it are custody's finding, and their batch is loaded no more before it was counted again.
A jam is a fault of the device: it is cleared and play goes on, or a floorperson closes the shoe.
"""

from msgspec.structs import replace

from controller.procedure.acts.recording import (
    SUPERVISORS,
    begin_act,
    record_act,
    refuse_act,
    uses_two_batches,
    with_opening,
)
from controller.procedure.dealing.coup_end import state_shoe_end
from controller.procedure.dealing.remedy_burn import stop_burn
from controller.procedure.events import ActReported
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import BURNS_BEGUN, COUP_ENDS, DUE_WORDS, Phase, Trigger
from controller.procedure.places import DUE_PLACE
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, raise_irregularity
from controller.profiles.rule_points import RulePoint


def state_shoe_empty(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """A floorperson states that no card is left in the shoe."""
    shoe = state.shoe
    if event.role not in SUPERVISORS:
        why = "a floorperson looks into the shoe and states that it is empty"
        return refuse_act(book, state, event, why, RulePoint.INSUFFICIENT_CARDS)
    if shoe is None or state.play_phase is Phase.SHOE_OVER or shoe.endless:
        why = "no shoe is in play that can run out"
        return refuse_act(book, state, event, why, RulePoint.INSUFFICIENT_CARDS)
    left = 0 if shoe.joined else shoe.cards_left()
    count = f"by the count {left} cards are left in it"
    if shoe.joined:
        count = "the shoe was joined in play: how many cards are left is not known"
    step = begin_act(state)
    exhausted = replace(shoe, cut=replace(shoe.cut, in_burn=False, exhausted=True))
    step = record_act(book, step.with_shoe(exhausted), event, count)
    if left:
        step = _note_short_batch(book, step)
    step = _end_play(book, step, f"{event.person} states that the shoe is empty; {count}")
    return state_shoe_end(book, step, event.person, event.reason)


def _note_short_batch(book: RuleBook, step: Step) -> Step:
    """Note that its batch, either one if unknown, is loaded no more before it was counted again."""
    opening = step.state.opening
    known = (opening.last_batch,) if opening.last_batch else book.backs
    batches = known if uses_two_batches(book) else ("",)
    return with_opening(
        step, replace(opening, short=tuple(dict.fromkeys((*opening.short, *batches))))
    )


def _end_play(book: RuleBook, step: Step, detail: str) -> Step:
    """End what the empty shoe cannot complete."""
    phase = step.state.due_phase
    if phase in DUE_PLACE:
        known = any(
            one.code is IrregularityCode.INSUFFICIENT_CARDS
            for one in step.state.open_irregularities
        )
        due = f"{detail}; {DUE_WORDS[phase]} was due"
        code = IrregularityCode.INSUFFICIENT_CARDS
        return step if known else raise_irregularity(book, step, code, due)
    if step.state.suspension is not None or phase in COUP_ENDS:
        return step
    return (
        stop_burn(book, step) if phase in BURNS_BEGUN else step.advance(book, Trigger.SHOE_CLOSED)
    )


def report_jam(book: RuleBook, state: TableState, event: ActReported) -> Step:
    """A person reports that the shoe is jammed: a fault of the device, not of the cards."""
    if state.shoe is None or state.play_phase is Phase.SHOE_OVER:
        return refuse_act(book, state, event, "no shoe is in play", RulePoint.SHOE_DEVICE)
    step = record_act(book, begin_act(state), event)
    detail = f"{event.person} reports it; {DUE_WORDS[state.play_phase]} was due"
    return raise_irregularity(book, step, IrregularityCode.SHOE_JAMMED, detail)
