"""Vigorish that is owed: collected, written down on its form, or due when a patron leaves.

Source: NY-c-3-ii-deadline, NY-c-3-ii-mark, NY-c-3-ii-hold, NY-c-4-time; S42-c-3-ii-deadline to
S42-c-3-iv, S42-c-4-time; WA-ov-6-when; D-22.
"""

from msgspec.structs import replace

from controller.procedure.effects import ActRecord, Prompt, PromptKind, Refusal
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, accept
from controller.procedure.wagering.payment import terms_of
from controller.procedure.wagering.wagers import with_wagering
from controller.rules.actions.actions import (
    CollectVigorish,
    DocumentVigorish,
    OperatorAction,
    VacateSeat,
)
from controller.rules.actions.declaration import name_of
from controller.rules.settlement.vigorish_ledger import (
    LedgerEntryResult,
    LedgerRefusal,
    VigorishForm,
    collect_vigorish,
    complimentary_totals,
    document_uncollected,
    end_gaming_day,
    patron_leaving_refusal,
    void_form,
)
from foundation.message import message

COMPLIMENTARY = "complimentary-vigorish"


def vigorish_collected(
    book: RuleBook, state: TableState, act: OperatorAction[CollectVigorish]
) -> Step:
    """Record that the vigorish of a seat was collected."""
    entered = collect_vigorish(terms_of(book), state.wagering.ledger, act.action.seat)
    return _apply_ledger_entry(state, name_of(act.action), act.person, entered)


def vigorish_documented(
    book: RuleBook, state: TableState, act: OperatorAction[DocumentVigorish]
) -> Step:
    """Record the form for vigorish that is not collected, or that such a form was voided."""
    terms, ledger = terms_of(book), state.wagering.ledger
    if act.action.void:
        entered = void_form(terms, ledger, act.action.form_number, act.person, act.action.pit_clerk)
    else:
        form = VigorishForm(
            act.action.form_number,
            act.action.patron,
            act.action.dealer,
            act.person,
            act.action.pit_clerk,
            act.action.patron_signed,
            act.reason,
        )
        entered = document_uncollected(terms, ledger, act.action.seat, form)
    return _apply_ledger_entry(state, name_of(act.action), act.action.pit_clerk, entered)


def _apply_ledger_entry(
    state: TableState, what: str, person: str, entered: LedgerEntryResult | LedgerRefusal
) -> Step:
    step = Step(state, provisional=state.suspension is not None)
    if isinstance(entered, LedgerRefusal):
        why = message("why_and_remedy", why=entered.why, remedy=entered.remedy)
        return step.with_effect(Refusal(what, why, entered.clauses))
    vacated = tuple(seat for seat in state.wagering.vacated if entered.ledger.owed_by(seat).cents)
    step = with_wagering(step, replace(state.wagering, ledger=entered.ledger, vacated=vacated))
    text, clauses = entered.statement.text, entered.statement.clauses
    step = accept(step, text, clauses).with_effect(ActRecord(what, person, text, clauses))
    for due in (*entered.due, *entered.warnings):
        step = step.with_effect(Prompt(PromptKind.VIGORISH, due.text, due.clauses, observed=False))
    return step


def seat_vacated(book: RuleBook, state: TableState, act: OperatorAction[VacateSeat]) -> Step:
    """Record that a patron left: where the rule says so, the seat's vigorish is due now."""
    step = Step(state, provisional=state.suspension is not None)
    left = patron_leaving_refusal(terms_of(book), state.wagering.ledger, act.action.seat)
    if left is None:
        owed = state.wagering.ledger.owed_by(act.action.seat).cents
        what = message("seat_free_reported_by", seat=act.action.seat, person=act.person)
        if owed:
            what = message("what_and_vigorish_stays_marked", what=what)
        return accept(step, what)
    step = accept(
        step,
        message("seat_free_reported_by", seat=act.action.seat, person=act.person),
        left.clauses,
    )
    others = tuple(seat for seat in state.wagering.vacated if seat != act.action.seat)
    vacated = (*others, act.action.seat)
    step = with_wagering(step, replace(state.wagering, vacated=vacated))
    text = message("why_and_remedy", why=left.why, remedy=left.remedy)
    return step.with_effect(Prompt(PromptKind.VIGORISH, text, left.clauses, observed=False))


def record_complimentary_vigorish(book: RuleBook, step: Step) -> Step:
    """Record at the end of a day the vigorish borne by the casino, by patron (S42-c-3-iii-F)."""
    wagering = step.state.wagering
    for line in complimentary_totals(terms_of(book), wagering.ledger):
        step = step.with_effect(ActRecord(COMPLIMENTARY, "", line.text, line.clauses))
    return with_wagering(step, replace(wagering, ledger=end_gaming_day(wagering.ledger)))
