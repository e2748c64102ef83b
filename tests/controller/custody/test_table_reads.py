"""Reads at the discard rack and the layout: findings, and what late reads do not prove."""

from typing import Any

import pytest

from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import mark_reports_missing
from controller.rules.cards import Card

W = CardPlace
Table = Any


def coup(table: Table, *cards: str, back: str = "red") -> list[str]:
    """Deal cards to Player and Banker alternately; returns their tags."""
    tags = [table.tag(card, back) for card in cards]
    for at, tag in enumerate(tags):
        table.draw(tag, (W.PLAYER, W.BANKER)[at % 2])
    return tags


def test_cleared_cards_are_in_the_rack_once_read_there(red_shoe: Table) -> None:
    tags = coup(red_shoe, "3h", "4h", "5h", "6h")
    red_shoe.clear_hands(read=True)
    assert [red_shoe.where(tag) for tag in tags] == [W.UNKNOWN] * 4

    for tag in tags:
        assert red_shoe.read(W.DISCARD_RACK, tag).findings == ()
    assert [red_shoe.where(tag) for tag in tags] == [W.DISCARD_RACK] * 4


def test_a_cleared_card_not_read_in_the_rack_is_absent_after_the_next_coup(
    red_shoe: Table,
) -> None:
    tags = coup(red_shoe, "3h", "4h")
    red_shoe.clear_hands(read=True)
    red_shoe.read(W.DISCARD_RACK, tags[0])
    coup(red_shoe, "5h")
    red_shoe.clear_hands(read=True)
    for _ in range(3):
        red_shoe.clear_hands(read=True)

    absent = [finding for finding in red_shoe.findings if finding.tag == tags[1]]
    assert absent == [
        Finding(
            FindingCode.CARD_ABSENT,
            "coup 1",
            "it left the hands and was not read in the discard rack",
            Card.parse("4h"),
            tags[1],
            "red",
        )
    ]


def test_an_absent_card_may_be_read_in_the_rack_later(red_shoe: Table) -> None:
    (tag,) = coup(red_shoe, "3h")
    for _ in range(2):
        red_shoe.clear_hands(read=True)
    red_shoe.read(W.DISCARD_RACK, tag)

    assert (red_shoe.codes(), red_shoe.where(tag)) == (["CARD_ABSENT"], W.DISCARD_RACK)


def test_emptying_the_rack_includes_cards_of_the_last_coup(red_shoe: Table) -> None:
    tags = coup(red_shoe, "3h", "4h")
    red_shoe.clear_hands(read=True)
    red_shoe.end()
    red_shoe.read(W.DISCARD_RACK, tags[0])
    red_shoe.empty_rack()

    assert [(finding.code.value, finding.tag) for finding in red_shoe.findings] == [
        ("CARD_ABSENT", tags[1])
    ]


def test_an_absent_card_is_not_moved_with_its_batch(red_shoe: Table) -> None:
    coup(red_shoe, "3h")
    red_shoe.clear_hands(read=True)
    red_shoe.end()
    red_shoe.empty_rack()
    red_shoe.record("red", W.SHUFFLER)
    red_shoe.open("blue")
    red_shoe.record("red", W.SHUFFLER)

    assert (red_shoe.at("red")[W.SHUFFLER], red_shoe.at("red")[W.UNKNOWN]) == (51, 1)


def test_a_card_in_the_rack_that_never_left_the_shoe_is_card_not_drawn(red_shoe: Table) -> None:
    tag = red_shoe.tag("Kc")
    red_shoe.read(W.DISCARD_RACK, tag, "coup 9")

    assert red_shoe.findings == [
        Finding(
            FindingCode.CARD_NOT_DRAWN,
            "coup 9",
            "it lies in the discard rack and was not read leaving the shoe:"
            " it was in the dealing shoe",
            Card.parse("Kc"),
            tag,
            "red",
        )
    ]
    assert red_shoe.where(tag) is W.DISCARD_RACK


@pytest.mark.parametrize("spot", [W.DISCARD_RACK, W.PLAYER, W.BANKER])
def test_a_table_read_resolves_an_unread_card(red_shoe: Table, spot: W) -> None:
    red_shoe.draw(None)
    first = red_shoe.read(spot, red_shoe.tag("Kc"))
    second = red_shoe.read(spot, red_shoe.tag("Qc"))

    assert (first.card, first.resolved, second.resolved) == (Card.parse("Kc"), True, False)
    assert red_shoe.codes() == ["CARD_NOT_DRAWN"]


def test_a_table_read_resolves_one_of_two_cards_in_the_field(
    red_shoe: Table,
) -> None:
    red_shoe.draw(red_shoe.tag("Kc"), sure=False)
    table_read = red_shoe.read(W.BANKER, red_shoe.tag("Qc"))
    red_shoe.draw(red_shoe.tag("Kc"))

    assert table_read.resolved
    assert red_shoe.codes() == []


def test_a_table_read_of_an_unread_card_finds_the_wrong_batch(red_shoe: Table) -> None:
    red_shoe.draw(None)
    red_shoe.read(W.PLAYER, red_shoe.tag("Kc", "blue"))

    assert red_shoe.codes() == ["WRONG_BATCH"]


@pytest.mark.parametrize("joined", [True, False])
def test_with_missing_reports_no_card_is_card_not_drawn(table: Table, joined: bool) -> None:
    table.open("red", joined=joined)
    if not joined:
        table.state = mark_reports_missing(table.state)
    table.read(W.DISCARD_RACK, table.tag("Kc"))
    table.read(W.PLAYER, table.tag("Qc"))

    assert table.codes() == []


def test_a_card_at_the_other_hand_is_misplaced(red_shoe: Table) -> None:
    tag = red_shoe.tag("3h")
    red_shoe.draw(tag, W.PLAYER)
    red_shoe.read(W.PLAYER, tag)
    red_shoe.read(W.BANKER, tag, "coup 4")

    assert red_shoe.findings == [
        Finding(
            FindingCode.CARD_MISPLACED,
            "coup 4",
            "it lies in the Banker's Hand and was in the Player's Hand",
            Card.parse("3h"),
            tag,
            "red",
        )
    ]
    assert red_shoe.where(tag) is W.BANKER


def test_a_card_from_the_rack_on_the_layout_is_misplaced(red_shoe: Table) -> None:
    (tag,) = coup(red_shoe, "3h")
    red_shoe.clear_hands(read=True)
    red_shoe.read(W.DISCARD_RACK, tag)
    red_shoe.read(W.PLAYER, tag)

    assert red_shoe.codes() == ["CARD_MISPLACED"]


def test_a_palmed_card_brought_back_is_misplaced(red_shoe: Table) -> None:
    (tag,) = coup(red_shoe, "3h")
    for _ in range(2):
        red_shoe.clear_hands(read=True)
    red_shoe.read(W.BANKER, tag)

    assert red_shoe.codes() == ["CARD_ABSENT", "CARD_MISPLACED"]


@pytest.mark.parametrize("read", [True, False])
def test_a_late_read_of_the_last_coup_gives_no_finding(red_shoe: Table, read: bool) -> None:
    tags = coup(red_shoe, "3h", "4h")
    red_shoe.clear_hands(read=read)
    for tag in tags:
        for spot in (W.PLAYER, W.BANKER, W.DISCARD_RACK, W.DISCARD_RACK):
            if not (read and spot is W.DISCARD_RACK):
                red_shoe.read(spot, tag)

    assert red_shoe.codes() == []


def test_a_foreign_card_on_the_layout_is_reported_once(red_shoe: Table) -> None:
    for spot in (W.PLAYER, W.PLAYER, W.DISCARD_RACK):
        red_shoe.read(spot, "E004015511223344")

    assert red_shoe.codes() == ["FOREIGN_CARD"]


def test_a_foreign_card_reported_at_the_exit_is_not_repeated(red_shoe: Table) -> None:
    red_shoe.draw("E004015511223344")
    red_shoe.read(W.PLAYER, "E004015511223344")
    red_shoe.read(W.DISCARD_RACK, "E004015511223344")

    assert red_shoe.codes() == ["FOREIGN_CARD"]


def test_cards_of_the_last_shoe_in_the_rack_are_reported_once(red_shoe: Table) -> None:
    for card in ("3h", "4h", "5h"):
        red_shoe.read(W.DISCARD_RACK, red_shoe.tag(card, "blue"), "coup 2")

    assert red_shoe.findings == [
        Finding(
            FindingCode.DISCARD_RACK_MIXED,
            "coup 2",
            "the discard rack is for the batch with red backs",
            Card.parse("3h"),
            red_shoe.tag("3h", "blue"),
            "blue",
        )
    ]


def test_a_mixed_rack_is_reported_again_after_clearing(red_shoe: Table) -> None:
    red_shoe.read(W.DISCARD_RACK, red_shoe.tag("3h", "blue"))
    red_shoe.record("blue", W.SHUFFLER)
    red_shoe.read(W.DISCARD_RACK, red_shoe.tag("4h", "blue"))

    assert red_shoe.codes() == ["DISCARD_RACK_MIXED", "DISCARD_RACK_MIXED"]


def test_a_mixed_rack_is_reported_between_shoes(red_shoe: Table) -> None:
    coup(red_shoe, "3h", "4h")
    red_shoe.clear_hands()
    red_shoe.end()
    red_shoe.read(W.DISCARD_RACK, red_shoe.tag("4h"))
    assert red_shoe.codes() == []

    red_shoe.read(W.DISCARD_RACK, red_shoe.tag("4h", "blue"))
    assert red_shoe.codes() == ["DISCARD_RACK_MIXED"]


def test_layout_reads_between_shoes_give_no_findings(red_shoe: Table) -> None:
    red_shoe.end()
    for card in ("3h", "4h", "5h"):
        red_shoe.read(W.PLAYER, red_shoe.tag(card))
        red_shoe.read(W.BANKER, red_shoe.tag(card, "blue"))
    red_shoe.read(W.PLAYER, "E004015511223344")

    assert red_shoe.codes() == []


def test_undealt_cards_may_go_to_the_rack_between_shoes(red_shoe: Table) -> None:
    red_shoe.end()
    red_shoe.read(W.DISCARD_RACK, red_shoe.tag("3h"))

    assert (red_shoe.codes(), red_shoe.at("red")[W.DISCARD_RACK]) == ([], 2)


@pytest.mark.parametrize("spot", [spot for spot in W if spot not in (W.PLAYER, W.BANKER)])
def test_a_cut_card_read_anywhere_gives_no_finding(red_shoe: Table, spot: W) -> None:
    ledger = red_shoe.state.batches[1]
    red_shoe.read(spot, ledger.manifest.at(ledger.cut_cards()[1]).tag)

    assert red_shoe.codes() == []


def test_reads_at_unwatched_places_are_ignored(red_shoe: Table) -> None:
    before = red_shoe.state
    for spot in W:
        if spot not in (W.DISCARD_RACK, W.PLAYER, W.BANKER):
            red_shoe.read(spot, red_shoe.tag("3h", "blue"))

    assert red_shoe.state == before


def test_a_foreign_card_in_the_rack_is_reported_between_shoes(table: Table) -> None:
    table.read(W.DISCARD_RACK, "E004015511223344")

    assert table.codes() == ["FOREIGN_CARD"]


def test_each_card_missing_from_the_rack_is_reported(red_shoe: Table) -> None:
    tags = coup(red_shoe, "3h", "4h", "5h")
    for _ in range(2):
        red_shoe.clear_hands(read=True)

    assert sorted(finding.tag for finding in red_shoe.findings) == sorted(tags)


def test_without_a_rack_reader_a_card_of_an_earlier_coup_is_misplaced(
    red_shoe: Table,
) -> None:
    tags = coup(red_shoe, "3h")
    for _ in range(2):
        red_shoe.clear_hands()
    red_shoe.read(W.PLAYER, tags[0])

    assert red_shoe.codes() == ["CARD_MISPLACED"]


def test_a_card_outside_the_field_accounts_for_an_unread_card(red_shoe: Table) -> None:
    red_shoe.draw(None)
    red_shoe.draw(red_shoe.tag("Kc"), sure=False)
    red_shoe.read(W.PLAYER, red_shoe.tag("Qc"))

    assert (red_shoe.at("red")[W.SHOE], red_shoe.at("red")[W.UNKNOWN]) == (49, 1)


def test_a_rack_read_resolves_an_unread_card_before_the_batch_is_known(table: Table) -> None:
    table.open()
    table.draw(None)

    assert table.read(W.DISCARD_RACK, table.tag("Qc")).resolved
