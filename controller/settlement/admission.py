"""Which wagers may stand: refusing one that the table does not take, with what to do instead.

Responsible for: kinds that are not offered, combinations, wagers without their base wager, and
amounts that could not be paid or charged in whole cents.
Not responsible for: when wagers stand (procedure) and where the stakes lie (layout).
Source: NY-b-1-list, NY-b-1-iv-offer, WA-ov-1, WA-ov-2-combo, HG-bac-three, HG-mini-three,
S42-b-2, NJ-sum-offer, NJ-sum-base; D-24, D-28, D-29.
"""

from fractions import Fraction
from math import lcm
from types import MappingProxyType
from typing import Final

from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishMode, VigorishRounding
from controller.settlement.terms import TOTALS, Terms
from controller.settlement.vigorish import TIE_SHARE, waived
from controller.settlement.wagers import KIND_NAMES, Wager, WagerKind, money
from firmware_bridge.values import dataclass

_BASE: Final = (WagerKind.BANKER, WagerKind.PLAYER, WagerKind.TIE)
_BONUS: Final = (WagerKind.BONUS_PLAYER, WagerKind.BONUS_BANKER)
_OFFERED_BY: Final = MappingProxyType(
    {
        **dict.fromkeys(_BONUS, RulePoint.BONUS_OFFERED),
        **dict.fromkeys(TOTALS, RulePoint.TOTAL_CARDS_OFFERED),
    }
)
_PAID_IN_PARTS: Final = MappingProxyType(
    {
        WagerKind.BANKER: RulePoint.PAYS_BANKER_SIX,
        WagerKind.TOTAL_4: RulePoint.PAYS_TOTAL_4,
        WagerKind.TOTAL_5: RulePoint.PAYS_TOTAL_5,
        WagerKind.TOTAL_6: RulePoint.PAYS_TOTAL_6,
        WagerKind.PLAYER: RulePoint.PAYS_PLAYER,
        WagerKind.TIE: RulePoint.PAYS_TIE,
        WagerKind.DRAGON_7: RulePoint.PAYS_DRAGON7,
        WagerKind.PANDA_8: RulePoint.PAYS_PANDA8,
    }
)


@dataclass(frozen=True, slots=True)
class WagerRefusal:
    """A wager that cannot stand. `clauses` is empty where only the house's own rule refuses."""

    seat: int
    kind: WagerKind
    why: str
    clauses: tuple[str, ...]
    remedy: str

    def __str__(self) -> str:
        cited = f" ({', '.join(self.clauses)})" if self.clauses else ""
        return f"seat {self.seat}, {KIND_NAMES[self.kind]}: {self.why}{cited}. {self.remedy}"


def refusals(terms: Terms, wagers: tuple[Wager, ...]) -> tuple[WagerRefusal, ...]:
    """Everything that keeps these wagers, all of the layout, from standing; at most one each."""
    found = (_refusal(terms, wagers, place) for place in range(len(wagers)))
    return tuple(refusal for refusal in found if refusal is not None)


def _refusal(terms: Terms, wagers: tuple[Wager, ...], place: int) -> WagerRefusal | None:
    wager = wagers[place]
    seats_other = tuple(
        other.kind for other in wagers if other is not wager and other.seat == wager.seat
    )
    before = tuple(other.kind for other in wagers[:place] if other.seat == wager.seat)
    return (
        _amount_or_seat(wager)
        or _not_offered(terms, wager)
        or _twice(wager, before)
        or _combination(terms, wager, before)
        or _without_base(terms, wager, seats_other)
        or _paid_in_parts(terms, wager)
        or _charged_in_parts(terms, wagers, wager)
    )


def _amount_or_seat(wager: Wager) -> WagerRefusal | None:
    if wager.seat < 1:
        return _refused(wager, "seats are numbered from 1", (), "Name the seat of the layout")
    if wager.cents < 1:
        return _refused(
            wager, f"{money(wager.cents)} is no wager", (), "State an amount above zero"
        )
    return None


def _not_offered(terms: Terms, wager: Wager) -> WagerRefusal | None:
    if wager.kind in terms.offered:
        return None
    by = _OFFERED_BY.get(wager.kind)
    clauses = terms.cite(RulePoint.WAGERS_LISTED, *(() if by is None else (by,)))
    names = ", ".join(KIND_NAMES[kind] for kind in terms.offered)
    return _refused(
        wager, "this wager is not offered here", clauses, f"Return it; offered are {names}"
    )


def _twice(wager: Wager, before: tuple[WagerKind, ...]) -> WagerRefusal | None:
    if wager.kind not in before:
        return None
    return _refused(wager, "this spot is stated twice", (), "State one amount for the spot")


def _combination(terms: Terms, wager: Wager, before: tuple[WagerKind, ...]) -> WagerRefusal | None:
    both = {WagerKind.BANKER: WagerKind.PLAYER, WagerKind.PLAYER: WagerKind.BANKER}
    other = both.get(wager.kind)
    if terms.rules.seat_may_bet_player_and_banker or other is None or other not in before:
        return None
    return _refused(
        wager,
        "one seat may not bet on both hands",
        terms.cite(RulePoint.WAGER_COMBINATION),
        f"Return this wager or the one on {KIND_NAMES[other]}",
    )


def _without_base(
    terms: Terms, wager: Wager, seats_other: tuple[WagerKind, ...]
) -> WagerRefusal | None:
    if wager.kind in _BASE or any(kind in _BASE for kind in seats_other):
        return None
    remedy = "Return it, or let the seat bet on Banker, Player or Tie, too"
    if wager.kind in TOTALS:
        if not terms.rules.total_cards_require_base:
            return None
        clauses = terms.cite(RulePoint.TOTAL_CARDS_BASE)
        return _refused(wager, "it needs a wager on Banker, Player or Tie", clauses, remedy)
    if not terms.rules.bonus_requires_base:
        return None
    why = "by rule of the house it needs a wager on Banker, Player or Tie"
    return _refused(wager, why, (), remedy)


def _paid_in_parts(terms: Terms, wager: Wager) -> WagerRefusal | None:
    """Odds such as 3:2 pay whole cents only for some stakes; nobody is paid less than is due."""
    step = lcm(*(odds.fraction.denominator for odds in terms.odds_of(wager.kind)))
    if wager.cents % step == 0:
        return None
    odds = " or ".join(str(each) for each in terms.odds_of(wager.kind))
    return _refused(
        wager,
        f"{money(wager.cents)} at {odds} would win a fraction of a cent",
        terms.cite(_PAID_IN_PARTS[wager.kind]),
        f"Bet a multiple of {money(step)}",
    )


def _charged_in_parts(terms: Terms, wagers: tuple[Wager, ...], wager: Wager) -> WagerRefusal | None:
    """Vigorish that is not rounded must be whole cents (D-24)."""
    if wager.kind is not WagerKind.BANKER or waived(terms, wagers, wager.seat):
        return None
    share, points = _unrounded(terms)
    if (share * wager.cents).denominator == 1:
        return None
    return _refused(
        wager,
        f"the vigorish on {money(wager.cents)} would be a fraction of a cent",
        terms.cite(*points),
        f"Bet a multiple of {money(share.denominator)}",
    )


_NOT_ROUNDED: Final = (VigorishRounding.EXACT, VigorishRounding.NOT_APPLICABLE)


def _unrounded(terms: Terms) -> tuple[Fraction, tuple[RulePoint, ...]]:
    """The part of a Banker wager that can be owed to the cent, and what says so."""
    rules = terms.rules
    if rules.vig_mode is VigorishMode.TIE25:
        return TIE_SHARE, (RulePoint.TIE25_CHARGED,)
    on_win = rules.vig_mode in (VigorishMode.COMMISSION, VigorishMode.NONE_TOTAL_CARDS)
    if on_win and rules.vig_rounding in _NOT_ROUNDED:
        share = rules.odds_banker.fraction * Fraction(rules.vig_rate, 100)
        return share, (RulePoint.VIGORISH_RATE,)
    return Fraction(0), ()


def _refused(wager: Wager, why: str, clauses: tuple[str, ...], remedy: str) -> WagerRefusal:
    return WagerRefusal(wager.seat, wager.kind, why, clauses, remedy)
