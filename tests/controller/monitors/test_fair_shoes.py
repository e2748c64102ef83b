"""Fair shoes raise next to nothing: the alarms of all monitors together, counted."""

from collections import Counter
from random import Random

import pytest
from simulated_shoes import advisories, coups_of, fair_shoe, items_of_coups

from controller.monitors.advisory import AdvisoryKind
from controller.monitors.budget import BUDGET, BUDGET_SHOES
from controller.monitors.state import MonitorState

FEW_SHOES = 400


def alarms(seed: int, shoes: int) -> Counter[AdvisoryKind]:
    """The advisories of fair shoes dealt one after another from two batches."""
    chance, state, found = Random(seed), MonitorState(), Counter[AdvisoryKind]()
    for shoe in range(1, shoes + 1):
        batch = "red" if shoe % 2 else "blue"
        coups = coups_of(chance, fair_shoe(chance))
        state, said = advisories(items_of_coups(coups, shoe, batch), state)
        found.update(one.kind for one in said if not one.again)
    return found


def test_a_few_hundred_fair_shoes_raise_nothing() -> None:
    assert alarms(5, FEW_SHOES) == {}


@pytest.mark.full
@pytest.mark.timeout(900)
def test_twenty_thousand_fair_shoes_raise_at_most_twelve() -> None:
    found = alarms(2026, BUDGET_SHOES)

    print(f"{found.total()} in {BUDGET_SHOES} fair shoes: {dict(found)}")
    assert found.total() <= BUDGET
