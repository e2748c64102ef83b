"""Vigorish: amount, rounding, waiver."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.setting_values import VigorishMode, VigorishRounding
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.results import WagerResult, wager_results
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.vigorish import is_waived, round_vigorish, vigorish_cents
from controller.rules.settlement.wagers import Wager, WagerKind

Table = Callable[..., Terms]
BANKER_WINS = CoupFacts(3, 6, 3, 2)
TIE = CoupFacts(6, 6, 2, 2)
TIE25 = VigorishMode.TIE25


def on_banker(terms: Terms, facts: CoupFacts) -> WagerResult:
    return next(one for one in wager_results(terms, facts) if one.kind is WagerKind.BANKER)


@pytest.mark.parametrize(
    ("rounding", "cents", "rounds_to"),
    [
        (VigorishRounding.UP_TO_5C, Fraction(0), 0),
        (VigorishRounding.UP_TO_5C, Fraction(1, 20), 5),
        (VigorishRounding.UP_TO_5C, Fraction(5), 5),
        (VigorishRounding.UP_TO_5C, Fraction(501, 100), 10),
        (VigorishRounding.UP_TO_5C, Fraction(25, 2), 15),
        (VigorishRounding.UP_TO_5C, Fraction(125), 125),
        (VigorishRounding.DOWN_TO_5C, Fraction(499, 100), 0),
        (VigorishRounding.DOWN_TO_5C, Fraction(5), 5),
        (VigorishRounding.DOWN_TO_5C, Fraction(25, 2), 10),
        (VigorishRounding.EXACT, Fraction(7), 7),
        (VigorishRounding.EXACT, Fraction(25, 2), Fraction(25, 2)),
        (VigorishRounding.NOT_APPLICABLE, Fraction(7), 7),
    ],
)
def test_rounding(rounding: VigorishRounding, cents: Fraction, rounds_to: Fraction) -> None:
    assert round_vigorish(rounding, cents) == rounds_to


@pytest.mark.parametrize(
    ("profile", "settings", "facts", "stake", "owes"),
    [
        ("ny-mini", {}, BANKER_WINS, 10_000, 500),
        ("ny-mini", {"vig_rate": 4}, BANKER_WINS, 10_000, 400),
        ("ny-mini", {}, BANKER_WINS, 250, 15),
        ("wa-mini", {"vig_rounding": VigorishRounding.DOWN_TO_5C}, BANKER_WINS, 250, 10),
        ("wa-mini", {}, BANKER_WINS, 260, 13),
        ("wa-mini", {"vig_rate": 0}, BANKER_WINS, 250, 0),
        ("wa-mini", {"vig_mode": VigorishMode.NONE}, BANKER_WINS, 250, 0),
        ("s42-mini", {"vig_mode": TIE25}, TIE, 10_000, 2_500),
        ("s42-mini", {"vig_mode": TIE25}, TIE, 28, 7),
        ("s42-mini", {"vig_mode": TIE25}, BANKER_WINS, 10_000, 0),
        ("s42-mini", {}, TIE, 10_000, 0),
        ("s42-mini", {"vig_mode": VigorishMode.NONE_SIX}, BANKER_WINS, 10_000, 0),
        ("ny-ez", {}, BANKER_WINS, 10_000, 0),
    ],
)
def test_vigorish_on_a_banker_wager(
    table: Table,
    profile: str,
    settings: dict[str, object],
    facts: CoupFacts,
    stake: int,
    owes: int,
) -> None:
    terms = table(profile, **settings)

    assert vigorish_cents(terms, on_banker(terms, facts), stake) == owes


def test_a_fraction_of_a_cent_is_never_charged(table: Table) -> None:
    terms = table("wa-mini")

    with pytest.raises(AssertionError):
        vigorish_cents(terms, on_banker(terms, BANKER_WINS), 250 + 1)


@given(
    stake=st.integers(1, 10**7).map(lambda units: units * 20),
    rate=st.integers(0, 5),
    rounding=st.sampled_from((VigorishRounding.EXACT, VigorishRounding.DOWN_TO_5C)),
)
def test_washington_never_charges_more_than_five_percent_of_the_win(
    table: Table, stake: int, rate: int, rounding: VigorishRounding
) -> None:
    terms = table("wa-mini", vig_rounding=rounding, vig_rate=rate)
    stake *= 5

    assert vigorish_cents(terms, on_banker(terms, BANKER_WINS), stake) * 100 <= 5 * stake


@given(stake=st.integers(1, 10**9))
def test_rounding_up_adds_less_than_five_cents(table: Table, stake: int) -> None:
    terms = table("ny-mini")
    owed = vigorish_cents(terms, on_banker(terms, BANKER_WINS), stake)

    assert owed % 5 == 0
    assert 0 <= owed * 20 - stake < 100


@pytest.mark.parametrize(
    ("wagers", "expected"),
    [
        ("5 banker 10.00, 5 total_4 10.00", True),
        ("5 banker 10.00, 5 total_4 4.00, 5 total_6 5.99", False),
        ("5 banker 10.00, 5 total_4 4.00, 5 total_5 1.00, 5 total_6 5.00", True),
        ("5 banker 10.00, 4 total_4 10.00", False),
        ("5 banker 10.00, 4 banker 1.00, 5 tie 20.00, 4 total_4 1.00", False),
    ],
)
def test_the_waiver_applies_seat_by_seat(
    table: Table, layout: Callable[[str], tuple[Wager, ...]], wagers: str, expected: bool
) -> None:
    terms = table("nj-minibaccarat", vig_mode=VigorishMode.NONE_TOTAL_CARDS)

    assert is_waived(terms, layout(wagers), 5) is expected


def test_no_waiver_where_the_table_has_not_chosen_it(
    table: Table, layout: Callable[[str], tuple[Wager, ...]]
) -> None:
    wagers = layout("5 banker 10.00, 5 total_4 10.00")

    assert not is_waived(table("nj-minibaccarat"), wagers, 5)
