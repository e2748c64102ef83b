"""Vigorish of one wager: exact amount, rounding, waiver and clauses.

Not: when it is collected (payment_order, vigorish_ledger).
Source: NY-c-3-rate, NY-c-3-i, NY-c-4-charge, S42-c-3-rate, S42-c-3-i, S42-c-4-charge, WA-ov-6-rate,
NJ-3.3-e-2, NJ-7.3-f-2; X-14, X-16, X-17, D-24, D-25, F-31.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Final, assert_never

from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishCollection, VigorishMode, VigorishRounding
from controller.rules.settlement.results import VigorishOn, WagerResult
from controller.rules.settlement.terms import TOTALS, Terms
from controller.rules.settlement.wagers import Wager, WagerKind

# 25 percent of the wager on a tie (NY-c-4-charge, S42-c-4-charge).
TIE_SHARE: Final = Fraction(1, 4)
_STEP_CENTS: Final = 5


def share_of_stake(terms: Terms, result: WagerResult) -> Fraction:
    """Vigorish as a fraction of the stake, before rounding and waiver."""
    match result.vigorish_on:
        case VigorishOn.NOTHING:
            return Fraction(0)
        case VigorishOn.WIN:
            assert result.odds is not None, "a wager that wins has odds"
            return result.odds.fraction * Fraction(terms.rules.vig_rate, 100)
        case VigorishOn.STAKE:
            return TIE_SHARE
        case _:
            assert_never(result.vigorish_on)


def vigorish_cents(terms: Terms, result: WagerResult, stake_cents: int) -> int:
    """The vigorish in cents on a wager of this stake, before any waiver.

    Only the vigorish on a win is rounded (X-16). An unrounded amount is whole cents: admission
    refuses other wagers (D-24).
    """
    exact = share_of_stake(terms, result) * stake_cents
    if result.vigorish_on is VigorishOn.WIN:
        exact = round_vigorish(terms.rules.vig_rounding, exact)
    assert exact.denominator == 1, "a wager whose vigorish is a fraction of a cent is refused"
    return exact.numerator


def round_vigorish(rounding: VigorishRounding, cents: Fraction) -> Fraction:
    """Round an amount in cents by the table's rule; multiples of five are unchanged (D-25)."""
    match rounding:
        case VigorishRounding.UP_TO_5C:
            return Fraction(-(-cents // _STEP_CENTS) * _STEP_CENTS)
        case VigorishRounding.DOWN_TO_5C:
            return Fraction(cents // _STEP_CENTS * _STEP_CENTS)
        case VigorishRounding.EXACT | VigorishRounding.NOT_APPLICABLE:
            return cents
        case _:
            assert_never(rounding)


def is_waived(terms: Terms, wagers: Iterable[Wager], seat: int) -> bool:
    """Whether the seat's total card wagers add up to its Banker wager or more.

    Only where the table has chosen that option; each seat is one patron.
    """
    if terms.rules.vig_mode is not VigorishMode.NONE_TOTAL_CARDS:
        return False
    own = tuple(wager for wager in wagers if wager.seat == seat)
    totals = sum(wager.cents for wager in own if wager.kind in TOTALS)
    return totals >= sum(wager.cents for wager in own if wager.kind is WagerKind.BANKER)


def waiver_clauses(terms: Terms) -> tuple[str, ...]:
    """The clauses for a Banker win paid without vigorish by waiver."""
    return terms.cite(RulePoint.TOTAL_CARDS_WAIVER, RulePoint.PAYS_BANKER_NO_VIGORISH)


def is_deferred(terms: Terms, on: VigorishOn) -> bool:
    """Whether collection may be deferred; vigorish on a tie never is (X-16)."""
    late = terms.rules.vig_collection is VigorishCollection.DEFERRED
    return late and on is VigorishOn.WIN


def charge_clauses(terms: Terms, on: VigorishOn) -> tuple[str, ...]:
    """The clauses for the amount, and for its being the same for everybody at the table."""
    points: tuple[RulePoint, ...]
    if on is VigorishOn.STAKE:
        points = (RulePoint.BANKER_TIE_VIGORISH, RulePoint.TIE25_CHARGED)
    elif terms.rules.vig_rounding is VigorishRounding.EXACT:
        points = (RulePoint.VIGORISH_RATE,)
    else:
        points = (RulePoint.VIGORISH_RATE, RulePoint.VIGORISH_ROUNDING)
    return terms.cite(*points, RulePoint.VIGORISH_UNIFORM)


def timing_clauses(terms: Terms, on: VigorishOn) -> tuple[str, ...]:
    """The clauses for the time of collection, or for the marker until then."""
    if on is VigorishOn.STAKE:
        return terms.cite(RulePoint.TIE25_TIME)
    if is_deferred(terms, on):
        return terms.cite(RulePoint.VIGORISH_WHEN, RulePoint.VIGORISH_MARKED)
    return terms.cite(RulePoint.VIGORISH_WHEN)
