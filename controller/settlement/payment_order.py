"""The order of payment: what the dealer does at the layout, step by step.

Responsible for: collecting losers first, the procedures i to iv, New Jersey's reconciliation seat
by seat and EZ's paying only; always from the highest seat down.
Not responsible for: amounts (payout) and for what a procedure is chosen by (procedure).
Source: NY-i-2-lose to NY-i-3-elect, S42-j-2-lose to S42-j-3-elect, NJ-sum-reconcile, WA-pr-7-take,
WA-pr-8-pay, WA-pr-8-comm; F-21, F-22, D-26 (which end of the table that is), D-33, D-36.
"""

from collections.abc import Iterable
from enum import StrEnum
from types import MappingProxyType
from typing import Final, assert_never

from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import PayProcedure
from controller.settlement.payout import Line
from controller.settlement.results import Verdict
from controller.settlement.terms import Terms
from controller.settlement.vigorish import deferred, timing_clauses
from controller.settlement.wagers import KIND_NAMES, WagerKind, money
from firmware_bridge.values import dataclass


class Act(StrEnum):
    """What a dealer does with chips."""

    TAKE = "take"
    PAY = "pay"
    RETURN = "return"
    COLLECT_VIGORISH = "collect_vigorish"
    MARK_VIGORISH = "mark_vigorish"


@dataclass(frozen=True, slots=True)
class PayStep:
    """One act at one spot; `text` is what the dealer reads."""

    seat: int
    act: Act
    kind: WagerKind
    cents: int
    text: str
    clauses: tuple[str, ...]


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
# Where vigorish is taken at the stop at which the seat is paid (WA-pr-8-comm).
_AS_PAID: Final = (PayProcedure.III, PayProcedure.IV, PayProcedure.RECONCILIATION)
Steps = tuple[PayStep, ...]


def pay_steps(terms: Terms, lines: tuple[Line, ...]) -> Steps:
    """Every act that these lines ask for, in the order in which it is due.

    A seat that owes vigorish without having won is a stop in its place all the same (D-33).
    """
    stops = tuple(
        tuple(line for line in lines if line.seat == seat)
        for seat in sorted({line.seat for line in lines}, reverse=True)
    )
    takes = _flat(_takes(terms, stop) for stop in stops)
    pays = tuple(_pays(terms, stop) for stop in stops)
    charges = tuple(_charges(terms, stop) for stop in stops)
    match terms.rules.pay_procedure:
        case PayProcedure.I | PayProcedure.PAY_ONLY:
            return takes + _flat(pays) + _flat(charges)
        case PayProcedure.II:
            return takes + _flat(charges) + _flat(pays)
        case PayProcedure.III:
            return takes + _flat(p + c for p, c in zip(pays, charges, strict=True))
        case PayProcedure.IV:
            return takes + _flat(c + p for p, c in zip(pays, charges, strict=True))
        case PayProcedure.RECONCILIATION:
            both = zip(stops, pays, charges, strict=True)
            return _flat(_takes(terms, stop) + p + c for stop, p, c in both)
        case _:
            assert_never(terms.rules.pay_procedure)


def _takes(terms: Terms, stop: tuple[Line, ...]) -> Steps:
    reconciled = terms.rules.pay_procedure is PayProcedure.RECONCILIATION
    point = RulePoint.PAY_RECONCILIATION if reconciled else RulePoint.LOSERS_FIRST
    return tuple(
        _step(line, Act.TAKE, line.stake, terms.cite(point) + line.clauses)
        for line in stop
        if line.verdict is Verdict.LOSES
    )


def _pays(terms: Terms, stop: tuple[Line, ...]) -> Steps:
    """Winners are paid; what neither wins nor loses goes back when it is their seat's turn."""
    steps = []
    for line in stop:
        if line.verdict is Verdict.WINS:
            points = (RulePoint.WINNERS_PAID, *_PROCEDURES[terms.rules.pay_procedure])
            uncharged = () if line.vigorish else line.charged_by
            clauses = line.clauses + uncharged + terms.cite(*points)
            steps.append(_step(line, Act.PAY, line.paid, clauses))
        elif line.verdict is not Verdict.LOSES:
            steps.append(_step(line, Act.RETURN, line.returned, line.clauses))
    return tuple(steps)


def _charges(terms: Terms, stop: tuple[Line, ...]) -> Steps:
    procedure = terms.rules.pay_procedure
    as_paid = (RulePoint.VIGORISH_AS_PAID,) if procedure in _AS_PAID else ()
    order = terms.cite(*as_paid, *_PROCEDURES[procedure])
    return tuple(
        _step(
            line,
            Act.MARK_VIGORISH if deferred(terms, line.vigorish_on) else Act.COLLECT_VIGORISH,
            line.vigorish,
            line.charged_by + timing_clauses(terms, line.vigorish_on) + order,
        )
        for line in stop
        if line.vigorish
    )


def _step(line: Line, act: Act, cents: int, clauses: tuple[str, ...]) -> PayStep:
    text = f"seat {line.seat}: {_words(line, act, cents)}"
    return PayStep(line.seat, act, line.kind, cents, text, tuple(dict.fromkeys(clauses)))


def _words(line: Line, act: Act, cents: int) -> str:
    amount, name = money(cents), KIND_NAMES[line.kind]
    match act:
        case Act.TAKE:
            return f"take {amount} from {name}"
        case Act.PAY:
            return f"pay {amount} on {name}"
        case Act.RETURN if cents < line.stake:
            return f"return {amount} of {money(line.stake)} on {name}"
        case Act.RETURN:
            return f"return {amount} on {name}"
        case Act.COLLECT_VIGORISH:
            return f"collect vigorish {amount}"
        case Act.MARK_VIGORISH:
            return f"mark vigorish {amount} in box {line.seat}"
        case _:
            assert_never(act)


def _flat(parts: Iterable[Steps]) -> Steps:
    return tuple(step for part in parts for step in part)
