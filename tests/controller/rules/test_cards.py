"""Cards: spelling, point value, burn value."""

import pytest

from controller.rules.cards import Card, Rank, Suit, burn_value, point_value

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
