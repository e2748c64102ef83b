"""What people and play tell of whole batches: alternation, hand shuffles, new cards, shoes."""

from typing import Any

import pytest

from controller.custody.batch_life.facts import (
    AlternationSuspended,
    CutMade,
    FirstCardOut,
    GoesIn,
    Handled,
    HandShuffled,
    NewCards,
    PortGone,
    PutIntoShoe,
    ShoeOver,
)
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import NO_LINEAGE, Bar
from drivers.shuffler_events import AbortReason, ShuffleAborted

S = BatchStage


@pytest.mark.parametrize(
    "fact",
    [
        GoesIn("green"),
        HandShuffled("green"),
        PutIntoShoe("green"),
        PutIntoShoe(""),
        FirstCardOut("green"),
        Handled("green"),
        NewCards("green"),
    ],
)
def test_a_back_that_is_not_of_this_table_moves_nothing(batches: Any, fact: Any) -> None:
    before = batches.lineage
    batches.tell(fact)

    assert batches.lineage == before
    assert batches.remarked() == [(Bar.FOREIGN, "")]
    assert "red and blue" in batches.last.remarks[0].detail


@pytest.mark.parametrize("back", ["red", ""])
def test_the_first_card_proves_that_the_batch_was_cut_and_loaded(batches: Any, back: str) -> None:
    batches.stored()
    batches.compartment(1, "released")
    batches.tell(FirstCardOut(back))

    assert batches.stage() is S.IN_PLAY
    assert batches.life().compartment == 0
    assert not batches.last.remarks


def test_of_two_batches_that_are_out_the_loaded_one_is_dealt(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.released("blue", 2, 2)
    batches.tell(PutIntoShoe("blue"), FirstCardOut(""))

    assert batches.stage("blue") is S.IN_PLAY
    assert batches.stage("red") is S.RELEASED


def test_of_two_batches_that_are_out_neither_is_guessed(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.released("blue", 2, 2)
    batches.tell(FirstCardOut(""))
    assert batches.remarked() == [(Bar.UNPROVEN, "")]

    batches.tell(CutMade())
    assert batches.remarked() == [(Bar.NOT_RELEASED, "")]
    assert "both batches" in batches.last.remarks[0].detail


def test_a_cut_of_no_batch_is_remarked(batches: Any) -> None:
    batches.tell(CutMade())

    assert batches.remarked() == [(Bar.NOT_RELEASED, "")]
    assert "no batch" in batches.last.remarks[0].detail


def test_a_first_card_told_twice_is_one_shoe(batches: Any) -> None:
    batches.released()
    batches.tell(FirstCardOut("red"))
    batches.tell(FirstCardOut("red"))
    assert not batches.last.moves
    batches.tell(FirstCardOut(""))
    assert not batches.last.moves


def test_a_shoe_of_the_other_batch_ends_the_shoe_that_nobody_ended(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.released("blue", 2, 2)
    batches.tell(FirstCardOut("red"), FirstCardOut("blue"))

    assert batches.stage("red") is S.SPENT
    assert batches.stage("blue") is S.IN_PLAY
    assert batches.lineage.last_played == "red"


def test_either_batch_may_come_first(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.released("blue", 2, 2)

    assert batches.bars("red") == batches.bars("blue") == []


def test_the_batch_of_the_last_shoe_may_not_come_again(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.released("red", 1, 2)
    assert batches.bars() == [Bar.REPEATED]

    batches.tell(PutIntoShoe("red"))
    assert batches.stage() is S.RELEASED
    assert batches.remarked() == [(Bar.REPEATED, "red")]

    batches.tell(FirstCardOut("red"))
    assert batches.stage() is S.HELD
    assert batches.lineage.in_play == "red"
    assert batches.remarked() == [(Bar.REPEATED, "red")]


def test_a_batch_dealt_from_against_the_order_is_still_the_last_one(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.released("red", 1, 2)
    batches.tell(FirstCardOut("red"), ShoeOver(played=True))

    assert batches.lineage.last_played == "red"
    assert batches.lineage.in_play == ""
    assert batches.stage() is S.HELD


def test_a_shoe_that_ends_before_any_coup_leaves_its_batch_to_be_shuffled_anew(
    batches: Any,
) -> None:
    batches.released("red", 1, 1)
    batches.deals("red")
    batches.tell(ShoeOver(played=False))
    assert batches.stage() is S.COLLECTED
    assert batches.lineage.last_played == ""

    batches.released("red", 1, 2)
    assert batches.bars() == []


def test_a_shoe_that_ends_with_no_card_drawn_leaves_the_batch_as_it_is(batches: Any) -> None:
    batches.released()
    batches.tell(PutIntoShoe("red"), ShoeOver(played=False))

    assert batches.stage() is S.IN_SHOE


def test_after_a_shoe_of_which_nobody_knows_the_batch_either_may_come(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.tell(ShoeOver(played=True))

    assert batches.lineage.last_played == ""


def test_new_cards_in_both_batches_begin_the_alternation_anew(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.tell(NewCards("red"))
    assert batches.stage("red") is S.UNKNOWN
    assert batches.lineage.last_played == "red"

    batches.tell(NewCards("blue"))
    assert batches.lineage.last_played == ""


def test_new_cards_in_one_batch_twice_do_not(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.tell(NewCards("red"), NewCards("red"))

    assert batches.lineage.last_played == "red"


def test_new_cards_end_every_bar(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 415)
    batches.tell(NewCards("red"))

    assert batches.life().bars == ()
    assert batches.life().compartment == 0


@pytest.mark.parametrize("fact", [NewCards("red"), GoesIn("red"), HandShuffled("red")])
def test_what_is_in_play_stays_there_until_its_shoe_is_over(batches: Any, fact: Any) -> None:
    batches.released()
    batches.deals()
    batches.tell(fact)

    assert batches.stage() is S.IN_PLAY
    assert len(batches.last.remarks) == 1


def test_a_batch_that_lies_in_the_shuffler_cannot_go_in(batches: Any) -> None:
    batches.stored()
    batches.tell(GoesIn("red"))

    assert batches.stage() is S.STORED
    assert "compartment 1 already" in batches.last.remarks[0].detail


@pytest.mark.parametrize("place", ["released", "deals"])
def test_a_batch_that_was_released_may_be_put_back_and_begins_anew(
    batches: Any, place: str
) -> None:
    batches.stored()
    batches.compartment(1, "released")
    if place == "deals":
        batches.tell(CutMade(), PutIntoShoe("red"))
    batches.tell(GoesIn("red"))

    assert batches.stage() is S.COLLECTED
    assert batches.life().compartment == 0


def test_a_batch_broken_off_may_be_shuffled_by_hand(batches: Any) -> None:
    batches.shuffling()
    batches.tell(ShuffleAborted(1, 1, AbortReason.POWER))
    batches.tell(HandShuffled("red"))
    assert batches.remarked() == [(Bar.UNPROVEN, "red")]  # it still lies in the shuffler

    batches.compartment(1, "empty")
    batches.tell(HandShuffled("red"))
    assert batches.stage() is S.RELEASED
    assert [moved.after for moved in batches.last.moves] == ["shuffled", "released"]
    assert batches.life().by_hand
    assert batches.bars() == []


@pytest.mark.parametrize("cards", [415, 417])
def test_no_hand_shuffle_makes_a_batch_whole(batches: Any, cards: int) -> None:
    batches.loaded()
    batches.compartment(1, "counted", cards)
    batches.compartment(1, "empty")
    batches.tell(GoesIn("red"), HandShuffled("red"))

    assert batches.stage() is S.COLLECTED
    assert batches.remarked() == [(Bar.SHORT if cards < 416 else Bar.LONG, "red")]


@pytest.mark.parametrize("back", ["red", "blue"])
def test_a_first_shoe_may_be_shuffled_by_hand(unpaired: Any, back: str) -> None:
    unpaired.tell(HandShuffled(back))

    assert unpaired.bars(back) == []


def test_a_shuffler_that_is_not_heard_cannot_say_that_its_cards_were_taken_out(
    batches: Any,
) -> None:
    batches.shuffling()
    batches.tell(ShuffleAborted(1, 1, AbortReason.FAULT), PortGone(), HandShuffled("red"))

    assert batches.stage() is S.RELEASED
    assert batches.life().compartment == 0


def test_a_loaded_shoe_is_not_shuffled_by_hand(batches: Any) -> None:
    batches.released()
    batches.tell(PutIntoShoe("red"), HandShuffled("red"))

    assert batches.stage() is S.IN_SHOE
    assert batches.remarked() == [(Bar.UNPROVEN, "red")]


@pytest.mark.parametrize("place", ["counted", "shuffling", "stored", "released", "deals"])
def test_a_batch_that_people_handled_out_of_turn_is_held(batches: Any, place: str) -> None:
    if place == "deals":
        batches.released()
    getattr(batches, place)()
    batches.tell(Handled("red"), Handled("red"))

    assert batches.stage() is S.HELD
    assert batches.life().bars == (Bar.TOUCHED,)


def test_spent_cards_are_handled_by_everybody(batches: Any) -> None:
    batches.played()
    batches.tell(Handled("red"))

    assert batches.stage() is S.SPENT


def test_without_batches_people_tell_of_none() -> None:
    assert NO_LINEAGE.life("red") is None
    assert NO_LINEAGE.other("red") is None


# --- alternation is suspended -------------------------------------------------------------------


def test_a_supervisor_lets_the_batch_of_the_last_shoe_come_again_for_one_shoe(batches: Any) -> None:
    batches.released()
    batches.tell(FirstCardOut("red"), ShoeOver(played=True), GoesIn("red"), HandShuffled("red"))
    assert batches.bars() == [Bar.REPEATED]

    batches.tell(AlternationSuspended("red"))
    assert batches.bars() == []
    batches.tell(FirstCardOut("red"), ShoeOver(played=True), GoesIn("red"), HandShuffled("red"))

    assert batches.bars() == [Bar.REPEATED]


def test_alternation_is_suspended_for_a_batch_of_this_table(batches: Any) -> None:
    batches.tell(AlternationSuspended("green"))

    assert batches.lineage.may_repeat == ""
    assert batches.remarked() == [(Bar.FOREIGN, "")]
