"""What people record of whole batches.

Responsible for: binding, moving, setting apart and counting, and every refusal with its remedy.
Not responsible for: what a blocked batch does in play (test_shoes).
Source: controller/custody/README.md, "Batches".
"""

from dataclasses import replace
from typing import Any

import pytest

from controller.custody.card_states import Whereabouts
from controller.custody.findings import Finding, FindingCode

W = Whereabouts
Table = Any
Batches = Any


def test_a_bar_code_read_again_changes_no_place(red_shoe: Table, batch: Batches) -> None:
    before = red_shoe.state
    red_shoe.bind(batch("red", cut_cards=2))

    assert (red_shoe.refusal, red_shoe.state) == ("", before)


def test_another_batch_takes_the_place_of_the_one_with_its_back(
    table: Table, batch: Batches
) -> None:
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
    red_shoe.passes(red_shoe.tag("3h", "blue"))
    red_shoe.bind(batch("blue", name="blue-0002"))

    assert red_shoe.refusal.startswith("batch blue-0001 is in play")


@pytest.mark.parametrize("played", [True, False])
def test_between_shoes_and_from_the_shuffler_a_batch_is_replaced(
    red_shoe: Table, batch: Batches, played: bool
) -> None:
    red_shoe.bind(batch("blue", name="blue-0002"))
    assert red_shoe.refusal == ""
    red_shoe.end(played=played)
    red_shoe.bind(batch("red", name="red-0002"))
    assert red_shoe.refusal == ""


def test_one_name_for_two_backs_is_refused(table: Table, batch: Batches) -> None:
    table.bind(batch("green", name="red-0001"))

    assert table.refusal == (
        "batch red-0001 is bound with red backs, not green: bind the manifest that belongs to"
        " this bar code"
    )


def test_a_tag_in_two_batches_is_refused(table: Table, batch: Batches) -> None:
    table.bind(replace(batch("red"), batch="green-0001", back="green"))

    assert table.refusal == (
        "52 tags of batch green-0001 are in batch red-0001, too: a card is of one batch; enrol"
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
def test_what_is_no_manifest_is_refused(
    bare: Table, batch: Batches, damage: dict[str, Any], refusal: str
) -> None:
    bare.bind(replace(batch("red"), **damage))

    assert (bare.refusal, bare.state.batches) == (refusal, ())


def test_a_block_said_at_the_binding_is_lifted_there(table: Table, batch: Batches) -> None:
    table.bind(batch("red", cut_cards=2), blocked="its receipt is not signed")
    assert table.state.batches[0].block() == "its receipt is not signed"
    table.bind(batch("red", cut_cards=2))
    assert table.state.batches[0].block() == ""


def test_damage_is_not_lifted_by_the_same_manifest(table: Table, batch: Batches) -> None:
    table.set_apart("red", table.tag("4c"), "torn by the shuffler")
    table.bind(batch("red", cut_cards=2))
    assert table.state.batches[0].block() == "torn by the shuffler"

    table.bind(batch("red", cut_cards=2, name="red-0002"))
    assert table.state.batches[0].block() == ""


def test_a_card_set_apart_stays_behind_when_its_batch_goes(table: Table) -> None:
    table.set_apart("red", table.tag("4c"))
    table.record("red", W.CARTON)
    table.open("red")

    assert (table.at("red")[W.QUARANTINE], table.at("red")[W.SHOE]) == (1, 51)


def test_a_whole_batch_is_set_apart(table: Table) -> None:
    table.set_apart("blue", None, "its seal was broken")

    assert table.at("blue")[W.QUARANTINE] == 52
    assert table.state.batches[1].block() == "its seal was broken"


def test_a_whole_batch_set_apart_and_dealt_from_is_found_once(table: Table) -> None:
    table.set_apart("blue", None, "")
    table.open()
    for card in ("3h", "4h", "5h"):
        table.passes(table.tag(card, "blue"))

    assert table.codes() == ["BATCH_BLOCKED"]
    assert table.found[0].detail == "its batch may not be dealt from: the batch was set apart"


def test_a_cut_card_set_apart_blocks_nothing(table: Table) -> None:
    ledger = table.state.batches[0]
    table.set_apart("red", ledger.manifest.at(ledger.cut_cards()[0]).tag)

    assert table.state.batches[0].block() == ""


@pytest.mark.parametrize(
    "act",
    [
        lambda table: table.record("green", W.SHUFFLER),
        lambda table: table.set_apart("green"),
        lambda table: table.count("green", 52),
    ],
)
def test_a_back_that_is_not_bound_is_refused(table: Table, act: Any) -> None:
    act(table)

    assert table.refusal == (
        "no batch with green backs is bound to this table; the backs bound here are red, blue"
    )


def test_with_no_batch_at_all_the_remedy_is_to_bind_one(bare: Table) -> None:
    bare.record("", W.SHUFFLER)
    assert bare.refusal == "no batch with such backs is bound to this table; bind a batch first"


@pytest.mark.parametrize("act", ["record", "set_apart"])
def test_a_batch_in_play_goes_nowhere(red_shoe: Table, act: str) -> None:
    before = red_shoe.state
    red_shoe.record("red", W.SHUFFLER) if act == "record" else red_shoe.set_apart("red")

    assert red_shoe.state == before
    assert red_shoe.refusal == "the batch with red backs is in play: end the shoe first"


@pytest.mark.parametrize("place", [W.PLAYER, W.BANKER, W.ASIDE, W.BURN, W.QUARANTINE])
def test_no_whole_batch_is_in_a_hand(table: Table, place: W) -> None:
    table.record("red", place)

    assert table.refusal.endswith(
        "it is one of: in the shuffler, in the dealing shoe, in its carton, in the discard rack,"
        " at a place nobody knows"
    )


@pytest.mark.parametrize("tag", ["", "E004015511223344"])
def test_a_tag_of_another_batch_is_not_set_apart(table: Table, tag: str) -> None:
    given = tag or table.tag("4c", "blue")
    table.set_apart("red", given)

    assert table.refusal == f"tag {given} is not of the batch with red backs; read the card again"


@pytest.mark.parametrize(
    ("count", "code", "block"),
    [
        (51, FindingCode.CARD_ABSENT, "its last count gave 1 fewer than it has"),
        (53, FindingCode.CARD_EXTRA, "its last count gave 1 more than it has"),
    ],
)
def test_a_batch_that_counts_wrong_is_blocked_until_it_counts_right(
    table: Table, count: int, code: FindingCode, block: str
) -> None:
    table.count("red", count)

    detail = f"the batch red-0001 counts {count} cards and has 52"
    assert table.found == [Finding(code, "the count of the batch", detail, back="red")]
    assert table.state.batches[0].block() == block

    table.count("red", 52)
    assert table.state.batches[0].block() == ""


def test_a_card_set_apart_is_not_counted(table: Table) -> None:
    table.set_apart("red", table.tag("4c"))
    table.count("red", 51)
    assert table.found == []


def test_a_right_count_finds_a_card_that_was_absent(red_shoe: Table) -> None:
    red_shoe.passes(red_shoe.tag("3h"))
    red_shoe.clears(read=True)
    red_shoe.end()
    red_shoe.empties_rack()
    red_shoe.record("red", W.SHUFFLER)
    assert red_shoe.at("red")[W.SHUFFLER] == 51

    red_shoe.count("red", 52)
    assert red_shoe.at("red")[W.SHUFFLER] == 52


def test_a_right_count_of_a_batch_in_two_places_finds_nothing(red_shoe: Table) -> None:
    red_shoe.passes(red_shoe.tag("3h"))
    red_shoe.clears()
    red_shoe.passes(red_shoe.tag("4h"))
    red_shoe.clears(read=True)
    red_shoe.end()
    red_shoe.empties_rack()
    red_shoe.count("red", 52)

    assert red_shoe.at("red")[W.UNKNOWN] == 1
