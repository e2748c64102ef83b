"""Known incidents with shufflers, stopped at the first wrong step.

Responsible for: each incident as it was done, and the step at which it is refused here.
Not responsible for: single rules (test_shuffler_batches, test_shuffler_warnings).
Source: field practice: Taj Mahal 2011, Showboat 2012-13, SugarHouse 2017-18, the two-pack scam,
Deck Mate 2 (2023).
"""

import pytest

from controller.procedure.events import ShufflerTold
from controller.procedure.phases import Phase
from drivers.shuffler_events import DeviceTampered, IdentityProven, IdentityRefused


def test_taj_mahal_cards_that_came_packed_were_dealt_unshuffled(by_shuffler) -> None:
    """New cards go into the shoe; nobody put them through the shuffler."""
    told = by_shuffler("ny-mini")
    told.shuffle("blue")
    told.do("received red, preshuffled red")
    why = told.do("cut 200")
    assert why == "a cut is recorded, and no batch is out to be cut"
    assert told.do("loaded red 416").startswith("red is not known to be shuffled: ")
    assert told.open_shoe()[0] == "BATCH_UNSHUFFLED"
    assert told.table.phase is Phase.SUSPENDED
    assert told.table.shoe.cards_drawn == 2
    assert told.table.shoe.coups_begun == 0


def test_showboat_a_shuffle_that_did_not_take_place_was_taken_for_one(by_shuffler) -> None:
    """The shuffler counts the batch and puts it out again; the lamp says ready."""
    told = by_shuffler()
    told.shuffle("blue")
    told.put_in("red")
    told.say("shuffler 1 shuffled 416 of red; shuffler 1 stored 416 of red")
    assert told.stage("red") == "counted"
    told.release("red")
    assert told.do("loaded red 416") != ""
    assert "BATCH_UNSHUFFLED" in told.open_shoe()


@pytest.mark.parametrize(
    "words",
    [
        'shuffler warning 17 on "check cards"',
        "shuffler 2 residual 16",
        "shuffler mode sort",
    ],
)
def test_sugarhouse_lights_left_cards_and_sort_mode_were_ignored(by_shuffler, words) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.say(words)
    assert told.table.deal("P1 2h") == ["CARD_UNDER_WARNING"]
    assert told.table.phase is Phase.SUSPENDED


def test_sugarhouse_a_batch_short_of_cards_left_inside_was_dealt(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.shuffle("red")
    told.release("red")
    told.say("shuffler 1 residual 16")
    assert "red is short of cards" in told.do("loaded red 416")
    assert {"BATCH_BLOCKED", "CARD_UNDER_WARNING"} <= set(told.open_shoe())


def test_two_packs_the_batch_just_dealt_goes_back_into_the_shoe(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.end_shoe()
    assert told.do("cut 200") == "a cut is recorded, and no batch is out to be cut"
    assert told.do("loaded red 416") == "the last shoe was dealt from red: load blue"
    assert told.open_shoe()[:2] == ["BATCH_REPEATED", "BATCH_UNSHUFFLED"]
    assert told.table.phase is Phase.SUSPENDED


def test_deck_mate_an_opened_or_exchanged_device_feeds_no_shoe(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.shuffle("red")
    told.table.take(ShufflerTold(DeviceTampered("usb port"), 1))
    assert told.stage("red") == "held"
    told.table.take(ShufflerTold(IdentityRefused("S-2", "no key", rolled_back=True), 2))
    told.release("red")
    why = told.do("loaded red 416")
    assert "the shuffler has not proven who it is" in why
    assert "BATCH_NOT_READY" in told.open_shoe()


def test_deck_mate_another_device_knows_of_no_batch(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.shuffle("red")
    told.table.take(ShufflerTold(IdentityProven("S-9", "1.0", b"", 1, 1, bare=False), 3))
    told.release("red")
    assert told.do("loaded red 416") != ""
    assert told.table.deal("start, burn Ac:")[0] in ("BATCH_UNSHUFFLED", "BATCH_NOT_READY")
