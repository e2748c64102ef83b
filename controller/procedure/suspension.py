"""Suspended play: what goes on meanwhile, and how a floorperson ends it.

Responsible for: following by the same rules whatever is dealt while suspended, without counting
or publishing it, and carrying out a resolution.
Not responsible for: raising irregularities (drawing, finishing, shoe) and for who may resolve
(controller.actions checks the role before an action is put).
Source: D-32; S42 (k)(1)-(4); package README, "Suspension".
"""

from collections.abc import Callable
from dataclasses import replace

from controller.procedure.catalogue import CATALOGUE, IrregularityCode
from controller.procedure.decisions import Decision, Provisional, Resolution
from controller.procedure.effects import (
    CoupClosed,
    CoupFate,
    CoupRecord,
    Effect,
    Refused,
    ResolutionRecorded,
)
from controller.procedure.events import (
    CardDrawn,
    DomainEvent,
    IrregularityResolved,
    ShoeDeviceStarted,
)
from controller.procedure.finishing import close_coup, complete_result, settle
from controller.procedure.phases import Phase, Trigger, resume_trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.shoe import open_shoe
from controller.procedure.state import CoupState, CutState, Suspension, TableState
from controller.procedure.steps import Step, accept, irregular
from controller.rules.outcome import Outcome

# A whole shoe dealt while suspended gives some eighty coups.
HELD_COUPS_MAX = 128

Judge = Callable[[RuleBook, Step, DomainEvent], Step]


def follow(book: RuleBook, state: TableState, event: DomainEvent, judge: Judge) -> Step:
    """Judge an event as if the table were not suspended, and keep the outcome provisional."""
    suspension = state.suspension
    assert suspension is not None
    if isinstance(event, ShoeDeviceStarted) and suspension.resume_to is Phase.SHOE_OVER:
        noted = replace(state, suspension=replace(suspension, new_shoe=True))
        return accept(Step(noted), "a new shoe was announced while the table was suspended")
    inner = replace(state, phase=suspension.resume_to, suspension=None)
    step = judge(book, Step(inner), event)
    dealt = isinstance(event, CardDrawn)
    if dealt:
        step = _mark_dealt(step, inner)
        if not suspension.dealt:
            detail = f"first while waiting for {suspension.resume_to.value}"
            step = irregular(book, step, IrregularityCode.DEALT_WHILE_SUSPENDED, detail)
    return _held(state, suspension, step, dealt=dealt)


def _mark_dealt(step: Step, before: TableState) -> Step:
    """Mark the coup that the card went to as dealt while suspended."""
    shoe = step.state.shoe
    if shoe is None or shoe.coup is None:
        return step
    earlier = before.shoe.coup if before.shoe is not None else None
    same = earlier is not None and earlier.number == shoe.coup.number
    if same and earlier is not None and len(earlier.cards) == len(shoe.coup.cards):
        return step
    return step.with_coup(replace(shoe.coup, suspended_cards=True))


def _held(state: TableState, suspension: Suspension, step: Step, *, dealt: bool) -> Step:
    """Put the followed state back behind the suspension."""
    after = step.state
    inner = after.suspension
    held = list(suspension.held)
    effects: list[Effect] = []
    for effect in step.effects:
        if isinstance(effect, CoupClosed) and len(held) < HELD_COUPS_MAX:
            held.append(effect.record)
        else:
            effects.append(effect)
    outer = replace(
        suspension,
        resume_to=inner.resume_to if inner is not None else after.phase,
        held=tuple(held),
        dealt=suspension.dealt or dealt,
        new_shoe=suspension.new_shoe or (inner is not None and inner.new_shoe),
    )
    still_open = tuple(
        replace(one, provisional=True) if one.number > state.irregularities else one
        for one in after.open_irregularities
    )
    after = replace(after, phase=Phase.SUSPENDED, suspension=outer, open_irregularities=still_open)
    verdicts = tuple(replace(verdict, provisional=True) for verdict in step.verdicts)
    return Step(after, verdicts, tuple(effects))


def resolve(book: RuleBook, state: TableState, event: IrregularityResolved) -> Step:
    """Carry out a floorperson's decision, or refuse it with what is possible instead."""
    refusal = refusal_of(state, event.resolution)
    if refusal:
        return Step(state).with_effect(Refused("resolve", refusal))
    closed = tuple(one.number for one in state.open_irregularities)
    resolution = event.resolution
    recorded = ResolutionRecorded(
        person=event.person,
        reason=event.reason,
        decision=resolution.decision.value,
        provisional=resolution.provisional.value if resolution.provisional is not None else "",
        outcome=resolution.outcome.value if resolution.outcome is not None else "",
        closed=closed,
    )
    codes = tuple(one.code for one in state.open_irregularities)
    step = accept(Step(state), f"resolved by {event.person}").with_effect(recorded)
    suspension = state.suspension
    if suspension is None:
        return step.on(replace(state, open_irregularities=()))
    phase = book.move(Phase.SUSPENDED, resume_trigger(suspension.resume_to))
    step = step.on(replace(state, phase=phase, suspension=None, open_irregularities=()))
    for record in suspension.held:
        step = step.with_effect(CoupClosed(_final(record, suspension, resolution)))
    step = _end_open_coup(book, step, suspension, resolution)
    step = _put_cut_card_back(step, codes, resolution)
    step = _end_of_shoe(book, step, resolution)
    step = settle(step, event.person, event.reason)
    if suspension.new_shoe and step.state.phase is Phase.SHOE_OVER:
        # Its burn was not followed while the table was suspended.
        step = open_shoe(book, step, joined=suspension.dealt)
    return step


def refusal_of(state: TableState, resolution: Resolution) -> str:
    """Why this resolution cannot be carried out now; empty where it can."""
    permitted = permitted_decisions(state)
    if not permitted:
        return "no irregularity is open"
    if resolution.decision not in permitted:
        allowed = ", ".join(decision.value for decision in permitted)
        return f"{resolution.decision.value} is not permitted here; permitted: {allowed}"
    suspension = state.suspension
    if suspension is not None and suspension.dealt and resolution.provisional is None:
        return (
            "cards were dealt while the table was suspended: "
            "say whether to take-over or void them (provisional)"
        )
    if resolution.decision is Decision.STATE_OUTCOME and resolution.outcome is None:
        return "state-outcome needs the outcome: player, banker or tie"
    return ""


def permitted_decisions(state: TableState) -> tuple[Decision, ...]:
    """What a floorperson may decide now, in the order of the catalogue."""
    if state.suspension is None:
        return (Decision.CONTINUE,) if state.open_irregularities else ()
    suspending = [one for one in state.open_irregularities if one.suspends]
    partial = _partial_coups(state)
    permitted = [
        decision
        for decision in Decision
        if all(decision in CATALOGUE[one.code].decisions for one in suspending)
    ]
    if partial and Decision.CONTINUE in permitted:
        permitted.remove(Decision.CONTINUE)
    if len(partial) != 1 and Decision.STATE_OUTCOME in permitted:
        permitted.remove(Decision.STATE_OUTCOME)
    if partial and Decision.VOID_COUP not in permitted:
        permitted.append(Decision.VOID_COUP)
    has_coup = bool(partial) or state.suspension.coup > 0
    if not has_coup and Decision.VOID_COUP in permitted:
        permitted.remove(Decision.VOID_COUP)
    if Decision.CLOSE_SHOE not in permitted:
        permitted.append(Decision.CLOSE_SHOE)
    return tuple(permitted)


def _partial_coups(state: TableState) -> tuple[int, ...]:
    """Numbers of the coups whose cards are not whole, held or still open."""
    suspension = state.suspension
    assert suspension is not None
    partial = [record.coup for record in suspension.held if record.fate is CoupFate.PARTIAL]
    coup = state.shoe.coup if state.shoe is not None else None
    if coup is not None and coup.partial:
        partial.append(coup.number)
    return tuple(partial)


def _final(record: CoupRecord, suspension: Suspension, resolution: Resolution) -> CoupRecord:
    """What becomes of a coup that ended while the table was suspended."""
    void = replace(record, fate=CoupFate.VOID, outcome=None)
    if record.suspended_cards and resolution.provisional is Provisional.VOID:
        return void
    if record.fate is CoupFate.PARTIAL:
        if resolution.decision is Decision.STATE_OUTCOME:
            return replace(record, fate=CoupFate.FLOOR_DECIDED, outcome=resolution.outcome)
        return void
    if record.coup == suspension.coup and resolution.decision is Decision.VOID_COUP:
        return void
    return record


def _end_open_coup(
    book: RuleBook, step: Step, suspension: Suspension, resolution: Resolution
) -> Step:
    """What becomes of the coup that is still on the table."""
    shoe = step.state.shoe
    coup = shoe.coup if shoe is not None else None
    if coup is None:
        return step
    if _voids(coup, suspension, resolution):
        return close_coup(book, step, CoupFate.VOID)
    if coup.partial:
        assert resolution.outcome is not None
        return _floor_decides(book, step, resolution.outcome)
    if step.state.phase is Phase.RESULT:
        if coup.declared is not None and complete_result(coup) is not None:
            return close_coup(book, step, CoupFate.COUNTED)
        return step.with_coup(replace(coup, abandoned=False))
    return step.with_coup(replace(coup, abandoned=False, declared=None))


def _voids(coup: CoupState, suspension: Suspension, resolution: Resolution) -> bool:
    if resolution.decision is Decision.CLOSE_SHOE:
        return True
    if resolution.decision is Decision.VOID_COUP and (
        coup.number == suspension.coup or coup.partial
    ):
        return True
    return coup.suspended_cards and resolution.provisional is Provisional.VOID


def _floor_decides(book: RuleBook, step: Step, outcome: Outcome) -> Step:
    step = close_coup(book, step, CoupFate.FLOOR_DECIDED)
    effects = list(step.effects)
    for place, effect in enumerate(effects):
        if isinstance(effect, CoupClosed) and effect.record.fate is CoupFate.FLOOR_DECIDED:
            effects[place] = CoupClosed(replace(effect.record, outcome=outcome))
    return Step(step.state, step.verdicts, tuple(effects))


def _put_cut_card_back(
    step: Step, codes: tuple[IrregularityCode, ...], resolution: Resolution
) -> Step:
    """A cut card that came out in the burn goes back to its place (D-5)."""
    if IrregularityCode.CUT_CARD_IN_BURN not in codes:
        return step
    if resolution.decision is Decision.CONTINUE:
        return step.with_shoe(replace(step.shoe, cut=CutState()))
    return step


def _end_of_shoe(book: RuleBook, step: Step, resolution: Resolution) -> Step:
    """Close the shoe where the decision says so, or where a second cut card ended it."""
    phase = step.state.phase
    if phase is Phase.SHOE_OVER:
        return step
    exhausted = step.shoe.cut.exhausted and phase is Phase.BETWEEN_COUPS
    if resolution.decision is Decision.CLOSE_SHOE or exhausted:
        return step.at(book.move(phase, Trigger.SHOE_CLOSED))
    return step
