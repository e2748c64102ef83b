"""What readers at the rack and under the layout see.

Responsible for: one example a code in the field's words, and what late sights do not prove.
Not responsible for: every combination (test_every_standing).
Source: controller/custody/README.md, "What is proven".
"""

from typing import Any

import pytest

from controller.custody.card_states import Whereabouts
from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import reports_missing
from controller.rules.cards import Card

W = Whereabouts
Table = Any


def coup(table: Table, *cards: str, back: str = "red") -> list[str]:
    """Cards go to Player and Banker in turn; their tags."""
    tags = [table.tag(card, back) for card in cards]
    for at, tag in enumerate(tags):
        table.passes(tag, (W.PLAYER, W.BANKER)[at % 2])
    return tags


def test_cards_go_from_the_hands_to_the_rack_as_they_are_read_there(red_shoe: Table) -> None:
    tags = coup(red_shoe, "3h", "4h", "5h", "6h")
    red_shoe.clears(read=True)
    assert [red_shoe.where(tag) for tag in tags] == [W.UNKNOWN] * 4

    for tag in tags:
        assert red_shoe.sees(W.DISCARD_RACK, tag).findings == ()
    assert [red_shoe.where(tag) for tag in tags] == [W.DISCARD_RACK] * 4


def test_a_card_that_does_not_reach_the_rack_is_absent_after_the_next_coup(
    red_shoe: Table,
) -> None:
    tags = coup(red_shoe, "3h", "4h")
    red_shoe.clears(read=True)
    red_shoe.sees(W.DISCARD_RACK, tags[0])
    coup(red_shoe, "5h")
    red_shoe.clears(read=True)
    for _ in range(3):
        red_shoe.clears(read=True)

    absent = [finding for finding in red_shoe.found if finding.tag == tags[1]]
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


def test_an_absent_card_that_is_read_in_the_rack_at_last_is_there(red_shoe: Table) -> None:
    (tag,) = coup(red_shoe, "3h")
    for _ in range(2):
        red_shoe.clears(read=True)
    red_shoe.sees(W.DISCARD_RACK, tag)

    assert (red_shoe.codes(), red_shoe.where(tag)) == (["CARD_ABSENT"], W.DISCARD_RACK)


def test_before_the_rack_is_emptied_the_last_coup_is_due_too(red_shoe: Table) -> None:
    tags = coup(red_shoe, "3h", "4h")
    red_shoe.clears(read=True)
    red_shoe.end()
    red_shoe.sees(W.DISCARD_RACK, tags[0])
    red_shoe.empties_rack()

    assert [(finding.code.value, finding.tag) for finding in red_shoe.found] == [
        ("CARD_ABSENT", tags[1])
    ]


def test_an_absent_card_is_in_no_batch_that_people_move(red_shoe: Table) -> None:
    coup(red_shoe, "3h")
    red_shoe.clears(read=True)
    red_shoe.end()
    red_shoe.empties_rack()
    red_shoe.record("red", W.SHUFFLER)
    red_shoe.open("blue")
    red_shoe.record("red", W.SHUFFLER)

    assert (red_shoe.at("red")[W.SHUFFLER], red_shoe.at("red")[W.UNKNOWN]) == (51, 1)


def test_a_card_in_the_rack_that_never_left_the_shoe_was_not_drawn(red_shoe: Table) -> None:
    tag = red_shoe.tag("Kc")
    red_shoe.sees(W.DISCARD_RACK, tag, "coup 9")

    assert red_shoe.found == [
        Finding(
            FindingCode.CARD_NOT_DRAWN,
            "coup 9",
            "it lies in the discard rack and never left by the exit: it was in the dealing shoe",
            Card.parse("Kc"),
            tag,
            "red",
        )
    ]
    assert red_shoe.where(tag) is W.DISCARD_RACK


@pytest.mark.parametrize("spot", [W.DISCARD_RACK, W.PLAYER, W.BANKER])
def test_a_card_that_passed_unread_is_known_when_it_is_seen(red_shoe: Table, spot: W) -> None:
    red_shoe.passes(None)
    first = red_shoe.sees(spot, red_shoe.tag("Kc"))
    second = red_shoe.sees(spot, red_shoe.tag("Qc"))

    assert (first.card, first.resolved, second.resolved) == (Card.parse("Kc"), True, False)
    assert red_shoe.codes() == ["CARD_NOT_DRAWN"]


def test_of_two_cards_in_the_field_the_one_that_left_is_known_when_it_is_seen(
    red_shoe: Table,
) -> None:
    red_shoe.passes(red_shoe.tag("Kc"), sure=False)
    seen = red_shoe.sees(W.BANKER, red_shoe.tag("Qc"))
    red_shoe.passes(red_shoe.tag("Kc"))

    assert seen.resolved
    assert red_shoe.codes() == []


def test_an_unread_card_of_the_other_batch_is_found_when_it_is_seen(red_shoe: Table) -> None:
    red_shoe.passes(None)
    red_shoe.sees(W.PLAYER, red_shoe.tag("Kc", "blue"))

    assert red_shoe.codes() == ["WRONG_BATCH"]


@pytest.mark.parametrize("joined", [True, False])
def test_where_reports_are_missing_nothing_was_surely_not_drawn(table: Table, joined: bool) -> None:
    table.open("red", joined=joined)
    if not joined:
        table.state = reports_missing(table.state)
    table.sees(W.DISCARD_RACK, table.tag("Kc"))
    table.sees(W.PLAYER, table.tag("Qc"))

    assert table.codes() == []


def test_a_card_at_the_other_hand_than_it_was_placed_at_is_misplaced(red_shoe: Table) -> None:
    tag = red_shoe.tag("3h")
    red_shoe.passes(tag, W.PLAYER)
    red_shoe.sees(W.PLAYER, tag)
    red_shoe.sees(W.BANKER, tag, "coup 4")

    assert red_shoe.found == [
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


def test_a_card_out_of_the_rack_on_the_layout_is_misplaced(red_shoe: Table) -> None:
    (tag,) = coup(red_shoe, "3h")
    red_shoe.clears(read=True)
    red_shoe.sees(W.DISCARD_RACK, tag)
    red_shoe.sees(W.PLAYER, tag)

    assert red_shoe.codes() == ["CARD_MISPLACED"]


def test_a_card_kept_back_and_brought_into_play_is_misplaced(red_shoe: Table) -> None:
    (tag,) = coup(red_shoe, "3h")
    for _ in range(2):
        red_shoe.clears(read=True)
    red_shoe.sees(W.BANKER, tag)

    assert red_shoe.codes() == ["CARD_ABSENT", "CARD_MISPLACED"]


@pytest.mark.parametrize("read", [True, False])
def test_a_late_sight_of_the_last_coup_proves_nothing(red_shoe: Table, read: bool) -> None:
    tags = coup(red_shoe, "3h", "4h")
    red_shoe.clears(read=read)
    for tag in tags:
        for spot in (W.PLAYER, W.BANKER, W.DISCARD_RACK, W.DISCARD_RACK):
            if not (read and spot is W.DISCARD_RACK):
                red_shoe.sees(spot, tag)

    assert red_shoe.codes() == []


def test_a_foreign_card_on_the_layout_is_told_once(red_shoe: Table) -> None:
    for spot in (W.PLAYER, W.PLAYER, W.DISCARD_RACK):
        red_shoe.sees(spot, "E004015511223344")

    assert red_shoe.codes() == ["FOREIGN_CARD"]


def test_a_foreign_card_told_as_it_left_is_not_told_again_on_its_way(red_shoe: Table) -> None:
    red_shoe.passes("E004015511223344")
    red_shoe.sees(W.PLAYER, "E004015511223344")
    red_shoe.sees(W.DISCARD_RACK, "E004015511223344")

    assert red_shoe.codes() == ["FOREIGN_CARD"]


def test_cards_of_the_shoe_before_in_the_rack_are_found_once(red_shoe: Table) -> None:
    for card in ("3h", "4h", "5h"):
        red_shoe.sees(W.DISCARD_RACK, red_shoe.tag(card, "blue"), "coup 2")

    assert red_shoe.found == [
        Finding(
            FindingCode.DISCARD_RACK_MIXED,
            "coup 2",
            "the discard rack is for the batch with red backs",
            Card.parse("3h"),
            red_shoe.tag("3h", "blue"),
            "blue",
        )
    ]


def test_the_rack_is_found_mixed_again_after_it_was_cleared(red_shoe: Table) -> None:
    red_shoe.sees(W.DISCARD_RACK, red_shoe.tag("3h", "blue"))
    red_shoe.record("blue", W.SHUFFLER)
    red_shoe.sees(W.DISCARD_RACK, red_shoe.tag("4h", "blue"))

    assert red_shoe.codes() == ["DISCARD_RACK_MIXED", "DISCARD_RACK_MIXED"]


def test_between_shoes_the_other_batch_in_the_rack_is_found_too(red_shoe: Table) -> None:
    coup(red_shoe, "3h", "4h")
    red_shoe.clears()
    red_shoe.end()
    red_shoe.sees(W.DISCARD_RACK, red_shoe.tag("4h"))
    assert red_shoe.codes() == []

    red_shoe.sees(W.DISCARD_RACK, red_shoe.tag("4h", "blue"))
    assert red_shoe.codes() == ["DISCARD_RACK_MIXED"]


def test_between_shoes_cards_spread_on_the_layout_prove_nothing(red_shoe: Table) -> None:
    red_shoe.end()
    for card in ("3h", "4h", "5h"):
        red_shoe.sees(W.PLAYER, red_shoe.tag(card))
        red_shoe.sees(W.BANKER, red_shoe.tag(card, "blue"))
    red_shoe.sees(W.PLAYER, "E004015511223344")

    assert red_shoe.codes() == []


def test_between_shoes_the_rest_of_the_shoe_may_go_over_the_rack(red_shoe: Table) -> None:
    red_shoe.end()
    red_shoe.sees(W.DISCARD_RACK, red_shoe.tag("3h"))

    assert (red_shoe.codes(), red_shoe.at("red")[W.DISCARD_RACK]) == ([], 2)


@pytest.mark.parametrize("spot", [spot for spot in W if spot not in (W.PLAYER, W.BANKER)])
def test_a_cut_card_seen_anywhere_proves_nothing(red_shoe: Table, spot: W) -> None:
    ledger = red_shoe.state.batches[1]
    red_shoe.sees(spot, ledger.manifest.at(ledger.cut_cards()[1]).tag)

    assert red_shoe.codes() == []


def test_places_that_no_reader_watches_are_not_seen(red_shoe: Table) -> None:
    before = red_shoe.state
    for spot in W:
        if spot not in (W.DISCARD_RACK, W.PLAYER, W.BANKER):
            red_shoe.sees(spot, red_shoe.tag("3h", "blue"))

    assert red_shoe.state == before


def test_a_foreign_card_in_the_rack_is_told_between_shoes_too(table: Table) -> None:
    table.sees(W.DISCARD_RACK, "E004015511223344")

    assert table.codes() == ["FOREIGN_CARD"]


def test_several_cards_that_do_not_reach_the_rack_are_absent_one_by_one(red_shoe: Table) -> None:
    tags = coup(red_shoe, "3h", "4h", "5h")
    for _ in range(2):
        red_shoe.clears(read=True)

    assert sorted(finding.tag for finding in red_shoe.found) == sorted(tags)


def test_without_a_reader_a_card_of_an_earlier_coup_at_a_hand_is_misplaced(
    red_shoe: Table,
) -> None:
    tags = coup(red_shoe, "3h")
    for _ in range(2):
        red_shoe.clears()
    red_shoe.sees(W.PLAYER, tags[0])

    assert red_shoe.codes() == ["CARD_MISPLACED"]


def test_a_card_that_was_never_in_the_field_accounts_for_the_unread_one(red_shoe: Table) -> None:
    red_shoe.passes(None)
    red_shoe.passes(red_shoe.tag("Kc"), sure=False)
    red_shoe.sees(W.PLAYER, red_shoe.tag("Qc"))

    assert (red_shoe.at("red")[W.SHOE], red_shoe.at("red")[W.UNKNOWN]) == (49, 1)


def test_before_the_batch_is_known_an_unread_card_is_known_in_the_rack(table: Table) -> None:
    table.open()
    table.passes(None)

    assert table.sees(W.DISCARD_RACK, table.tag("Qc")).resolved
