"""Admitted and refused wagers."""

from collections.abc import Callable

import pytest

from controller.record.wagering import wager_refusal_words
from controller.rules.hands import HandName
from controller.rules.odds import Odds
from controller.rules.setting_values import VigorishMode, VigorishRounding
from controller.rules.settlement.admission import admit_wagers, wager_refusals
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words

Table = Callable[..., Terms]
Layout = Callable[[str], tuple[Wager, ...]]
EXACT = {"vig_rounding": VigorishRounding.EXACT}


@pytest.mark.parametrize(
    ("profile", "settings", "wagers"),
    [
        ("ny-mini", {}, "5 banker 25.00, 5 player 10.00, 5 tie 1.00, 3 banker 0.01"),
        ("wa-mini", {}, "5 banker 25.00, 5 tie 1.00, 3 player 10.00"),
        ("ny-ez", {}, "5 banker 25.00, 5 dragon_7 1.00, 3 tie 10.00, 3 panda_8 1.00"),
        ("nj-baccarat", {}, "5 total_4 1.02, 5 total_5 1.01, 5 total_6 1.00, 5 tie 1.00"),
        ("nj-baccarat", {"total_cards_require_base": False}, "5 total_5 1.00"),
        ("ny-ez", {"bonus_requires_base": False}, "5 dragon_7 1.00"),
        ("wa-mini", {}, "1 banker 0.20, 4 player 0.01"),
        ("s42-mini", {"vig_mode": VigorishMode.TIE25}, "5 banker 0.04"),
        ("s42-mini", {"vig_mode": VigorishMode.NONE_SIX}, "5 banker 0.02"),
        ("nj-baccarat", {**EXACT, "vig_mode": VigorishMode.NONE_TOTAL_CARDS},
         "5 banker 0.01, 5 total_5 0.01"),
        ("ny-mini", {**EXACT, "vig_rate": 4}, "5 banker 0.25"),
    ],
)  # fmt: skip
def test_admitted_wagers(
    table: Table, layout: Layout, profile: str, settings: dict[str, object], wagers: str
) -> None:
    assert wager_refusals(table(profile, **settings), layout(wagers)) == ()


def case(
    profile: str, wagers: str, seat_and_kind: str, clauses: str, expected: str, **settings: object
) -> object:
    cited = tuple(clauses.split())
    marks = [pytest.mark.clause(name) for name in cited]
    return pytest.param(profile, settings, wagers, seat_and_kind, cited, expected, marks=marks)


@pytest.mark.parametrize(
    ("profile", "settings", "wagers", "seat_and_kind", "clauses", "expected"),
    [
        case("ny-mini", "5 banker 1.00, 5 total_4 1.00", "5 total_4", "NY-b-1-list",
             "Return it; offered are Banker, Player, Tie"),
        case("ny-mini", "5 banker 1.00, 5 bonus_player 1.00", "5 bonus_player",
             "NY-b-1-list NY-b-1-iv-offer NY-b-1-iv-dragon", "not offered"),
        case("ny-mini", "5 banker 1.00, 5 bonus_banker 1.00", "5 bonus_banker",
             "NY-b-1-list NY-b-1-iv-offer NY-b-1-iv-dragon", "bonus on Player",
             dragon_bonus=True),
        case("ny-mini", "5 banker 1.00, 5 dragon_7 1.00", "5 dragon_7", "NY-b-1-list",
             "not offered"),
        case("wa-mini", "5 panda_8 1.00", "5 panda_8", "WA-ov-1", "not offered"),
        case("house-baccarat", "5 total_4 1.00", "5 total_4", "HG-bac-three", "not offered"),
        case("house-mini", "5 total_4 1.00", "5 total_4", "HG-mini-three", "not offered"),
        case("s42-mini", "5 total_4 1.00", "5 total_4", "S42-b-2", "not offered"),
        case("nj-minibaccarat", "5 total_4 1.00", "5 total_4",
             "S42-b-2 NJ-sum-offer NJ-7.2-a-4-offer", "not offered", total_card_wagers=False),
        case("wa-mini", "5 banker 1.00, 5 player 1.00", "5 player", "WA-ov-2-combo",
             "Return this wager or the one on Banker"),
        case("wa-mini", "5 player 1.00, 5 banker 1.00", "5 banker", "WA-ov-2-combo",
             "Return this wager or the one on Player"),
        case("nj-minibaccarat", "5 total_5 1.00, 4 banker 1.00", "5 total_5", "NJ-sum-base",
             "or let the seat also bet on Banker, Player or Tie"),
        case("nj-minibaccarat", "5 total_4 1.01, 5 tie 1.00", "5 total_4",
             "NJ-sum-odds NJ-7.3-g-4", "Bet a multiple of 0.02"),
        case("nj-minibaccarat", "5 banker 1.01", "5 banker", "NJ-7.3-f-1",
             "1.01 at 1:1 or 1:2 would win a fraction of a cent", vig_mode=VigorishMode.NONE_SIX),
        case("wa-mini", "5 banker 1.01", "5 banker", "WA-ov-6-rate WA-pay-bank",
             "Bet a multiple of 0.20"),
        case("ny-mini", "5 banker 0.20", "5 banker", "NY-c-3-rate", "Bet a multiple of 0.25",
             **EXACT, vig_rate=4),
        case("ny-mini", "5 banker 0.20", "5 banker", "NY-c-3-rate", "Bet a multiple of 0.25",
             vig_rounding=VigorishRounding.NOT_APPLICABLE, vig_rate=4),
        case("ny-mini", "5 banker 0.30", "5 banker", "NY-c-3-rate", "Bet a multiple of 0.40",
             **EXACT, odds_banker=Odds(3, 2)),
        case("nj-baccarat", "5 banker 1.01, 5 total_5 1.00, 5 tie 1.00", "5 banker", "S42-c-3-rate",
             "Bet a multiple of 0.20", **EXACT, vig_mode=VigorishMode.NONE_TOTAL_CARDS),
        case("s42-mini", "5 banker 1.01", "5 banker", "S42-c-4-charge", "Bet a multiple of 0.04",
             vig_mode=VigorishMode.TIE25),
        case("ny-ez", "5 dragon_7 1.00, 4 banker 1.00", "5 dragon_7", "", "by rule of the house"),
        case("ny-mini", "5 bonus_player 1.00", "5 bonus_player", "", "by rule of the house",
             dragon_bonus=True, dragon_bonus_sides=(HandName.PLAYER,)),
        case("ny-mini", "5 banker 0.00", "5 banker", "", "State an amount above zero"),
        case("ny-mini", "0 banker 1.00", "0 banker", "", "Name the seat of the layout"),
        case("ny-mini", "5 tie 1.00, 5 tie 1.00", "5 tie", "", "State one amount for the spot"),
    ],
)  # fmt: skip
def test_a_wager_is_refused(
    table: Table, layout: Layout, profile: str, settings: dict[str, object], wagers: str,
    seat_and_kind: str, clauses: tuple[str, ...], expected: str,
) -> None:  # fmt: skip
    (found,) = wager_refusals(table(profile, **settings), layout(wagers))

    assert f"{found.seat} {found.kind.value}" == seat_and_kind
    assert found.clauses == clauses
    assert expected in wager_refusal_words("", found)


@pytest.mark.parametrize(
    ("profile", "setting", "kind", "clauses"),
    [
        ("ny-ez", "odds_player", "player", "NY-c-1"),
        ("ny-ez", "odds_tie", "tie", "NY-c-2"),
        ("ny-ez", "odds_dragon7", "dragon_7", "NY-c-8"),
        ("ny-ez", "odds_panda8", "panda_8", "NY-c-9"),
        ("nj-baccarat", "odds_total_5", "total_5", "NJ-sum-odds NJ-3.3-f-5"),
        ("nj-baccarat", "odds_total_6", "total_6", "NJ-sum-odds NJ-3.3-f-6"),
    ],
)
def test_odds_with_halves_require_even_cents(
    table: Table, layout: Layout, profile: str, setting: str, kind: str, clauses: str
) -> None:
    terms = table(profile, **{setting: Odds(17, 2)})
    (found,) = wager_refusals(terms, layout(f"5 {kind} 1.01, 5 banker 1.00"))

    assert (found.kind.value, found.clauses) == (kind, tuple(clauses.split()))
    assert to_words(found.remedy) == "Bet a multiple of 0.02"


def test_a_refusal_is_one_sentence_and_a_remedy(table: Table, layout: Layout) -> None:
    (found,) = wager_refusals(table("wa-mini"), layout("5 banker 1.00, 5 player 1.00"))

    assert wager_refusal_words("WA", found) == (
        "seat 5, Player: one seat may not bet on both hands (WA-ov-2-combo)."
        " Return this wager or the one on Banker"
    )


def test_a_refusal_without_clauses_cites_nothing(table: Table) -> None:
    (found,) = wager_refusals(table("ny-mini"), (Wager(5, WagerKind.TIE, -5),))

    assert (
        wager_refusal_words("NY", found)
        == "seat 5, Tie: -0.05 is not a wager. State an amount above zero"
    )


def test_each_wager_is_refused_once(table: Table, layout: Layout) -> None:
    wagers = layout("5 total_4 1.00, 4 dragon_7 0.00, 3 banker 1.00")
    found = wager_refusals(table("wa-mini"), wagers)

    assert [one.seat for one in found] == [5, 4]


# --- to a fixed point -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "settings", "wagers", "refused"),
    [
        # The base wager of a total is refused: the total has none.
        ("nj-minibaccarat", {"vig_mode": VigorishMode.NONE_SIX},
         "1 banker 0.15, 1 total_5 2.00", ["1 banker", "1 total_5"]),
        ("nj-minibaccarat", {"vig_mode": VigorishMode.NONE_SIX},
         "1 total_5 2.00, 1 banker 0.15", ["1 total_5", "1 banker"]),
        ("nj-minibaccarat", {"vig_mode": VigorishMode.NONE_SIX},
         "1 banker 0.15, 1 total_5 2.00, 1 tie 1.00", ["1 banker"]),
        # So is that of a bonus wager, by the house's own rule.
        ("ny-mini", {"vig_mode": VigorishMode.NONE_SIX, "dragon_bonus": True},
         "1 banker 0.15, 1 bonus_player 2.00", ["1 banker", "1 bonus_player"]),
        # The total that waived the vigorish is refused: the vigorish is due, and not in cents.
        ("nj-minibaccarat", {**EXACT, "vig_mode": VigorishMode.NONE_TOTAL_CARDS},
         "1 banker 0.01, 1 total_4 0.01", ["1 banker", "1 total_4"]),
        # A returned wager keeps no other off its spot or seat.
        ("wa-mini", {}, "1 banker 1.01, 1 player 1.00", ["1 banker"]),
        ("wa-mini", {}, "1 banker 1.01, 1 banker 1.00", ["1 banker"]),
    ],
)  # fmt: skip
def test_wagers_are_refused_until_those_that_are_left_may_stand(
    table: Table, layout: Layout, profile: str, settings: dict[str, object], wagers: str,
    refused: list[str],
) -> None:  # fmt: skip
    terms = table(profile, **settings)

    found = wager_refusals(terms, layout(wagers))

    assert [f"{one.seat} {one.kind.value}" for one in found] == refused
    assert wager_refusals(terms, admit_wagers(terms, layout(wagers)).standing) == ()
