"""The outcome of a coup: counts, natural, pairs."""

import pytest

from controller.rules.cards import Card
from controller.rules.outcome import CoupResult, Outcome, coup_result


def coup(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(word) for word in text.split())


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("9h 2d Kh 3c", CoupResult(Outcome.PLAYER, 9, 5, True, False, False)),
        ("2h 8d Kh Kc", CoupResult(Outcome.BANKER, 2, 8, True, False, False)),
        ("9h 9d Kh Kc", CoupResult(Outcome.TIE, 9, 9, True, False, False)),
        ("8h 9d Kh Kc", CoupResult(Outcome.BANKER, 8, 9, True, False, False)),
        ("6h 6d Kh Kc", CoupResult(Outcome.TIE, 6, 6, False, False, False)),
        ("7h 6d Kh Kc", CoupResult(Outcome.PLAYER, 7, 6, False, False, False)),
        ("2h 2d 2s 2c 4s Kd", CoupResult(Outcome.PLAYER, 8, 4, False, True, True)),
        ("Qh 2d Qs Kc 4s 5d", CoupResult(Outcome.BANKER, 4, 7, False, True, False)),
        ("Qh 2d Kh 2c 8s", CoupResult(Outcome.PLAYER, 8, 4, False, False, True)),
    ],
)
def test_outcome_counts_natural_and_pairs(cards: str, expected: CoupResult) -> None:
    assert coup_result(coup(cards)) == expected


def test_equal_counts_are_a_tie_also_with_three_cards_against_two() -> None:
    assert coup_result(coup("2h 7d Kh Kc 5s")).outcome is Outcome.TIE


def test_three_cards_that_count_8_are_not_a_natural() -> None:
    assert coup_result(coup("2h 7d Kh Kc 6s")).natural is False


@pytest.mark.parametrize("cards", ["", "9h", "9h 2d Kh", "2h 2d Kh Kc", "2h 2d Kh Kc 4s"])
def test_a_coup_that_still_needs_cards_has_no_outcome(cards: str) -> None:
    with pytest.raises(AssertionError, match=r"^a coup that still needs cards has no outcome"):
        coup_result(coup(cards))
