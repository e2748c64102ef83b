"""Wagers in the course of a coup: locked when it begins, and paid when it is over.

Source: NY (b)(3)-(4), (c)(3)(ii), (c)(4), (i)(2); S42 (b)(4)-(5), (c)(3)(ii)-(iv), (c)(4), (j)(2);
WA overview 2, 6, 9; D-15, D-22, D-23.

Decisions. The wagers at the first card are the ones that are paid, whatever is stated later.
Vigorish that is taken as winners are paid is a step of the payment; the ledger holds what may wait,
and what must be collected before the next card: the tie's 25 percent, and every vigorish where the
rule knows no deferral.
"""

from msgspec.structs import replace

from controller.procedure.effects import CoupPayment, CoupRecord, Prompt, PromptKind, Refusal
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import StandingWagers, TableState, WageringState
from controller.procedure.step_result import Step, raise_irregularity, takes
from controller.procedure.wagering.payment import settle_coup, terms_of
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishDeadline, WagerLock
from controller.rules.settlement.payout import PayoutLine
from controller.rules.settlement.results import VigorishOn
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.vigorish import is_deferred
from controller.rules.settlement.vigorish_ledger import (
    enter_owed,
    next_card_refusal,
    patron_leaving_refusal,
    points_due_at_once,
    reshuffle_refusal,
)
from foundation.message import message


def with_wagering(step: Step, wagering: WageringState) -> Step:
    return step.with_state(replace(step.state, wagering=wagering))


def is_betting_closed(book: RuleBook, state: TableState) -> bool:
    """Whether wagers may no longer be made, changed or taken back."""
    shoe = state.shoe
    if shoe is not None and (shoe.coup is not None or shoe.remedy.drawn_after):
        return True
    called = takes(state.phase_after_burn, Trigger.COUP_VOIDED)
    return called and book.values.wager_lock is WagerLock.NO_MORE_BETS


def standing_wagers(wagering: WageringState, coup: int) -> StandingWagers | None:
    """The wagers of a coup that was begun; None where they are unknown."""
    return next((one for one in wagering.standing if one.coup == coup), None)


def lock_wagers(book: RuleBook, step: Step) -> Step:
    """Lock the stated wagers for the coup at its first card, once for each coup."""
    coup, wagering = step.shoe.coup, step.state.wagering
    if coup is None or standing_wagers(wagering, coup.number) is not None:
        return step
    step = _prompt_verbal_wagers(book, _check_vigorish_before_first_card(book, step))
    stand = StandingWagers(
        coup.number, wagering.wagers, step.coup.ghost or step.state.ghost_hand_requested
    )
    return with_wagering(
        step, replace(wagering, wagers=(), late=None, standing=(*wagering.standing, stand))
    )


def _check_vigorish_before_first_card(book: RuleBook, step: Step) -> Step:
    """Raise vigorish that had to be collected before this card."""
    terms, wagering = terms_of(book), step.state.wagering
    blocked = next_card_refusal(terms, wagering.ledger)
    if blocked is not None:
        code = IrregularityCode.VIGORISH_NOT_COLLECTED
        step = raise_irregularity(book, step, code, blocked.why, *points_due_at_once(terms))
    left = (patron_leaving_refusal(terms, wagering.ledger, seat) for seat in wagering.vacated)
    for refusal in filter(None, left):
        point = RulePoint.VIGORISH_PATRON_LEAVES
        code = IrregularityCode.VIGORISH_NOT_COLLECTED
        step = raise_irregularity(book, step, code, refusal.why, point)
    return step


def _prompt_verbal_wagers(book: RuleBook, step: Step) -> Step:
    seats = tuple(one.seat for one in step.state.wagering.verbal)
    if not seats:
        return step
    text = message("change_verbal_cash_into_chips", seats=seats)
    clauses = book.clauses(RulePoint.WAGER_VERBAL)
    return step.with_effect(Prompt(PromptKind.PAY, text, clauses, observed=False))


def pay_coup(book: RuleBook, step: Step, record: CoupRecord) -> Step:
    """Pay the wagers on a counted or void coup; called when its record is published."""
    wagering = step.state.wagering
    stood = standing_wagers(wagering, record.coup)
    if stood is None:
        return step
    left = tuple(one for one in wagering.standing if one is not stood)
    wagering = replace(wagering, standing=left, late=None, verbal=(), last_payment=None)
    if stood.wagers:
        paid = settle_coup(book, record, stood)
        terms = terms_of(book)
        ledger = enter_owed(terms, wagering.ledger, _lines_with_debt(terms, paid))
        wagering = replace(wagering, ledger=ledger, last_payment=paid)
        step = step.with_effect(paid).with_effect(_payment_prompt(paid))
    return _prompt_vigorish_at_shoe_end(book, with_wagering(step, wagering), record)


def _lines_with_debt(terms: Terms, paid: CoupPayment) -> tuple[PayoutLine, ...]:
    """The lines whose vigorish goes into the ledger."""
    never_waits = terms.rules.vig_deadline is VigorishDeadline.NOT_APPLICABLE
    return tuple(
        line
        for line in paid.settlement.lines
        if line.vigorish
        and (
            never_waits
            or line.vigorish_on is VigorishOn.STAKE
            or is_deferred(terms, line.vigorish_on)
        )
    )


def _payment_prompt(paid: CoupPayment) -> Prompt:
    """All acts of the payment in one prompt; nothing here observes whether they are done."""
    acts = tuple(act.text for act in paid.steps)
    text = message("one_after_another", texts=acts)
    if paid.note is not None:
        text = message("note_then_acts", note=paid.note, acts=acts)
    clauses = tuple(dict.fromkeys(clause for act in paid.steps for clause in act.clauses))
    return Prompt(PromptKind.PAY, text, clauses, observed=False)


def _prompt_vigorish_at_shoe_end(book: RuleBook, step: Step, record: CoupRecord) -> Step:
    """Prompt after the last coup to collect the vigorish owed before the reshuffle."""
    cut = step.shoe.cut
    last = cut.exhausted or (cut.last_coup is not None and record.coup >= cut.last_coup)
    blocked = reshuffle_refusal(terms_of(book), step.state.wagering.ledger)
    if not last or blocked is None:
        return step
    text = message("why_and_remedy", why=blocked.why, remedy=blocked.remedy)
    return step.with_effect(Prompt(PromptKind.VIGORISH, text, blocked.clauses, observed=False))


def refusal_to_reshuffle(book: RuleBook, state: TableState) -> Refusal | None:
    """The refusal to reshuffle or open the next shoe while vigorish is owed, if any."""
    blocked = reshuffle_refusal(terms_of(book), state.wagering.ledger)
    if blocked is None:
        return None
    why = message("why_and_remedy", why=blocked.why, remedy=blocked.remedy)
    return Refusal("reshuffle", why, blocked.clauses)
