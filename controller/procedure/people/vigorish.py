"""Vigorish that is owed: collected, written down on its form, or called in when a patron leaves.

Responsible for: what people do about an entry of the ledger, and the list at the end of a day.
Not responsible for: the ledger's own rules (controller.settlement.vigorish_ledger), what an open
entry forbids (wagering), and amounts (controller.settlement).
Source: NY-c-3-ii-deadline, NY-c-3-ii-mark, NY-c-3-ii-hold, NY-c-4-time; S42-c-3-ii-deadline to
S42-c-3-iv, S42-c-4-time; WA-ov-6-when; D-22.
"""

from controller.procedure.effects import Call, Prompted, Recorded, Refused
from controller.procedure.events import SeatVacated, VigorishCollected, VigorishDocumented
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, accept
from controller.procedure.wagering.payment import terms_of
from controller.procedure.wagering.wagers import with_wagering
from controller.settlement.vigorish_ledger import (
    Entered,
    Form,
    LedgerRefusal,
    collect,
    complimentary,
    day_ended,
    document,
    patron_leaves,
    void_form,
)
from firmware_bridge.values import replace

COMPLIMENTARY = "complimentary-vigorish"


def vigorish_collected(book: RuleBook, state: TableState, event: VigorishCollected) -> Step:
    """The vigorish of a seat was collected."""
    entered = collect(terms_of(book), state.wagering.ledger, event.seat)
    return _entered(state, "collect-vigorish", event.person, entered)


def vigorish_documented(book: RuleBook, state: TableState, event: VigorishDocumented) -> Step:
    """The vigorish of a seat was written down as not collected, or such a form was voided."""
    terms, ledger = terms_of(book), state.wagering.ledger
    if event.void:
        entered = void_form(terms, ledger, event.form_number, event.pit_boss, event.pit_clerk)
    else:
        form = Form(
            event.form_number,
            event.patron,
            event.dealer,
            event.pit_boss,
            event.pit_clerk,
            event.patron_signed,
            event.reason,
        )
        entered = document(terms, ledger, event.seat, form)
    return _entered(state, "document-vigorish", event.pit_clerk, entered)


def _entered(state: TableState, what: str, person: str, entered: Entered | LedgerRefusal) -> Step:
    step = Step(state, provisional=state.suspension is not None)
    if isinstance(entered, LedgerRefusal):
        why = f"{entered.why}. {entered.remedy}"
        return step.with_effect(Refused(what, why, entered.clauses))
    vacated = tuple(seat for seat in state.wagering.vacated if entered.ledger.of(seat).cents)
    step = with_wagering(step, replace(state.wagering, ledger=entered.ledger, vacated=vacated))
    text, clauses = entered.statement.text, entered.statement.clauses
    step = accept(step, text, clauses).with_effect(Recorded(what, person, text, clauses))
    for warning in entered.warnings:
        step = step.with_effect(
            Prompted(Call.VIGORISH, warning.text, warning.clauses, observed=False)
        )
    return step


def seat_vacated(book: RuleBook, state: TableState, event: SeatVacated) -> Step:
    """The patron of a seat left: where the rule says so, what the seat owes is due now."""
    step = Step(state, provisional=state.suspension is not None)
    left = patron_leaves(terms_of(book), state.wagering.ledger, event.seat)
    if left is None:
        owed = state.wagering.ledger.of(event.seat).cents
        stays = "; what the seat owes stays marked" if owed else ""
        return accept(step, f"seat {event.seat} is free, said {event.person}{stays}")
    step = accept(step, f"seat {event.seat} is free, said {event.person}", left.clauses)
    others = tuple(seat for seat in state.wagering.vacated if seat != event.seat)
    vacated = (*others, event.seat)
    step = with_wagering(step, replace(state.wagering, vacated=vacated))
    text = f"{left.why}. {left.remedy}"
    return step.with_effect(Prompted(Call.VIGORISH, text, left.clauses, observed=False))


def vigorish_of_day_ended(book: RuleBook, step: Step) -> Step:
    """The gaming day turns: what the casino bore is recorded patron by patron (S42-c-3-iii-F)."""
    wagering = step.state.wagering
    for line in complimentary(terms_of(book), wagering.ledger):
        step = step.with_effect(Recorded(COMPLIMENTARY, "", line.text, line.clauses))
    return with_wagering(step, replace(wagering, ledger=day_ended(wagering.ledger)))
