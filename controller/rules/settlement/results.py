"""The result of every wager the table offers, from the facts of one coup, with its odds.

Source: NY-b-1-i-a to NY-b-1-vi-b, NY-c-1 to NY-c-9, NJ-3.2-a-4-basis, NJ-7.2-a-4-basis, S42-b-1-i-A
to S42-b-1-iii, S42-k-4-void, WA-pr-9; F-10 to F-12, F-27, F-29 to F-31, D-15.

Settlement and exact odds both use it, so they agree.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final, assert_never

from msgspec import Struct

from controller.rules.hands import HandName
from controller.rules.odds import Odds
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import TieResult, VigorishMode
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.terms import BONUS_MARGINS, BONUS_NATURAL, Terms
from controller.rules.settlement.wagers import WagerKind


class WagerVerdict(StrEnum):
    """The verdict on a wager; PUSHES and VOID both return the stake (X-12)."""

    WINS = "wins"
    LOSES = "loses"
    PUSHES = "pushes"
    VOID = "void"


class VigorishOn(StrEnum):
    """The base of the vigorish on a wager."""

    NOTHING = "nothing"
    WIN = "win"  # the rate, of the win
    STAKE = "stake"  # 25 percent of the wager, on a tie


class WagerResult(Struct, frozen=True):
    """The result of every wager of one kind; `odds` is None unless it wins."""

    kind: WagerKind
    verdict: WagerVerdict
    odds: Odds | None
    vigorish_on: VigorishOn
    clauses: tuple[str, ...]


_BONUS_LEADS: Final = (
    RulePoint.PAYS_BONUS_BY_4,
    RulePoint.PAYS_BONUS_BY_5,
    RulePoint.PAYS_BONUS_BY_6,
    RulePoint.PAYS_BONUS_BY_7,
    RulePoint.PAYS_BONUS_BY_8,
    RulePoint.PAYS_BONUS_BY_9,
)
_TOTALS: Final = MappingProxyType(
    {
        WagerKind.TOTAL_4: (4, RulePoint.PAYS_TOTAL_4),
        WagerKind.TOTAL_5: (5, RulePoint.PAYS_TOTAL_5),
        WagerKind.TOTAL_6: (6, RulePoint.PAYS_TOTAL_6),
    }
)


def wager_results(terms: Terms, facts: CoupFacts) -> tuple[WagerResult, ...]:
    """The result of every wager the table offers, in the order of `offered`."""
    return tuple(_result(terms, facts, kind) for kind in terms.offered)


def void_results(terms: Terms, *, own_void: bool = False) -> tuple[WagerResult, ...]:
    """Results of a void coup: every stake is returned, without vigorish (D-15).

    `own_void`: by a person's own decision, which no clause requires (D-43).
    """
    clauses = () if own_void else terms.cite(RulePoint.VOID_RETURNED)
    return tuple(
        WagerResult(kind, WagerVerdict.VOID, None, VigorishOn.NOTHING, clauses)
        for kind in terms.offered
    )


def _result(terms: Terms, facts: CoupFacts, kind: WagerKind) -> WagerResult:
    match kind:
        case WagerKind.BANKER:
            return _banker(terms, facts)
        case WagerKind.PLAYER:
            return _player(terms, facts)
        case WagerKind.TIE:
            if facts.player_count == facts.banker_count:
                points = (RulePoint.TIE_WINS, RulePoint.PAYS_TIE)
                return _wins(terms, kind, terms.rules.odds_tie, *points)
            return _loses(terms, kind, RulePoint.TIE_LOSES)
        case WagerKind.BONUS_PLAYER:
            return _bonus(terms, facts, kind, HandName.PLAYER, HandName.BANKER)
        case WagerKind.BONUS_BANKER:
            return _bonus(terms, facts, kind, HandName.BANKER, HandName.PLAYER)
        case WagerKind.DRAGON_7:
            if facts.dragon_7:
                points = (RulePoint.DRAGON7_WINS, RulePoint.PAYS_DRAGON7)
                return _wins(terms, kind, terms.odds_of(kind)[0], *points)
            return _loses(terms, kind, RulePoint.DRAGON7_LOSES)
        case WagerKind.PANDA_8:
            if facts.panda_8:
                points = (RulePoint.PANDA8_WINS, RulePoint.PAYS_PANDA8)
                return _wins(terms, kind, terms.odds_of(kind)[0], *points)
            return _loses(terms, kind, RulePoint.PANDA8_LOSES)
        case WagerKind.TOTAL_4 | WagerKind.TOTAL_5 | WagerKind.TOTAL_6:
            return _total(terms, facts, kind)
        case _:
            assert_never(kind)


def _banker(terms: Terms, facts: CoupFacts) -> WagerResult:
    if facts.banker_count < facts.player_count:
        return _loses(terms, WagerKind.BANKER, RulePoint.BANKER_LOSES)
    if facts.banker_count == facts.player_count:
        if terms.rules.vig_mode is VigorishMode.TIE25:
            points = (RulePoint.BANKER_TIE_VIGORISH, RulePoint.TIE25_CHARGED)
            return _returned(terms, WagerKind.BANKER, VigorishOn.STAKE, *points)
        point = RulePoint.BANKER_TIE_PUSH
        return _returned(terms, WagerKind.BANKER, VigorishOn.NOTHING, point)
    if terms.rules.ez and facts.dragon_7:
        clauses = terms.cite(RulePoint.BANKER_DRAGON7_PUSH)
        return WagerResult(WagerKind.BANKER, WagerVerdict.PUSHES, None, VigorishOn.NOTHING, clauses)
    return _banker_win(terms, facts)


def _banker_win(terms: Terms, facts: CoupFacts) -> WagerResult:
    odds, on = terms.rules.odds_banker, VigorishOn.NOTHING
    match terms.rules.vig_mode:
        case VigorishMode.COMMISSION:
            on = VigorishOn.WIN
            paid: tuple[RulePoint, ...] = (RulePoint.PAYS_BANKER,)
        case VigorishMode.NONE_TOTAL_CARDS:
            on = VigorishOn.WIN
            paid = (RulePoint.PAYS_BANKER, RulePoint.PAYS_BANKER_NO_VIGORISH)
        case VigorishMode.TIE25:
            paid = (RulePoint.PAYS_BANKER, RulePoint.TIE25_EXCLUSIVE)
        case VigorishMode.NONE_SIX if facts.banker_count == 6:
            odds = terms.six_odds()
            paid = (RulePoint.PAYS_BANKER_NO_VIGORISH, RulePoint.PAYS_BANKER_SIX)
        case VigorishMode.NONE_SIX:
            paid = (RulePoint.PAYS_BANKER_NO_VIGORISH,)
        case VigorishMode.NONE | VigorishMode.EZ_NONE:
            paid = (RulePoint.PAYS_BANKER,)
        case _:
            assert_never(terms.rules.vig_mode)
    clauses = terms.cite(RulePoint.BANKER_WINS, *paid)
    return WagerResult(WagerKind.BANKER, WagerVerdict.WINS, odds, on, clauses)


def _player(terms: Terms, facts: CoupFacts) -> WagerResult:
    if facts.player_count < facts.banker_count:
        return _loses(terms, WagerKind.PLAYER, RulePoint.PLAYER_LOSES)
    if facts.player_count == facts.banker_count:
        point = RulePoint.PLAYER_TIE_PUSH
        return _returned(terms, WagerKind.PLAYER, VigorishOn.NOTHING, point)
    panda = terms.rules.ez and facts.panda_8
    also = (RulePoint.PLAYER_WINS_PANDA8,) if panda else ()
    points = (RulePoint.PLAYER_WINS, *also, RulePoint.PAYS_PLAYER)
    return _wins(terms, WagerKind.PLAYER, terms.rules.odds_player, *points)


def _bonus(
    terms: Terms, facts: CoupFacts, kind: WagerKind, chosen: HandName, other: HandName
) -> WagerResult:
    lead = facts.count(chosen) - facts.count(other)
    if facts.natural(chosen):
        return _bonus_on_natural(terms, kind, lead, against_natural=facts.natural(other))
    if lead in BONUS_MARGINS:
        return _wins(
            terms,
            kind,
            terms.bonus_odds(lead),
            RulePoint.BONUS_MARGIN_WINS,
            RulePoint.PAYS_BONUS_TABLE,
            _BONUS_LEADS[lead - BONUS_MARGINS.start],
        )
    ahead = lead > 0
    return _loses(
        terms, kind, RulePoint.BONUS_MARGIN_LOSES if ahead else RulePoint.BONUS_BEHIND_LOSES
    )


def _bonus_on_natural(
    terms: Terms, kind: WagerKind, lead: int, *, against_natural: bool
) -> WagerResult:
    if lead == 0:
        clauses = terms.cite(RulePoint.BONUS_NATURAL_TIE_VOID, RulePoint.PAYS_BONUS_NATURAL_TIE)
        return WagerResult(kind, WagerVerdict.PUSHES, None, VigorishOn.NOTHING, clauses)
    if lead < 0:
        return _loses(terms, kind, RulePoint.BONUS_NATURAL_8_LOSES)
    wins = RulePoint.BONUS_NATURAL_9_OVER_8 if against_natural else RulePoint.BONUS_NATURAL_WINS
    paid = (RulePoint.PAYS_BONUS_TABLE, RulePoint.PAYS_BONUS_NATURAL)
    return _wins(terms, kind, BONUS_NATURAL, wins, *paid)


def _total(terms: Terms, facts: CoupFacts, kind: WagerKind) -> WagerResult:
    cards, paid = _TOTALS[kind]
    counted = (RulePoint.TOTAL_CARDS_OFFERED, RulePoint.TOTAL_CARDS_COUNTED)
    if facts.cards == cards:
        return _wins(terms, kind, terms.odds_of(kind)[0], *counted, paid)
    return _loses(terms, kind, *counted)


def _wins(terms: Terms, kind: WagerKind, odds: Odds, *points: RulePoint) -> WagerResult:
    return WagerResult(kind, WagerVerdict.WINS, odds, VigorishOn.NOTHING, terms.cite(*points))


def _loses(terms: Terms, kind: WagerKind, *points: RulePoint) -> WagerResult:
    return WagerResult(kind, WagerVerdict.LOSES, None, VigorishOn.NOTHING, terms.cite(*points))


def _returned(terms: Terms, kind: WagerKind, on: VigorishOn, *points: RulePoint) -> WagerResult:
    """Player or Banker on a tie: push or void, by the profile."""
    void = terms.rules.tie_result is TieResult.VOID
    verdict = WagerVerdict.VOID if void else WagerVerdict.PUSHES
    return WagerResult(kind, verdict, None, on, terms.cite(*points))
