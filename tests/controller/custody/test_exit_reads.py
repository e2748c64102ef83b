"""Cards that leave the shoe: foreign, twice at one time, once more, unread, unsure, cut cards.

Responsible for: one example a code in the field's words, and where the card is afterwards.
Not responsible for: which batch is in play (test_shoes), every combination (test_every_standing).
Source: controller/custody/README.md, "What is proven".
"""

from typing import Any

import pytest

from controller.custody.card_states import Whereabouts
from controller.custody.exit_reads import aside_to, burn_racked, placed, stray_passed
from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import shoe_opened
from controller.rules.cards import Card

W = Whereabouts
Table = Any


def test_a_card_of_the_batch_in_play_proves_nothing_and_gives_its_face(red_shoe: Table) -> None:
    passed = red_shoe.passes(red_shoe.tag("9h"), W.PLAYER)

    assert (passed.card, passed.back, passed.cut_card) == (Card.parse("9h"), "red", False)
    assert red_shoe.found == []
    assert red_shoe.where(red_shoe.tag("9h")) is W.PLAYER


def test_a_card_that_no_manifest_knows_is_foreign(red_shoe: Table) -> None:
    passed = red_shoe.passes("E004015511223344", step="coup 12, Player's third card")

    assert passed.card is None
    assert red_shoe.found == [
        Finding(
            FindingCode.FOREIGN_CARD,
            "coup 12, Player's third card",
            "its tag is in the manifest of no batch of this table",
            tag="E004015511223344",
        )
    ]


def test_at_a_table_without_manifests_every_card_is_foreign(bare: Table) -> None:
    bare.open()
    bare.passes("E004015511223344")
    bare.passes("E004015511223345")

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
def test_one_identity_at_two_places_at_one_time_is_a_duplicate(
    red_shoe: Table, place: Whereabouts | None, words: str
) -> None:
    tag = red_shoe.tag("7d")
    red_shoe.passes(tag, place)
    red_shoe.passes(tag, W.BANKER, step="coup 3, Banker's second card")

    assert red_shoe.found == [
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
def test_a_card_of_an_earlier_coup_that_comes_out_once_more_has_returned(
    red_shoe: Table, read: bool, words: str
) -> None:
    tag = red_shoe.tag("7d")
    red_shoe.passes(tag, W.PLAYER)
    red_shoe.clears(read=read)
    red_shoe.passes(tag, W.BANKER, step="coup 2, Banker's first card")

    detail = f"it was {words}, and came out of the shoe once more"
    assert red_shoe.found == [
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


def test_a_burn_card_that_comes_out_in_a_later_coup_has_returned(red_shoe: Table) -> None:
    red_shoe.passes(red_shoe.tag("9h"))
    red_shoe.clears()
    red_shoe.passes(red_shoe.tag("2s"))

    assert red_shoe.codes() == ["CARD_RETURNED"]


def test_a_card_set_apart_that_comes_out_of_the_shoe_has_returned(table: Table) -> None:
    table.set_apart("red", table.tag("4c"))
    table.open("red")
    table.passes(table.tag("4c"))

    assert table.codes() == ["BATCH_BLOCKED", "CARD_RETURNED"]


def test_with_a_continuous_shuffler_cards_come_back(table: Table) -> None:
    table.state = shoe_opened(table.state, "red", alternates=False, endless=True)
    for _ in range(3):
        table.passes(table.tag("5d"))
        table.clears()
    assert table.codes() == []

    table.passes(table.tag("5d"))
    table.passes(table.tag("5d"))
    assert table.codes() == ["DUPLICATE_CARD"]


def test_an_unread_card_is_a_number_without_a_name(red_shoe: Table) -> None:
    passed = red_shoe.passes(None, W.PLAYER)

    assert (passed.card, passed.findings) == (None, ())
    assert (red_shoe.at("red")[W.SHOE], red_shoe.at("red")[W.UNKNOWN]) == (50, 1)


def test_a_card_read_among_others_is_at_a_place_nobody_knows(red_shoe: Table) -> None:
    tag = red_shoe.tag("9h")
    passed = red_shoe.passes(tag, W.PLAYER, sure=False)

    assert (passed.card, passed.back, passed.findings) == (None, "", ())
    assert red_shoe.where(tag) is W.UNKNOWN


def test_a_card_read_among_others_may_come_out_afterwards(red_shoe: Table) -> None:
    red_shoe.passes(red_shoe.tag("9h"), sure=False)
    red_shoe.passes(red_shoe.tag("9h"))

    assert red_shoe.codes() == []


def test_a_card_on_the_table_read_at_the_exit_among_others_stays_where_it_is(
    red_shoe: Table,
) -> None:
    red_shoe.passes(red_shoe.tag("9h"), W.PLAYER)
    red_shoe.passes(red_shoe.tag("9h"), W.BANKER, sure=False)

    assert red_shoe.where(red_shoe.tag("9h")) is W.PLAYER


def test_the_place_of_a_card_that_is_not_known_moves_no_other(red_shoe: Table) -> None:
    red_shoe.passes(red_shoe.tag("9h"), W.PLAYER)
    for tag, sure in ((None, True), ("E004015511223344", True), (red_shoe.tag("3h"), False)):
        red_shoe.passes(tag, W.BANKER, sure=sure)

    assert red_shoe.where(red_shoe.tag("9h")) is W.PLAYER
    assert red_shoe.at("red")[W.BANKER] == 0


def test_a_cut_card_is_told_and_may_come_out_again(red_shoe: Table) -> None:
    ledger = red_shoe.state.batches[0]
    tag = ledger.manifest.at(ledger.cut_cards()[0]).tag
    passed = red_shoe.passes(tag)
    again = red_shoe.passes(tag)

    assert (passed.card, passed.cut_card, again.cut_card) == (None, True, True)
    assert red_shoe.codes() == []
    assert red_shoe.where(tag) is W.ASIDE


def test_a_cut_card_of_the_other_batch_is_a_cut_card(red_shoe: Table) -> None:
    ledger = red_shoe.state.batches[1]
    passed = red_shoe.passes(ledger.manifest.at(ledger.cut_cards()[0]).tag)

    assert (passed.cut_card, red_shoe.codes()) == (True, [])


def test_a_tag_is_the_same_in_small_letters_and_with_spaces_another(red_shoe: Table) -> None:
    tag = red_shoe.tag("9h")
    assert red_shoe.passes(tag.lower()).card == Card.parse("9h")

    red_shoe.passes(tag[:2] + "  " + tag[4:])
    assert red_shoe.codes() == ["FOREIGN_CARD"]


def test_cards_drawn_in_error_go_in_their_order(red_shoe: Table) -> None:
    tags = [red_shoe.tag(card) for card in ("3h", "4h", "5h")]
    for tag in tags:
        red_shoe.passes(tag, W.ASIDE)
    red_shoe.clears()
    assert [red_shoe.where(tag) for tag in tags] == [W.ASIDE] * 3

    red_shoe.aside_to(W.PLAYER, 1)
    red_shoe.aside_to(W.BANKER, 1)
    red_shoe.aside_to(W.DISCARD_RACK)

    assert [red_shoe.where(tag) for tag in tags] == [W.PLAYER, W.BANKER, W.DISCARD_RACK]


def test_an_unread_card_drawn_in_error_takes_its_turn(red_shoe: Table) -> None:
    red_shoe.passes(None, W.ASIDE)
    red_shoe.passes(red_shoe.tag("4h"), W.ASIDE)

    red_shoe.aside_to(W.PLAYER, 1)
    assert red_shoe.where(red_shoe.tag("4h")) is W.ASIDE
    red_shoe.aside_to(W.BANKER, 1)
    assert red_shoe.where(red_shoe.tag("4h")) is W.BANKER


def test_a_card_nobody_announced_a_shoe_for_opens_one(table: Table) -> None:
    assert table.passes(table.tag("4h")).card == Card.parse("4h")
    assert table.at("red")[W.SHOE] == 51


def test_a_card_drawn_in_error_is_due_in_a_rack_that_is_read(red_shoe: Table) -> None:
    red_shoe.passes(red_shoe.tag("3h"), W.ASIDE)
    red_shoe.state = aside_to(red_shoe.state, W.DISCARD_RACK, rack_is_read=True)
    for _ in range(2):
        red_shoe.clears(read=True)

    assert red_shoe.codes() == ["CARD_ABSENT"]


def test_without_a_shoe_in_play_nothing_is_placed(table: Table) -> None:
    assert placed(table.state, W.PLAYER) == table.state
    assert aside_to(table.state, W.PLAYER) == table.state


def test_a_card_that_was_placed_nowhere_has_left_all_the_same(red_shoe: Table) -> None:
    red_shoe.passes(red_shoe.tag("3h"), None)
    red_shoe.clears()
    red_shoe.passes(red_shoe.tag("3h"))

    assert red_shoe.codes() == ["CARD_RETURNED"]


# --- out of a shoe that is over ------------------------------------------------------------------


def test_a_stray_card_of_a_shoe_that_is_over_lies_in_the_rack_and_moves_no_other(
    red_shoe: Table,
) -> None:
    red_shoe.end()
    passed = stray_passed(red_shoe.state, red_shoe.tag("4h"), True, "after the last hand")
    red_shoe.state = passed.state

    assert (passed.card, passed.back, passed.findings) == (Card.parse("4h"), "red", ())
    assert (red_shoe.at("red")[W.DISCARD_RACK], red_shoe.at("red")[W.SHOE]) == (2, 50)
    assert red_shoe.state.shoe is None


def test_a_stray_card_that_had_left_the_shoe_was_put_back(red_shoe: Table) -> None:
    red_shoe.end()
    passed = stray_passed(red_shoe.state, red_shoe.tag("2s"), True, "after the last hand")

    assert [one.code for one in passed.findings] == ["CARD_RETURNED"]


def test_a_stray_card_of_no_batch_is_foreign(red_shoe: Table) -> None:
    red_shoe.end()
    passed = stray_passed(red_shoe.state, "E00401551122", True, "after the last hand")

    assert [one.code for one in passed.findings] == ["FOREIGN_CARD"]
    assert passed.state == red_shoe.state


@pytest.mark.parametrize(("face", "sure"), [("", True), ("4h", False)])
def test_a_stray_card_that_is_not_known_moves_none(red_shoe: Table, face: str, sure: bool) -> None:
    red_shoe.end()
    tag = red_shoe.tag(face) if face else None

    assert stray_passed(red_shoe.state, tag, sure, "after the last hand").state == red_shoe.state


def test_a_stray_cut_card_lies_on_the_table(red_shoe: Table) -> None:
    red_shoe.end()
    tag = next(one.tag for one in red_shoe.state.batches[0].manifest.cards() if one.card is None)
    passed = stray_passed(red_shoe.state, tag, True, "after the last hand")
    red_shoe.state = passed.state

    assert (passed.cut_card, red_shoe.where(tag)) == (True, W.ASIDE)


def test_a_burn_that_begins_anew_leaves_its_cards_in_the_rack(red_shoe: Table) -> None:
    red_shoe.state = burn_racked(red_shoe.state)

    assert (red_shoe.at("red")[W.BURN], red_shoe.at("red")[W.DISCARD_RACK]) == (0, 1)


# --- numbers of cards that passed among others ---------------------------------------------------


def test_one_tag_read_with_two_cards_that_passed_counts_for_both(red_shoe: Table) -> None:
    for _ in range(2):
        red_shoe.passes(red_shoe.tag("9h"), sure=False)

    assert (red_shoe.at("red")[W.SHOE], red_shoe.at("red")[W.UNKNOWN]) == (49, 2)


def test_a_card_that_turns_up_says_that_another_is_still_in_the_shoe(red_shoe: Table) -> None:
    red_shoe.passes(red_shoe.tag("9h"), W.PLAYER, sure=False)
    red_shoe.sees(W.PLAYER, red_shoe.tag("4h"))

    assert (red_shoe.at("red")[W.SHOE], red_shoe.at("red")[W.PLAYER]) == (50, 1)
    assert red_shoe.at("red")[W.UNKNOWN] == 0
