"""A word that no enum holds never gets an answer: it is a fault, not a payment."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from controller.settlement import payment_order as order
from controller.settlement import results, vigorish
from controller.settlement.coup_facts import CoupFacts
from controller.settlement.payout import pay_lines
from controller.settlement.results import what_wins
from controller.settlement.terms import Terms
from controller.settlement.wagers import Wager, WagerKind

UNKNOWN: Any = "unknown"
BANKER_WINS = CoupFacts(3, 6, 3, 2)


@pytest.fixture
def terms(table: Callable[..., Terms]) -> Terms:
    return table("ny-mini")


def test_a_kind(terms: Terms) -> None:
    with pytest.raises(AssertionError, match="unknown"):
        results._judged(terms, BANKER_WINS, UNKNOWN)
    with pytest.raises(AssertionError, match="unknown"):
        terms.odds_of(UNKNOWN)


def test_a_mode_of_vigorish(table: Callable[..., Terms]) -> None:
    with pytest.raises(AssertionError, match="unknown"):
        what_wins(table("ny-mini", vig_mode=UNKNOWN), BANKER_WINS)


def test_what_vigorish_is_reckoned_on(terms: Terms) -> None:
    judgement = replace(what_wins(terms, BANKER_WINS)[0], vigorish_on=UNKNOWN)

    with pytest.raises(AssertionError, match="unknown"):
        vigorish.share_of_stake(terms, judgement)


def test_a_rounding() -> None:
    with pytest.raises(AssertionError, match="unknown"):
        vigorish.rounded(UNKNOWN, Fraction(1))


def test_a_procedure(table: Callable[..., Terms]) -> None:
    with pytest.raises(AssertionError, match="unknown"):
        order.pay_steps(table("ny-mini", pay_procedure=UNKNOWN), ())


def test_an_act(terms: Terms) -> None:
    wagers = (Wager(5, WagerKind.BANKER, 100),)
    (line,) = pay_lines(terms, what_wins(terms, BANKER_WINS), wagers)

    with pytest.raises(AssertionError, match="unknown"):
        order._words(line, UNKNOWN, 1)
