"""What one step gives, and how a step grows while an event is judged.

Responsible for: the Step value, accepting, and raising an irregularity (numbering, citing,
suspending).
Not responsible for: deciding which of them is right (drawing, finishing, shoe, suspension).
Source: package README, "Verdicts"; D-32.
"""

from dataclasses import dataclass, replace

from controller.procedure.catalogue import CATALOGUE, IrregularityCode
from controller.procedure.effects import Call, Effect, Prompted
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import (
    CoupState,
    OpenIrregularity,
    ShoeState,
    Suspension,
    TableState,
)
from controller.procedure.verdicts import Accepted, Irregularity, Verdict
from controller.rules.profile import RulePoint

# A shoe in ruins may raise an irregularity at every card. The record keeps them all; the list
# that a floorperson reads stays short.
OPEN_IRREGULARITIES_MAX = 32


@dataclass(frozen=True, slots=True)
class Step:
    """The state after an event, and everything concluded from it, in order."""

    state: TableState
    verdicts: tuple[Verdict, ...] = ()
    effects: tuple[Effect, ...] = ()

    def on(self, state: TableState) -> "Step":
        return Step(state, self.verdicts, self.effects)

    def with_effect(self, effect: Effect) -> "Step":
        return Step(self.state, self.verdicts, (*self.effects, effect))

    def with_shoe(self, shoe: ShoeState) -> "Step":
        return self.on(replace(self.state, shoe=shoe))

    def with_coup(self, coup: CoupState | None) -> "Step":
        return self.with_shoe(replace(self.shoe, coup=coup))

    def at(self, phase: Phase) -> "Step":
        return self.on(replace(self.state, phase=phase))

    @property
    def shoe(self) -> ShoeState:
        assert self.state.shoe is not None, "no shoe is open"
        return self.state.shoe

    @property
    def coup(self) -> CoupState:
        assert self.shoe.coup is not None, "no coup is open"
        return self.shoe.coup


def accept(step: Step, what: str, clauses: tuple[str, ...] = ()) -> Step:
    """The event is in order."""
    return Step(step.state, (*step.verdicts, Accepted(what, clauses)), step.effects)


def prompt(book: RuleBook, step: Step, call: Call, text: str, *points: RulePoint) -> Step:
    """Tell a person what is due; nothing here senses whether it is done."""
    return step.with_effect(Prompted(call, text, book.clauses(*points), observed=False))


def irregular(book: RuleBook, step: Step, code: IrregularityCode, detail: str) -> Step:
    """Raise an irregularity. Play would resume at the state's present phase."""
    kind = CATALOGUE[code]
    state = step.state
    number = state.irregularities + 1
    coup = state.shoe.coup if state.shoe is not None else None
    coup_number = coup.number if coup is not None else 0
    clauses = book.clauses(*kind.points)
    verdict = Irregularity(
        code=code,
        number=number,
        coup=coup_number,
        detail=f"{kind.title}: {detail}",
        clauses=clauses,
        permitted=kind.permitted,
        forbidden=kind.forbidden,
        decisions=tuple(decision.value for decision in kind.decisions),
        suspends=kind.suspends,
    )
    opened = OpenIrregularity(number, code, clauses, coup_number, kind.suspends, provisional=False)
    still_open = state.open_irregularities
    if len(still_open) < OPEN_IRREGULARITIES_MAX:
        still_open = (*still_open, opened)
    shoe = state.shoe
    if shoe is not None:
        if coup is not None:
            coup = replace(coup, irregular=(*coup.irregular, number))
        shoe = replace(shoe, irregularities=shoe.irregularities + 1, coup=coup)
    state = replace(state, irregularities=number, open_irregularities=still_open, shoe=shoe)
    if kind.suspends and state.suspension is None:
        state = _suspended(book, state, coup_number)
    return Step(state, (*step.verdicts, verdict), step.effects)


def _suspended(book: RuleBook, state: TableState, coup: int) -> TableState:
    return replace(
        state,
        phase=book.move(state.phase, Trigger.SUSPEND),
        suspension=Suspension(resume_to=state.phase, coup=coup),
    )
