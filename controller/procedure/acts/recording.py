"""Records an act of a person, or refuses it with what has to be done instead.

Source: D-32.
"""

from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.state import Lineage
from controller.procedure.acts.batch_record import lineage_of
from controller.procedure.acts.duties import ACTS_PER_SHOE, act_points
from controller.procedure.effects import ActRecord, Refusal
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import NOBODY, CompletedAct, OpeningState, TableState
from controller.procedure.step_result import Step, accept
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from foundation.message import Message, message
from foundation.recorded_text import Identifier

CARDS_IN_A_DECK: Final = 52


def begin_act(state: TableState) -> Step:
    """A new step for an act; its conclusions are provisional while the table is suspended."""
    return Step(state, provisional=state.suspension is not None)


def shoe_in_play(state: TableState) -> bool:
    """Whether cards of an open shoe have left it."""
    shoe = state.shoe
    if shoe is None or state.shoe_over:
        return False
    return shoe.joined or shoe.cards_drawn > 0


def cards_in_shoe(book: RuleBook) -> int:
    return book.decks * CARDS_IN_A_DECK


def uses_two_batches(book: RuleBook) -> bool:
    return book.values.shuffle_mode is ShuffleMode.DUAL_BATCH


def other_batch(book: RuleBook, batch: str) -> str:
    """The other of the two batches."""
    first, second = book.backs
    return second if batch == first else first


def with_lineage(step: Step, lineage: Lineage) -> Step:
    return step.with_state(replace(step.state, lineage=lineage))


def next_batch(book: RuleBook, state: TableState) -> str:
    """The batch of the next shoe: the one loaded, else the one whose turn it is; empty if unknown.

    Where nothing was dealt yet it is the one that is not in the shuffler (D-21).
    """
    lineage = lineage_of(book, state)
    if lineage.loaded or not uses_two_batches(book):
        return lineage.loaded
    idle = lineage.last_dealt or lineage.stored_batch
    return other_batch(book, idle) if idle else ""


def with_opening(step: Step, opening: OpeningState) -> Step:
    return step.with_state(replace(step.state, opening=opening))


def without_stack(opening: OpeningState) -> OpeningState:
    """Without a cut stack of the one batch: the acts of every shoe are due again."""
    opening = opening.without(*ACTS_PER_SHOE)
    return replace(opening, offered=(), cutter=NOBODY, recut_by=())


def describe_miscount(counted: int, due: int) -> Message:
    """Describe how a count of cards differs from the number due."""
    if counted < due:
        return message("counted_too_few", counted=counted, due=due, few=due - counted)
    return message("counted_too_many", counted=counted, due=due, many=counted - due)


def record_act(
    book: RuleBook,
    step: Step,
    act: OperatorAction[RecordAct],
    detail: Message | Identifier = "",
    *points: RulePoint,
) -> Step:
    """Put the act on record with the clauses that require it; `points` beside the act's own."""
    second = act.action.second
    typed = (act.reason, act.action.reference)
    parts = (
        detail,
        *(message("as_typed", typed=one) for one in typed if one),
        message("with_second_person", second=second) if second else "",
    )
    text = message("one_after_another", texts=tuple(part for part in parts if part))
    clauses = book.clauses(*dict.fromkeys((*act_points(act.action.kind), *points)))
    step = accept(step, message("act_by_person", act=act.action.kind.value, person=act.person))
    return step.with_effect(ActRecord(act.action.kind.value, act.person, text, clauses))


def complete_act(
    step: Step, act: OperatorAction[RecordAct], batch: str = "", amount: int = 0
) -> Step:
    """Add the act to those that fulfil duties."""
    done = CompletedAct(act.action.kind, batch, step.state.today, act.person, amount)
    return with_opening(step, step.state.opening.with_act(done))


def refuse_act(
    book: RuleBook,
    state: TableState,
    act: OperatorAction[RecordAct],
    why: Message,
    *points: RulePoint,
) -> Step:
    """Refuse the act: why, and what can be done instead."""
    return begin_act(state).with_effect(Refusal(act.action.kind.value, why, book.clauses(*points)))
