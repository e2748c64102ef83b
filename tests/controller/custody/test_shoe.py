"""The batch a shoe is dealt from: first card, record, wrong, repeated and blocked batches."""

from typing import Any

import pytest

from controller.custody.card_states import CardPlace

W = CardPlace
Table = Any


def deal(table: Table, back: str, *cards: str) -> None:
    for card in cards:
        table.draw(table.tag(card, back))


def test_the_first_card_identifies_the_batch_in_play(table: Table) -> None:
    table.open()
    assert table.at("red")[W.SHOE] == 0

    deal(table, "red", "9h")
    assert (table.at("red")[W.SHOE], table.at("red")[W.PLAYER]) == (51, 1)
    assert table.at("blue")[W.SHUFFLER] == 52


def test_the_loading_record_identifies_the_batch_before_a_card_is_drawn(table: Table) -> None:
    table.open("red")
    assert table.at("red")[W.SHOE] == 52


def test_a_loading_record_of_an_unbound_back_counts(table: Table) -> None:
    table.open("green")
    deal(table, "red", "9h", "8h")

    assert table.codes() == ["WRONG_BATCH"]
    assert table.findings[0].detail == "the batch with green backs was recorded as loaded"


def test_each_card_of_the_other_batch_is_reported_when_drawn(red_shoe: Table) -> None:
    deal(red_shoe, "red", "9h", "8h")
    deal(red_shoe, "blue", "9h")
    deal(red_shoe, "red", "7h")
    deal(red_shoe, "blue", "3d")

    assert red_shoe.codes() == ["WRONG_BATCH", "WRONG_BATCH"]
    assert [finding.back for finding in red_shoe.findings] == ["blue", "blue"]
    assert red_shoe.findings[0].detail == "the shoe is dealt from the batch with red backs"
    assert red_shoe.where(red_shoe.tag("3d", "blue")) is W.PLAYER
    assert red_shoe.at("blue")[W.SHUFFLER] == 50


def test_one_odd_first_card_is_outvoted(table: Table) -> None:
    table.open()
    deal(table, "blue", "9h")
    deal(table, "red", "9h", "8h", "7h", "6h")

    assert table.codes() == ["WRONG_BATCH", "WRONG_BATCH"]
    assert table.at("red")[W.SHOE] == 48
    assert table.at("blue") == {**dict.fromkeys(W, 0), W.PLAYER: 1, W.UNKNOWN: 51}


def test_cards_outvote_a_false_loading_record(table: Table) -> None:
    table.open("red")
    deal(table, "blue", "9h", "8h", "7h", "6h")

    assert table.codes() == ["WRONG_BATCH", "WRONG_BATCH"]
    assert table.findings[0].detail == "the batch with red backs was recorded as loaded"
    assert (table.at("blue")[W.SHOE], table.at("red")[W.UNKNOWN]) == (48, 52)


@pytest.mark.parametrize("alternates", [True, False])
def test_a_repeated_batch_is_reported_where_batches_alternate(
    table: Table, alternates: bool
) -> None:
    for back in ("red", "red"):
        table.open(alternates=alternates)
        deal(table, back, "9h", "8h")
        table.clear_hands()
        table.end()

    assert table.codes() == (["BATCH_REPEATED"] if alternates else [])


def test_either_batch_may_be_first(table: Table) -> None:
    for back in ("blue", "red", "blue", "red"):
        table.open()
        deal(table, back, "9h", "8h")
        table.end()

    assert table.codes() == []


def test_a_batch_without_a_dealt_coup_may_be_next_again(table: Table) -> None:
    table.open()
    deal(table, "red", "9h")
    table.end(played=False)
    table.open()
    deal(table, "red", "8h")

    assert table.codes() == []


def test_after_a_shoe_of_an_unknown_batch_either_may_be_next(table: Table) -> None:
    table.open()
    deal(table, "red", "9h")
    table.end()
    table.open()
    table.draw(None)
    table.end()
    table.open()
    deal(table, "red", "9h")

    assert table.codes() == []


def test_renaming_a_batch_does_not_reset_alternation(table: Table, batch: Any) -> None:
    table.open()
    deal(table, "red", "9h")
    table.end()
    table.bind(batch("red", cut_cards=2, name="red-0002"))
    table.open()
    deal(table, "red", "9h")

    assert table.codes() == ["BATCH_REPEATED"]


def test_a_blocked_batch_is_reported_once_per_shoe(table: Table) -> None:
    table.count("red", 51)
    table.open("red")
    deal(table, "red", "9h", "8h", "7h")

    assert table.codes() == ["CARD_ABSENT", "BATCH_BLOCKED"]
    assert (
        table.findings[1].detail
        == "its batch may not be dealt from: its last count gave 1 fewer than it has"
    )


def test_a_batch_blocked_in_play_is_reported_at_the_next_card(red_shoe: Table) -> None:
    deal(red_shoe, "red", "9h")
    red_shoe.set_apart("red", red_shoe.tag("9h"), "torn by the shuffler")
    deal(red_shoe, "red", "8h", "7h")

    assert red_shoe.codes() == ["BATCH_BLOCKED"]


def test_setting_a_wrong_card_apart_blocks_only_its_own_batch(red_shoe: Table) -> None:
    deal(red_shoe, "blue", "9h")
    red_shoe.set_apart("blue", red_shoe.tag("9h", "blue"), "was among red cards")
    deal(red_shoe, "red", "8h", "7h")

    assert red_shoe.codes() == ["WRONG_BATCH"]


def test_the_end_of_a_shoe_moves_cards_on_the_table_to_the_rack(red_shoe: Table) -> None:
    red_shoe.draw(red_shoe.tag("3h"), W.PLAYER)
    red_shoe.draw(red_shoe.tag("4h"), W.BANKER)
    red_shoe.draw(red_shoe.tag("5h"), W.ASIDE)
    red_shoe.end()

    assert red_shoe.at("red") == {**dict.fromkeys(W, 0), W.DISCARD_RACK: 4, W.SHOE: 48}


def test_opening_a_shoe_makes_places_of_drawn_cards_unknown(red_shoe: Table) -> None:
    deal(red_shoe, "red", "3h", "4h")
    red_shoe.end()
    red_shoe.open("blue")

    assert red_shoe.at("red")[W.UNKNOWN] == 52


def test_recorded_places_of_the_last_batch_are_kept(red_shoe: Table) -> None:
    deal(red_shoe, "red", "3h", "4h")
    red_shoe.end()
    red_shoe.record("red", W.SHUFFLER)
    red_shoe.open("blue")

    assert red_shoe.at("red")[W.SHUFFLER] == 52


def test_ending_without_a_shoe_changes_nothing(table: Table) -> None:
    before = table.state
    table.end()
    assert table.state == before
