"""Binding, moving, counting and setting apart whole batches, and every refusal."""

from typing import Any

import pytest
from msgspec.structs import replace

from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding, FindingCode

W = CardPlace
Table = Any
Batches = Any


def test_binding_the_same_manifest_again_moves_no_card(red_shoe: Table, batch: Batches) -> None:
    before = red_shoe.state
    red_shoe.bind(batch("red", cut_cards=2))

    assert (red_shoe.refusal, red_shoe.state) == ("", before)


def test_binding_replaces_the_batch_with_the_same_back(table: Table, batch: Batches) -> None:
    table.bind(batch("red", decks=2, name="red-0002"))

    assert [one.manifest.batch for one in table.state.batches] == ["red-0002", "blue-0001"]
    assert table.at("red")[W.CARTON] == 104


def test_a_batch_in_play_is_not_replaced(red_shoe: Table, batch: Batches) -> None:
    before = red_shoe.state
    red_shoe.bind(batch("red", name="red-0002"))

    assert red_shoe.state == before
    assert red_shoe.refusal == (
        "batch red-0001 is in play: end the shoe before another batch with red backs takes its"
        " place"
    )


def test_a_batch_with_a_card_on_the_table_is_not_replaced(red_shoe: Table, batch: Batches) -> None:
    red_shoe.draw(red_shoe.tag("3h", "blue"))
    red_shoe.bind(batch("blue", name="blue-0002"))

    assert red_shoe.refusal.startswith("batch blue-0001 is in play")


@pytest.mark.parametrize("played", [True, False])
def test_a_batch_is_replaced_between_shoes(red_shoe: Table, batch: Batches, played: bool) -> None:
    red_shoe.bind(batch("blue", name="blue-0002"))
    assert red_shoe.refusal == ""
    red_shoe.end(played=played)
    red_shoe.bind(batch("red", name="red-0002"))
    assert red_shoe.refusal == ""


def test_a_batch_name_with_two_backs_is_refused(table: Table, batch: Batches) -> None:
    table.bind(batch("green", name="red-0001"))

    assert table.refusal == (
        "batch red-0001 is bound with red backs, not green: bind the manifest that belongs to"
        " this bar code"
    )


def test_a_tag_in_two_batches_is_refused(table: Table, batch: Batches) -> None:
    table.bind(replace(batch("red"), batch="green-0001", back="green"))

    assert table.refusal == (
        "batches red-0001 and green-0001 share 52 tags: a card belongs to one batch; enrol"
        " both again"
    )


@pytest.mark.parametrize(
    ("damage", "refusal"),
    [
        ({"deck_numbers": b""}, "the manifest of batch red-0001 is damaged: enrol the batch again"),
        ({"tags": b"\0"}, "the manifest of batch red-0001 is damaged: enrol the batch again"),
        ({"back": ""}, "a batch needs a name and a back: enrol it with both"),
        ({"batch": ""}, "a batch needs a name and a back: enrol it with both"),
    ],
)
def test_an_invalid_manifest_is_refused(
    bare: Table, batch: Batches, damage: dict[str, Any], refusal: str
) -> None:
    bare.bind(replace(batch("red"), **damage))

    assert (bare.refusal, bare.state.batches) == (refusal, ())


def test_binding_the_same_manifest_does_not_lift_damage(table: Table, batch: Batches) -> None:
    table.set_apart("red", table.tag("4c"), "torn by the shuffler")
    table.bind(batch("red", cut_cards=2))
    assert table.blocked("red") == "torn by the shuffler"

    table.bind(batch("red", cut_cards=2, name="red-0002"))
    assert table.blocked("red") == ""


def test_a_card_set_apart_stays_when_its_batch_is_moved(table: Table) -> None:
    table.set_apart("red", table.tag("4c"))
    table.record("red", W.CARTON)
    table.open("red")

    assert (table.at("red")[W.QUARANTINE], table.at("red")[W.SHOE]) == (1, 51)


def test_a_whole_batch_is_set_apart(table: Table) -> None:
    table.set_apart("blue", None, "its seal was broken")

    assert table.at("blue")[W.QUARANTINE] == 52
    assert table.blocked("blue") == "its seal was broken"


def test_dealing_from_a_batch_set_apart_is_reported_once(table: Table) -> None:
    table.set_apart("blue", None, "")
    table.open()
    for card in ("3h", "4h", "5h"):
        table.draw(table.tag(card, "blue"))

    assert table.codes() == ["BATCH_BLOCKED"]
    assert table.findings[0].detail == ("its batch may not be dealt from: the batch was set apart")


def test_a_cut_card_set_apart_blocks_nothing(table: Table) -> None:
    ledger = table.state.batches[0]
    table.set_apart("red", ledger.manifest.at(ledger.cut_cards()[0]).tag)

    assert table.blocked("red") == ""


def test_a_batch_that_is_not_bound_is_not_set_apart(table: Table) -> None:
    table.set_apart("green")

    assert table.refusal == (
        "no batch with green backs is bound to this table; bound backs: red, blue"
    )


def test_without_batches_the_remedy_is_to_bind_one(bare: Table) -> None:
    bare.set_apart("red")
    assert bare.refusal == "no batch with red backs is bound to this table; bind a batch first"


def test_a_batch_in_play_is_not_set_apart(red_shoe: Table) -> None:
    before = red_shoe.state
    red_shoe.set_apart("red")

    assert red_shoe.state == before
    assert red_shoe.refusal == "the batch with red backs is in play: end the shoe first"


def test_a_batch_in_play_is_not_moved(red_shoe: Table) -> None:
    before = red_shoe.state
    red_shoe.record("red", W.SHUFFLER)

    assert red_shoe.state == before


@pytest.mark.parametrize("place", [W.PLAYER, W.BANKER, W.ASIDE, W.BURN, W.QUARANTINE])
def test_no_hand_holds_a_whole_batch(table: Table, place: W) -> None:
    with pytest.raises(AssertionError, match=f"a whole batch cannot be at {place}"):
        table.record("red", place)


@pytest.mark.parametrize("tag", ["", "E004015511223344"])
def test_a_tag_of_another_batch_is_not_set_apart(table: Table, tag: str) -> None:
    given = tag or table.tag("4c", "blue")
    table.set_apart("red", given)

    assert table.refusal == f"tag {given} is not in the batch with red backs; read the card again"


@pytest.mark.parametrize(
    ("count", "code", "block"),
    [
        (51, FindingCode.CARD_ABSENT, "its last count gave 1 fewer than it has"),
        (53, FindingCode.CARD_EXTRA, "its last count gave 1 more than it has"),
    ],
)
def test_a_miscount_blocks_a_batch_until_a_right_count(
    table: Table, count: int, code: FindingCode, block: str
) -> None:
    table.count("red", count)

    detail = f"batch red-0001: {count} cards counted, 52 expected"
    assert table.findings == [Finding(code, "the count of the shuffler", detail, back="red")]
    assert table.blocked("red") == block

    table.count("red", 52)
    assert table.blocked("red") == ""


def test_a_card_set_apart_is_not_counted(table: Table) -> None:
    table.set_apart("red", table.tag("4c"))
    table.count("red", 51)
    assert table.findings == []


def test_a_right_count_returns_absent_cards(red_shoe: Table) -> None:
    red_shoe.draw(red_shoe.tag("3h"))
    red_shoe.clear_hands(read=True)
    red_shoe.end()
    red_shoe.empty_rack()
    red_shoe.record("red", W.SHUFFLER)
    assert red_shoe.at("red")[W.SHUFFLER] == 51

    red_shoe.count("red", 52)
    assert red_shoe.at("red")[W.SHUFFLER] == 52


def test_a_right_count_of_a_batch_in_two_places_moves_no_card(red_shoe: Table) -> None:
    red_shoe.draw(red_shoe.tag("3h"))
    red_shoe.clear_hands()
    red_shoe.draw(red_shoe.tag("4h"))
    red_shoe.clear_hands(read=True)
    red_shoe.end()
    red_shoe.empty_rack()
    red_shoe.count("red", 52)

    assert red_shoe.at("red")[W.UNKNOWN] == 1
