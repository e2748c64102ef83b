"""One hand: point count, natural, pair."""

import pytest

from controller.rules.cards import Card
from controller.rules.hands import is_natural, is_pair, point_count


def hand(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(word) for word in text.split())


def test_a_2_4_counts_7() -> None:
    assert point_count(hand("Ac 2d 4h")) == 7


def test_a_2_9_counts_2() -> None:
    assert point_count(hand("Ac 2d 9h")) == 2


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("9h", 9),
        ("Kh Qd", 0),
        ("6h 4d", 0),
        ("9h Ac", 0),
        ("9h 9d Ac", 9),
        ("9h 8d 3c", 0),
        ("9h 9d 9c", 7),
    ],
)
def test_the_count_is_the_last_digit_of_the_sum(text: str, count: int) -> None:
    assert point_count(hand(text)) == count


@pytest.mark.parametrize("text", ["8h Kd", "9h 10d", "4h 4d", "9h 9d", "9h Qc", "5h 4c"])
def test_eight_or_nine_on_two_cards_is_a_natural(text: str) -> None:
    assert is_natural(hand(text))


@pytest.mark.parametrize("text", ["8h", "9h", "", "7h Kd", "Kh Kd", "2h 2d 4c", "Kh Kd 9c"])
def test_another_count_or_number_of_cards_is_not_a_natural(text: str) -> None:
    assert not is_natural(hand(text))


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Qs Qd", True),
        ("Qs Qs", True),
        ("Qs Qd 4h", True),
        ("Qs Kd", False),
        ("10s Jd", False),
        ("4h Qs Qd", False),
        ("Qs", False),
        ("", False),
    ],
)
def test_a_pair_is_two_first_cards_of_equal_rank(text: str, pair: bool) -> None:
    assert is_pair(hand(text)) is pair
