"""Suspended play: what goes on meanwhile, and how a floorperson ends it.

Responsible for: following by the same rules whatever is dealt while suspended, without counting
or publishing it, and carrying out a resolution.
Not responsible for: raising irregularities (the modules that judge) and for who may resolve
(controller.tape.actions checks the role before an action is put).
Source: D-32; S42 (k)(1)-(4); package README, "Suspension".

Decisions. One decision closes every open irregularity. A coup that is void because its cards were
dealt while suspended needs no other decision. A coup whose cards are not whole never counts without
a stated outcome, and of two such coups none can be stated. Of a shoe that began while this one
waits nothing is followed: once it is begun this shoe can only be closed, and the next is joined.
Closing a shoe that is over already says that the card that came is another shoe's: the table then
has no shoe, and joins that one at its next card.
"""

from collections.abc import Callable
from typing import TypeAlias

from controller.procedure.dealing.coup_end import close_coup, count, end_stated
from controller.procedure.dealing.error_cards import (
    burn_point,
    carry_point,
    errors_decided,
    errors_permit,
)
from controller.procedure.dealing.remedy_burn import burn_due
from controller.procedure.dealing.shoe import join_shoe_in_burn, open_shoe
from controller.procedure.decisions import Decision, Provisional, Resolution
from controller.procedure.effects import CoupFate, CoupRecord, Refused, ResolutionRecorded
from controller.procedure.events import (
    CardDrawn,
    FollowedEvent,
    IrregularityResolved,
    ReportsMissing,
    ShoeDeviceStarted,
)
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.phases import Phase, Trigger, resume_trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import (
    CoupState,
    CutState,
    NextShoe,
    OpenIrregularity,
    Suspension,
    TableState,
)
from controller.procedure.states.remedy import ErrorCard
from controller.procedure.step_result import Step, accept, irregular, suspended_if_due
from controller.profiles.rule_points import RulePoint
from firmware_bridge.values import replace

Judge: TypeAlias = Callable[[RuleBook, Step, FollowedEvent], Step]


def follow(
    book: RuleBook, state: TableState, suspension: Suspension, event: FollowedEvent, judge: Judge
) -> Step:
    """Judge an event as if the table were not suspended, and keep the outcome provisional."""
    inner = replace(state, phase=suspension.resume_to, suspension=None)
    step = Step(inner, provisional=True, next_shoe=suspension.next_shoe)
    if _is_of_next_shoe(suspension, event):
        step = _not_followed(step, event)
    else:
        step = judge(book, step, event)
    dealt = isinstance(event, CardDrawn)
    if dealt:
        step = _mark_dealt(step, inner)
    if dealt and not suspension.dealt:
        detail = f"first while waiting for {suspension.resume_to.value}"
        step = irregular(book, step, IrregularityCode.DEALT_WHILE_SUSPENDED, detail)
    outer = replace(
        suspension,
        resume_to=step.phase,
        held=(*suspension.held, *step.held),
        dealt=suspension.dealt or dealt,
        next_shoe=step.next_shoe,
    )
    return step.on(replace(step.state, phase=Phase.SUSPENDED, suspension=outer))


def _is_of_next_shoe(suspension: Suspension, event: FollowedEvent) -> bool:
    """Whether the event can only belong to the shoe after this one."""
    if suspension.next_shoe is NextShoe.BEGUN:
        return True
    if suspension.next_shoe is NextShoe.NONE:
        return False
    over = suspension.resume_to is Phase.SHOE_OVER
    return isinstance(event, ShoeDeviceStarted) or (
        over and isinstance(event, CardDrawn | ReportsMissing)
    )


def _not_followed(step: Step, event: FollowedEvent) -> Step:
    if not isinstance(event, ShoeDeviceStarted):
        step = replace(step, next_shoe=NextShoe.BEGUN)
    return accept(step, "of the next shoe: not followed while the table is suspended")


def _mark_dealt(step: Step, before: TableState) -> Step:
    """Mark the coup that the card went to as dealt while suspended."""
    coup = step.shoe.coup
    if coup is None:
        return step
    earlier = before.shoe.coup if before.shoe is not None else None
    if earlier is not None and (earlier.number, earlier.cards) == (coup.number, coup.cards):
        return step
    return step.with_coup(replace(coup, suspended_cards=True))


def resolve(book: RuleBook, state: TableState, event: IrregularityResolved) -> Step:
    """Carry out a floorperson's decision, or refuse it with what is possible instead."""
    resolution, suspension = event.resolution, state.suspension
    refusal = refusal_of(state, resolution)
    if refusal:
        clauses = _refusing(book, state, resolution)
        return Step(state).with_effect(Refused("resolve", refusal, clauses))
    step = accept(Step(state), f"resolved by {event.person}")
    step = step.with_effect(_recorded(state, event))
    step = step.on(replace(state, open_irregularities=(), dealt_under=0))
    if suspension is None:
        return step
    step = step.on(replace(step.state, suspension=None))
    step = step.moved(book, resume_trigger(suspension.resume_to))
    step, held = errors_decided(book, step, resolution.decision, suspension.held)
    for record in held:
        step = count(book, step, _final(record, suspension, resolution))
    step = _open_coup_decided(book, step, suspension, resolution)
    if resolution.decision is Decision.CLOSE_SHOE:
        step = _shoe_closed(book, step, event, suspension)
    else:
        step = burn_due(book, _cut_card_put_back(step, state.open_irregularities))
        step = end_stated(book, step)
    return suspended_if_due(book, _next_shoe_opened(book, step, suspension))


def _refusing(book: RuleBook, state: TableState, resolution: Resolution) -> tuple[str, ...]:
    """The clauses that ask for another remedy, where a card drawn in error waits for one."""
    shoe = state.shoe
    if shoe is None or resolution.decision is not Decision.CONTINUE:
        return ()
    points = {point for error in shoe.remedy.waiting for point in _asking(error)}
    return book.clauses(*(point for point in RulePoint if point in points))


def _asking(error: ErrorCard) -> tuple[RulePoint, ...]:
    return (carry_point(error), burn_point(error))


def _recorded(state: TableState, event: IrregularityResolved) -> ResolutionRecorded:
    """Every irregularity since the last decision is closed, listed in the state or not."""
    resolution, suspension = event.resolution, state.suspension
    dealt = suspension is not None and suspension.dealt
    provisional = resolution.provisional if dealt else None
    first = state.open_irregularities[0].number
    return ResolutionRecorded(
        person=event.person,
        reason=event.reason,
        decision=resolution.decision.value,
        provisional=provisional.value if provisional is not None else "",
        outcome=resolution.outcome.value if resolution.outcome is not None else "",
        closed=tuple(range(first, state.irregularities + 1)),
    )


def refusal_of(state: TableState, resolution: Resolution) -> str:
    """Why this resolution cannot be carried out now; empty where it can."""
    if not state.open_irregularities:
        return "no irregularity is open"
    dealt = state.suspension is not None and state.suspension.dealt
    if dealt and resolution.provisional is None:
        return (
            "cards were dealt while the table was suspended: "
            "say whether to take-over or void them (provisional)"
        )
    permitted = permitted_decisions(state, resolution.provisional)
    if resolution.decision not in permitted:
        allowed = ", ".join(decision.value for decision in permitted)
        return f"{resolution.decision.value} is not permitted here; permitted: {allowed}"
    stated = resolution.decision is Decision.STATE_OUTCOME
    if stated and resolution.outcome is None:
        return "state-outcome needs the outcome: player, banker or tie"
    if not stated and resolution.outcome is not None:
        return f"{resolution.decision.value} takes no outcome"
    return ""


def permitted_decisions(
    state: TableState, provisional: Provisional | None = None
) -> tuple[Decision, ...]:
    """What a floorperson may decide now, if cards dealt while suspended become this."""
    suspension = state.suspension
    if suspension is None:
        return (Decision.CONTINUE,) if state.open_irregularities else ()
    assert state.shoe is not None, "only play from a shoe is suspended"
    shoe = state.shoe
    kinds = [CATALOGUE[one.code] for one in state.open_irregularities if one.suspends]
    left = suspension.next_shoe is NextShoe.BEGUN and suspension.resume_to is not Phase.SHOE_OVER
    if left or any(kind.decisions == (Decision.CLOSE_SHOE,) for kind in kinds):
        return (Decision.CLOSE_SHOE,)
    partial = _partial_coups(state, suspension, provisional)
    voidable = any(Decision.VOID_COUP in kind.decisions for kind in kinds)
    permitted = {
        Decision.CONTINUE: not partial and errors_permit(shoe, Decision.CONTINUE),
        Decision.CARRY: not partial and errors_permit(shoe, Decision.CARRY),
        Decision.BURN: not partial and errors_permit(shoe, Decision.BURN),
        Decision.VOID_COUP: bool(partial) or (suspension.coup > 0 and voidable),
        Decision.STATE_OUTCOME: len(partial) == 1,
        Decision.CLOSE_SHOE: True,
    }
    return tuple(decision for decision in Decision if permitted[decision])


def _partial_coups(
    state: TableState, suspension: Suspension, provisional: Provisional | None
) -> tuple[int, ...]:
    """Numbers of the coups, held or open, whose cards are not whole and that are not void."""
    coups: list[tuple[int, bool]] = [
        (record.coup, record.suspended_cards)
        for record in suspension.held
        if record.fate is CoupFate.PARTIAL
    ]
    coup = state.shoe.coup if state.shoe is not None else None
    if coup is not None and coup.partial:
        coups.append((coup.number, coup.suspended_cards))
    void = provisional is Provisional.VOID
    return tuple(number for number, dealt in coups if not (void and dealt))


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


def _open_coup_decided(
    book: RuleBook, step: Step, suspension: Suspension, resolution: Resolution
) -> Step:
    """What becomes of the coup that is still on the table."""
    coup = step.shoe.coup
    if coup is None:
        return step
    if _voids(coup, suspension, resolution):
        return close_coup(book, step, CoupFate.VOID)
    if coup.partial:
        return close_coup(book, step, CoupFate.FLOOR_DECIDED, resolution.outcome)
    if step.phase is Phase.RESULT and coup.declared is not None:
        return close_coup(book, step, CoupFate.COUNTED)
    return step.with_coup(replace(coup, abandoned=False, declared=None))


def _voids(coup: CoupState, suspension: Suspension, resolution: Resolution) -> bool:
    if resolution.decision is Decision.CLOSE_SHOE:
        return True
    if resolution.decision is Decision.VOID_COUP and (
        coup.number == suspension.coup or coup.partial
    ):
        return True
    return coup.suspended_cards and resolution.provisional is Provisional.VOID


def _cut_card_put_back(step: Step, were_open: tuple[OpenIrregularity, ...]) -> Step:
    """A cut card that came out in the burn goes back to its place (D-5)."""
    decided = any(one.code is IrregularityCode.CUT_CARD_IN_BURN for one in were_open)
    if decided and step.shoe.cut.in_burn:
        return step.with_shoe(replace(step.shoe, cut=CutState()))
    return step


def _shoe_closed(
    book: RuleBook, step: Step, event: IrregularityResolved, suspension: Suspension
) -> Step:
    """The shoe ends here; where it had ended, what came belongs to a shoe not yet seen."""
    if suspension.resume_to is not Phase.SHOE_OVER:
        if step.phase is not Phase.SHOE_OVER:
            step = step.moved(book, Trigger.SHOE_CLOSED)
        return end_stated(book, step, event.person, event.reason)
    if step.shoe.ended and suspension.next_shoe is NextShoe.NONE:
        step = step.moved(book, Trigger.NEXT_SHOE_UNSEEN)
        return step.on(replace(step.state, shoe=None))
    return end_stated(book, step)


def _next_shoe_opened(book: RuleBook, step: Step, suspension: Suspension) -> Step:
    """A shoe that began while the table was suspended, if this one is over."""
    if step.phase is not Phase.SHOE_OVER:
        return step
    match suspension.next_shoe:
        case NextShoe.NONE:
            return step
        case NextShoe.ANNOUNCED:
            return open_shoe(book, step)
        case _:
            # Whether its burn is over is not known either: the burn ends with the next coup.
            detail = "it began while the table was suspended"
            step = join_shoe_in_burn(book, step)
            return irregular(book, step, IrregularityCode.SHOE_JOINED, detail)
