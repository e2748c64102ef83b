"""Wagers offered by a table, and their odds."""

from collections.abc import Callable

import pytest

from controller.rules.hands import HandName
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import BaseWager, VigorishMode
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import WagerKind

Table = Callable[..., Terms]
BASE = ["banker", "player", "tie"]


@pytest.mark.parametrize(
    ("profile", "settings", "beside"),
    [
        ("ny-mini", {}, []),
        ("ny-mini", {"dragon_bonus": True}, ["bonus_player"]),
        (
            "ny-mini",
            {"dragon_bonus": True, "dragon_bonus_sides": (HandName.BANKER, HandName.PLAYER)},
            ["bonus_player", "bonus_banker"],
        ),
        ("ny-ez", {}, ["dragon_7", "panda_8"]),
        ("nj-baccarat", {}, ["total_4", "total_5", "total_6"]),
        ("nj-baccarat", {"total_card_wagers": False}, []),
        ("wa-mini", {}, []),
        ("house-mini", {}, []),
    ],
)
def test_the_wagers_offered(
    table: Table, profile: str, settings: dict[str, object], beside: list[str]
) -> None:
    assert [kind.value for kind in table(profile, **settings).offered] == BASE + beside


def test_a_base_wager_that_is_not_listed_is_not_offered(table: Table) -> None:
    terms = table("house-mini", wagers_base=(BaseWager.TIE, BaseWager.BANKER))

    assert terms.offered == (WagerKind.BANKER, WagerKind.TIE)


@pytest.mark.parametrize(
    ("profile", "kind", "odds"),
    [
        ("ny-ez", "banker", "1:1"),
        ("ny-ez", "player", "1:1"),
        ("ny-ez", "tie", "8:1"),
        ("ny-ez", "dragon_7", "40:1"),
        ("ny-ez", "panda_8", "25:1"),
        ("ny-ez", "bonus_player", "1:1 1:1 2:1 4:1 6:1 10:1 30:1"),
        ("nj-baccarat", "total_4", "3:2"),
        ("nj-baccarat", "total_5", "2:1"),
        ("nj-baccarat", "total_6", "2:1"),
    ],
)
def test_the_odds_of_each_kind(table: Table, profile: str, kind: str, odds: str) -> None:
    found = table(profile).odds_of(WagerKind(kind))

    assert " ".join(map(str, found)) == odds


def test_a_banker_six_has_its_own_odds_without_vigorish(table: Table) -> None:
    terms = table("s42-mini", vig_mode=VigorishMode.NONE_SIX)

    assert list(map(str, terms.odds_of(WagerKind.BANKER))) == ["1:1", "1:2"]


@pytest.mark.parametrize("kind", ["dragon_7", "bonus_player"])
def test_a_wager_that_is_not_offered_has_no_odds(table: Table, kind: str) -> None:
    with pytest.raises(AssertionError):
        table("house-mini").odds_of(WagerKind(kind))


def test_a_banker_six_without_odds_fails(table: Table) -> None:
    with pytest.raises(AssertionError):
        table("wa-mini").six_odds()


def test_clauses_are_cited_once(table: Table) -> None:
    terms = table("wa-mini")

    assert terms.cite(RulePoint.BANKER_TIE_PUSH, RulePoint.PLAYER_TIE_PUSH) == (
        "WA-ov-7",
        "WA-pr-9",
    )
    assert terms.cite() == ()
