"""The full cycle of two batches: loaded, counted, shuffled, stored, released, cut, dealt, spent."""

from typing import Any

from controller.custody.batch_life.facts import (
    FirstCardOut,
    ShoeOver,
)
from controller.custody.batch_life.permissions import batch_due_next, idle_in_shuffler
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BlockReason
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from drivers.shuffler_events import ShuffleDone, ShuffleStarted

S = BatchStage


def test_a_batch_passes_through_all_stages(batches: Any, proof: Any) -> None:
    stages = []
    for step in (
        lambda: batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red")),
        lambda: batches.compartment(1, "loading"),
        lambda: batches.compartment(1, "counted", 416),
        lambda: batches.apply(ShuffleStarted(1, 1)),
        lambda: batches.compartment(1, "shuffling"),
        lambda: batches.apply(ShuffleDone(proof(1, 1))),
        lambda: batches.compartment(1, "shuffled", 416),
        lambda: batches.compartment(1, "stored", 416),
        lambda: batches.compartment(1, "released"),
        lambda: batches.compartment(1, "empty"),
        lambda: batches.apply(RecordAct(ActKind.CUT)),
        lambda: batches.apply(RecordAct(ActKind.LOADED, "red")),
        lambda: batches.apply(FirstCardOut("red")),
        lambda: batches.apply(ShoeOver(played=True)),
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


def test_red_and_blue_alternate(batches: Any) -> None:
    batches.stored("red", 1, 1)
    batches.stored("blue", 2, 2)
    dealt = []
    for shoe in range(8):
        number, back = ((1, "red"), (2, "blue"))[shoe % 2]
        batches.take_out(number)
        assert batch_due_next(batches.lineage) == back
        assert batches.block_reasons(back) == []
        batches.deal(back)
        assert idle_in_shuffler(batches.lineage, back)
        batches.apply(ShoeOver(played=True))
        dealt.append(batches.lineage.last_played)
        batches.stored(back, number, shoe + 3)
        assert batches.block_reasons(back) == [BlockReason.REPEATED, BlockReason.NOT_RELEASED]
    assert dealt == ["red", "blue"] * 4
    assert not batches.lineage.warnings
