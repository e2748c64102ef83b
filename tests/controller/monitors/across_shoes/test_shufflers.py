"""Order that a shuffler leaves: fair odds of every test, what is said, what is not."""

from fractions import Fraction
from random import Random

import pytest
from simulated_shoes import DECKS, advisories, coups_of, fair_shoe, items_of_coups
from weak_shuffles import SHUFFLES, past_of, shoes_until_said

from controller.monitors.across_shoes.shufflers import (
    LIMIT,
    SHUFFLERS_MAX,
    Shuffler,
    batch_order,
    compare,
    order_tests,
)
from controller.monitors.budget import ONE, PARTS, SHARES, UNIT, entering, grown
from controller.monitors.faces import FACES
from controller.monitors.items import BatchInPlay, ShoeOpens
from controller.rules.advisory import AdvisoryKind, OrderTest, ShufflerEvidence


@pytest.mark.parametrize("seed", range(12))
def test_no_test_is_better_than_fair(seed: int) -> None:
    """Over all next cards, weighted by chance, what a unit became does not grow."""
    chance = Random(seed)
    earlier = batch_order(past_of(fair_shoe(chance)))
    faces = fair_shoe(chance)
    seen = chance.randrange(20, len(faces) - 1)
    rest, cards = faces[seen:], bytes(faces[:seen])
    before = order_tests(earlier, cards, DECKS)
    mean = {test: [Fraction(0)] * 3 for test in OrderTest}
    for face in range(FACES):
        if count := rest.count(face):
            after = order_tests(earlier, cards + bytes((face,)), DECKS)
            for test in OrderTest:
                for at, growth in enumerate(after[test].growth):
                    mean[test][at] += Fraction(count, len(rest)) * growth
    for test in OrderTest:
        for at, growth in enumerate(before[test].growth):
            # Both are rounded down, the one before at other places.
            assert mean[test][at] <= growth + FACES, test


def test_what_enters_over_all_shoes_is_one_unit() -> None:
    tests = 18
    assert tests * sum(entering(shoe, tests) for shoe in range(1, 50_000)) <= UNIT
    assert grown(UNIT, 0, ONE) == UNIT


def test_the_limit_spends_the_share_of_all_shufflers_once() -> None:
    of_one = Fraction(UNIT, LIMIT)
    assert SHUFFLERS_MAX * of_one <= Fraction(SHARES[AdvisoryKind.SHUFFLER], PARTS)


@pytest.mark.parametrize(
    ("name", "shoes"),
    [
        ("coups change places, cards inside coups", 3),
        ("1 riffle", 4),
        ("2 riffles", 8),
        ("4 shelves", 6),
        ("52 cards at a time", 3),
    ],
)
def test_a_weak_shuffle_is_said_within_a_few_shoes(name: str, shoes: int) -> None:
    for seed in range(3):
        found, evidence = shoes_until_said(SHUFFLES[name], seed)
        assert found <= shoes
        assert evidence is not None
        assert evidence.shuffler == "SH-1"
        assert evidence.shoes == found
        assert evidence.found > evidence.chance


def test_a_shuffle_that_leaves_nothing_is_not_said() -> None:
    assert shoes_until_said(SHUFFLES["no order left"], 1, 25)[1] is None


def test_each_device_has_tests_of_its_own_and_the_first_is_forgotten() -> None:
    known = tuple[Shuffler, ...]()
    chance = Random(3)
    earlier = past_of(fair_shoe(chance))
    for number in range(SHUFFLERS_MAX + 2):
        known, _, _ = compare(known, f"SH-{number}", earlier, bytes(fair_shoe(chance)), DECKS)
    assert [one.device for one in known] == [f"SH-{n}" for n in range(2, SHUFFLERS_MAX + 2)]
    assert {one.shoes for one in known} == {1}


def test_a_shoe_is_compared_with_the_one_before_of_its_batch_alone() -> None:
    chance, state, said = Random(4), None, []
    red = fair_shoe(chance)
    for shoe in range(1, 9):
        if shoe % 2:
            faces, batch, device = red, "red", "SH-1"
            red = SHUFFLES["1 riffle"](chance, red)
        else:
            faces, batch, device = fair_shoe(chance), "blue", "SH-2"
        opens, *others = items_of_coups(coups_of(faces), shoe, "")
        assert isinstance(opens, ShoeOpens)
        state, new = advisories([opens, BatchInPlay(batch, device), *others], state)
        said += [one for one in new if one.kind is AdvisoryKind.SHUFFLER]
    assert said
    assert {one.shoe % 2 for one in said} == {1}
    assert {one.batch for one in said} == {"red"}
    assert isinstance(said[0].evidence, ShufflerEvidence)
    assert said[0].evidence.shuffler == "SH-1"
