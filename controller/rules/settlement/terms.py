"""The terms of payment at one table: settings of its profile, clauses, offered wagers, odds.

Source: controller/rules/profiles/shipped/*.toml; NY-b-1-list, NY-b-1-iv-offer, NJ-sum-offer, WA-
ov-1.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, assert_never

from msgspec import Struct

from controller.rules.hands import HandName
from controller.rules.odds import Odds
from controller.rules.profiles.profile import Profile
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.profiles.rule_values import RuleValues
from controller.rules.setting_values import BonusTable, VigorishMode
from controller.rules.settlement.wagers import WagerKind

# Margins of a bonus wager that win, smallest first (NY-b-1-iv-a-4), and what each pays by table.
BONUS_MARGINS: Final = range(4, 10)
BONUS_PAYS: Final = MappingProxyType(
    {  # margin       4  5  6  7  8   9: NY-c-7-4 to NY-c-7-9
        BonusTable.A: (1, 2, 4, 6, 10, 30),
        BonusTable.B: (1, 3, 4, 7, 8, 20),
        BonusTable.C: (2, 2, 4, 4, 10, 30),
    }
)
# A natural that wins, in every table (NY-c-7-nat-win).
BONUS_NATURAL: Final = Odds(1, 1)

_BONUS_SIDES: Final = (
    (HandName.PLAYER, WagerKind.BONUS_PLAYER),
    (HandName.BANKER, WagerKind.BONUS_BANKER),
)
TOTALS: Final = (WagerKind.TOTAL_4, WagerKind.TOTAL_5, WagerKind.TOTAL_6)


class Terms(Struct, frozen=True):
    """The terms of payment. `citations` are the profile's clauses by rule point."""

    rules: RuleValues
    citations: Mapping[RulePoint, tuple[str, ...]]

    @classmethod
    def of(cls, profile: Profile) -> "Terms":
        """The terms of a profile."""
        citations = {point: profile.citations_for(point) for point in RulePoint}
        return cls(profile.rules, MappingProxyType(citations))

    def cite(self, *points: RulePoint) -> tuple[str, ...]:
        """The clauses that apply at these points, each once."""
        return tuple(dict.fromkeys(name for point in points for name in self.citations[point]))

    @property
    def offered(self) -> tuple[WagerKind, ...]:
        """Every kind of wager offered at this table, in the order of WagerKind."""
        rules = self.rules
        offered = [WagerKind(base.value) for base in rules.wagers_base]
        if rules.dragon_bonus:
            offered += [kind for hand, kind in _BONUS_SIDES if hand in rules.dragon_bonus_sides]
        if rules.ez:
            offered += [WagerKind.DRAGON_7, WagerKind.PANDA_8]
        if rules.total_card_wagers:
            offered += TOTALS
        return tuple(kind for kind in WagerKind if kind in offered)

    def bonus_odds(self, margin: int) -> Odds:
        """The odds of a bonus wager for a margin of 4 to 9, by the table's pay table."""
        table = self.rules.dragon_bonus_table
        assert table is not None, "a bonus is offered with a pay table"
        return Odds(BONUS_PAYS[table][margin - BONUS_MARGINS.start], 1)

    def six_odds(self) -> Odds:
        """The odds of a Banker win with six under vig_mode none_six."""
        odds = self.rules.none_six_odds
        assert odds is not None, "the mode none_six comes with odds for a six"
        return odds

    def odds_of(self, kind: WagerKind) -> tuple[Odds, ...]:
        """All odds at which an offered wager of this kind can be paid."""
        rules = self.rules
        match kind:
            case WagerKind.BANKER:
                six = (self.six_odds(),) if rules.vig_mode is VigorishMode.NONE_SIX else ()
                return (rules.odds_banker, *six)
            case WagerKind.PLAYER:
                return (rules.odds_player,)
            case WagerKind.TIE:
                return (rules.odds_tie,)
            case WagerKind.BONUS_PLAYER | WagerKind.BONUS_BANKER:
                return (BONUS_NATURAL, *(self.bonus_odds(margin) for margin in BONUS_MARGINS))
            case WagerKind.DRAGON_7:
                odds = rules.odds_dragon7
            case WagerKind.PANDA_8:
                odds = rules.odds_panda8
            case WagerKind.TOTAL_4:
                odds = rules.odds_total_4
            case WagerKind.TOTAL_5:
                odds = rules.odds_total_5
            case WagerKind.TOTAL_6:
                odds = rules.odds_total_6
            case _:
                assert_never(kind)
        assert odds is not None, f"{kind.value} is offered, so it has odds"
        return (odds,)
