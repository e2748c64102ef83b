"""Which batch lies in a compartment: sensed, known, said, or the only one that can be."""

from typing import Any

import pytest

from controller.custody.batch_life.facts import FirstCardOut, GoesIn
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Bar
from drivers.shuffler_events import ShuffleBegan, ShuffleDone

S = BatchStage


def test_the_back_a_sensor_sees_names_the_batch(batches: Any) -> None:
    batches.compartment(1, "loading", back="blue")

    assert batches.life("blue").compartment == 1
    assert batches.life("red").compartment == 0


def test_where_no_back_is_sensed_it_is_the_batch_that_people_said_goes_in(batches: Any) -> None:
    batches.tell(GoesIn("blue"))
    batches.compartment(2, "loading")

    assert batches.life("blue").compartment == 2
    assert batches.lineage.into_shuffler == ""


def test_where_nobody_said_it_is_the_only_batch_that_is_not_there_yet(batches: Any) -> None:
    batches.loaded("red", 1)
    batches.compartment(2, "loading")

    assert batches.life("blue").compartment == 2


def test_of_two_batches_on_their_way_neither_is_guessed(batches: Any) -> None:
    batches.compartment(1, "counted", 416)

    assert batches.remarked() == [(Bar.UNPROVEN, "")]
    assert "say which one goes in" in batches.last.remarks[0].detail
    assert batches.stage("red") is batches.stage("blue") is S.UNKNOWN


def test_said_after_loading_it_is_known_from_the_count_on(batches: Any) -> None:
    batches.compartment(1, "loading")
    batches.tell(GoesIn("red"))
    batches.compartment(1, "counted", 416)

    assert batches.stage("red") is S.COUNTED


def test_another_back_than_the_two_of_the_table_is_foreign(batches: Any) -> None:
    batches.tell(GoesIn("red"))
    batches.compartment(1, "counted", 416, back="green")

    assert batches.life("red").bars == (Bar.FOREIGN,)
    assert batches.warnings() == [("count", 1, False)]
    assert "green" in batches.last.opened[0].text
    assert "red and blue" in batches.last.opened[0].text


def test_a_foreign_back_of_no_batch_in_particular_still_warns(batches: Any) -> None:
    batches.compartment(1, "loading", back="green\n")

    assert batches.warnings() == [("count", 1, False)]
    assert "green?" in batches.last.opened[0].text
    assert not batches.last.moves


def test_the_other_back_in_a_compartment_holds_the_batch_that_lay_there(batches: Any) -> None:
    batches.stored("red", 1)
    batches.compartment(1, "stored", 416, back="blue")

    assert batches.stage("red") is S.HELD
    assert batches.life("red").bars == (Bar.FOREIGN,)
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
    batches.deals("red")
    batches.compartment(1, "loading", back=back)

    assert batches.warnings() == [("count", 1, False)]
    assert batches.stage("red") is (S.HELD if back else S.IN_PLAY)
    assert batches.lineage.in_play == "red"


def test_a_batch_said_to_go_in_and_dealt_from_after_all_is_in_play(batches: Any) -> None:
    batches.released("red", 1)
    batches.tell(GoesIn("blue"), GoesIn("red"), FirstCardOut("red"))

    assert batches.lineage.into_shuffler == ""


def test_the_word_for_the_other_batch_stands_while_one_is_sensed(batches: Any) -> None:
    batches.tell(GoesIn("blue"))
    batches.compartment(1, "loading", back="red")

    assert batches.lineage.into_shuffler == "blue"


def test_cards_put_back_by_mistake_while_both_batches_are_accounted_for(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.compartment(1, "loading")

    assert batches.warnings() == [("count", 1, False)]
    assert "no batch of this table can be there" in batches.last.opened[0].text
    assert batches.stage("red") is S.RELEASED


def test_a_shuffle_of_cards_that_nobody_can_name_counts_for_none(batches: Any, proof: Any) -> None:
    batches.tell(ShuffleBegan(1, 1))
    assert batches.remarked() == [(Bar.UNPROVEN, "")]

    batches.tell(ShuffleDone(proof(1, 1)))
    assert [one.back for one in batches.last.proofs] == [""]
    assert "not known which batch" in batches.last.proofs[0].refused


def test_compartments_that_no_shuffler_has_hold_nothing(batches: Any) -> None:
    batches.tell(GoesIn("red"))
    before = batches.lineage
    batches.compartment(3, "counted", 416)
    batches.tell(ShuffleBegan(0, 1))

    assert batches.lineage == before
