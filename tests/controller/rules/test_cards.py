"""Cards: spelling, point value, burn value."""

from typing import cast

import pytest

from controller.rules.cards import Card, Rank, Suit, burn_owed, burn_value, point_value
from controller.rules.setting_values import BurnMode

DECK = [Card(rank, suit) for suit in Suit for rank in Rank]


def test_every_card_is_read_back_from_its_text() -> None:
    assert [Card.parse(str(card)) for card in DECK] == DECK
    assert len({str(card) for card in DECK}) == 52


@pytest.mark.parametrize(
    ("text", "rank", "suit"),
    [
        ("7h", Rank.SEVEN, Suit.HEART),
        ("10d", Rank.TEN, Suit.DIAMOND),
        ("Qs", Rank.QUEEN, Suit.SPADE),
        ("Ac", Rank.ACE, Suit.CLUB),
    ],
)
def test_a_card_has_one_spelling(text: str, rank: Rank, suit: Suit) -> None:
    card = Card.parse(text)
    assert card == Card(rank, suit)
    assert str(card) == text


@pytest.mark.parametrize("text", ["", "h", "7", "7H", "1h", "11h", "th", "qs", "0d", " 7h", "7hh"])
def test_an_invalid_card_is_refused_with_the_allowed_form(text: str) -> None:
    with pytest.raises(
        ValueError,
        match=r"card is a rank \(A, 2, .*K\) followed by a suit \(d, c, s, h\), such as 7h",
    ):
        Card.parse(text)


def test_point_values() -> None:
    expected = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9}
    expected |= {"10": 0, "J": 0, "Q": 0, "K": 0}
    assert len(expected) == 13
    for text, value in expected.items():
        for suit in "dcsh":
            assert point_value(Card.parse(text + suit)) == value


def test_burn_values() -> None:
    expected = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9}
    expected |= {"10": 10, "J": 10, "Q": 10, "K": 10}
    assert len(expected) == 13
    for text, value in expected.items():
        for suit in "dcsh":
            assert burn_value(Card.parse(text + suit)) == value


@pytest.mark.parametrize(
    ("rank", "owed"),
    [
        ("A", 1),
        ("2", 2),
        ("3", 3),
        ("4", 4),
        ("5", 5),
        ("6", 6),
        ("7", 7),
        ("8", 8),
        ("9", 9),
        ("10", 10),
        ("J", 10),
        ("Q", 10),
        ("K", 10),
    ],
)
def test_the_burn_count_is_the_value_of_the_first_card(rank: str, owed: int) -> None:
    for suit in "dcsh":
        assert burn_owed(Card.parse(rank + suit), BurnMode.FIRST_CARD_VALUE) == owed


def test_a_fixed_burn_counts_its_first_card() -> None:
    assert burn_owed(Card.parse("7h"), BurnMode.FIXED, fixed=5) == 4


def test_without_a_burn_no_card_is_owed() -> None:
    assert burn_owed(Card.parse("7h"), BurnMode.NONE) == 0


def test_a_fixed_burn_of_one_card_is_complete_with_the_first() -> None:
    assert burn_owed(Card.parse("7h"), BurnMode.FIXED, fixed=1) == 0


def test_a_fixed_burn_of_zero_cards_fails() -> None:
    with pytest.raises(AssertionError, match=r"^a fixed burn has at least one card"):
        burn_owed(Card.parse("7h"), BurnMode.FIXED)


def test_an_unknown_burn_mode_fails() -> None:
    with pytest.raises(AssertionError, match="another"):
        burn_owed(Card.parse("7h"), cast("BurnMode", "another"))
