"""A person's voids and repeats: the test's odds, whom it names, whom it does not."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb, log2
from random import Random
from statistics import median

import pytest
from simulated_shoes import advisories

from controller.monitors.budget import BUDGET_SHOES, FRACTION_BITS, PARTS, SHARES
from controller.monitors.items import (
    CoupEnds,
    MonitorItem,
    PersonAct,
    PersonActs,
    ShoeEnds,
    ShoeOpens,
)
from controller.monitors.people import (
    LIMIT_LOG2,
    PEOPLE_MAX,
    PERIOD_SHOES,
    evidence_log2,
)
from controller.monitors.state import MonitorState
from controller.rules.advisory import Advisory, AdvisoryKind, PersonEvidence

COUPS = 75
DEALERS = tuple(f"d{number}" for number in range(8))


def worked_shoes(
    seed: int, shoes: int, rates: dict[str, float], base: float, *, floor_listed: bool = True
) -> Iterator[MonitorItem]:
    """Shoes with one dealer and one of two floorpersons at the table for each."""
    chance = Random(seed)
    for shoe in range(1, shoes + 1):
        at_table = (chance.choice(DEALERS), chance.choice(("f1", "f2")))
        yield ShoeOpens(shoe, 8)
        for _ in range(COUPS):
            for person in at_table:
                if chance.random() < rates.get(person, base):
                    role = "dealer" if person in DEALERS else "floorperson"
                    yield PersonActs(person, role, chance.choice(list(PersonAct)))
            yield CoupEnds(at_table if floor_listed else at_table[:1])
        yield ShoeEnds()


def first_said(items: Iterator[MonitorItem]) -> Advisory | None:
    return next(iter(advisories(items)[1]), None)


def test_one_rate_for_all_names_nobody() -> None:
    for seed in range(20):
        assert first_said(worked_shoes(seed, 100, {}, 1 / 300)) is None


def test_a_dealer_who_acts_ten_times_as_often_is_named_within_a_few_shifts() -> None:
    found = [
        first_said(worked_shoes(seed, PERIOD_SHOES, {"d3": 1 / 20}, 1 / 300)) for seed in range(15)
    ]

    said = [one for one in found if one is not None]
    assert len(said) >= 13
    assert {one.kind for one in said} <= {AdvisoryKind.PERSON, AdvisoryKind.PERSON_MONTHS}
    named = [one.evidence for one in said if isinstance(one.evidence, PersonEvidence)]
    assert {one.person for one in named} == {"d3"}
    assert {one.role for one in named} == {"dealer"}
    assert median(one.acts for one in named) <= 25


def test_a_floorperson_whom_nobody_lists_is_compared_with_all_others_together() -> None:
    items = worked_shoes(3, PERIOD_SHOES, {"f1": 1 / 30}, 1 / 1_000, floor_listed=False)

    said = first_said(items)

    assert said is not None
    assert isinstance(said.evidence, PersonEvidence)
    assert said.evidence.person == "f1"
    assert said.evidence.coups == said.evidence.other_coups


def test_the_sentence_names_no_person() -> None:
    said = first_said(worked_shoes(3, PERIOD_SHOES, {"d3": 1 / 10}, 1 / 1_000))

    assert said is not None
    assert "d3" not in str(said.words)


def test_the_evidence_is_the_likelihood_ratio_and_never_above_it() -> None:
    def spread(acts: int, coups: int) -> Fraction:
        """Mean of p^acts (1 - p)^(coups - acts) over Beta(1, 99)."""
        whole = coups + 99
        return Fraction(99, whole * comb(whole - 1, acts))

    for acts, coups, other_acts, other_coups in (
        (5, 60, 3, 900),
        (2, 10, 0, 500),
        (9, 400, 9, 4_000),
    ):
        found = PersonEvidence("d1", "dealer", acts, coups, other_acts, other_coups)
        total, every = acts + other_acts, coups + other_coups
        rate = total / every
        exact = (
            log2(spread(acts, coups))
            + log2(spread(other_acts, other_coups))
            - total * log2(rate)
            - (every - total) * log2(1 - rate)
        )
        assert exact - 0.02 <= evidence_log2(found) / 2**FRACTION_BITS <= exact


def test_a_lower_rate_is_no_evidence() -> None:
    assert evidence_log2(PersonEvidence("d1", "dealer", 0, 5_000, 90, 5_000)) == 0


def test_the_limit_keeps_the_share_over_a_period() -> None:
    share = Fraction(SHARES[AdvisoryKind.PERSON], BUDGET_SHOES * PARTS)

    assert 2 * PEOPLE_MAX * Fraction(1, int(2 ** (LIMIT_LOG2 / 2**FRACTION_BITS))) <= (
        share * PERIOD_SHOES * Fraction(1001, 1000)
    )


@pytest.mark.parametrize("people", [PEOPLE_MAX + 40])
def test_people_are_bounded_and_forgotten_after_a_period(people: int) -> None:
    items = [
        ShoeOpens(1, 8),
        *(PersonActs(f"p{n}", "dealer", PersonAct.VOID) for n in range(people)),
    ]
    state, _ = advisories([*items, CoupEnds(("p1",)), ShoeEnds()])
    assert len(state.people.people) == PEOPLE_MAX

    for shoe in range(PERIOD_SHOES):
        state, _ = advisories([ShoeOpens(shoe, 8), ShoeEnds()], state)

    assert state.people.people == ()
    assert isinstance(state, MonitorState)
