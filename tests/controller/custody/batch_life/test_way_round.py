"""The usual life of two batches: loaded, counted, shuffled, stored, released, cut, dealt, spent."""

from typing import Any

from controller.custody.batch_life.facts import (
    CutMade,
    FirstCardOut,
    GoesIn,
    PutIntoShoe,
    ShoeOver,
)
from controller.custody.batch_life.permissions import due_in_play, idle_in_shuffler
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Bar
from drivers.shuffler_events import ShuffleBegan, ShuffleDone

S = BatchStage


def test_a_batch_goes_its_whole_way_round(batches: Any, proof: Any) -> None:
    stages = []
    for step in (
        lambda: batches.tell(GoesIn("red")),
        lambda: batches.compartment(1, "loading"),
        lambda: batches.compartment(1, "counted", 416),
        lambda: batches.tell(ShuffleBegan(1, 1)),
        lambda: batches.compartment(1, "shuffling"),
        lambda: batches.tell(ShuffleDone(proof(1, 1))),
        lambda: batches.compartment(1, "shuffled", 416),
        lambda: batches.compartment(1, "stored", 416),
        lambda: batches.compartment(1, "released"),
        lambda: batches.compartment(1, "empty"),
        lambda: batches.tell(CutMade()),
        lambda: batches.tell(PutIntoShoe("red")),
        lambda: batches.tell(FirstCardOut("red")),
        lambda: batches.tell(ShoeOver(played=True)),
    ):
        step()
        assert not batches.last.remarks
        stages.append(batches.stage())

    assert stages == [
        S.COLLECTED,
        S.COLLECTED,
        S.COUNTED,
        S.SHUFFLING,
        S.SHUFFLING,
        S.SHUFFLED,
        S.SHUFFLED,
        S.STORED,
        S.RELEASED,
        S.RELEASED,
        S.CUT,
        S.IN_SHOE,
        S.IN_PLAY,
        S.SPENT,
    ]
    assert not batches.lineage.warnings
    assert batches.lineage.last_played == "red"


def test_red_and_blue_come_in_turn_for_as_long_as_one_likes(batches: Any) -> None:
    batches.stored("red", 1, 1)
    batches.stored("blue", 2, 2)
    dealt = []
    for shoe in range(8):
        number, back = ((1, "red"), (2, "blue"))[shoe % 2]
        batches.takes_out(number)
        assert due_in_play(batches.lineage) == back
        assert batches.bars(back) == []
        batches.deals(back)
        assert idle_in_shuffler(batches.lineage, back)
        batches.tell(ShoeOver(played=True))
        dealt.append(batches.lineage.last_played)
        batches.stored(back, number, shoe + 3)
        assert batches.bars(back) == [Bar.REPEATED, Bar.NOT_RELEASED]
    assert dealt == ["red", "blue"] * 4
    assert not batches.lineage.warnings
