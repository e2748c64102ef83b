"""Exact odds and house edges against published figures."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest
from msgspec.structs import replace

from controller.rules.hands import HandName
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import BonusTable, VigorishMode
from controller.rules.settlement.exact_odds import (
    Draws,
    HouseEdge,
    all_draws,
    draw_counts,
    enumerate_draws,
    house_edges,
)
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import WagerKind

EIGHT = cache(enumerate_draws)


def terms(profile: str, **settings: object) -> Terms:
    found = Terms.of(load_profile(profile))
    return replace(found, rules=replace(found.rules, **settings))  # type: ignore[arg-type]


def edge(under: Terms, kind: str, *, waived: bool = False) -> HouseEdge:
    found = house_edges(under, EIGHT(8))
    return next(one for one in found if one.kind == WagerKind(kind) and one.waived is waived)


def test_draw_counts_of_eight_decks() -> None:
    assert {one.name: one.draws for one in draw_counts(EIGHT(8))} == {
        "player": 2230518282592256,
        "banker": 2292252566437888,
        "tie": 475627426473216,
        "dragon_7": 112633011329024,
        "panda_8": 172660763262976,
        "cards_4": 1893735611458560,
        "cards_5": 1516734808780800,
        "cards_6": 1587927855264000,
        "naturals": 1714696016515584,
    }
    assert sum(EIGHT(8).values()) == all_draws(8) == 4998398275503360


@pytest.mark.parametrize(
    ("decks", "total"), [(1, 14658134400), (6, 878869206895680), (16, 325756296839600640)]
)
def test_the_draw_counts_add_up(decks: int, total: int) -> None:
    found = enumerate_draws(decks)

    assert sum(found.values()) == all_draws(decks) == total


def in_percent(part: Fraction) -> str:
    return f"{float(part * 100):.4f}"


@pytest.mark.parametrize(
    ("profile", "settings", "kind", "percent"),
    [
        ("ny-mini", {}, "banker", "1.0579"),
        ("ny-mini", {"vig_rate": 4}, "banker", "0.5993"),
        ("ny-mini", {}, "player", "1.2351"),
        ("ny-mini", {}, "tie", "14.3596"),
        ("ny-mini", {"vig_mode": VigorishMode.NONE_SIX}, "banker", "1.4581"),
        ("s42-mini", {"vig_mode": VigorishMode.TIE25}, "banker", "1.1438"),
        ("wa-mini", {"vig_mode": VigorishMode.NONE}, "banker", "-1.2351"),
        ("ny-ez", {}, "banker", "1.0183"),
        ("ny-ez", {}, "dragon_7", "7.6113"),
        ("ny-ez", {}, "panda_8", "10.1876"),
        ("nj-baccarat", {}, "total_4", "5.2829"),
        ("nj-baccarat", {}, "total_5", "8.9667"),
        ("nj-baccarat", {}, "total_6", "4.6938"),
    ],
)
def test_house_edge_of_the_main_wagers(
    profile: str, settings: dict[str, object], kind: str, percent: str
) -> None:
    assert in_percent(edge(terms(profile, **settings), kind).edge) == percent


@pytest.mark.parametrize(
    ("table", "player", "banker"),
    [
        (BonusTable.A, "2.6517", "9.3731"),
        (BonusTable.B, "2.5823", "8.8473"),
        (BonusTable.C, "2.4996", "8.5305"),
    ],
)
def test_house_edge_of_the_bonus_wagers(table: BonusTable, player: str, banker: str) -> None:
    sides = (HandName.PLAYER, HandName.BANKER)
    under = terms("ny-mini", dragon_bonus=True, dragon_bonus_table=table, dragon_bonus_sides=sides)

    assert in_percent(edge(under, "bonus_player").edge) == player
    assert in_percent(edge(under, "bonus_banker").edge) == banker


def test_house_edge_of_a_waived_banker_wager() -> None:
    under = terms("nj-baccarat", vig_mode=VigorishMode.NONE_TOTAL_CARDS)

    assert in_percent(edge(under, "banker").edge) == "1.0579"
    assert in_percent(edge(under, "banker", waived=True).edge) == "-1.2351"


def test_house_edge_is_exact_with_draw_counts() -> None:
    found = edge(terms("ny-mini"), "player")

    assert found.edge == Fraction(241149546272, 19524993263685)
    assert (found.wins, found.loses, found.returned) == (
        2230518282592256,
        2292252566437888,
        475627426473216,
    )


def share(found: Draws, holds: Callable[[int], bool]) -> int:
    return sum(ways for facts, ways in found.items() if holds(facts.cards))


def test_four_card_coups_are_naturals_or_both_standing() -> None:
    found = EIGHT(8)

    assert share(found, lambda cards: cards == 4) == 1893735611458560
    assert share(found, lambda cards: cards in (4, 5, 6)) == all_draws(8)
