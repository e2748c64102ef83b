"""Fair shoes raise next to nothing: the alarms of all monitors together, counted."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from simulated_shoes import advisories, coups_of, fair_shoe, items_of_coups

from controller.monitors.advisory import AdvisoryKind
from controller.monitors.budget import BUDGET, BUDGET_SHOES
from controller.monitors.items import CoupEnds, MonitorItem, PersonAct, PersonActs
from controller.monitors.state import MonitorState

FEW_SHOES = 400
BATCHES = ("red", "blue")
# A coup in so many is voided, repeated or corrected.
ACTS = 1 / 300


def worked_shoe(chance: Random, shoe: int) -> Iterator[MonitorItem]:
    """A fair shoe of one of two batches; whoever is at the table errs as often as the others."""
    at_table = (f"dealer-{chance.randrange(12)}", f"floor-{chance.randrange(3)}")
    for item in items_of_coups(coups_of(chance, fair_shoe(chance)), shoe, BATCHES[shoe % 2]):
        if isinstance(item, CoupEnds):
            for person in at_table:
                if chance.random() < ACTS:
                    yield PersonActs(person, person.partition("-")[0], PersonAct.VOID)
            item = CoupEnds(at_table)
        yield item


def alarms(seed: int, shoes: int) -> Counter[AdvisoryKind]:
    """The advisories of fair shoes dealt one after another."""
    chance, state, found = Random(seed), MonitorState(), Counter[AdvisoryKind]()
    for shoe in range(1, shoes + 1):
        state, said = advisories(worked_shoe(chance, shoe), state)
        found.update(one.kind for one in said if not one.again)
    return found


def test_a_few_hundred_fair_shoes_raise_nothing() -> None:
    assert alarms(5, FEW_SHOES) == {}


@pytest.mark.full
@pytest.mark.timeout(900)
def test_twenty_thousand_fair_shoes_raise_at_most_twelve() -> None:
    found = alarms(2026, BUDGET_SHOES)

    by_kind = {kind.value: count for kind, count in found.items()}
    print(f"{found.total()} in {BUDGET_SHOES} fair shoes: {by_kind}")
    assert found.total() <= BUDGET
