"""How an act of a person is taken: into the record, or refused with what is to be done instead.

Responsible for: the record's form, what is kept of an act, and whether a shoe is in play.
Not responsible for: whether an act is in order (opening, cut_acts, batches, dead_table, conduct).
Source: package README, "Opening to closing"; D-32.
"""

from typing import Final

from controller.procedure.acts.duties import USED_UP, points_of
from controller.procedure.effects import Recorded, Refused
from controller.procedure.events import ActRecorded
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.opening import NOBODY, Act, OpeningState
from controller.procedure.step_result import Step, accept
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from firmware_bridge.values import replace

SUPERVISORS: Final = ("floorperson", "pit_manager")
CARDS_IN_A_DECK: Final = 52


def begin(state: TableState) -> Step:
    """The step of an act; what it concludes is provisional while the table is suspended."""
    return Step(state, provisional=state.suspension is not None)


def phase_of_play(state: TableState) -> Phase:
    """Where play stands, suspended or not."""
    return state.suspension.resume_to if state.suspension is not None else state.phase


def in_play(state: TableState) -> bool:
    """Whether cards of an open shoe have left it."""
    shoe = state.shoe
    if shoe is None or phase_of_play(state) is Phase.SHOE_OVER:
        return False
    return shoe.joined or shoe.cards_drawn > 0


def cards_in_shoe(book: RuleBook) -> int:
    return book.decks * CARDS_IN_A_DECK


def two_batches(book: RuleBook) -> bool:
    return book.values.shuffle_mode is ShuffleMode.DUAL_BATCH


def other_batch(book: RuleBook, batch: str) -> str:
    """The other of the two batches."""
    first, second = book.backs
    return second if batch == first else first


def next_batch(book: RuleBook, opening: OpeningState) -> str:
    """The batch of the next shoe: the one loaded, else the one whose turn it is, if that is known.

    Where nothing was dealt yet it is the one that does not wait in the shuffler (D-21).
    """
    if opening.loaded or not two_batches(book):
        return opening.loaded
    idle = opening.last_batch or opening.in_shuffler
    return other_batch(book, idle) if idle else ""


def with_opening(step: Step, opening: OpeningState) -> Step:
    return step.on(replace(step.state, opening=opening))


def stack_apart(opening: OpeningState) -> OpeningState:
    """No stack is cut or loaded: what a shoe uses up is due again."""
    opening = opening.without(*USED_UP)
    return replace(opening, loaded="", offered=(), cutter=NOBODY, recut_by=())


def counted_wrong(counted: int, due: int) -> str:
    """How a count differs from what is due."""
    few_or_many = "too few" if counted < due else "too many"
    return f"{counted} cards of {due} were counted, {abs(due - counted)} {few_or_many}"


def recorded(
    book: RuleBook, step: Step, event: ActRecorded, detail: str = "", *points: RulePoint
) -> Step:
    """The act stands in the record with what asks for it; `points` beside the act's own."""
    said = (detail, event.reason, event.reference, f"with {event.second}" if event.second else "")
    words = "; ".join(word for word in said if word)
    clauses = book.clauses(*dict.fromkeys((*points_of(event.kind), *points)))
    step = accept(step, f"{event.kind.value}: {event.person}")
    return step.with_effect(Recorded(event.kind.value, event.person, words, clauses))


def kept(step: Step, event: ActRecorded, batch: str = "", amount: int = 0) -> Step:
    """The act counts for what is due."""
    act = Act(event.kind, batch, step.state.today, event.person, amount)
    return with_opening(step, step.state.opening.with_act(act))


def refused(
    book: RuleBook, state: TableState, event: ActRecorded, why: str, *points: RulePoint
) -> Step:
    """The act is not taken: why, and what can be done."""
    return begin(state).with_effect(Refused(event.kind.value, why, book.clauses(*points)))
