"""Vigorish: what a Banker wager owes the house, exact, then rounded as the table rounds.

Responsible for: the exact amount, its rounding, New Jersey's waiver seat by seat, and the clauses.
Not responsible for: when it is taken (order, ledger) and for which wagers win (results).
Source: NY-c-3-rate, NY-c-3-i, NY-c-4-charge, S42-c-3-rate, S42-c-3-i, S42-c-4-charge,
WA-ov-6-rate, NJ-3.3-e-2, NJ-7.3-f-2; X-14, X-16, X-17, D-24, D-25, F-31.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Final, assert_never

from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishCollection, VigorishMode, VigorishRounding
from controller.settlement.results import Judgement, VigorishOn
from controller.settlement.terms import TOTALS, Terms
from controller.settlement.wagers import Wager, WagerKind

# 25 percent of the wager on a tie (NY-c-4-charge, S42-c-4-charge).
TIE_SHARE: Final = Fraction(1, 4)
_STEP_CENTS: Final = 5


def share_of_stake(terms: Terms, judgement: Judgement) -> Fraction:
    """Vigorish for a stake of one, before any rounding and any waiver."""
    match judgement.vigorish_on:
        case VigorishOn.NOTHING:
            return Fraction(0)
        case VigorishOn.WIN:
            assert judgement.odds is not None, "a wager that wins has odds"
            return judgement.odds.fraction * Fraction(terms.rules.vig_rate, 100)
        case VigorishOn.STAKE:
            return TIE_SHARE
        case _:
            assert_never(judgement.vigorish_on)


def vigorish_cents(terms: Terms, judgement: Judgement, stake_cents: int) -> int:
    """What a wager of this stake owes, unless its seat is waived.

    Only the vigorish on a win is rounded (X-16). An amount that is not rounded is whole cents, as
    a wager for which it is not is refused beforehand (D-24).
    """
    exact = share_of_stake(terms, judgement) * stake_cents
    if judgement.vigorish_on is VigorishOn.WIN:
        exact = rounded(terms.rules.vig_rounding, exact)
    assert exact.denominator == 1, "a wager whose vigorish is a fraction of a cent is refused"
    return exact.numerator


def rounded(rounding: VigorishRounding, cents: Fraction) -> Fraction:
    """Rounded as the table rounds; a multiple of five cents stays what it is (D-25)."""
    match rounding:
        case VigorishRounding.UP_TO_5C:
            return Fraction(-(-cents // _STEP_CENTS) * _STEP_CENTS)
        case VigorishRounding.DOWN_TO_5C:
            return Fraction(cents // _STEP_CENTS * _STEP_CENTS)
        case VigorishRounding.EXACT | VigorishRounding.NOT_APPLICABLE:
            return cents
        case _:
            assert_never(rounding)


def waived(terms: Terms, wagers: Iterable[Wager], seat: int) -> bool:
    """Do the seat's total card wagers together at least equal its Banker wager?

    Only where the table has chosen that option, and seat by seat: a seat stands for its patron.
    """
    if terms.rules.vig_mode is not VigorishMode.NONE_TOTAL_CARDS:
        return False
    own = tuple(wager for wager in wagers if wager.seat == seat)
    totals = sum(wager.cents for wager in own if wager.kind in TOTALS)
    return totals >= sum(wager.cents for wager in own if wager.kind is WagerKind.BANKER)


def waiver_clauses(terms: Terms) -> tuple[str, ...]:
    """What says that a waived Banker win is paid without vigorish."""
    return terms.cite(RulePoint.TOTAL_CARDS_WAIVER, RulePoint.PAYS_BANKER_NO_VIGORISH)


def deferred(terms: Terms, on: VigorishOn) -> bool:
    """May it wait? Vigorish on a tie never does (X-16)."""
    late = terms.rules.vig_collection is VigorishCollection.DEFERRED
    return late and on is VigorishOn.WIN


def charge_clauses(terms: Terms, on: VigorishOn) -> tuple[str, ...]:
    """What says how much is owed; and that it is the same for everybody at the table."""
    points: tuple[RulePoint, ...]
    if on is VigorishOn.STAKE:
        points = (RulePoint.BANKER_TIE_VIGORISH, RulePoint.TIE25_CHARGED)
    elif terms.rules.vig_rounding is VigorishRounding.EXACT:
        points = (RulePoint.VIGORISH_RATE,)
    else:
        points = (RulePoint.VIGORISH_RATE, RulePoint.VIGORISH_ROUNDING)
    return terms.cite(*points, RulePoint.VIGORISH_UNIFORM)


def timing_clauses(terms: Terms, on: VigorishOn) -> tuple[str, ...]:
    """What says when it is taken, or that it is marked until then."""
    if on is VigorishOn.STAKE:
        return terms.cite(RulePoint.TIE25_TIME)
    if deferred(terms, on):
        return terms.cite(RulePoint.VIGORISH_WHEN, RulePoint.VIGORISH_MARKED)
    return terms.cite(RulePoint.VIGORISH_WHEN)
