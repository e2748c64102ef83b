"""Wagers in the course of a coup: they stand when it begins, and are paid when it is over.

Responsible for: the moment from which wagers stand, paying a finished coup, and what vigorish that
is owed forbids.
Not responsible for: taking statements of wagers (stating), collecting vigorish (owing), what wins
and what it pays (controller.settlement).
Source: NY (b)(3)-(4), (c)(3)(ii), (c)(4), (i)(2); S42 (b)(4)-(5), (c)(3)(ii)-(iv), (c)(4), (j)(2);
WA overview 2, 6, 9; D-15, D-22, D-23.

Decisions. Wagers that stand are the ones that are paid, whatever is stated of them later. Vigorish
that is taken as winners are paid is a step of the payment; the ledger keeps what may wait, and what
must be collected before the next card: the tie's 25 percent, and every vigorish where the rule
knows no deferral.
"""

from controller.procedure.effects import Call, CoupPaid, CoupRecord, Prompted, Refused
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.wagering import StandingWagers, WageringState
from controller.procedure.step_result import Step, irregular
from controller.procedure.wagering.payment import payment, terms_of
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishDeadline, WagerLock
from controller.settlement.payout import Line
from controller.settlement.results import VigorishOn
from controller.settlement.terms import Terms
from controller.settlement.vigorish import deferred
from controller.settlement.vigorish_ledger import (
    blocks_next_card,
    blocks_reshuffle,
    owe,
    patron_leaves,
)
from firmware_bridge.values import replace


def with_wagering(step: Step, wagering: WageringState) -> Step:
    return step.on(replace(step.state, wagering=wagering))


def bets_stand(book: RuleBook, state: TableState) -> bool:
    """Whether wagers may no more be made, changed or taken back."""
    if state.shoe is not None and state.shoe.coup is not None:
        return True
    phase = state.suspension.resume_to if state.suspension is not None else state.phase
    return phase is Phase.PLAYER_1 and book.values.wager_lock is WagerLock.NO_MORE_BETS


def standing_of(wagering: WageringState, coup: int) -> StandingWagers | None:
    """The wagers of a coup that was begun; None where nothing is known of them."""
    return next((one for one in wagering.standing if one.coup == coup), None)


def wagers_stand(book: RuleBook, step: Step) -> Step:
    """A coup begins: from its first card on the wagers are its own. Once for each coup."""
    coup, wagering = step.shoe.coup, step.state.wagering
    if coup is None or standing_of(wagering, coup.number) is not None:
        return step
    step = _verbal_told(book, _owed_at_first_card(book, step))
    stand = StandingWagers(coup.number, wagering.wagers, step.coup.ghost or step.state.ghost_asked)
    return with_wagering(
        step, replace(wagering, wagers=(), late=None, standing=(*wagering.standing, stand))
    )


def _owed_at_first_card(book: RuleBook, step: Step) -> Step:
    """Vigorish that had to be collected before this card."""
    terms, wagering = terms_of(book), step.state.wagering
    blocked = blocks_next_card(terms, wagering.ledger)
    if blocked is not None:
        code = IrregularityCode.VIGORISH_NOT_COLLECTED
        step = irregular(book, step, code, blocked.why, RulePoint.VIGORISH_WHEN)
    left = (patron_leaves(terms, wagering.ledger, seat) for seat in wagering.vacated)
    for refusal in filter(None, left):
        point = RulePoint.VIGORISH_PATRON_LEAVES
        code = IrregularityCode.VIGORISH_NOT_COLLECTED
        step = irregular(book, step, code, refusal.why, point)
    return step


def _verbal_told(book: RuleBook, step: Step) -> Step:
    seats = ", ".join(str(one.seat) for one in step.state.wagering.verbal)
    if not seats:
        return step
    text = f"change the cash of seat {seats} into chips: it was bet by word of mouth"
    clauses = book.clauses(RulePoint.WAGER_VERBAL)
    return step.with_effect(Prompted(Call.PAY, text, clauses, observed=False))


def coup_paid(book: RuleBook, step: Step, record: CoupRecord) -> Step:
    """Pay what was bet on a coup that is counted or void; called when its record is published."""
    wagering = step.state.wagering
    stood = standing_of(wagering, record.coup)
    if stood is None:
        return step
    left = tuple(one for one in wagering.standing if one is not stood)
    wagering = replace(wagering, standing=left, late=None, verbal=(), last_paid=None)
    if stood.wagers:
        paid = payment(book, record, stood)
        terms = terms_of(book)
        ledger = owe(terms, wagering.ledger, _owing(terms, paid))
        wagering = replace(wagering, ledger=ledger, last_paid=paid)
        step = step.with_effect(paid).with_effect(_told(paid))
    return _told_at_shoe_end(book, with_wagering(step, wagering), record)


def _owing(terms: Terms, paid: CoupPaid) -> tuple[Line, ...]:
    """The lines whose vigorish is more than a step of this payment."""
    never_waits = terms.rules.vig_deadline is VigorishDeadline.NOT_APPLICABLE
    return tuple(
        line
        for line in paid.settlement.lines
        if line.vigorish
        and (
            never_waits or line.vigorish_on is VigorishOn.STAKE or deferred(terms, line.vigorish_on)
        )
    )


def _told(paid: CoupPaid) -> Prompted:
    """All acts of the payment, in one text; nothing here senses whether they are done."""
    acts = "; ".join(act.text for act in paid.steps)
    text = f"{paid.note}: {acts}" if paid.note else acts
    clauses = tuple(dict.fromkeys(clause for act in paid.steps for clause in act.clauses))
    return Prompted(Call.PAY, text, clauses, observed=False)


def _told_at_shoe_end(book: RuleBook, step: Step, record: CoupRecord) -> Step:
    """After the last coup: what is owed has to be closed before the reshuffle."""
    cut = step.shoe.cut
    last = cut.exhausted or (cut.last_coup is not None and record.coup >= cut.last_coup)
    blocked = blocks_reshuffle(terms_of(book), step.state.wagering.ledger)
    if not last or blocked is None:
        return step
    text = f"{blocked.why}. {blocked.remedy}"
    return step.with_effect(Prompted(Call.VIGORISH, text, blocked.clauses, observed=False))


def reshuffle_refused(book: RuleBook, state: TableState) -> Refused | None:
    """Why the cards may not be reshuffled or the next shoe opened, if vigorish is owed."""
    blocked = blocks_reshuffle(terms_of(book), state.wagering.ledger)
    if blocked is None:
        return None
    return Refused("reshuffle", f"{blocked.why}. {blocked.remedy}", blocked.clauses)
