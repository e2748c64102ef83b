"""The multiset of ranks and suits where the shoe reads no tags.

Responsible for: every face at its limit, and what counts and what does not.
Not responsible for: the incident as it happened (test_incidents).
Source: controller/custody/README.md, "What is proven".
"""

from typing import Any

import pytest

from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import shoe_opened
from controller.rules.cards import Card, Rank, Suit

Table = Any
DECK = [str(Card(rank, suit)) for suit in Suit for rank in Rank]


@pytest.mark.parametrize("card", DECK)
def test_of_each_card_as_many_come_as_there_are_decks_and_not_one_more(
    bare: Table, card: str
) -> None:
    bare.open()
    for _ in range(6):
        bare.face(card, 6)
    assert bare.found == []

    bare.face(card, 6, "coup 40, Banker's third card")
    assert bare.found == [
        Finding(
            FindingCode.TOO_MANY_OF_A_CARD,
            "coup 40, Banker's third card",
            "this is number 7 of its rank and suit, and the shoe holds 6 decks",
            Card.parse(card),
        )
    ]


def test_a_whole_shoe_in_any_order_is_clean(bare: Table) -> None:
    bare.open()
    for card in DECK * 8:
        bare.face(card, 8)
    assert bare.found == []


def test_every_further_card_is_one_too_many(bare: Table) -> None:
    bare.open()
    for _ in range(300):
        bare.face("Jd", 8)
    assert len(bare.found) == 292


def test_a_card_that_could_not_be_read_is_none_of_them(bare: Table) -> None:
    bare.open()
    for _ in range(100):
        bare.face(None, 1)
    assert bare.found == []


def test_the_next_shoe_begins_anew(bare: Table) -> None:
    for _ in range(2):
        bare.open()
        bare.face("Jd", 1)
        bare.end()
    assert bare.found == []


def test_a_continuous_shuffler_gives_cards_again(bare: Table) -> None:
    bare.state = shoe_opened(bare.state, "", alternates=False, endless=True)
    for _ in range(9):
        bare.face("Jd", 1)
    assert bare.found == []
