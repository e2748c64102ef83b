"""Rows from single entries: tags only where they are sure, cards drawn between those of a coup.

Source: controller/journal/shoe-file.md, rows.
"""

from hashlib import sha256

import pytest

from controller.archive.finished_shoe import ShoeRows
from controller.core.tape.entries import DeviceEventRecorded, Entry, EventVerdicts
from controller.journal.card_row_format import CardRow, RowFlag, RowRole, read_row
from controller.journal.shoe_file import ROW_BYTES
from controller.journal.values import StoredRecord
from controller.procedure.effects import CoupClosed, CoupRecord, RecordedCard, ShoeEnded
from controller.procedure.events import CardDrawn
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import CoupFate, Outcome
from drivers.events import CardPassed

PORT = "/dev/shoe"
TAG = "E004015012345601"
NO_TAG = bytes(16)


class Shoe:
    """The rows of an open shoe that is in order so far."""

    def __init__(self) -> None:
        self.rows = ShoeRows(as_profiled=True, opened=True)
        self.entries = 0

    def add(self, *entries: Entry) -> None:
        for entry in entries:
            self.entries += 1
            self.rows.add_entry(StoredRecord(self.entries, b"", bytes(32)), entry, 0)

    def draw(self, *cards: str) -> None:
        for card in cards:
            self.add(EventVerdicts(CardDrawn(Card.parse(card), Place.UNCLAIMED), ()))

    def read(self) -> list[CardRow]:
        packed = self.rows.packed
        return [read_row(packed, at) for at in range(0, len(packed), ROW_BYTES)]


COUP = CoupRecord(
    gaming_day="2026-11-21",
    shoe=1,
    coup=1,
    cards=tuple(
        RecordedCard(place, Card.parse(card))
        for place, card in (
            (Place.PLAYER_1, "9h"),
            (Place.BANKER_1, "Kc"),
            (Place.PLAYER_2, "Qd"),
            (Place.BANKER_2, "Jh"),
        )
    ),
    aside=(),
    result=None,
    declared=None,
    outcome=Outcome.PLAYER,
    fate=CoupFate.COUNTED,
    suspended_cards=False,
    irregular=(),
)


@pytest.mark.parametrize(
    ("passed", "tag"),
    [
        (CardPassed(TAG), sha256(TAG.encode()).digest()[:16]),
        (CardPassed(TAG, sure=False), NO_TAG),
        (CardPassed(None), NO_TAG),
        (CardPassed(None, sure=False), NO_TAG),
    ],
)
def test_a_row_has_the_tag_of_its_card_only_where_it_is_sure(
    passed: CardPassed, tag: bytes
) -> None:
    shoe = Shoe()
    shoe.add(DeviceEventRecorded(PORT, passed))
    shoe.draw("9h", "Kc")

    assert [row.tag for row in shoe.read()] == [tag, NO_TAG]


ENDED = ShoeEnded("2026-11-21", 1, 5, 1, 1, 0, 0, 0, 0, "", "")


@pytest.mark.parametrize(
    ("drawn", "roles", "coups"),
    [
        ("4s 9h Kc Qd Jh", "other player_1 banker_1 player_2 banker_2", (0, 1, 1, 1, 1)),
        ("9h Kc 4s Qd Jh", "player_1 banker_1 other player_2 banker_2", (1, 1, 1, 1, 1)),
    ],
)
def test_a_card_drawn_beside_a_coup_is_carried_and_its_shoe_is_not_clean(
    drawn: str, roles: str, coups: tuple[int, ...]
) -> None:
    """Before its first card it is no card of the coup; among its cards it is beside it."""
    shoe = Shoe()
    shoe.draw(*drawn.split())
    shoe.add(CoupClosed(COUP), ENDED)

    rows = shoe.read()
    assert [row.role for row in rows] == [RowRole[one.upper()] for one in roles.split()]
    assert tuple(row.coup for row in rows) == coups
    carried = [row for row in rows if row.flags & RowFlag.CARRIED]
    assert [row.role for row in carried] == [RowRole.OTHER]
    assert not shoe.rows.clean


def test_the_same_coup_without_that_card_is_clean() -> None:
    shoe = Shoe()
    shoe.draw("9h", "Kc", "Qd", "Jh")
    shoe.add(CoupClosed(COUP), ShoeEnded("2026-11-21", 1, 4, 1, 1, 0, 0, 0, 0, "", ""))

    assert shoe.rows.clean
