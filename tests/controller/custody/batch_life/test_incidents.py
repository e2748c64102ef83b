"""Incidents of real tables, blocked at the first wrong step.

Source: field practice: Taj Mahal 2011, Showboat 2012, SugarHouse 2017, the two-pack scam, Deck Mate
2 (2023), Parx 2018.
"""

from typing import Any

from msgspec.structs import replace

from controller.custody.batch_life.facts import (
    FirstCardOut,
    ShoeOver,
)
from controller.custody.batch_life.permissions import (
    obstacles_to_dealing,
    order_refusal,
)
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BlockReason
from controller.custody.batch_life.warnings import clear_refusal
from controller.rules.actions.actions import ClearWarning, RecordAct
from controller.rules.actions.choices import ActKind
from controller.system.messages.catalogue import to_words
from drivers.commands import ShufflerOrder
from drivers.shuffler_events import (
    IdentityRefused,
    ModeChanged,
    ResidualCards,
    ShuffleDone,
    ShufflerMode,
    ShufflerWarning,
    ShuffleStarted,
)
from foundation.message import message

S = BatchStage


def test_taj_mahal_loading_an_unshuffled_batch_is_blocked(batches: Any) -> None:
    batches.counted()
    refused = order_refusal(batches.lineage, ShufflerOrder.RELEASE, 1, shoe_open=False)
    assert "red is counted and not shuffled: shuffle it" in to_words(refused)

    batches.take_out(1)  # by hand, past the order
    batches.apply(RecordAct(ActKind.CUT))
    assert batches.remarks() == [(BlockReason.NOT_RELEASED, "")]
    batches.apply(RecordAct(ActKind.LOADED, "red"))
    assert batches.remarks() == [(BlockReason.UNSHUFFLED, "red")]
    batches.apply(FirstCardOut("red"))
    assert batches.remarks() == [(BlockReason.UNSHUFFLED, "red")]
    assert batches.stage() is S.HELD


def test_showboat_an_unshuffled_batch_is_blocked_every_time(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    for _ in range(9):
        batches.loaded("red", 1)
        batches.compartment(1, "released")
        batches.compartment(1, "empty")
        (one,) = obstacles_to_dealing(batches.lineage, "red")
        assert one.reason is BlockReason.UNSHUFFLED


def test_showboat_an_aborted_shuffle_does_not_count(batches: Any) -> None:
    batches.shuffling()
    batches.compartment(1, "released")

    assert batches.remarks() == [(BlockReason.UNSHUFFLED, "red")]
    assert batches.block_reasons() == [BlockReason.BROKEN_OFF, BlockReason.UNSHUFFLED]
    assert batches.lineage.interlocked


def test_sugarhouse_a_warning_light_is_an_interlock(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.apply(FirstCardOut("red"), ShufflerWarning(21, "card feed", active=True))
    assert batches.lineage.interlocked

    batches.apply(ClearWarning(1))  # waved away while it is lit
    assert batches.lineage.interlocked
    assert "until its light is off" in to_words(clear_refusal(batches.lineage, 1))

    batches.apply(ShufflerWarning(21, "card feed", active=False))
    assert batches.lineage.interlocked
    batches.apply(ClearWarning(1))
    assert not batches.lineage.interlocked


def test_sugarhouse_sixteen_residual_cards_make_the_batch_short(batches: Any) -> None:
    batches.released("red", 1)
    batches.apply(ResidualCards(1, 16))
    assert batches.block_reasons()[0] is BlockReason.SHORT

    batches.apply(
        ResidualCards(1, 0),
        ClearWarning(1),
        RecordAct(ActKind.CUT),
        RecordAct(ActKind.LOADED, "red"),
    )
    assert (BlockReason.SHORT, "red") in batches.remarks()
    assert batches.stage() is S.HELD


def test_sugarhouse_sort_mode_at_a_live_table(batches: Any, proof: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.apply(FirstCardOut("red"))
    refused = order_refusal(batches.lineage, ShufflerOrder.SORT, 0, shoe_open=True)
    assert "no sort with a batch bound to an open shoe" in to_words(refused)

    batches.apply(ModeChanged(ShufflerMode.SORT))  # at the device itself
    assert batches.warnings() == [("mode", 0, True)]
    assert batches.life("blue").block_reasons == (BlockReason.TOUCHED,)

    batches.compartment(2, "counted", 416)
    batches.apply(ShuffleStarted(2, 3), ShuffleDone(proof(2, 3)))
    assert batches.stage("blue") is S.COUNTED


def test_two_packs_loading_the_batch_just_dealt_is_blocked(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.deal("red")
    batches.apply(ShoeOver(played=True), RecordAct(ActKind.LOADED, "red"))
    assert batches.remarks() == [(BlockReason.REPEATED, "red"), (BlockReason.UNSHUFFLED, "red")]

    # Neither recorded nor sensed: it is the only batch outside the shuffler.
    batches.apply(FirstCardOut(""))
    assert batches.remarks() == [(BlockReason.REPEATED, "red"), (BlockReason.UNSHUFFLED, "red")]
    assert batches.lineage.in_play == "red"
    assert batches.stage("red") is S.SPENT


def test_two_packs_shuffling_does_not_lift_alternation(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.played("red", 1, 2)
    batches.released("red", 1, 3)

    assert batches.block_reasons("red") == [BlockReason.REPEATED]


def test_deck_mate_an_unpaired_device_changes_nothing(batches: Any, proof: Any) -> None:
    batches.shuffling("red", 1, 1)
    batches.apply(IdentityRefused("deck", message("device_has_no_identity"), rolled_back=False))
    batches.apply(ShuffleDone(proof(1, 1)))
    assert batches.stage() is S.SHUFFLING
    assert batches.last.proofs == ()

    batches.take_out(1)
    assert batches.remarks() == [(BlockReason.DEVICE, "")]
    assert batches.block_reasons() == [BlockReason.UNSHUFFLED, BlockReason.DEVICE]
    assert "identity" in batches.warnings()[0]


def test_deck_mate_a_receipt_with_an_unknown_key_is_refused(batches: Any, proof: Any) -> None:
    batches.shuffling("red", 1, 1)
    batches.apply(ShuffleDone(replace(proof(1, 1), genuine=False)))

    assert batches.block_reasons() == [BlockReason.UNPROVEN, BlockReason.UNSHUFFLED]


def test_parx_a_right_count_with_a_jack_for_a_queen_is_held(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"))
    faces = bytearray([8] * 52)
    faces[11] -= 1  # the queen of diamonds
    faces[10] += 1
    batches.compartment(1, "counted", 416, faces=bytes(faces))

    assert batches.block_reasons() == [BlockReason.FOREIGN, BlockReason.UNSHUFFLED]
    assert "missing 1 of Qd; too many 1 of Jd" in to_words(batches.last.opened[0].text)
