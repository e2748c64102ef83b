"""The order of payment: every act of the dealer at the layout, from the highest seat down.

Source: NY-i-2-lose to NY-i-3-elect, S42-j-2-lose to S42-j-3-elect, NJ-sum-reconcile, WA-pr-7-take,
WA-pr-8-pay, WA-pr-8-comm; F-21, F-22, D-26 (which end of the table that is), D-33, D-36.
"""

from collections.abc import Iterable
from enum import StrEnum
from types import MappingProxyType
from typing import Final, assert_never

from msgspec import Struct

from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import PayProcedure
from controller.rules.settlement.payout import PayoutLine
from controller.rules.settlement.results import WagerVerdict
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.vigorish import is_deferred, timing_clauses
from controller.rules.settlement.wagers import WagerKind, money, wager_name
from foundation.message import Message, message
from foundation.recorded_text import Identifier


class PaymentAct(StrEnum):
    """An act of the dealer with chips."""

    TAKE = "take"
    PAY = "pay"
    RETURN = "return"
    COLLECT_VIGORISH = "collect_vigorish"
    MARK_VIGORISH = "mark_vigorish"


class PayStep(Struct, frozen=True):
    """One act at one spot, with its amount in cents; `text` is shown to the dealer."""

    seat: int
    act: PaymentAct
    kind: WagerKind
    cents: int
    text: Message
    clauses: tuple[Identifier, ...]


_PROCEDURES: Final = MappingProxyType(
    {
        PayProcedure.I: (RulePoint.PAY_PROCEDURE_I, RulePoint.PAY_ELECT),
        PayProcedure.II: (RulePoint.PAY_PROCEDURE_II, RulePoint.PAY_ELECT),
        PayProcedure.III: (RulePoint.PAY_PROCEDURE_III, RulePoint.PAY_ELECT),
        PayProcedure.IV: (RulePoint.PAY_PROCEDURE_IV, RulePoint.PAY_ELECT),
        PayProcedure.RECONCILIATION: (RulePoint.PAY_RECONCILIATION,),
        PayProcedure.PAY_ONLY: (RulePoint.PAY_EZ,),
    }
)
# Procedures that collect vigorish when the seat is paid (WA-pr-8-comm).
_VIGORISH_WITH_PAYMENT: Final = (PayProcedure.III, PayProcedure.IV, PayProcedure.RECONCILIATION)
Steps = tuple[PayStep, ...]


def payment_steps(terms: Terms, lines: tuple[PayoutLine, ...]) -> Steps:
    """Every act for these payout lines, in order.

    A seat that owes vigorish without having won has its place in the order, too (D-33).
    """
    stops = tuple(
        tuple(line for line in lines if line.seat == seat)
        for seat in sorted({line.seat for line in lines}, reverse=True)
    )
    takes = _concat(_take_steps(terms, stop) for stop in stops)
    pays = tuple(_pay_steps(terms, stop) for stop in stops)
    charges = tuple(_vigorish_steps(terms, stop) for stop in stops)
    match terms.rules.pay_procedure:
        case PayProcedure.I | PayProcedure.PAY_ONLY:
            return takes + _concat(pays) + _concat(charges)
        case PayProcedure.II:
            return takes + _concat(charges) + _concat(pays)
        case PayProcedure.III:
            return takes + _concat(p + c for p, c in zip(pays, charges, strict=True))
        case PayProcedure.IV:
            return takes + _concat(c + p for p, c in zip(pays, charges, strict=True))
        case PayProcedure.RECONCILIATION:
            both = zip(stops, pays, charges, strict=True)
            return _concat(_take_steps(terms, stop) + p + c for stop, p, c in both)
        case _:
            assert_never(terms.rules.pay_procedure)


def _take_steps(terms: Terms, stop: tuple[PayoutLine, ...]) -> Steps:
    reconciled = terms.rules.pay_procedure is PayProcedure.RECONCILIATION
    point = RulePoint.PAY_RECONCILIATION if reconciled else RulePoint.LOSERS_FIRST
    return tuple(
        _step(line, PaymentAct.TAKE, line.stake, terms.cite(point) + line.clauses)
        for line in stop
        if line.verdict is WagerVerdict.LOSES
    )


def _pay_steps(terms: Terms, stop: tuple[PayoutLine, ...]) -> Steps:
    """Winners are paid; wagers that neither win nor lose are returned at their seat's turn."""
    steps = []
    for line in stop:
        if line.verdict is WagerVerdict.WINS:
            points = (RulePoint.WINNERS_PAID, *_PROCEDURES[terms.rules.pay_procedure])
            uncharged = () if line.vigorish else line.charged_by
            clauses = line.clauses + uncharged + terms.cite(*points)
            steps.append(_step(line, PaymentAct.PAY, line.paid, clauses))
        elif line.verdict is not WagerVerdict.LOSES:
            steps.append(_step(line, PaymentAct.RETURN, line.returned, line.clauses))
    return tuple(steps)


def _vigorish_steps(terms: Terms, stop: tuple[PayoutLine, ...]) -> Steps:
    procedure = terms.rules.pay_procedure
    as_paid = (RulePoint.VIGORISH_AS_PAID,) if procedure in _VIGORISH_WITH_PAYMENT else ()
    order = terms.cite(*as_paid, *_PROCEDURES[procedure])
    return tuple(
        _step(
            line,
            PaymentAct.MARK_VIGORISH
            if is_deferred(terms, line.vigorish_on)
            else PaymentAct.COLLECT_VIGORISH,
            line.vigorish,
            line.charged_by + timing_clauses(terms, line.vigorish_on) + order,
        )
        for line in stop
        if line.vigorish
    )


def _step(line: PayoutLine, act: PaymentAct, cents: int, clauses: tuple[str, ...]) -> PayStep:
    text = _step_text(line, act, cents)
    return PayStep(line.seat, act, line.kind, cents, text, tuple(dict.fromkeys(clauses)))


def _step_text(line: PayoutLine, act: PaymentAct, cents: int) -> Message:
    seat, amount, wager = line.seat, money(cents), wager_name(line.kind, line.medium)
    match act:
        case PaymentAct.TAKE:
            return message("take_from_wager", seat=seat, amount=amount, wager=wager)
        case PaymentAct.PAY:
            return message("pay_on_wager", seat=seat, amount=amount, wager=wager)
        case PaymentAct.RETURN if cents < line.stake:
            stake = money(line.stake)
            return message(
                "return_part_of_wager", seat=seat, amount=amount, stake=stake, wager=wager
            )
        case PaymentAct.RETURN:
            return message("return_wager", seat=seat, amount=amount, wager=wager)
        case PaymentAct.COLLECT_VIGORISH:
            return message("collect_vigorish", seat=seat, amount=amount)
        case PaymentAct.MARK_VIGORISH:
            return message("mark_vigorish", seat=seat, amount=amount)
        case _:
            assert_never(act)


def _concat(parts: Iterable[Steps]) -> Steps:
    return tuple(step for part in parts for step in part)
