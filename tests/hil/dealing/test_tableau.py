"""Tests the bench's drawing rules against the printed table."""

from itertools import product

import pytest

from hil.dealing.cards import Card, Suit, card_named
from hil.dealing.tableau import Hand, Winner, banker_draws, is_pair, next_hand, winner

# Rows: Banker's count; columns: no Player third card, then third cards 0 to 9. D draws, s stands.
TABLE = """
    - 0123456789
0   D DDDDDDDDDD
1   D DDDDDDDDDD
2   D DDDDDDDDDD
3   D DDDDDDDDsD
4   D ssDDDDDDss
5   D ssssDDDDss
6   s ssssssDDss
7   s ssssssssss
8   s ssssssssss
9   s ssssssssss
"""


def printed() -> dict[tuple[int, int | None], bool]:
    rows = [line.split() for line in TABLE.strip().splitlines()[1:]]
    cells: dict[tuple[int, int | None], bool] = {}
    for count, none, thirds in rows:
        cells[int(count), None] = none == "D"
        cells |= {(int(count), third): mark == "D" for third, mark in enumerate(thirds)}
    return cells


def test_the_banker_draws_as_printed() -> None:
    assert {cell: banker_draws(*cell) for cell in printed()} == printed()


def test_the_player_draws_on_five_or_less_without_a_natural() -> None:
    for player, banker in product(range(8), repeat=2):
        due = next_hand((player, 0), (0, banker))
        without_third = Hand.BANKER if banker <= 5 else None

        assert due is (Hand.PLAYER if player <= 5 else without_third), (player, banker)


def test_a_natural_ends_the_drawing() -> None:
    naturals = [
        (player, banker)
        for player, banker in product(range(10), repeat=2)
        if player >= 8 or banker >= 8
    ]

    assert all(next_hand((player, 0), (banker, 0)) is None for player, banker in naturals)


def test_the_first_four_cards_alternate() -> None:
    due = [next_hand((1,) * ((n + 1) // 2), (1,) * (n // 2)) for n in range(4)]

    assert due == [Hand.PLAYER, Hand.BANKER, Hand.PLAYER, Hand.BANKER]


def test_a_hand_never_gets_a_fourth_card() -> None:
    assert next_hand((0, 0, 0), (0, 0, 0)) is None


@pytest.mark.parametrize(
    ("player", "banker", "wins"),
    [
        ((9, 0), (8, 0), Winner.PLAYER),
        ((7, 6), (5, 9), Winner.BANKER),
        ((5, 5), (0, 0), Winner.TIE),
    ],
)
def test_the_higher_last_digit_wins(
    player: tuple[int, ...], banker: tuple[int, ...], wins: Winner
) -> None:
    assert winner(player, banker) is wins


def test_a_pair_is_of_equal_rank_not_of_equal_value() -> None:
    queens = (Card(12, Suit.HEART), Card(12, Suit.SPADE))

    assert is_pair(queens)
    assert not is_pair((queens[0], Card(13, Suit.HEART)))


@pytest.mark.parametrize(
    ("name", "value", "burns"), [("AS", 1, 1), ("9D", 9, 9), ("10H", 0, 10), ("KC", 0, 10)]
)
def test_a_card_has_a_hand_value_and_a_burn_value(name: str, value: int, burns: int) -> None:
    card = card_named(name)

    assert (card.value, card.burn_value, str(card)) == (value, burns, name)
