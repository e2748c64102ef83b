"""Refuses a pay procedure that differs from the pit's.

Not: notices before a change (procedure).
Source: NY-i-3-i, NY-i-3-ii, S42-j-3-i; X-24.
"""

from msgspec import Struct

from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import PayProcedure, PitUniform
from controller.settlement.terms import Terms
from firmware_bridge.message import Message, message


class PitProcedures(Struct, frozen=True):
    """The pay procedures of a pit, None where unknown to this table.

    `own` is used at its mini and midi tables, `baccarat` at a baccarat table in the pit.
    """

    own: PayProcedure | None = None
    baccarat: PayProcedure | None = None


class PitRefusal(Struct, frozen=True):
    """This table would pay by another procedure than its pit."""

    why: Message
    clauses: tuple[str, ...]
    remedy: Message


def pit_refusal(terms: Terms, pit: PitProcedures) -> PitRefusal | None:
    """The refusal where this table's procedure differs; a baccarat table's procedure prevails.

    A pay-only table (EZ) has none of these procedures (NY-i-2-ez).
    """
    own = terms.rules.pay_procedure
    if terms.rules.pay_pit_uniform is PitUniform.OFF or own is PayProcedure.PAY_ONLY:
        return None
    prevails = pit.baccarat is not None and bool(terms.cite(RulePoint.PAY_BACCARAT_PREVAILS))
    wanted = pit.baccarat if prevails else pit.own
    if wanted is None or wanted is own:
        return None
    point = RulePoint.PAY_BACCARAT_PREVAILS if prevails else RulePoint.PAY_PIT_UNIFORM
    return PitRefusal(
        message("baccarat_table_pays_otherwise", procedure=wanted.value, own=own.value)
        if prevails
        else message("pit_pays_otherwise", procedure=wanted.value, own=own.value),
        terms.cite(point),
        message("set_pay_procedure", procedure=wanted.value),
    )
