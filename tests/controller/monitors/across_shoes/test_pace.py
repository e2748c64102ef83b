"""The pace of a table: another one that lasts is said, paces in any order are not."""

from random import Random

from simulated_shoes import DECKS, SEEN, advisories

from controller.monitors.across_shoes.pace import (
    COUPS_MIN,
    TablePace,
    _bin_of,
    _growth,
    _least_of,
    compare_pace,
)
from controller.monitors.budget import ONE
from controller.monitors.items import (
    CardSeen,
    CoupBegins,
    CoupEnds,
    MonitorItem,
    ShoeEnds,
    ShoeOpens,
)
from controller.rules.advisory import AdvisoryKind, PaceEvidence


def gaps(chance: Random, pace_s: float) -> tuple[int, ...]:
    return tuple(int(1_000 * pace_s * chance.uniform(0.7, 1.5)) for _ in range(60))


def test_the_growth_over_all_ranks_is_no_better_than_fair() -> None:
    for shoes in (1, 2, 7, 100, 5_000):
        for one_in in (4, 16):
            growths = (_growth(rank, shoes, one_in) for rank in range(1, shoes + 1))
            assert sum(growths) <= shoes * ONE


def test_a_bin_begins_where_it_says() -> None:
    for at in range(0, 192, 7):
        assert abs(_bin_of(_least_of(at) + 1) - at) <= 1


def test_shoes_that_differ_by_chance_are_not_said() -> None:
    chance, pace = Random(1), TablePace()
    for _ in range(400):
        pace, _, evidence = compare_pace(pace, gaps(chance, chance.uniform(25, 45)))
        assert evidence is None


def test_a_table_that_becomes_slower_is_said_after_some_shoes() -> None:
    chance, pace = Random(2), TablePace()
    for _ in range(60):
        pace, _, _ = compare_pace(pace, gaps(chance, chance.uniform(25, 45)))
    evidence = None
    for _ in range(16):
        pace, alarm, evidence = compare_pace(pace, gaps(chance, chance.uniform(70, 90)))
        if evidence is not None:
            break
    assert alarm is not None
    assert evidence is not None
    assert evidence.pace_ms > 60_000
    assert 20_000 < evidence.usual_ms < 60_000


def test_few_coups_have_no_pace() -> None:
    assert compare_pace(TablePace(), (30_000,) * (COUPS_MIN - 1)) == (TablePace(), None, None)


def shoe(number: int, gap_s: int) -> list[MonitorItem]:
    items: list[MonitorItem] = [ShoeOpens(number, DECKS)]
    for coup in range(1, COUPS_MIN + 3):
        begins = CoupBegins(coup * gap_s * 10**9)
        items += [begins, *(CardSeen(SEEN[coup + at].card) for at in range(4)), CoupEnds()]
    return [*items, ShoeEnds()]


def test_the_times_from_coup_to_coup_come_from_the_items() -> None:
    state, _ = advisories(shoe(1, 30))
    assert state.across.pace.shoes == 1
    assert state.across.pace.bins[_bin_of(30_000)] == 1


def test_an_advisory_on_the_pace_comes_at_the_end_of_a_shoe() -> None:
    state, said, number = None, [], 0
    while not said:
        number += 1
        assert number < 400
        state, new = advisories(shoe(number, 30 + number % 11 if number < 200 else 90), state)
        said = [one for one in new if one.kind is AdvisoryKind.CADENCE]
    assert isinstance(said[0].evidence, PaceEvidence)
    assert said[0].evidence.pace_ms == 90_000
