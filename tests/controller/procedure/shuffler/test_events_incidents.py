"""Known incidents with shufflers, stopped at the first wrong step.

Source: field practice: Taj Mahal 2011, Showboat 2012-13, SugarHouse 2017-18, the two-pack scam,
Deck Mate 2 (2023).
"""

import pytest

from controller.procedure.events import ShufflerReported
from controller.procedure.phases import Phase
from drivers.shuffler_events import DeviceTampered, IdentityProven, IdentityRefused
from foundation.message import message


def test_taj_mahal_cards_that_came_packed_were_dealt_unshuffled(new_shuffler_table) -> None:
    """New cards go into the shoe without being shuffled."""
    people = new_shuffler_table("ny-mini")
    people.shuffle("blue")
    people.do("received red, preshuffled red")
    why = people.do("cut 200")
    assert why == "a cut is recorded, and no batch is out to be cut"
    assert people.do("loaded red 416").startswith("red is not known to be shuffled: ")
    assert people.open_shoe()[0] == "BATCH_UNSHUFFLED"
    assert people.table.phase is Phase.SUSPENDED
    assert people.table.shoe.cards_drawn == 2
    assert people.table.shoe.coups_begun == 0


def test_showboat_a_shuffle_was_assumed_that_did_not_take_place(new_shuffler_table) -> None:
    """The shuffler counts the batch and puts it out again; the lamp says ready."""
    people = new_shuffler_table()
    people.shuffle("blue")
    people.put_in("red")
    people.run_script("shuffler 1 shuffled 416 of red; shuffler 1 stored 416 of red")
    assert people.stage("red") == "counted"
    people.release("red")
    assert people.do("loaded red 416") != ""
    assert "BATCH_UNSHUFFLED" in people.open_shoe()


@pytest.mark.parametrize(
    "words",
    [
        'shuffler warning 17 on "check cards"',
        "shuffler 2 residual 16",
        "shuffler mode sort",
    ],
)
def test_sugarhouse_lights_left_cards_and_sort_mode_were_ignored(new_shuffler_table, words) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.run_script(words)
    assert people.table.deal("P1 2h") == ["CARD_UNDER_WARNING"]
    assert people.table.phase is Phase.SUSPENDED


def test_sugarhouse_a_batch_short_of_cards_left_inside_was_dealt(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.shuffle("red")
    people.release("red")
    people.run_script("shuffler 1 residual 16")
    assert "red is short of cards" in people.do("loaded red 416")
    assert {"BATCH_BLOCKED", "CARD_UNDER_WARNING"} <= set(people.open_shoe())


def test_sugarhouse_cards_left_beside_a_stored_batch_were_put_back(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("red")
    people.shuffle("blue")
    people.run_script("shuffler 2 residual 3; shuffler 2 residual 0; clear warning 1")
    people.release("blue")

    assert "blue is short of cards" in people.do("loaded blue 416")
    assert {"BATCH_BLOCKED", "BATCH_UNSHUFFLED"} <= set(people.open_shoe())


def test_two_packs_the_batch_just_dealt_goes_back_into_the_shoe(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.end_shoe()
    assert people.do("cut 200") == "a cut is recorded, and no batch is out to be cut"
    assert people.do("loaded red 416") == "the last shoe was dealt from red: load blue"
    assert people.open_shoe()[:2] == ["BATCH_REPEATED", "BATCH_UNSHUFFLED"]
    assert people.table.phase is Phase.SUSPENDED


def test_deck_mate_an_opened_or_exchanged_device_feeds_no_shoe(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.shuffle("red")
    people.table.apply(
        ShufflerReported(DeviceTampered(message("device_settings_changed", foreign="usb port")), 1)
    )
    assert people.stage("red") == "held"
    people.table.apply(
        ShufflerReported(
            IdentityRefused("S-2", message("device_has_no_identity"), rolled_back=True), 2
        )
    )
    people.release("red")
    why = people.do("loaded red 416")
    assert "the shuffler has not proven its identity" in why
    assert "BATCH_NOT_READY" in people.open_shoe()


def test_deck_mate_another_device_knows_of_no_batch(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.shuffle("red")
    people.table.apply(ShufflerReported(IdentityProven("S-9", "1.0", b"", 1, 1, bare=False), 3))
    people.release("red")
    assert people.do("loaded red 416") != ""
    assert people.table.deal("start; burn Ac")[0] in ("BATCH_UNSHUFFLED", "BATCH_NOT_READY")
