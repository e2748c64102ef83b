"""Dealers who sign on and off, and what they and one person alone may not decide.

Not: how it is known who acts (controller.table.accounts), and which roles may decide
(controller.rules.actions).
Source: D-44.

Decisions. Who dealt when an irregularity was raised stays answerable for it after signing off, and
is no second person for it either. A decision is counted when it is carried out, also one made with
a second person. The limit is for each kind of decision, person and shoe.
"""

from typing import Any, Final

from msgspec.structs import replace

from controller.procedure.effects import ActRecord, Refusal
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import DecisionCount, TableState
from controller.procedure.step_result import Step, accept
from controller.rules.actions.actions import (
    CorrectCoup,
    OperatorAction,
    Resolution,
    SignDealerOff,
    SignDealerOn,
)
from controller.rules.actions.declaration import name_of
from foundation.message import Message, message

# As many as sit and stand at the largest table, and a relief for each.
DEALERS_MAX: Final = 8


def dealer_signed_on(book: RuleBook, state: TableState, act: OperatorAction[SignDealerOn]) -> Step:
    """Sign the person on; refused for one who has, and where nobody signs off."""
    dealers = state.staff.dealers
    if act.person in dealers:
        return _refused(state, act, message("dealer_has_signed_on", person=act.person))
    if len(dealers) == DEALERS_MAX:
        return _refused(state, act, message("too_many_dealers", most=DEALERS_MAX))
    return _recorded(state, act, act.person, (*dealers, act.person))


def dealer_signed_off(
    book: RuleBook, state: TableState, act: OperatorAction[SignDealerOff]
) -> Step:
    """Sign a dealer off: the person, or the one a supervisor names."""
    dealers, dealer = state.staff.dealers, act.action.dealer or act.person
    if dealer not in dealers:
        return _refused(state, act, message("dealer_has_not_signed_on", person=dealer))
    return _recorded(state, act, dealer, tuple(one for one in dealers if one != dealer))


def _refused(state: TableState, act: OperatorAction[Any], why: Message) -> Step:
    return Step(state).with_effect(Refusal(name_of(act.action), why))


def _recorded(
    state: TableState, act: OperatorAction[Any], dealer: str, dealers: tuple[str, ...]
) -> Step:
    what = name_of(act.action)
    detail = message("dealers_at_the_table", count=len(dealers))
    step = Step(
        replace(state, staff=replace(state.staff, dealers=dealers)),
        provisional=state.suspension is not None,
    )
    step = accept(step, message("dealer_signs", what=what, person=dealer))
    return step.with_effect(ActRecord(what, dealer, detail, ()))


# --- decisions ------------------------------------------------------------------------------------


def hold_dealers_answerable(before: TableState, step: Step) -> Step:
    """After an event that raised an irregularity: who dealt then is answerable for it.

    So are those who dealt when others were raised that were open before.
    """
    staff = step.state.staff
    answerable = staff.answerable if before.open_irregularities else ()
    answerable += tuple(one for one in before.staff.dealers if one not in answerable)
    return step.with_state(replace(step.state, staff=replace(staff, answerable=answerable)))


def count_decision(step: Step, act: OperatorAction[Any]) -> Step:
    """Count a decision that was carried out."""
    decides = isinstance(act.action, Resolution | CorrectCoup)
    if not decides or any(isinstance(one, Refusal) for one in step.effects):
        return step
    staff, decision = step.state.staff, decision_of(act)
    others = tuple(
        one for one in staff.decisions if (one.person, one.decision) != (act.person, decision)
    )
    made = DecisionCount(act.person, decision, staff.made(act.person, decision) + 1)
    staff = replace(staff, decisions=(*others, made))
    return step.with_state(replace(step.state, staff=staff))


def decision_of(act: OperatorAction[Any]) -> str:
    """The kind of a decision: that of `resolve`, or the name of the action."""
    action = act.action
    return action.decision.value if isinstance(action, Resolution) else name_of(action)


def refusal_of_person(
    book: RuleBook, state: TableState, act: OperatorAction[Resolution]
) -> Message | None:
    """Why this person may not make this decision, or not alone; None where the person may."""
    staff, second = state.staff, act.action.second
    if not book.values.dealer_decides_own_irregularity:
        for person in (act.person, second):
            if person in staff.answerable:
                return message("dealer_decides_no_own_irregularity", person=person)
    most, decision = book.values.decisions_alone_max, decision_of(act)
    made = staff.made(act.person, decision)
    alone = not second or second == act.person
    if most and made >= most and alone:
        return message("decision_needs_second_person", decision=decision, made=made, most=most)
    return None
