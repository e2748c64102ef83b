"""Counting ranks and suits where the shoe reads no tags."""

from collections.abc import Callable
from typing import Any

from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import open_shoe
from controller.rules.cards import Card, Rank, Suit

Table = Any
DECK = [str(Card(rank, suit)) for suit in Suit for rank in Rank]


def test_each_face_is_limited_by_the_number_of_decks(tables: Callable[[], Table]) -> None:
    for card in DECK:
        table = tables()
        table.open()
        for _ in range(6):
            table.face(card, 6)
        assert table.findings == [], card

        table.face(card, 6, "coup 40, Banker's third card")
        assert table.findings == [
            Finding(
                FindingCode.TOO_MANY_OF_A_CARD,
                "coup 40, Banker's third card",
                "number 7 of its rank and suit in a shoe of 6 decks",
                Card.parse(card),
            )
        ], card


def test_a_complete_shoe_in_any_order_gives_no_findings(bare: Table) -> None:
    bare.open()
    for card in DECK * 8:
        bare.face(card, 8)
    assert bare.findings == []


def test_every_extra_card_is_reported(bare: Table) -> None:
    bare.open()
    for _ in range(300):
        bare.face("Jd", 8)
    assert len(bare.findings) == 292


def test_an_unread_card_is_not_counted(bare: Table) -> None:
    bare.open()
    for _ in range(100):
        bare.face(None, 1)
    assert bare.findings == []


def test_the_next_shoe_starts_at_zero(bare: Table) -> None:
    for _ in range(2):
        bare.open()
        bare.face("Jd", 1)
        bare.end()
    assert bare.findings == []


def test_a_continuous_shuffler_has_no_limit(bare: Table) -> None:
    bare.state = open_shoe(bare.state, "", alternates=False, endless=True)
    for _ in range(9):
        bare.face("Jd", 1)
    assert bare.findings == []
