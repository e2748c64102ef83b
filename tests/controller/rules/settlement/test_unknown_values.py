"""Values outside the enums fail; they never lead to a payment."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from controller.rules.settlement import payment_order as order
from controller.rules.settlement import results, vigorish
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.payout import payout_lines
from controller.rules.settlement.results import wager_results
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager, WagerKind

UNKNOWN: Any = "unknown"
BANKER_WINS = CoupFacts(3, 6, 3, 2)


@pytest.fixture
def terms(table: Callable[..., Terms]) -> Terms:
    return table("ny-mini")


def test_an_unknown_wager_kind_fails(terms: Terms) -> None:
    with pytest.raises(AssertionError, match="unknown"):
        results._result(terms, BANKER_WINS, UNKNOWN)
    with pytest.raises(AssertionError, match="unknown"):
        terms.odds_of(UNKNOWN)


def test_an_unknown_vigorish_mode_fails(table: Callable[..., Terms]) -> None:
    with pytest.raises(AssertionError, match="unknown"):
        wager_results(table("ny-mini", vig_mode=UNKNOWN), BANKER_WINS)


def test_the_base_of_vigorish(terms: Terms) -> None:
    result = replace(wager_results(terms, BANKER_WINS)[0], vigorish_on=UNKNOWN)

    with pytest.raises(AssertionError, match="unknown"):
        vigorish.share_of_stake(terms, result)


def test_an_unknown_rounding_fails() -> None:
    with pytest.raises(AssertionError, match="unknown"):
        vigorish.round_vigorish(UNKNOWN, Fraction(1))


def test_an_unknown_pay_procedure_fails(table: Callable[..., Terms]) -> None:
    with pytest.raises(AssertionError, match="unknown"):
        order.payment_steps(table("ny-mini", pay_procedure=UNKNOWN), ())


def test_an_unknown_payment_act_fails(terms: Terms) -> None:
    wagers = (Wager(5, WagerKind.BANKER, 100),)
    (line,) = payout_lines(terms, wager_results(terms, BANKER_WINS), wagers)

    with pytest.raises(AssertionError, match="unknown"):
        order._step_text(line, UNKNOWN, 1)
