"""Facts from people and play: alternation, hand shuffles, new cards, shoes."""

from typing import Any

import pytest

from controller.custody.batch_life.facts import (
    FirstCardOut,
    ShoeOver,
    ShufflerPortLost,
    Touched,
)
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import NO_LINEAGE, BlockReason
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from controller.system.messages.catalogue import to_words
from drivers.shuffler_events import AbortReason, ShuffleAborted

S = BatchStage


@pytest.mark.parametrize(
    "fact",
    [
        RecordAct(ActKind.INTO_SHUFFLER, "green"),
        RecordAct(ActKind.SHUFFLED, "green"),
        RecordAct(ActKind.LOADED, "green"),
        RecordAct(ActKind.LOADED, ""),
        FirstCardOut("green"),
        Touched("green"),
        RecordAct(ActKind.RECEIVED, "green"),
    ],
)
def test_an_unknown_back_changes_nothing(batches: Any, fact: Any) -> None:
    before = batches.lineage
    batches.apply(fact)

    assert batches.lineage == before
    assert batches.remarks() == [(BlockReason.FOREIGN, "")]
    assert "red and blue" in to_words(batches.last.remarks[0].detail)


@pytest.mark.parametrize("back", ["red", ""])
def test_the_first_card_proves_that_the_batch_was_cut_and_loaded(batches: Any, back: str) -> None:
    batches.stored()
    batches.compartment(1, "released")
    batches.apply(FirstCardOut(back))

    assert batches.stage() is S.IN_PLAY
    assert batches.life().compartment == 0
    assert not batches.last.remarks


def test_of_two_batches_outside_the_loaded_one_is_dealt_from(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.released("blue", 2, 2)
    batches.apply(RecordAct(ActKind.LOADED, "blue"), FirstCardOut(""))

    assert batches.stage("blue") is S.IN_PLAY
    assert batches.stage("red") is S.RELEASED


def test_of_two_batches_outside_neither_is_guessed(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.released("blue", 2, 2)
    batches.apply(FirstCardOut(""))
    assert batches.remarks() == [(BlockReason.UNPROVEN, "")]

    batches.apply(RecordAct(ActKind.CUT))
    assert batches.remarks() == [(BlockReason.NOT_RELEASED, "")]
    assert "both batches" in to_words(batches.last.remarks[0].detail)


def test_a_cut_without_a_released_batch_is_remarked(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.CUT))

    assert batches.remarks() == [(BlockReason.NOT_RELEASED, "")]
    assert "no batch" in to_words(batches.last.remarks[0].detail)


def test_a_repeated_first_card_is_one_shoe(batches: Any) -> None:
    batches.released()
    batches.apply(FirstCardOut("red"))
    batches.apply(FirstCardOut("red"))
    assert not batches.last.moves
    batches.apply(FirstCardOut(""))
    assert not batches.last.moves


def test_a_first_card_of_the_other_batch_ends_the_open_shoe(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.released("blue", 2, 2)
    batches.apply(FirstCardOut("red"), FirstCardOut("blue"))

    assert batches.stage("red") is S.SPENT
    assert batches.stage("blue") is S.IN_PLAY
    assert batches.lineage.last_played == "red"


def test_either_batch_may_be_dealt_first(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.released("blue", 2, 2)

    assert batches.block_reasons("red") == batches.block_reasons("blue") == []


def test_the_batch_of_the_last_shoe_is_blocked(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.released("red", 1, 2)
    assert batches.block_reasons() == [BlockReason.REPEATED]

    batches.apply(RecordAct(ActKind.LOADED, "red"))
    assert batches.stage() is S.RELEASED
    assert batches.remarks() == [(BlockReason.REPEATED, "red")]

    batches.apply(FirstCardOut("red"))
    assert batches.stage() is S.HELD
    assert batches.lineage.in_play == "red"
    assert batches.remarks() == [(BlockReason.REPEATED, "red")]


def test_a_repeated_batch_counts_as_last_played(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.released("red", 1, 2)
    batches.apply(FirstCardOut("red"), ShoeOver(played=True))

    assert batches.lineage.last_played == "red"
    assert batches.lineage.in_play == ""
    assert batches.stage() is S.HELD


def test_a_shoe_without_a_coup_leaves_its_batch_to_be_shuffled_again(
    batches: Any,
) -> None:
    batches.released("red", 1, 1)
    batches.deal("red")
    batches.apply(ShoeOver(played=False))
    assert batches.stage() is S.COLLECTED
    assert batches.lineage.last_played == ""

    batches.released("red", 1, 2)
    assert batches.block_reasons() == []


def test_a_shoe_without_a_card_leaves_its_batch_unchanged(batches: Any) -> None:
    batches.released()
    batches.apply(RecordAct(ActKind.LOADED, "red"), ShoeOver(played=False))

    assert batches.stage() is S.IN_SHOE


def test_after_a_shoe_of_an_unknown_batch_either_may_be_next(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.apply(ShoeOver(played=True))

    assert batches.lineage.last_played == ""


def test_new_cards_in_both_batches_reset_alternation(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.apply(RecordAct(ActKind.RECEIVED, "red"))
    assert batches.stage("red") is S.UNKNOWN
    assert batches.lineage.last_played == "red"

    batches.apply(RecordAct(ActKind.RECEIVED, "blue"))
    assert batches.lineage.last_played == ""


def test_new_cards_in_one_batch_twice_do_not_reset_alternation(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.apply(RecordAct(ActKind.RECEIVED, "red"), RecordAct(ActKind.RECEIVED, "red"))

    assert batches.lineage.last_played == "red"


def test_new_cards_clear_every_block_reason(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 415)
    batches.apply(RecordAct(ActKind.RECEIVED, "red"))

    assert batches.life().block_reasons == ()
    assert batches.life().compartment == 0


@pytest.mark.parametrize(
    "fact",
    [
        RecordAct(ActKind.RECEIVED, "red"),
        RecordAct(ActKind.INTO_SHUFFLER, "red"),
        RecordAct(ActKind.SHUFFLED, "red"),
    ],
)
def test_a_batch_in_play_stays_until_its_shoe_is_over(batches: Any, fact: Any) -> None:
    batches.released()
    batches.deal()
    batches.apply(fact)

    assert batches.stage() is S.IN_PLAY
    assert len(batches.last.remarks) == 1


def test_a_batch_in_the_shuffler_cannot_go_in(batches: Any) -> None:
    batches.stored()
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"))

    assert batches.stage() is S.STORED
    assert "already in compartment 1" in to_words(batches.last.remarks[0].detail)


@pytest.mark.parametrize("place", ["released", "deal"])
def test_a_released_batch_put_back_starts_over(batches: Any, place: str) -> None:
    batches.stored()
    batches.compartment(1, "released")
    if place == "deal":
        batches.apply(RecordAct(ActKind.CUT), RecordAct(ActKind.LOADED, "red"))
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"))

    assert batches.stage() is S.COLLECTED
    assert batches.life().compartment == 0


def test_a_batch_with_an_aborted_shuffle_may_be_shuffled_by_hand(batches: Any) -> None:
    batches.shuffling()
    batches.apply(ShuffleAborted(1, 1, AbortReason.POWER))
    batches.apply(RecordAct(ActKind.SHUFFLED, "red"))
    assert batches.remarks() == [(BlockReason.UNPROVEN, "red")]  # it still lies in the shuffler

    batches.compartment(1, "empty")
    batches.apply(RecordAct(ActKind.SHUFFLED, "red"))
    assert batches.stage() is S.RELEASED
    assert [moved.after for moved in batches.last.moves] == ["shuffled", "released"]
    assert batches.life().by_hand
    assert batches.block_reasons() == []


@pytest.mark.parametrize("cards", [415, 417])
def test_a_hand_shuffle_does_not_complete_a_short_batch(batches: Any, cards: int) -> None:
    batches.loaded()
    batches.compartment(1, "counted", cards)
    batches.compartment(1, "empty")
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"), RecordAct(ActKind.SHUFFLED, "red"))

    assert batches.stage() is S.COLLECTED
    assert batches.remarks() == [(BlockReason.SHORT if cards < 416 else BlockReason.LONG, "red")]


@pytest.mark.parametrize("back", ["red", "blue"])
def test_a_first_shoe_may_be_shuffled_by_hand(unpaired: Any, back: str) -> None:
    unpaired.apply(RecordAct(ActKind.SHUFFLED, back))

    assert unpaired.block_reasons(back) == []


def test_a_batch_in_a_silent_shuffler_may_be_shuffled_by_hand(
    batches: Any,
) -> None:
    batches.shuffling()
    batches.apply(
        ShuffleAborted(1, 1, AbortReason.FAULT),
        ShufflerPortLost(),
        RecordAct(ActKind.SHUFFLED, "red"),
    )

    assert batches.stage() is S.RELEASED
    assert batches.life().compartment == 0


def test_a_loaded_shoe_is_not_shuffled_by_hand(batches: Any) -> None:
    batches.released()
    batches.apply(RecordAct(ActKind.LOADED, "red"), RecordAct(ActKind.SHUFFLED, "red"))

    assert batches.stage() is S.IN_SHOE
    assert batches.remarks() == [(BlockReason.UNPROVEN, "red")]


@pytest.mark.parametrize("place", ["counted", "shuffling", "stored", "released", "deal"])
def test_a_touched_batch_is_held(batches: Any, place: str) -> None:
    if place == "deal":
        batches.released()
    getattr(batches, place)()
    batches.apply(Touched("red"), Touched("red"))

    assert batches.stage() is S.HELD
    assert batches.life().block_reasons == (BlockReason.TOUCHED,)


def test_a_spent_batch_may_be_touched(batches: Any) -> None:
    batches.played()
    batches.apply(Touched("red"))

    assert batches.stage() is S.SPENT


def test_without_batches_facts_of_people_are_ignored() -> None:
    assert NO_LINEAGE.life("red") is None
    assert NO_LINEAGE.other("red") is None


# --- alternation is suspended -------------------------------------------------------------------


def test_suspending_alternation_permits_the_last_batch_for_one_shoe(batches: Any) -> None:
    batches.released()
    batches.apply(
        FirstCardOut("red"),
        ShoeOver(played=True),
        RecordAct(ActKind.INTO_SHUFFLER, "red"),
        RecordAct(ActKind.SHUFFLED, "red"),
    )
    assert batches.block_reasons() == [BlockReason.REPEATED]

    batches.apply(RecordAct(ActKind.ALTERNATION_SUSPENDED, "red"))
    assert batches.block_reasons() == []
    batches.apply(
        FirstCardOut("red"),
        ShoeOver(played=True),
        RecordAct(ActKind.INTO_SHUFFLER, "red"),
        RecordAct(ActKind.SHUFFLED, "red"),
    )

    assert batches.block_reasons() == [BlockReason.REPEATED]


def test_alternation_is_suspended_only_for_a_known_batch(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.ALTERNATION_SUSPENDED, "green"))

    assert batches.lineage.may_repeat == ""
    assert batches.remarks() == [(BlockReason.FOREIGN, "")]
