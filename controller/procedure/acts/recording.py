"""Records an act of a person, or refuses it with what has to be done instead.

Source: controller/procedure/README.md, "Opening to closing"; D-32.
"""

from typing import Final

from msgspec.structs import replace

from controller.procedure.acts.duties import ACTS_PER_SHOE, act_points
from controller.procedure.effects import ActRecord, Refusal
from controller.procedure.events import ActReported
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.opening import NOBODY, CompletedAct, OpeningState
from controller.procedure.step_result import Step, accept
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode

SUPERVISORS: Final = ("floorperson", "pit_manager")
CARDS_IN_A_DECK: Final = 52


def begin_act(state: TableState) -> Step:
    """A new step for an act; its conclusions are provisional while the table is suspended."""
    return Step(state, provisional=state.suspension is not None)


def shoe_in_play(state: TableState) -> bool:
    """Whether cards of an open shoe have left it."""
    shoe = state.shoe
    if shoe is None or state.play_phase is Phase.SHOE_OVER:
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


def next_batch(book: RuleBook, opening: OpeningState) -> str:
    """The batch of the next shoe: the one loaded, else the one whose turn it is; empty if unknown.

    Where nothing was dealt yet it is the one that is not in the shuffler (D-21).
    """
    if opening.loaded or not uses_two_batches(book):
        return opening.loaded
    idle = opening.last_batch or opening.in_shuffler
    return other_batch(book, idle) if idle else ""


def with_opening(step: Step, opening: OpeningState) -> Step:
    return step.with_state(replace(step.state, opening=opening))


def without_stack(opening: OpeningState) -> OpeningState:
    """Without a cut or loaded stack: the acts of every shoe are due again."""
    opening = opening.without(*ACTS_PER_SHOE)
    return replace(opening, loaded="", offered=(), cutter=NOBODY, recut_by=())


def describe_miscount(counted: int, due: int) -> str:
    """Describe how a count of cards differs from the number due."""
    few_or_many = "too few" if counted < due else "too many"
    return f"counted {counted} of {due} cards, {abs(due - counted)} {few_or_many}"


def record_act(
    book: RuleBook, step: Step, event: ActReported, detail: str = "", *points: RulePoint
) -> Step:
    """Put the act on record with the clauses that require it; `points` beside the act's own."""
    parts = (detail, event.reason, event.reference, f"with {event.second}" if event.second else "")
    text = "; ".join(part for part in parts if part)
    clauses = book.clauses(*dict.fromkeys((*act_points(event.kind), *points)))
    step = accept(step, f"{event.kind.value}: {event.person}")
    return step.with_effect(ActRecord(event.kind.value, event.person, text, clauses))


def complete_act(step: Step, event: ActReported, batch: str = "", amount: int = 0) -> Step:
    """Add the act to those that fulfil duties."""
    act = CompletedAct(event.kind, batch, step.state.today, event.person, amount)
    return with_opening(step, step.state.opening.with_act(act))


def refuse_act(
    book: RuleBook, state: TableState, event: ActReported, why: str, *points: RulePoint
) -> Step:
    """Refuse the act: why, and what can be done instead."""
    return begin_act(state).with_effect(Refusal(event.kind.value, why, book.clauses(*points)))
