"""The alarm budget: shares, thresholds, logarithms."""

from math import log2

import pytest

from controller.monitors.budget import (
    BUDGET,
    BUDGET_SHOES,
    CAPITAL_MAX,
    FRACTION_BITS,
    PARTS,
    SHARES,
    UNIT,
    log2_of,
    strength_millibits,
    threshold,
)
from controller.monitors.succession import RULES, order_alarms
from controller.rules.advisory import AdvisoryKind


def test_the_shares_are_the_whole_budget() -> None:
    assert sum(SHARES.values()) == BUDGET * PARTS == 1_200
    assert set(AdvisoryKind) - set(SHARES) == {AdvisoryKind.STALL_CUT, AdvisoryKind.STALL_LAST}


@pytest.mark.parametrize("kind", SHARES)
def test_a_threshold_is_the_inverse_of_the_share(kind: AdvisoryKind) -> None:
    assert threshold(kind) * SHARES[kind] <= UNIT * BUDGET_SHOES * PARTS
    assert threshold(kind) < CAPITAL_MAX


@pytest.mark.parametrize("number", [1, 2, 3, 52, 416, 6_666, UNIT, CAPITAL_MAX - 1])
def test_a_logarithm_is_rounded_down_by_less_than_a_millionth(number: int) -> None:
    exact = log2(number) * 2**FRACTION_BITS

    assert exact - 1.1 <= log2_of(number) <= exact + 1e-6 * exact


def test_strength_is_in_thousandths_of_a_doubling() -> None:
    assert strength_millibits(1_000, 1_000) == 0
    assert strength_millibits(8_000, 1_000) == 3_000


def test_a_monitor_speaks_at_its_threshold_and_not_below() -> None:
    limit = threshold(AdvisoryKind.ORDER, 11)
    below = (limit - 1,) + (0,) * (len(RULES) - 1)

    assert order_alarms(below) == ()
    assert [one.kind for one in order_alarms((limit, *below[1:]))] == [AdvisoryKind.ORDER]
