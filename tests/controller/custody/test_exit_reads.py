"""Cards leaving the shoe: foreign, duplicate, returned, unread, unsure, cut cards."""

from typing import Any

import pytest

from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import (
    apply_stray_read,
    move_aside_card,
    open_shoe,
    place_last_card,
    restart_burn,
)
from controller.custody.state import AsideCard
from controller.rules.cards import Card

W = CardPlace
Table = Any


def test_a_card_of_the_batch_in_play_gives_its_face_and_no_finding(red_shoe: Table) -> None:
    read = red_shoe.draw(red_shoe.tag("9h"), W.PLAYER)

    assert (read.card, read.back, read.cut_card) == (Card.parse("9h"), "red", False)
    assert red_shoe.findings == []
    assert red_shoe.where(red_shoe.tag("9h")) is W.PLAYER


def test_a_card_in_no_manifest_is_foreign(red_shoe: Table) -> None:
    read = red_shoe.draw("E004015511223344", step="coup 12, Player's third card")

    assert read.card is None
    assert red_shoe.findings == [
        Finding(
            FindingCode.FOREIGN_CARD,
            "coup 12, Player's third card",
            "its tag is in no manifest of this table",
            tag="E004015511223344",
        )
    ]


def test_at_a_table_without_manifests_every_card_is_foreign(bare: Table) -> None:
    bare.open()
    bare.draw("E004015511223344")
    bare.draw("E004015511223345")

    assert bare.codes() == ["FOREIGN_CARD", "FOREIGN_CARD"]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (W.PLAYER, "in the Player's Hand"),
        (W.BANKER, "in the Banker's Hand"),
        (W.ASIDE, "on the table in neither hand"),
        (W.BURN, "among the burn cards"),
        (None, "just out of the shoe"),
    ],
)
def test_a_tag_in_two_places_at_once_is_a_duplicate(
    red_shoe: Table, place: CardPlace | None, words: str
) -> None:
    tag = red_shoe.tag("7d")
    red_shoe.draw(tag, place)
    red_shoe.draw(tag, W.BANKER, step="coup 3, Banker's second card")

    assert red_shoe.findings == [
        Finding(
            FindingCode.DUPLICATE_CARD,
            "coup 3, Banker's second card",
            f"the same card is {words} at this moment",
            Card.parse("7d"),
            tag,
            "red",
        )
    ]
    assert red_shoe.where(tag) is W.BANKER


@pytest.mark.parametrize(
    ("read", "words"),
    [(False, "in the discard rack"), (True, "away from the table, not read in the discard rack")],
)
def test_a_card_of_an_earlier_coup_drawn_again_is_card_returned(
    red_shoe: Table, read: bool, words: str
) -> None:
    tag = red_shoe.tag("7d")
    red_shoe.draw(tag, W.PLAYER)
    red_shoe.clear_hands(read=read)
    red_shoe.draw(tag, W.BANKER, step="coup 2, Banker's first card")

    detail = f"it was {words}, and left the shoe again"
    assert red_shoe.findings == [
        Finding(
            FindingCode.CARD_RETURNED,
            "coup 2, Banker's first card",
            detail,
            Card.parse("7d"),
            tag,
            "red",
        )
    ]
    assert red_shoe.where(tag) is W.BANKER


def test_a_burn_card_drawn_again_is_card_returned(red_shoe: Table) -> None:
    red_shoe.draw(red_shoe.tag("9h"))
    red_shoe.clear_hands()
    red_shoe.draw(red_shoe.tag("2s"))

    assert red_shoe.codes() == ["CARD_RETURNED"]


def test_a_card_set_apart_that_is_drawn_is_card_returned(table: Table) -> None:
    table.set_apart("red", table.tag("4c"))
    table.open("red")
    table.draw(table.tag("4c"))

    assert table.codes() == ["BATCH_BLOCKED", "CARD_RETURNED"]


def test_with_a_continuous_shuffler_cards_may_be_drawn_again(table: Table) -> None:
    table.state = open_shoe(table.state, "red", alternates=False, endless=True)
    for _ in range(3):
        table.draw(table.tag("5d"))
        table.clear_hands()
    assert table.codes() == []

    table.draw(table.tag("5d"))
    table.draw(table.tag("5d"))
    assert table.codes() == ["DUPLICATE_CARD"]


def test_an_unread_card_is_only_counted(red_shoe: Table) -> None:
    read = red_shoe.draw(None, W.PLAYER)

    assert (read.card, read.findings) == (None, ())
    assert (red_shoe.at("red")[W.SHOE], red_shoe.at("red")[W.UNKNOWN]) == (50, 1)


def test_a_card_read_among_others_is_at_an_unknown_place(red_shoe: Table) -> None:
    tag = red_shoe.tag("9h")
    read = red_shoe.draw(tag, W.PLAYER, sure=False)

    assert (read.card, read.back, read.findings) == (None, "", ())
    assert red_shoe.where(tag) is W.UNKNOWN


def test_a_card_read_among_others_may_be_drawn_later(red_shoe: Table) -> None:
    red_shoe.draw(red_shoe.tag("9h"), sure=False)
    red_shoe.draw(red_shoe.tag("9h"))

    assert red_shoe.codes() == []


def test_a_card_on_the_table_read_among_others_stays(
    red_shoe: Table,
) -> None:
    red_shoe.draw(red_shoe.tag("9h"), W.PLAYER)
    red_shoe.draw(red_shoe.tag("9h"), W.BANKER, sure=False)

    assert red_shoe.where(red_shoe.tag("9h")) is W.PLAYER


def test_placing_an_unread_card_moves_no_other_card(red_shoe: Table) -> None:
    red_shoe.draw(red_shoe.tag("9h"), W.PLAYER)
    for tag, sure in ((None, True), ("E004015511223344", True), (red_shoe.tag("3h"), False)):
        red_shoe.draw(tag, W.BANKER, sure=sure)

    assert red_shoe.where(red_shoe.tag("9h")) is W.PLAYER
    assert red_shoe.at("red")[W.BANKER] == 0


def test_a_cut_card_is_reported_and_may_leave_the_shoe_again(red_shoe: Table) -> None:
    ledger = red_shoe.state.batches[0]
    tag = ledger.manifest.at(ledger.cut_cards()[0]).tag
    read = red_shoe.draw(tag)
    again = red_shoe.draw(tag)

    assert (read.card, read.cut_card, again.cut_card) == (None, True, True)
    assert red_shoe.codes() == []
    assert red_shoe.where(tag) is W.ASIDE


def test_a_cut_card_of_the_other_batch_is_a_cut_card(red_shoe: Table) -> None:
    ledger = red_shoe.state.batches[1]
    read = red_shoe.draw(ledger.manifest.at(ledger.cut_cards()[0]).tag)

    assert (read.cut_card, red_shoe.codes()) == (True, [])


def test_a_tag_ignores_case_but_not_spaces(red_shoe: Table) -> None:
    tag = red_shoe.tag("9h")
    assert red_shoe.draw(tag.lower()).card == Card.parse("9h")

    red_shoe.draw(tag[:2] + "  " + tag[4:])
    assert red_shoe.codes() == ["FOREIGN_CARD"]


def test_cards_drawn_in_error_are_moved_in_drawing_order(red_shoe: Table) -> None:
    tags = [red_shoe.tag(card) for card in ("3h", "4h", "5h")]
    for tag in tags:
        red_shoe.draw(tag, W.ASIDE)
    red_shoe.clear_hands()
    assert [red_shoe.where(tag) for tag in tags] == [W.ASIDE] * 3

    red_shoe.move_aside(W.PLAYER, 1)
    red_shoe.move_aside(W.BANKER, 1)
    red_shoe.move_aside(W.DISCARD_RACK)

    assert [red_shoe.where(tag) for tag in tags] == [W.PLAYER, W.BANKER, W.DISCARD_RACK]


def test_an_unread_card_drawn_in_error_keeps_its_position(red_shoe: Table) -> None:
    red_shoe.draw(None, W.ASIDE)
    red_shoe.draw(red_shoe.tag("4h"), W.ASIDE)

    red_shoe.move_aside(W.PLAYER, 1)
    assert red_shoe.where(red_shoe.tag("4h")) is W.ASIDE
    red_shoe.move_aside(W.BANKER, 1)
    assert red_shoe.where(red_shoe.tag("4h")) is W.BANKER


def test_a_card_without_a_recorded_shoe_opens_one(table: Table) -> None:
    assert table.draw(table.tag("4h")).card == Card.parse("4h")
    assert table.at("red")[W.SHOE] == 51


def test_a_card_drawn_in_error_is_expected_at_the_rack_reader(red_shoe: Table) -> None:
    red_shoe.draw(red_shoe.tag("3h"), W.ASIDE)
    red_shoe.state = move_aside_card(red_shoe.state, 2, W.DISCARD_RACK, True)
    for _ in range(2):
        red_shoe.clear_hands(read=True)

    assert red_shoe.codes() == ["CARD_ABSENT"]


def test_of_several_each_goes_to_its_own_place(red_shoe: Table) -> None:
    for face in ("3h", "4h", "5h"):
        red_shoe.draw(red_shoe.tag(face), W.ASIDE)
    for number, place in enumerate((W.ASIDE, W.DISCARD_RACK, W.PLAYER), start=2):
        red_shoe.state = move_aside_card(red_shoe.state, number, place, False)
    assert red_shoe.state.shoe.aside == (AsideCard(2, red_shoe.tag("3h")),)
    found = red_shoe.at("red")
    assert (found[W.ASIDE], found[W.DISCARD_RACK], found[W.PLAYER]) == (1, 1, 1)


def test_without_a_shoe_in_play_nothing_is_placed(table: Table) -> None:
    assert place_last_card(table.state, W.PLAYER) == table.state
    assert move_aside_card(table.state, 1, W.PLAYER, False) == table.state


def test_a_card_without_a_place_has_left_the_shoe(red_shoe: Table) -> None:
    red_shoe.draw(red_shoe.tag("3h"), None)
    red_shoe.clear_hands()
    red_shoe.draw(red_shoe.tag("3h"))

    assert red_shoe.codes() == ["CARD_RETURNED"]


# --- cards of a shoe that has ended ---------------------------------------------------------------


def test_a_stray_card_goes_to_the_rack_and_moves_no_other_card(
    red_shoe: Table,
) -> None:
    red_shoe.end()
    read = apply_stray_read(red_shoe.state, red_shoe.tag("4h"), True, "after the last hand")
    red_shoe.state = read.state

    assert (read.card, read.back, read.findings) == (Card.parse("4h"), "red", ())
    assert (red_shoe.at("red")[W.DISCARD_RACK], red_shoe.at("red")[W.SHOE]) == (2, 50)
    assert red_shoe.state.shoe is None


def test_a_stray_card_drawn_twice_is_card_returned(red_shoe: Table) -> None:
    red_shoe.end()
    read = apply_stray_read(red_shoe.state, red_shoe.tag("2s"), True, "after the last hand")

    assert [one.code for one in read.findings] == ["CARD_RETURNED"]


def test_a_stray_card_of_no_batch_is_foreign(red_shoe: Table) -> None:
    red_shoe.end()
    read = apply_stray_read(red_shoe.state, "E00401551122", True, "after the last hand")

    assert [one.code for one in read.findings] == ["FOREIGN_CARD"]
    assert read.state == red_shoe.state


@pytest.mark.parametrize(("face", "sure"), [("", True), ("4h", False)])
def test_an_unread_stray_card_moves_no_card(red_shoe: Table, face: str, sure: bool) -> None:
    red_shoe.end()
    tag = red_shoe.tag(face) if face else None

    assert (
        apply_stray_read(red_shoe.state, tag, sure, "after the last hand").state == red_shoe.state
    )


def test_a_stray_cut_card_is_on_the_table(red_shoe: Table) -> None:
    red_shoe.end()
    tag = next(one.tag for one in red_shoe.state.batches[0].manifest.cards() if one.card is None)
    read = apply_stray_read(red_shoe.state, tag, True, "after the last hand")
    red_shoe.state = read.state

    assert (read.cut_card, red_shoe.where(tag)) == (True, W.ASIDE)


def test_restarting_the_burn_moves_its_cards_to_the_rack(red_shoe: Table) -> None:
    red_shoe.state = restart_burn(red_shoe.state)

    assert (red_shoe.at("red")[W.BURN], red_shoe.at("red")[W.DISCARD_RACK]) == (0, 1)


# --- counts of cards read among others ---------------------------------------------------------


def test_one_tag_read_with_two_cards_counts_for_both(red_shoe: Table) -> None:
    for _ in range(2):
        red_shoe.draw(red_shoe.tag("9h"), sure=False)

    assert (red_shoe.at("red")[W.SHOE], red_shoe.at("red")[W.UNKNOWN]) == (49, 2)


def test_a_table_read_of_another_card_resolves_an_unsure_one(red_shoe: Table) -> None:
    red_shoe.draw(red_shoe.tag("9h"), W.PLAYER, sure=False)
    red_shoe.read(W.PLAYER, red_shoe.tag("4h"))

    assert (red_shoe.at("red")[W.SHOE], red_shoe.at("red")[W.PLAYER]) == (50, 1)
    assert red_shoe.at("red")[W.UNKNOWN] == 0
