"""Refuses wagers that the table does not take, each with the reason and a remedy.

Not: when wagers may be placed (procedure).
Source: NY-b-1-list, NY-b-1-iv-offer, WA-ov-1, WA-ov-2-combo, HG-bac-three, HG-mini-three, S42-b-2,
NJ-sum-offer, NJ-sum-base; D-24, D-28, D-29.
"""

from fractions import Fraction
from math import lcm
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishMode, VigorishRounding
from controller.rules.settlement.terms import TOTALS, Terms
from controller.rules.settlement.vigorish import TIE_SHARE, is_waived
from controller.rules.settlement.wagers import KIND_NAMES, Wager, WagerKind, WagerMedium, money
from foundation.message import Message, message

_BASE: Final = (WagerKind.BANKER, WagerKind.PLAYER, WagerKind.TIE)
_BONUS: Final = (WagerKind.BONUS_PLAYER, WagerKind.BONUS_BANKER)
_OFFERED_BY: Final = MappingProxyType(
    {
        **dict.fromkeys(_BONUS, RulePoint.BONUS_OFFERED),
        **dict.fromkeys(TOTALS, RulePoint.TOTAL_CARDS_OFFERED),
    }
)
_FRACTION_POINT: Final = MappingProxyType(
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


class WagerRefusal(Struct, frozen=True):
    """A refused wager. `clauses` is empty where only the house's own rule refuses it."""

    seat: int
    kind: WagerKind
    why: Message
    clauses: tuple[str, ...]
    remedy: Message
    medium: WagerMedium = WagerMedium.CHIPS


class Admission(Struct, frozen=True):
    """The wagers that may stand, and those that are returned, each with its refusal."""

    standing: tuple[Wager, ...]
    refused: tuple[tuple[Wager, WagerRefusal], ...]


def wager_refusals(terms: Terms, wagers: tuple[Wager, ...]) -> tuple[WagerRefusal, ...]:
    """Refusals of `wagers`, all wagers on the layout, in their order; at most one for each."""
    return tuple(refusal for _, refusal in admit_wagers(terms, wagers).refused)


def admit_wagers(terms: Terms, wagers: tuple[Wager, ...]) -> Admission:
    """Return refused wagers one by one, until each that is left may stand beside the others.

    A returned wager may leave another one without its base or its waiver of vigorish, and no longer
    keeps off the other wager of a spot or seat. The reason is what was wrong as all of them lay.
    """
    left = dict(enumerate(wagers))
    refused: dict[int, WagerRefusal] = {}
    while found := _first_refusal(terms, left):
        place, refused[place] = found
        del left[place]
    back = tuple(
        (wagers[place], _refusal(terms, wagers, place) or refused[place])
        for place in sorted(refused)
    )
    return Admission(tuple(left.values()), back)


def _refusal(terms: Terms, wagers: tuple[Wager, ...], index: int) -> WagerRefusal | None:
    """What is wrong with a wager as these lie, first with its spot and seat."""
    return (
        _bad_amount_or_seat(wagers[index])
        or _not_offered(terms, wagers[index])
        or _refusal_beside(terms, wagers, index)
        or _refusal_of_itself(terms, wagers, index)
    )


def _first_refusal(terms: Terms, left: dict[int, Wager]) -> tuple[int, WagerRefusal] | None:
    """The first wager refused for itself; if there is none, the first kept off by one before it."""
    layout = tuple(left.values())
    for refusal_of in (_refusal_of_itself, _refusal_beside):
        for index, place in enumerate(left):
            if refusal := refusal_of(terms, layout, index):
                return place, refusal
    return None


def _refusal_of_itself(terms: Terms, wagers: tuple[Wager, ...], index: int) -> WagerRefusal | None:
    wager = wagers[index]
    other_kinds = tuple(
        other.kind for other in wagers if other is not wager and other.seat == wager.seat
    )
    return (
        _bad_amount_or_seat(wager)
        or _not_offered(terms, wager)
        or _medium_not_taken(terms, wager)
        or _lacks_base(terms, wager, other_kinds)
        or _pays_fraction(terms, wager)
        or _vigorish_fraction(terms, wagers, wager)
    )


def _refusal_beside(terms: Terms, wagers: tuple[Wager, ...], index: int) -> WagerRefusal | None:
    wager = wagers[index]
    before = tuple(other for other in wagers[:index] if other.seat == wager.seat)
    return _repeated(wager, before) or _combination(terms, wager, before)


def _bad_amount_or_seat(wager: Wager) -> WagerRefusal | None:
    if wager.seat < 1:
        return _refused(wager, message("seats_numbered_from_1"), (), message("name_seat_layout"))
    if wager.cents < 1:
        return _refused(
            wager,
            message("amount_is_no_wager", amount=money(wager.cents)),
            (),
            message("state_amount_above_zero"),
        )
    return None


def _not_offered(terms: Terms, wager: Wager) -> WagerRefusal | None:
    if wager.kind in terms.offered:
        return None
    point = _OFFERED_BY.get(wager.kind)
    clauses = terms.cite(RulePoint.WAGERS_LISTED, *(() if point is None else (point,)))
    names = tuple(KIND_NAMES[kind] for kind in terms.offered)
    return _refused(
        wager,
        message("this_wager_not_offered_here"),
        clauses,
        message("return_it_offered_are", names=names),
    )


def _medium_not_taken(terms: Terms, wager: Wager) -> WagerRefusal | None:
    """Refuse a coupon where no clause of the profile allows one."""
    if wager.medium is WagerMedium.CHIPS or terms.cite(RulePoint.WAGER_MEDIUM):
        return None
    remedy = message("return_coupon_place_chips")
    return _refused(wager, message("coupon_is_no_wager_here"), (), remedy)


def _repeated(wager: Wager, before: tuple[Wager, ...]) -> WagerRefusal | None:
    """A coupon may lie beside chips on one spot; two amounts of one medium may not."""
    if (wager.kind, wager.medium) not in ((one.kind, one.medium) for one in before):
        return None
    return _refused(
        wager, message("this_spot_two_amounts"), (), message("state_one_amount_for_spot")
    )


def _combination(terms: Terms, wager: Wager, before: tuple[Wager, ...]) -> WagerRefusal | None:
    both = {WagerKind.BANKER: WagerKind.PLAYER, WagerKind.PLAYER: WagerKind.BANKER}
    other = both.get(wager.kind)
    if other is None or terms.rules.seat_may_bet_player_and_banker:
        return None
    if all(one.kind is not other for one in before):
        return None
    return _refused(
        wager,
        message("one_seat_may_not_bet_on_both"),
        terms.cite(RulePoint.WAGER_COMBINATION),
        message("return_this_wager_or_other", other=KIND_NAMES[other]),
    )


def _lacks_base(
    terms: Terms, wager: Wager, other_kinds: tuple[WagerKind, ...]
) -> WagerRefusal | None:
    if wager.kind in _BASE or any(kind in _BASE for kind in other_kinds):
        return None
    remedy = message("return_or_let_seat_also_bet")
    if wager.kind in TOTALS:
        if not terms.rules.total_cards_require_base:
            return None
        clauses = terms.cite(RulePoint.TOTAL_CARDS_BASE)
        return _refused(wager, message("needs_wager_on_banker_player_or_tie"), clauses, remedy)
    if not terms.rules.bonus_requires_base:
        return None
    why = message("by_rule_house_needs_wager_on_banker")
    return _refused(wager, why, (), remedy)


def _pays_fraction(terms: Terms, wager: Wager) -> WagerRefusal | None:
    """Refuse a stake that would win a fraction of a cent at odds such as 3:2."""
    step = lcm(*(odds.fraction.denominator for odds in terms.odds_of(wager.kind)))
    if wager.cents % step == 0:
        return None
    odds = tuple(str(each) for each in terms.odds_of(wager.kind))
    return _refused(
        wager,
        message("would_win_fraction_of_cent", amount=money(wager.cents), odds=odds),
        terms.cite(_FRACTION_POINT[wager.kind]),
        message("bet_multiple_of", amount=money(step)),
    )


def _vigorish_fraction(
    terms: Terms, wagers: tuple[Wager, ...], wager: Wager
) -> WagerRefusal | None:
    """Refuse a stake whose unrounded vigorish would be a fraction of a cent (D-24)."""
    if wager.kind is not WagerKind.BANKER or is_waived(terms, wagers, wager.seat):
        return None
    share, points = _unrounded_share(terms)
    if (share * wager.cents).denominator == 1:
        return None
    return _refused(
        wager,
        message("vigorish_fraction_of_cent", amount=money(wager.cents)),
        terms.cite(*points),
        message("bet_multiple_of", amount=money(share.denominator)),
    )


_NOT_ROUNDED: Final = (VigorishRounding.EXACT, VigorishRounding.NOT_APPLICABLE)


def _unrounded_share(terms: Terms) -> tuple[Fraction, tuple[RulePoint, ...]]:
    """The share of a Banker wager owed without rounding (0: none), and its rule points."""
    rules = terms.rules
    if rules.vig_mode is VigorishMode.TIE25:
        return TIE_SHARE, (RulePoint.TIE25_CHARGED,)
    on_win = rules.vig_mode in (VigorishMode.COMMISSION, VigorishMode.NONE_TOTAL_CARDS)
    if on_win and rules.vig_rounding in _NOT_ROUNDED:
        share = rules.odds_banker.fraction * Fraction(rules.vig_rate, 100)
        return share, (RulePoint.VIGORISH_RATE,)
    return Fraction(0), ()


def _refused(wager: Wager, why: Message, clauses: tuple[str, ...], remedy: Message) -> WagerRefusal:
    return WagerRefusal(wager.seat, wager.kind, why, clauses, remedy, wager.medium)
