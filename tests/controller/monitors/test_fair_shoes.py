"""Fair shoes raise next to nothing: the alarms of all monitors together, counted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import pytest
from simulated_shoes import (
    DECKS,
    SEEN,
    Faces,
    advisories,
    coups_of,
    fair_shoe,
    items_of_coups,
)

from controller.monitors.budget import BUDGET, BUDGET_SHOES
from controller.monitors.coup_bets import AFTER, START, VALUE_OF, Winner
from controller.monitors.items import (
    BatchInPlay,
    CardSeen,
    CoupBegins,
    CoupEnds,
    MonitorItem,
    PersonAct,
    PersonActs,
    ShoeEnds,
    ShoeOpens,
)
from controller.monitors.state import MonitorState
from controller.rules.advisory import AdvisoryKind

FEW_SHOES = 150
RUN_SHOES = 1_500
BATCHES = ("red", "blue")
# A coup in so many is voided, repeated or corrected.
ACTS = 1 / 300
TURNED = 0.4


SHUFFLERS = ("SH-1", "SH-2")
# From coup to coup, in seconds; shoes differ.
PACE_S = (25, 45)


def worked_shoe(chance: Random, shoe: int) -> Iterator[MonitorItem]:
    """A fair shoe of one of two batches, up to the cut card; of one batch a reader tells how a card
    lies. Whoever is at the table errs as often as the others; each shoe has a pace of its own.
    """
    at_table = (f"dealer-{chance.randrange(12)}", f"floor-{chance.randrange(3)}")
    at_ns, pace_s = 10**9, chance.uniform(*PACE_S)
    batch = BATCHES[shoe % 2]
    coups = coups_of(fair_shoe(chance)[: -chance.randrange(14, 40)])
    yield ShoeOpens(shoe, DECKS)
    yield BatchInPlay(batch, SHUFFLERS[shoe % 2])
    for coup in coups:
        at_ns += int(pace_s * chance.uniform(0.7, 1.6) * 10**9)
        yield CoupBegins(at_ns)
        for face in coup:
            seen = SEEN[face]
            if batch == "blue":
                yield CardSeen(seen.card, chance.random() < TURNED)
            else:
                yield seen
        for person in at_table:
            if chance.random() < ACTS:
                yield PersonActs(person, person.partition("-")[0], PersonAct.VOID)
        yield CoupEnds(at_table)
    yield ShoeEnds()


def alarms(seed: int, shoes: int) -> Counter[AdvisoryKind]:
    """The advisories of fair shoes dealt one after another."""
    chance, state, found = Random(seed), MonitorState(), Counter[AdvisoryKind]()
    for shoe in range(1, shoes + 1):
        state, said = advisories(worked_shoe(chance, shoe), state)
        found.update(one.kind for one in said if not one.again)
    return found


def test_a_few_hundred_fair_shoes_raise_nothing() -> None:
    assert alarms(5, FEW_SHOES) == {}


def test_a_row_of_twelve_wins_is_no_anomaly() -> None:
    """Nine in a thousand fair shoes have twelve wins of Banker in a row."""
    rows = 0
    for seed in range(RUN_SHOES):
        coups = coups_of(fair_shoe(Random(seed)))
        if longest_row(coups, Winner.BANKER) >= 12:
            rows += 1
            _, said = advisories(items_of_coups(coups, 1, "red"))
            assert not [one for one in said if one.kind is AdvisoryKind.OUTCOMES]
    assert 5 <= rows <= RUN_SHOES // 50


def longest_row(coups: Sequence[Faces], winner: Winner) -> int:
    """The longest row of wins of one side; ties leave it as it is."""
    longest = row = 0
    for coup in coups:
        place = START
        for face in coup:
            place = AFTER[place][VALUE_OF[face]]
        won = -1 - place
        if won == winner:
            row += 1
        elif won > 0:
            row = 0
        longest = max(longest, row)
    return longest


@pytest.mark.full
def test_twenty_thousand_fair_shoes_raise_at_most_twelve() -> None:
    found = alarms(2026, BUDGET_SHOES)

    by_kind = {kind.value: count for kind, count in found.items()}
    print(f"{found.total()} in {BUDGET_SHOES} fair shoes: {by_kind}")
    assert found.total() <= BUDGET
