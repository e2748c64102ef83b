"""Results of wagers: verdict, odds and clauses."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from controller.rules.hands import HandName
from controller.rules.odds import Odds
from controller.rules.setting_values import BonusTable, VigorishMode
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.results import (
    VigorishOn,
    WagerResult,
    WagerVerdict,
    void_results,
    wager_results,
)
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import WagerKind

Table = Callable[..., Terms]
BOTH = {"dragon_bonus": True, "dragon_bonus_sides": (HandName.PLAYER, HandName.BANKER)}
NONE_SIX = {"vig_mode": VigorishMode.NONE_SIX}
TIE25 = {"vig_mode": VigorishMode.TIE25}


def result_of(terms: Terms, facts: CoupFacts, kind: WagerKind) -> WagerResult:
    return next(one for one in wager_results(terms, facts) if one.kind is kind)


def case(
    profile: str, kind: str, hands: str, expected: str, clauses: str, **settings: object
) -> object:
    """One row of the tables below, marked with each clause it names."""
    cited = tuple(clauses.split())
    marks = [pytest.mark.clause(name) for name in cited]
    return pytest.param(profile, settings, kind, hands, expected, cited, marks=marks)


def holds(
    table: Table,
    coup: Callable[[str], CoupFacts],
    line: tuple[str, dict[str, object], str, str, str, tuple[str, ...]],
) -> None:
    profile, settings, kind, hands, expected, clauses = line
    found = result_of(table(profile, **settings), coup(hands), WagerKind(kind))

    verdict = f"{found.verdict.value} {found.odds}" if found.odds else found.verdict.value
    assert (verdict, found.clauses) == (expected, clauses)


@pytest.mark.parametrize(
    ("profile", "settings", "kind", "hands", "expected", "clauses"),
    [
        case("ny-mini", "banker", "P 3 in 3, B 6 in 2", "wins 1:1", "NY-b-1-i-a NY-c-3-pay"),
        case("ny-mini", "banker", "P 7 in 2, B 6 in 3", "loses", "NY-b-1-i-b"),
        case("ny-mini", "banker", "P 6 in 2, B 6 in 2", "pushes", "NY-b-1-i-c-push"),
        case("ny-midi", "banker", "P 6 in 2, B 6 in 2", "pushes",
             "NY-b-1-i-c-vig NY-c-4-charge", **TIE25),
        case("ny-mini", "banker", "P 3 in 3, B 6 in 2", "wins 1:2",
             "NY-b-1-i-a NY-c-6-pay NY-c-6-six", **NONE_SIX),
        case("ny-mini", "banker", "P 3 in 3, B 6 in 3", "wins 1:2",
             "NY-b-1-i-a NY-c-6-pay NY-c-6-six", **NONE_SIX),
        case("ny-mini", "banker", "P 3 in 3, B 7 in 3", "wins 1:1",
             "NY-b-1-i-a NY-c-6-pay", **NONE_SIX),
        case("ny-mini", "banker", "P 3 in 3, B 6 in 2", "wins 1:1",
             "NY-b-1-i-a NY-c-3-pay", **TIE25),
        case("s42-mini", "banker", "P 3 in 3, B 6 in 2", "wins 1:1", "S42-b-1-i-A S42-c-3-pay"),
        case("s42-mini", "banker", "P 7 in 2, B 6 in 3", "loses", "S42-b-1-i-B"),
        case("s42-mini", "banker", "P 6 in 2, B 6 in 2", "void", "S42-b-1-i-C-void"),
        case("s42-mini", "banker", "P 6 in 2, B 6 in 2", "void",
             "S42-b-1-i-C-vig S42-c-4-charge", **TIE25),
        case("s42-mini", "banker", "P 3 in 3, B 6 in 2", "wins 1:1",
             "S42-b-1-i-A S42-c-3-pay S42-c-4-excl", **TIE25),
        case("s42-mini", "banker", "P 3 in 3, B 6 in 2", "wins 1:2",
             "S42-b-1-i-A S42-c-6-pay S42-c-6-six", **NONE_SIX),
        case("nj-minibaccarat", "banker", "P 3 in 3, B 6 in 2", "wins 1:2",
             "NJ-7.3-f-elect NJ-7.3-f-1", **NONE_SIX),
        case("nj-baccarat", "banker", "P 3 in 3, B 6 in 2", "wins 1:2",
             "NJ-3.3-e-elect NJ-3.3-e-1", **NONE_SIX),
        case("nj-minibaccarat", "banker", "P 6 in 2, B 6 in 2", "pushes",
             "S42-b-1-i-C-vig NJ-12-d-5-ii", **TIE25),
        case("wa-mini", "banker", "P 3 in 3, B 6 in 2", "wins 1:1", "WA-pay-win WA-pay-even"),
        case("wa-mini", "banker", "P 3 in 3, B 6 in 2", "wins 1:1", "WA-pay-win WA-pay-even",
             vig_mode=VigorishMode.NONE),
        case("wa-mini", "banker", "P 9 in 2, B 9 in 2", "pushes", "WA-ov-7 WA-pr-9"),
        case("house-baccarat", "banker", "P 3 in 3, B 6 in 2", "wins 1:1",
             "HG-bac-bbet HG-bac-even"),
        case("house-mini", "banker", "P 3 in 3, B 6 in 2", "wins 1:1",
             "HG-mini-bbet HG-mini-even"),
        case("house-mini", "banker", "P 3 in 3, B 2 in 3", "loses", "HG-mini-bbet"),
    ],
)  # fmt: skip
def test_banker(
    table: Table, coup: Callable[[str], CoupFacts], profile: str, settings: dict[str, object],
    kind: str, hands: str, expected: str, clauses: tuple[str, ...],
) -> None:  # fmt: skip
    holds(table, coup, (profile, settings, kind, hands, expected, clauses))


@pytest.mark.parametrize(
    ("profile", "settings", "kind", "hands", "expected", "clauses"),
    [
        case("ny-mini", "player", "P 8 in 2, B 7 in 2", "wins 1:1", "NY-b-1-ii-a NY-c-1"),
        case("ny-mini", "player", "P 5 in 3, B 7 in 3", "loses", "NY-b-1-ii-b"),
        case("ny-mini", "player", "P 5 in 3, B 5 in 3", "pushes", "NY-b-1-ii-c"),
        case("s42-mini", "player", "P 8 in 2, B 7 in 2", "wins 1:1", "S42-b-1-ii-A S42-c-1"),
        case("s42-mini", "player", "P 5 in 3, B 7 in 3", "loses", "S42-b-1-ii-B"),
        case("s42-mini", "player", "P 5 in 3, B 5 in 3", "void", "S42-b-1-ii-C"),
        case("s42-mini", "player", "P 5 in 3, B 5 in 3", "void", "S42-b-1-ii-C", **TIE25),
        case("wa-mini", "player", "P 8 in 2, B 7 in 2", "wins 1:1", "WA-pay-win WA-pay-even"),
        case("wa-mini", "player", "P 8 in 2, B 8 in 2", "pushes", "WA-ov-7 WA-pr-9"),
        case("house-baccarat", "player", "P 8 in 2, B 7 in 2", "wins 1:1",
             "HG-bac-pbet HG-bac-even"),
        case("house-mini", "player", "P 8 in 2, B 7 in 2", "wins 1:1",
             "HG-mini-pbet HG-mini-even"),
        case("ny-mini", "tie", "P 8 in 2, B 8 in 2", "wins 8:1", "NY-b-1-iii-win NY-c-2"),
        case("ny-mini", "tie", "P 8 in 2, B 7 in 2", "loses", "NY-b-1-iii-lose"),
        case("s42-mini", "tie", "P 0 in 3, B 0 in 3", "wins 8:1", "S42-b-1-iii S42-c-2"),
        case("wa-mini", "tie", "P 0 in 3, B 0 in 3", "wins 8:1", "WA-ov-7 WA-pay-tie"),
        case("house-baccarat", "tie", "P 0 in 3, B 0 in 3", "wins 8:1",
             "HG-bac-tiecount HG-bac-tie8"),
        case("house-mini", "tie", "P 0 in 3, B 0 in 3", "wins 8:1",
             "HG-mini-tiecount HG-mini-tie8"),
    ],
)  # fmt: skip
def test_player_and_tie(
    table: Table, coup: Callable[[str], CoupFacts], profile: str, settings: dict[str, object],
    kind: str, hands: str, expected: str, clauses: tuple[str, ...],
) -> None:  # fmt: skip
    holds(table, coup, (profile, settings, kind, hands, expected, clauses))


@pytest.mark.parametrize(
    ("profile", "settings", "kind", "hands", "expected", "clauses"),
    [
        case("ny-ez", "banker", "P 6 in 2, B 7 in 3", "pushes", "NY-b-1-i-c-ez"),
        case("ny-ez", "banker", "P 6 in 2, B 7 in 2", "wins 1:1", "NY-b-1-i-a NY-c-3-pay"),
        case("ny-ez", "banker", "P 5 in 3, B 6 in 3", "wins 1:1", "NY-b-1-i-a NY-c-3-pay"),
        case("ny-ez", "player", "P 6 in 2, B 7 in 3", "loses", "NY-b-1-ii-b"),
        case("ny-ez", "player", "P 8 in 3, B 7 in 2", "wins 1:1",
             "NY-b-1-ii-a NY-b-1-ii-a-panda NY-c-1"),
        case("ny-ez", "player", "P 8 in 2, B 7 in 2", "wins 1:1", "NY-b-1-ii-a NY-c-1"),
        case("ny-ez", "dragon_7", "P 6 in 2, B 7 in 3", "wins 40:1", "NY-b-1-v-a NY-c-8"),
        case("ny-ez", "dragon_7", "P 6 in 2, B 7 in 2", "loses", "NY-b-1-v-b"),
        case("ny-ez", "dragon_7", "P 8 in 3, B 7 in 3", "loses", "NY-b-1-v-b"),
        case("ny-ez", "dragon_7", "P 7 in 2, B 7 in 3", "loses", "NY-b-1-v-b"),
        case("ny-ez", "panda_8", "P 8 in 3, B 7 in 2", "wins 25:1", "NY-b-1-vi-a NY-c-9"),
        case("ny-ez", "panda_8", "P 8 in 2, B 7 in 2", "loses", "NY-b-1-vi-b"),
        case("ny-ez", "panda_8", "P 8 in 3, B 8 in 3", "loses", "NY-b-1-vi-b"),
        case("ny-ez", "panda_8", "P 8 in 3, B 9 in 3", "loses", "NY-b-1-vi-b"),
    ],
)  # fmt: skip
def test_ez(
    table: Table, coup: Callable[[str], CoupFacts], profile: str, settings: dict[str, object],
    kind: str, hands: str, expected: str, clauses: tuple[str, ...],
) -> None:  # fmt: skip
    holds(table, coup, (profile, settings, kind, hands, expected, clauses))


def bonus(hands: str, expected: str, clauses: str, kind: str = "bonus_player") -> object:
    return case("ny-mini", kind, hands, expected, clauses, **BOTH)


@pytest.mark.parametrize(
    ("profile", "settings", "kind", "hands", "expected", "clauses"),
    [
        bonus("P 8 in 2, B 7 in 2", "wins 1:1", "NY-b-1-iv-a-nat NY-c-7-choose NY-c-7-nat-win"),
        bonus("P 9 in 2, B 0 in 2", "wins 1:1", "NY-b-1-iv-a-nat NY-c-7-choose NY-c-7-nat-win"),
        bonus("P 9 in 2, B 8 in 2", "wins 1:1", "NY-b-1-iv-a-98 NY-c-7-choose NY-c-7-nat-win"),
        bonus("P 8 in 2, B 9 in 2", "loses", "NY-b-1-iv-b-89"),
        bonus("P 8 in 2, B 8 in 2", "pushes", "NY-b-1-iv-c NY-c-7-nat-tie"),
        bonus("P 9 in 2, B 9 in 2", "pushes", "NY-b-1-iv-c NY-c-7-nat-tie"),
        bonus("P 4 in 3, B 0 in 3", "wins 1:1", "NY-b-1-iv-a-4 NY-c-7-choose NY-c-7-4"),
        bonus("P 7 in 2, B 2 in 3", "wins 2:1", "NY-b-1-iv-a-4 NY-c-7-choose NY-c-7-5"),
        bonus("P 9 in 3, B 3 in 3", "wins 4:1", "NY-b-1-iv-a-4 NY-c-7-choose NY-c-7-6"),
        bonus("P 7 in 2, B 0 in 3", "wins 6:1", "NY-b-1-iv-a-4 NY-c-7-choose NY-c-7-7"),
        bonus("P 8 in 3, B 0 in 3", "wins 10:1", "NY-b-1-iv-a-4 NY-c-7-choose NY-c-7-8"),
        bonus("P 9 in 3, B 0 in 3", "wins 30:1", "NY-b-1-iv-a-4 NY-c-7-choose NY-c-7-9"),
        bonus("P 9 in 3, B 6 in 2", "loses", "NY-b-1-iv-b-3"),
        bonus("P 7 in 3, B 6 in 2", "loses", "NY-b-1-iv-b-3"),
        bonus("P 6 in 3, B 6 in 2", "loses", "NY-b-1-iv-b-le"),
        bonus("P 0 in 2, B 9 in 2", "loses", "NY-b-1-iv-b-le"),
        bonus("P 0 in 3, B 9 in 3", "wins 30:1", "NY-b-1-iv-a-4 NY-c-7-choose NY-c-7-9",
              "bonus_banker"),
        bonus("P 9 in 2, B 8 in 2", "loses", "NY-b-1-iv-b-89", "bonus_banker"),
    ],
)  # fmt: skip
def test_bonus(
    table: Table, coup: Callable[[str], CoupFacts], profile: str, settings: dict[str, object],
    kind: str, hands: str, expected: str, clauses: tuple[str, ...],
) -> None:  # fmt: skip
    holds(table, coup, (profile, settings, kind, hands, expected, clauses))


MINI = "NJ-sum-offer NJ-7.2-a-4-offer NJ-7.2-a-4-basis"
BIG = "NJ-sum-offer NJ-3.2-a-4-offer NJ-3.2-a-4-basis"


@pytest.mark.parametrize(
    ("profile", "settings", "kind", "hands", "expected", "clauses"),
    [
        case("nj-minibaccarat", "total_4", "P 8 in 2, B 7 in 2", "wins 3:2",
             f"{MINI} NJ-sum-odds NJ-7.3-g-4"),
        case("nj-minibaccarat", "total_5", "P 8 in 3, B 7 in 2", "wins 2:1",
             f"{MINI} NJ-sum-odds NJ-7.3-g-5"),
        case("nj-minibaccarat", "total_6", "P 8 in 3, B 7 in 3", "wins 2:1",
             f"{MINI} NJ-sum-odds NJ-7.3-g-6"),
        case("nj-minibaccarat", "total_4", "P 8 in 3, B 7 in 2", "loses", MINI),
        case("nj-baccarat", "total_4", "P 8 in 2, B 7 in 2", "wins 3:2",
             f"{BIG} NJ-sum-odds NJ-3.3-f-4"),
        case("nj-baccarat", "total_5", "P 6 in 2, B 7 in 3", "wins 2:1",
             f"{BIG} NJ-sum-odds NJ-3.3-f-5"),
        case("nj-baccarat", "total_6", "P 8 in 3, B 7 in 3", "wins 2:1",
             f"{BIG} NJ-sum-odds NJ-3.3-f-6"),
        case("nj-baccarat", "total_6", "P 8 in 3, B 7 in 2", "loses", BIG),
    ],
)  # fmt: skip
def test_total_cards(
    table: Table, coup: Callable[[str], CoupFacts], profile: str, settings: dict[str, object],
    kind: str, hands: str, expected: str, clauses: tuple[str, ...],
) -> None:  # fmt: skip
    holds(table, coup, (profile, settings, kind, hands, expected, clauses))


@pytest.mark.parametrize(
    ("pay_table", "pays"),
    [
        (BonusTable.A, "1:1 2:1 4:1 6:1 10:1 30:1"),
        (BonusTable.B, "1:1 3:1 4:1 7:1 8:1 20:1"),
        (BonusTable.C, "2:1 2:1 4:1 4:1 10:1 30:1"),
    ],
)
def test_the_pay_tables_of_the_bonus(table: Table, pay_table: BonusTable, pays: str) -> None:
    terms = table("ny-mini", **BOTH, dragon_bonus_table=pay_table)

    found = [
        result_of(terms, CoupFacts(lead, 0, 3, 3), WagerKind.BONUS_PLAYER) for lead in range(4, 10)
    ]

    assert " ".join(str(one.odds) for one in found) == pays


@pytest.mark.parametrize("pay_table", list(BonusTable))
def test_a_natural_that_wins_pays_even_in_every_table(
    table: Table, coup: Callable[[str], CoupFacts], pay_table: BonusTable
) -> None:
    terms = table("ny-mini", **BOTH, dragon_bonus_table=pay_table)
    found = result_of(terms, coup("P 9 in 2, B 0 in 2"), WagerKind.BONUS_PLAYER)

    assert found.odds == Odds(1, 1)


@pytest.mark.parametrize(
    ("settings", "hands", "on"),
    [
        ({}, "P 3 in 3, B 6 in 2", VigorishOn.WIN),
        ({}, "P 6 in 2, B 6 in 2", VigorishOn.NOTHING),
        (TIE25, "P 3 in 3, B 6 in 2", VigorishOn.NOTHING),
        (TIE25, "P 6 in 2, B 6 in 2", VigorishOn.STAKE),
        (NONE_SIX, "P 3 in 3, B 5 in 2", VigorishOn.NOTHING),
    ],
)
def test_the_base_of_vigorish(
    table: Table,
    coup: Callable[[str], CoupFacts],
    settings: dict[str, object],
    hands: str,
    on: VigorishOn,
) -> None:
    assert result_of(table("s42-mini", **settings), coup(hands), WagerKind.BANKER).vigorish_on is on


@pytest.mark.clause("NJ-7.3-f-elect")
def test_a_win_that_may_be_waived_cites_both_clauses(
    table: Table, coup: Callable[[str], CoupFacts]
) -> None:
    terms = table("nj-minibaccarat", vig_mode=VigorishMode.NONE_TOTAL_CARDS)
    found = result_of(terms, coup("P 3 in 3, B 6 in 2"), WagerKind.BANKER)

    assert found.vigorish_on is VigorishOn.WIN
    assert found.clauses == ("S42-c-3-pay", "NJ-7.3-f-elect")


@pytest.mark.clause("S42-k-4-void")
def test_a_void_coup_returns_every_kind(table: Table) -> None:
    found = void_results(table("s42-mini"))

    assert [one.kind.value for one in found] == ["banker", "player", "tie"]
    assert all(one.verdict is WagerVerdict.VOID for one in found)
    assert all(one.clauses == ("S42-k-4-void",) for one in found)


# --- every kind with every coup, against an independent implementation --------------------------


LOSS, BACK = Fraction(-1), Fraction(0)
TABLE_A = {4: 1, 5: 2, 6: 4, 7: 6, 8: 10, 9: 30}


def bonus_win(own: int, other: int, natural: bool) -> Fraction:
    if natural and own > other:
        return Fraction(1)
    if natural and own == other:
        return BACK
    return Fraction(TABLE_A[own - other]) if not natural and own - other > 3 else LOSS


def plain_gains(mode: VigorishMode, facts: CoupFacts) -> dict[str, Fraction]:
    """The gain of each wager of one unit, by an independent implementation."""
    p, b = facts.player_count, facts.banker_count
    pc, bc = facts.player_cards, facts.banker_cards
    ez = mode is VigorishMode.EZ_NONE
    sides = {"P": LOSS, "B": LOSS, "T": LOSS}
    if p == b:
        sides = {"P": BACK, "B": BACK, "T": Fraction(8)}
    elif p > b:
        sides["P"] = Fraction(1)
    else:
        sides["B"] = Fraction(1)
        if mode is VigorishMode.NONE_SIX and b == 6:
            sides["B"] = Fraction(1, 2)
        if ez and (b, bc) == (7, 3):
            sides["B"] = BACK
    both_natural_possible = pc == bc == 2
    result = {
        "banker": sides["B"],
        "player": sides["P"],
        "tie": sides["T"],
        "bonus_player": bonus_win(p, b, both_natural_possible and p in (8, 9)),
        "bonus_banker": bonus_win(b, p, both_natural_possible and b in (8, 9)),
    }
    for cards, pays in ((4, Fraction(3, 2)), (5, Fraction(2)), (6, Fraction(2))):
        result[f"total_{cards}"] = pays if pc + bc == cards else LOSS
    if ez:
        result["dragon_7"] = Fraction(40) if (b, bc) == (7, 3) and p < 7 else LOSS
        result["panda_8"] = Fraction(25) if (p, pc) == (8, 3) and b < 8 else LOSS
    return result


@pytest.mark.parametrize(
    ("profile", "mode"),
    [
        ("nj-minibaccarat", VigorishMode.COMMISSION),
        ("nj-minibaccarat", VigorishMode.TIE25),
        ("nj-minibaccarat", VigorishMode.NONE_SIX),
        ("nj-minibaccarat", VigorishMode.NONE_TOTAL_CARDS),
        ("nj-minibaccarat", VigorishMode.NONE),
        ("ny-ez", VigorishMode.EZ_NONE),
    ],
)
def test_every_kind_on_every_coup(
    table: Table, every_coup: tuple[CoupFacts, ...], profile: str, mode: VigorishMode
) -> None:
    odds = {"odds_total_4": Odds(3, 2), "odds_total_5": Odds(2, 1), "odds_total_6": Odds(2, 1)}
    settings = {"dragon_bonus_table": BonusTable.A, "total_card_wagers": True}
    terms = table(profile, **BOTH, **settings, **odds, vig_mode=mode)
    wins = {WagerVerdict.LOSES: LOSS, WagerVerdict.PUSHES: BACK, WagerVerdict.VOID: BACK}

    for facts in every_coup:
        found = {
            one.kind.value: one.odds.fraction if one.odds else wins[one.verdict]
            for one in wager_results(terms, facts)
        }
        assert found == plain_gains(mode, facts), facts


def test_every_result_cites_a_clause_of_its_profile(
    table: Table, every_coup: tuple[CoupFacts, ...]
) -> None:
    terms = table("ny-ez", **BOTH)

    assert all(one.clauses for facts in every_coup for one in wager_results(terms, facts))
