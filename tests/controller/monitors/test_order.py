"""Order and runs inside a shoe: fair odds, delay beside the exact test, what an advisory says."""

from fractions import Fraction
from random import Random

import pytest
from anomalies import ANOMALIES, MORE_CARDS_MAX, Anomaly
from simulated_shoes import (
    advisories,
    fair_shoe,
    first_advisory,
    items_of,
    one_ordered_deck,
    ordered_shoe,
)

from controller.monitors.budget import UNIT
from controller.monitors.faces import DECKS_MAX, FACES, GAP
from controller.monitors.succession import (
    HITS,
    OPENING_CAPITAL,
    RULES,
    USPC,
    bet_on_order,
    deposit_for,
    pair_of,
)
from controller.rules.advisory import AdvisoryKind, RuleEvidence, RuleName


@pytest.mark.parametrize(
    "anomaly",
    [
        # Every other one is played with the long tests: a third of a second each.
        pytest.param(one, marks=[pytest.mark.full] if place % 2 else [], id=one.name)
        for place, one in enumerate(ANOMALIES)
    ],
)
def test_an_anomaly_is_said_four_cards_after_the_exact_test(anomaly: Anomaly) -> None:
    found = anomaly.measure()

    assert found.ours <= found.exact + MORE_CARDS_MAX
    assert found.missed == 0
    # The fair cards before it have their own chance of an advisory.
    assert found.other <= 1


@pytest.mark.parametrize("seed", range(40))
def test_no_bet_is_better_than_fair(seed: int) -> None:
    """Over all next cards, weighted by chance, the capital does not grow but by its deposit."""
    chance = Random(seed)
    faces = fair_shoe(chance)
    seen = chance.randrange(1, len(faces) - 1)
    rest, deposit = faces[seen:], deposit_for(len(faces))
    capital = tuple(chance.randrange(UNIT * 2**20) for _ in RULES)
    expected = [Fraction(0)] * len(RULES)
    for face in range(FACES):
        if count := rest.count(face):
            pair = pair_of(faces[seen - 1], face)
            moved = bet_on_order(capital, deposit, pair, len(rest), count)
            expected = [
                before + Fraction(count, len(rest)) * after
                for before, after in zip(expected, moved, strict=True)
            ]
    assert all(after <= before + deposit for after, before in zip(expected, capital, strict=True))


def test_a_rule_is_given_one_unit_in_all() -> None:
    for decks in range(1, DECKS_MAX + 1):
        cards = decks * FACES
        assert OPENING_CAPITAL[0] + cards * deposit_for(cards) <= UNIT


def test_each_rule_names_other_faces_after_every_face() -> None:
    for rule in RULES:
        assert len(rule.followers) == FACES
        assert all(len(set(after)) == len(after) > 0 for after in rule.followers), rule.name
    assert len(HITS) == FACES * FACES


def test_a_shoe_in_new_deck_order_is_said_at_its_fourth_card_and_again_at_its_end() -> None:
    _, found = advisories(items_of(ordered_shoe(Random(1), USPC, backward=False)))
    said, again = found

    assert (said.kind, said.card, said.again) == (AdvisoryKind.ORDER, 4, False)
    assert again.again
    assert again.strength_millibits > said.strength_millibits
    assert isinstance(again.evidence, RuleEvidence)
    assert again.evidence == RuleEvidence(RuleName.USPC, first=1, matched=415, of=415)


def test_an_advisory_shows_where_the_order_began_and_how_many_cards_follow_it() -> None:
    said = first_advisory(items_of(one_ordered_deck(Random(2), USPC, 100)))

    assert said is not None
    assert isinstance(said.evidence, RuleEvidence)
    assert said.evidence.first in (100, 101)  # the shuffled card before may fit by chance
    assert said.evidence.matched == said.evidence.of == said.card - said.evidence.first


def test_order_is_seen_past_burn_cards_that_nobody_saw() -> None:
    faces = ordered_shoe(Random(3), USPC, backward=True)
    faces[1:10] = [GAP] * 9

    said = first_advisory(items_of(faces))

    assert said is not None
    assert said.card == 10 + 4


def test_order_is_seen_past_single_strangers() -> None:
    faces = ordered_shoe(Random(4), USPC, backward=False)
    for place in range(3, 40, 4):
        faces.insert(place, (faces[place] + 20) % FACES)

    said = first_advisory(items_of(faces[:400]))

    assert said is not None
    assert said.kind is AdvisoryKind.ORDER
    assert said.card <= 20
