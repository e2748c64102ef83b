"""Odds: parsing, comparison, wins."""

from fractions import Fraction

import pytest

from controller.rules.odds import Odds, OddsLimit


def test_odds_are_parsed_and_printed() -> None:
    assert Odds.parse("8:1") == Odds(8, 1)
    assert str(Odds(3, 2)) == "3:2"


@pytest.mark.parametrize("text", ["", "8", "8:", ":1", "0:1", "8:0", "8-1", "-8:1", "8:1 ", "٨:1"])
def test_invalid_odds_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not odds such as 8:1"):
        Odds.parse(text)


def test_a_win_is_exact_and_without_the_stake() -> None:
    assert Odds(8, 1).win_cents(500) == 4000
    assert Odds(1, 2).win_cents(125) == Fraction(125, 2)


def test_odds_that_pay_the_same_are_the_same_fraction() -> None:
    assert Odds(4, 2).fraction == Odds(2, 1).fraction


@pytest.mark.parametrize(
    ("limit", "odds", "allowed"),
    [
        ("at_least 8:1", "8:1", True),
        ("at_least 8:1", "17:2", True),
        ("at_least 8:1", "15:2", False),
        ("exactly 25:1", "25:1", True),
        ("exactly 25:1", "50:2", True),
        ("exactly 25:1", "26:1", False),
        ("exactly 25:1", "24:1", False),
    ],
)
def test_a_limit_of_odds(limit: str, odds: str, allowed: bool) -> None:
    assert OddsLimit.parse(limit).allows(Odds.parse(odds)) is allowed


@pytest.mark.parametrize("text", ["at_least 8:1", "exactly 1:2"])
def test_a_limit_is_printed_as_parsed(text: str) -> None:
    assert str(OddsLimit.parse(text)) == text


def test_a_repeated_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="'at_least 8:1' is not odds"):
        OddsLimit.parse("at_least at_least 8:1")


@pytest.mark.parametrize("text", ["", "8:1", "at_most 8:1", "at_least", "exactly 8"])
def test_an_invalid_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no"):
        OddsLimit.parse(text)
