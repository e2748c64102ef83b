"""The pit: tables of one pit pay by one procedure.

Responsible for: refusing a pay procedure that differs from the pit's.
Not responsible for: notices before a change (procedure) and for the procedures (order).
Source: NY-i-3-i, NY-i-3-ii, S42-j-3-i; X-24.
"""

from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import PayProcedure, PitUniform
from controller.settlement.terms import Terms
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Pit:
    """The procedures that the pit goes by, as far as they are known to this table.

    `own` is that of its mini and midi tables, `baccarat` that of a baccarat table in the pit.
    """

    own: PayProcedure | None = None
    baccarat: PayProcedure | None = None


@dataclass(frozen=True, slots=True)
class PitRefusal:
    """This table would pay otherwise than its pit does."""

    why: str
    clauses: tuple[str, ...]
    remedy: str


def pit_differs(terms: Terms, pit: Pit) -> PitRefusal | None:
    """Does this table pay by another procedure than it must? A baccarat table's prevails.

    A table that pays only, as EZ does, stands outside the procedures (NY-i-2-ez).
    """
    own = terms.rules.pay_procedure
    if terms.rules.pay_pit_uniform is PitUniform.OFF or own is PayProcedure.PAY_ONLY:
        return None
    prevails = pit.baccarat is not None and bool(terms.cite(RulePoint.PAY_BACCARAT_PREVAILS))
    wanted = pit.baccarat if prevails else pit.own
    if wanted is None or wanted is own:
        return None
    whose = "the baccarat table of this pit pays" if prevails else "tables of this pit pay"
    point = RulePoint.PAY_BACCARAT_PREVAILS if prevails else RulePoint.PAY_PIT_UNIFORM
    return PitRefusal(
        f"{whose} by procedure {wanted.value}, this table by {own.value}",
        terms.cite(point),
        f"Set pay_procedure to {wanted.value}",
    )
