"""The batch in a compartment: sensed, known, recorded, or the only possible one."""

from typing import Any

import pytest

from controller.custody.batch_life.facts import FirstCardOut
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BlockReason
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from controller.system.messages.catalogue import to_words
from drivers.shuffler_events import ShuffleDone, ShuffleStarted

S = BatchStage


def test_a_sensed_back_identifies_the_batch(batches: Any) -> None:
    batches.compartment(1, "loading", back="blue")

    assert batches.life("blue").compartment == 1
    assert batches.life("red").compartment == 0


def test_without_a_sensor_the_recorded_batch_is_expected(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "blue"))
    batches.compartment(2, "loading")

    assert batches.life("blue").compartment == 2
    assert batches.lineage.into_shuffler == ""


def test_without_a_record_the_only_batch_outside_is_expected(batches: Any) -> None:
    batches.loaded("red", 1)
    batches.compartment(2, "loading")

    assert batches.life("blue").compartment == 2


def test_two_candidate_batches_give_no_match(batches: Any) -> None:
    batches.compartment(1, "counted", 416)

    assert batches.remarks() == [(BlockReason.UNPROVEN, "")]
    assert "say which one goes in" in to_words(batches.last.remarks[0].detail)
    assert batches.stage("red") is batches.stage("blue") is S.UNKNOWN


def test_a_record_after_loading_identifies_the_batch_from_the_count(batches: Any) -> None:
    batches.compartment(1, "loading")
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"))
    batches.compartment(1, "counted", 416)

    assert batches.stage("red") is S.COUNTED


def test_a_third_back_is_foreign(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"))
    batches.compartment(1, "counted", 416, back="green")

    assert batches.life("red").block_reasons == (BlockReason.FOREIGN,)
    assert batches.warnings() == [("count", 1, False)]
    assert "green" in to_words(batches.last.opened[0].text)
    assert "red and blue" in to_words(batches.last.opened[0].text)


def test_a_foreign_back_without_a_match_still_warns(batches: Any) -> None:
    batches.compartment(1, "loading", back="green")

    assert batches.warnings() == [("count", 1, False)]
    assert "green" in to_words(batches.last.opened[0].text)
    assert not batches.last.moves


def test_the_other_back_in_a_compartment_holds_its_batch(batches: Any) -> None:
    batches.stored("red", 1)
    batches.compartment(1, "stored", 416, back="blue")

    assert batches.stage("red") is S.HELD
    assert batches.life("red").block_reasons == (BlockReason.FOREIGN,)
    assert batches.stage("blue") is S.UNKNOWN


def test_two_compartments_cannot_hold_the_same_batch(batches: Any) -> None:
    batches.stored("red", 1)
    batches.compartment(2, "loading", back="red")

    assert batches.stage("red") is S.HELD
    assert batches.life("red").compartment == 1
    assert batches.warnings() == [("count", 2, False)]


@pytest.mark.parametrize("back", ["red", ""])
def test_a_batch_in_play_that_the_shuffler_holds_is_a_contradiction(
    batches: Any, back: str
) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.deal("red")
    batches.compartment(1, "loading", back=back)

    assert batches.warnings() == [("count", 1, False)]
    assert batches.stage("red") is (S.HELD if back else S.IN_PLAY)
    assert batches.lineage.in_play == "red"


def test_a_batch_recorded_to_go_in_but_dealt_from_is_in_play(batches: Any) -> None:
    batches.released("red", 1)
    batches.apply(
        RecordAct(ActKind.INTO_SHUFFLER, "blue"),
        RecordAct(ActKind.INTO_SHUFFLER, "red"),
        FirstCardOut("red"),
    )

    assert batches.lineage.into_shuffler == ""


def test_the_record_for_the_other_batch_survives_a_sensed_one(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "blue"))
    batches.compartment(1, "loading", back="red")

    assert batches.lineage.into_shuffler == "blue"


def test_cards_in_a_compartment_while_both_batches_are_elsewhere(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.compartment(1, "loading")

    assert batches.warnings() == [("count", 1, False)]
    assert "no batch of this table can be there" in to_words(batches.last.opened[0].text)
    assert batches.stage("red") is S.RELEASED


def test_a_shuffle_of_an_unknown_batch_does_not_count(batches: Any, proof: Any) -> None:
    batches.apply(ShuffleStarted(1, 1))
    assert batches.remarks() == [(BlockReason.UNPROVEN, "")]

    batches.apply(ShuffleDone(proof(1, 1)))
    assert [one.batch for one in batches.last.proofs] == [""]
    assert "which batch was shuffled is unknown" in to_words(batches.last.proofs[0].refused)


def test_unknown_compartments_are_ignored(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"))
    before = batches.lineage
    batches.compartment(3, "counted", 416)
    batches.apply(ShuffleStarted(0, 1))

    assert batches.lineage == before
