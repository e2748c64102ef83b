"""The facts of a coup that decide every wager."""

from collections.abc import Callable

import pytest

from controller.rules.cards import Card
from controller.rules.hands import HandName
from controller.rules.settlement.coup_facts import CoupFacts, derive_facts


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(one) for one in text.split())


@pytest.mark.parametrize(
    ("drawn", "facts"),
    [
        ("7h 2c Ks 6d", CoupFacts(7, 8, 2, 2)),
        ("2h 3c 3s 4d 9h", CoupFacts(4, 7, 3, 2)),
        ("6h 2c Ks 2d 3h", CoupFacts(6, 7, 2, 3)),
        ("2h 3c 3s Kd 2h 4c", CoupFacts(7, 7, 3, 3)),
    ],
)
def test_facts_are_read_from_the_cards(drawn: str, facts: CoupFacts) -> None:
    assert derive_facts(cards(drawn)) == facts


def test_an_incomplete_coup_has_no_facts() -> None:
    with pytest.raises(AssertionError):
        derive_facts(cards("2h 3c 3s 2d"))


@pytest.mark.parametrize(
    ("hands", "dragon", "panda"),
    [
        ("P 6 in 2, B 7 in 3", True, False),
        ("P 6 in 2, B 7 in 2", False, False),
        ("P 7 in 2, B 7 in 3", False, False),
        ("P 8 in 3, B 7 in 3", False, True),
        ("P 8 in 2, B 7 in 2", False, False),
        ("P 8 in 3, B 8 in 3", False, False),
    ],
)
def test_dragon_7_and_panda_8(
    coup: Callable[[str], CoupFacts], hands: str, dragon: bool, panda: bool
) -> None:
    facts = coup(hands)

    assert (facts.dragon_7, facts.panda_8) == (dragon, panda)


@pytest.mark.parametrize(
    ("hands", "player", "banker"),
    [
        ("P 8 in 2, B 7 in 2", True, False),
        ("P 1 in 2, B 9 in 2", False, True),
        ("P 8 in 3, B 9 in 3", False, False),
    ],
)
def test_naturals(coup: Callable[[str], CoupFacts], hands: str, player: bool, banker: bool) -> None:
    facts = coup(hands)

    assert facts.natural(HandName.PLAYER) is player
    assert facts.natural(HandName.BANKER) is banker


def test_counts_by_hand() -> None:
    facts = CoupFacts(3, 4, 2, 3)

    assert (facts.count(HandName.PLAYER), facts.count(HandName.BANKER), facts.cards) == (3, 4, 5)
