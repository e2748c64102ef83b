"""Suspended play: judging events provisionally, and carrying out a floorperson's resolution.

Not: whether the person's role may resolve (controller.rules.actions.actions).
Source: D-32; S42 (k)(1)-(4).

Decisions. One decision closes every open irregularity. A coup that is void because its cards were
dealt while suspended needs no other decision. A coup whose cards are not whole never counts without
a stated outcome, and of two such coups none can be stated. A shoe that begins while this one waits
is not followed: once it has begun, this shoe can only be closed, and the next is joined. Closing a
shoe that is already over states that the card belongs to another shoe: the table then has no shoe,
and joins that one at its next card.
"""

from collections.abc import Callable
from typing import TypeAlias

from msgspec.structs import replace

from controller.procedure.calls.prompts import prompt_what_waited
from controller.procedure.dealing.burn import begin_due_burn
from controller.procedure.dealing.coup_end import (
    close_coup,
    publish_coup,
    resume_coup,
    state_shoe_end,
)
from controller.procedure.dealing.error_cards import (
    burn_point,
    carry_point,
    decide_error_cards,
)
from controller.procedure.dealing.held_hands import begin_hand_drawn_after
from controller.procedure.dealing.shoe import join_shoe_in_burn, open_shoe
from controller.procedure.effects import CoupRecord, Refusal, ResolutionRecorded
from controller.procedure.events import CardDrawn, PlayItem, ReportsMissing, ShoeDeviceStarted
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.people.permitted import is_own_void, refusal_to_resolve
from controller.procedure.people.staff import refusal_of_person
from controller.procedure.phases import Phase, Trigger, due_words
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import (
    CoupState,
    CutState,
    ErrorCard,
    NextShoe,
    OpenIrregularity,
    Suspension,
    TableState,
    shoes_to_correct,
)
from controller.procedure.step_result import Step, accept, ask, raise_irregularity, suspend_if_due
from controller.rules.actions.actions import OperatorAction, Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import name_of
from controller.rules.outcome import CoupFate
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message

EventJudge: TypeAlias = Callable[[RuleBook, Step, PlayItem], Step]


def judge_provisionally(
    book: RuleBook, state: TableState, suspension: Suspension, event: PlayItem, judge: EventJudge
) -> Step:
    """Judge an event as if the table were not suspended; its conclusions are provisional."""
    held, next_shoe = suspension.held, suspension.next_shoe
    step = Step(state, provisional=True, held=held, next_shoe=next_shoe)
    if _is_of_next_shoe(step, event):
        step = ask(book, step, Trigger.OF_NEXT_SHOE, event)
    else:
        step = judge(book, step, event)
    counted = suspension
    if isinstance(event, CardDrawn):
        coup = _coup_of_card(step, state)
        if coup is not None:
            step = step.with_coup(replace(coup, suspended_cards=True))
        if not suspension.dealt:
            step = ask(book, step, Trigger.DEALT_WHILE_SUSPENDED, suspension.resume_to)
        counted = _count_card(suspension, coup)
    after = step.state.suspension
    assert after is not None, "only a resolution ends the suspension"
    after = replace(
        after,
        held=step.held,
        next_shoe=step.next_shoe,
        cards_dealt=counted.cards_dealt,
        coups_dealt=counted.coups_dealt,
        last_coup_dealt=counted.last_coup_dealt,
    )
    return step.with_state(replace(step.state, suspension=after))


def _is_of_next_shoe(step: Step, event: PlayItem) -> bool:
    """Whether the event can only belong to the shoe after this one."""
    if step.next_shoe is NextShoe.BEGUN:
        return True
    if step.next_shoe is NextShoe.NONE:
        return False
    return isinstance(event, ShoeDeviceStarted) or (
        step.state.shoe_over and isinstance(event, CardDrawn | ReportsMissing)
    )


def ignore_next_shoe(book: RuleBook, step: Step, event: PlayItem, why: Message) -> Step:
    """What belongs to the next shoe is not followed: that it began is noted."""
    if not isinstance(event, ShoeDeviceStarted):
        step = replace(step, next_shoe=NextShoe.BEGUN)
    return accept(step, why)


def raise_dealt_while_suspended(
    book: RuleBook, step: Step, waited_in: Phase, code: IrregularityCode
) -> Step:
    """A card left the shoe while a floorperson had to decide."""
    detail = message("first_card_while_waiting_for", due=due_words(waited_in))
    return raise_irregularity(book, step, code, detail)


def _coup_of_card(step: Step, before: TableState) -> CoupState | None:
    """The coup that received the card; None for a card of no hand."""
    coup = step.shoe.coup
    earlier = before.shoe.coup if before.shoe is not None else None
    if coup is None or earlier is None:
        return coup
    received = (earlier.number, earlier.cards) != (coup.number, coup.cards)
    return coup if received else None


def _count_card(suspension: Suspension, coup: CoupState | None) -> Suspension:
    """Count a card dealt while the table is suspended, and its coup once."""
    counted = replace(suspension, cards_dealt=suspension.cards_dealt + 1)
    if coup is None or coup.number == suspension.last_coup_dealt:
        return counted
    return replace(counted, coups_dealt=suspension.coups_dealt + 1, last_coup_dealt=coup.number)


def irregularity_resolved(
    book: RuleBook, state: TableState, act: OperatorAction[Resolution]
) -> Step:
    """Carry out a floorperson's decision, or refuse it with the permitted ones."""
    resolution, suspension = act.action, state.suspension
    refusal = refusal_to_resolve(book, state, act) or refusal_of_person(book, state, act)
    if refusal is not None:
        clauses = _clauses_of_other_remedy(book, state, resolution)
        return Step(state).with_effect(Refusal(name_of(resolution), refusal, clauses))
    step = accept(Step(state), message("resolved_by_person", person=act.person))
    step = step.with_effect(_resolution_record(state, act))
    step = step.with_state(replace(state, open_irregularities=(), dealt_under_warning=0))
    if suspension is None:
        return _decide_before_suspension(book, step, act, state.open_irregularities)
    step = step.with_state(replace(step.state, suspension=None))
    step = step.resume(book, suspension.resume_to)
    own_void = is_own_void(book, state, resolution)
    step = step.with_shoe(replace(step.shoe, unread_coup=None))
    step, held = decide_error_cards(book, step, resolution, suspension.held)
    for record in held:
        final = _final_record(record, suspension, resolution, own_void=own_void)
        step = publish_coup(book, step, final)
    step = _decide_open_coup(book, step, suspension, resolution, own_void=own_void)
    if resolution.decision is FloorDecision.CLOSE_SHOE:
        step = _close_shoe(book, step, act, suspension, was_over=state.shoe_over)
    else:
        step = begin_due_burn(book, _put_cut_card_back(step, state.open_irregularities))
        step = state_shoe_end(book, begin_hand_drawn_after(book, step))
    return suspend_if_due(book, _open_next_shoe(book, step, suspension))


def _decide_before_suspension(
    book: RuleBook,
    step: Step,
    act: OperatorAction[Resolution],
    were_open: tuple[OpenIrregularity, ...],
) -> Step:
    """Carry out a decision on irregularities that have not suspended the table."""
    if act.action.decision is FloorDecision.CLOSE_SHOE:
        step = step.advance(book, Trigger.SHOE_CLOSED)
        return state_shoe_end(book, step, act.person, act.reason)
    return _put_cut_card_back(step, were_open) if step.state.shoe is not None else step


def _clauses_of_other_remedy(
    book: RuleBook, state: TableState, resolution: Resolution
) -> tuple[str, ...]:
    """The clauses that require another remedy: of a card drawn in error, or of the coup."""
    shoe = state.shoe
    if shoe is None or resolution.decision not in (FloorDecision.CONTINUE, FloorDecision.VOID_COUP):
        return ()
    waiting = [error for error in shoe.remedy.waiting if error.in_error]
    points = {point for error in waiting for point in _remedy_points(error)}
    kinds = [CATALOGUE[one.code] for one in state.open_irregularities]
    if is_own_void(book, state, resolution):
        points |= {point for kind in kinds if kind.prescribed for point in kind.points}
    return book.clauses(*(point for point in RulePoint if point in points))


def _remedy_points(error: ErrorCard) -> tuple[RulePoint, ...]:
    return (carry_point(error), burn_point(error))


def _resolution_record(state: TableState, act: OperatorAction[Resolution]) -> ResolutionRecorded:
    """The record of the decision; it closes all irregularities since the last one."""
    resolution, suspension = act.action, state.suspension
    coups, cards = (suspension.coups_dealt, suspension.cards_dealt) if suspension else (0, 0)
    first = state.open_irregularities[0].number
    return ResolutionRecorded(
        person=act.person,
        reason=act.reason,
        decision=resolution.decision,
        provisional=resolution.provisional if cards else None,
        outcome=resolution.outcome,
        closed=tuple(range(first, state.irregularities + 1)),
        coups_dealt=coups,
        cards_dealt=cards,
        second=resolution.second,
    )


def _final_record(
    record: CoupRecord, suspension: Suspension, resolution: Resolution, *, own_void: bool
) -> CoupRecord:
    """The final record of a coup that ended while the table was suspended."""
    void = replace(record, fate=CoupFate.VOID, outcome=None)
    if record.suspended_cards and resolution.provisional is Provisional.VOID:
        return void
    if record.fate is CoupFate.PARTIAL:
        if resolution.decision is FloorDecision.STATE_OUTCOME:
            return replace(record, fate=CoupFate.FLOOR_DECIDED, outcome=resolution.outcome)
        return void
    if record.coup == suspension.coup and resolution.decision is FloorDecision.VOID_COUP:
        return replace(void, own_void=own_void)
    return record


def _decide_open_coup(
    book: RuleBook, step: Step, suspension: Suspension, resolution: Resolution, *, own_void: bool
) -> Step:
    """Decide the coup that is still on the table."""
    coup = step.shoe.coup
    if coup is None:
        return step
    if _voids(coup, suspension, resolution):
        own = own_void and coup.number == suspension.coup
        return close_coup(book, step, CoupFate.VOID, own_void=own)
    if coup.partial:
        return close_coup(book, step, CoupFate.FLOOR_DECIDED, resolution.outcome)
    if step.phase is Phase.DECLARED:
        return close_coup(book, step, CoupFate.COUNTED)
    return prompt_what_waited(book, resume_coup(book, step))


def _voids(coup: CoupState, suspension: Suspension, resolution: Resolution) -> bool:
    if resolution.decision is FloorDecision.CLOSE_SHOE:
        return True
    if resolution.decision is FloorDecision.VOID_COUP and (
        coup.number == suspension.coup or coup.partial
    ):
        return True
    return coup.suspended_cards and resolution.provisional is Provisional.VOID


def _put_cut_card_back(step: Step, were_open: tuple[OpenIrregularity, ...]) -> Step:
    """Put a cut card that came out in the burn back to its place (D-5)."""
    decided = any(one.code is IrregularityCode.CUT_CARD_IN_BURN for one in were_open)
    if decided and step.shoe.cut.in_burn:
        return step.with_shoe(replace(step.shoe, cut=CutState()))
    return step


def _close_shoe(
    book: RuleBook,
    step: Step,
    act: OperatorAction[Resolution],
    suspension: Suspension,
    *,
    was_over: bool,
) -> Step:
    """Close the shoe; where it was already over, the next card belongs to an unseen shoe."""
    if not was_over:
        if not step.state.shoe_over:
            step = step.advance(book, Trigger.SHOE_CLOSED)
        return state_shoe_end(book, step, act.person, act.reason)
    if step.shoe.ended and suspension.next_shoe is NextShoe.NONE:
        step = step.advance(book, Trigger.NEXT_SHOE_UNSEEN)
        earlier = shoes_to_correct(step.state)
        return step.with_state(replace(step.state, shoe=None, earlier_shoes=earlier))
    return state_shoe_end(book, step)


def _open_next_shoe(book: RuleBook, step: Step, suspension: Suspension) -> Step:
    """Open the shoe that began while the table was suspended, if this one is over."""
    if not step.state.shoe_over:
        return step
    match suspension.next_shoe:
        case NextShoe.NONE:
            return step
        case NextShoe.ANNOUNCED:
            return open_shoe(book, step)
        case _:
            # Whether its burn is over is unknown, too: the burn ends with the next coup.
            detail = message("began_while_table_suspended")
            step = join_shoe_in_burn(book, step)
            return raise_irregularity(book, step, IrregularityCode.SHOE_JOINED, detail)
