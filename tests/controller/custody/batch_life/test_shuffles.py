"""Shuffles: begun, completed with a receipt, or aborted."""

from typing import Any

import pytest
from in_words import why_words

from controller.custody.batch_life.facts import EventsLost
from controller.custody.batch_life.shuffles import DEVICES_MAX
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BlockReason
from controller.system.messages.catalogue import to_words
from drivers.shuffler_events import (
    AbortReason,
    DoorMoved,
    IdentityProven,
    JamReported,
    ModeChanged,
    ShuffleAborted,
    ShuffleDone,
    ShuffleResult,
    ShufflerMode,
    ShufflerStarted,
    ShuffleStarted,
)

S = BatchStage


def refused(batches: Any) -> str:
    (proof_check,) = batches.last.proofs
    return why_words(proof_check.refused)


def test_a_complete_shuffle_counts_and_stores_its_receipt(batches: Any, proof: Any) -> None:
    batches.shuffling(cycle=5)
    batches.apply(ShuffleDone(proof(1, 5)))

    assert batches.stage() is S.SHUFFLED
    assert batches.life().proof == proof(1, 5)
    assert batches.last.proofs[0].batch == "red"
    assert refused(batches) == ""


@pytest.mark.parametrize(
    ("other", "bar", "words"),
    [
        ({"genuine": False}, BlockReason.UNPROVEN, "signature"),
        ({"ended_us": 10}, BlockReason.UNPROVEN, "ends before it begins"),
        ({"count": 415}, BlockReason.SHORT, "1 card missing"),
        ({"count": 420}, BlockReason.LONG, "4 cards too many"),
        ({"faces": bytes([7, 9, *[8] * 50])}, BlockReason.FOREIGN, "missing 1 of Ad"),
        ({"back": "blue"}, BlockReason.FOREIGN, "another back than red"),
        ({"result": ShuffleResult.COUNT_DIFFERS}, BlockReason.SHORT, "reports a different count"),
        ({"result": ShuffleResult.FACES_DIFFER}, BlockReason.FOREIGN, "reports different faces"),
        ({"result": ShuffleResult.UNVERIFIED}, BlockReason.UNPROVEN, "could not verify"),
        (
            {"result": ShuffleResult.UNVERIFIED, "back": "red", "faces": bytes([8] * 52)},
            BlockReason.UNPROVEN,
            "could not verify",
        ),
    ],
)
def test_an_insufficient_receipt_holds_the_batch(
    batches: Any, proof: Any, other: dict[str, Any], bar: BlockReason, words: str
) -> None:
    batches.shuffling()
    batches.apply(ShuffleDone(proof(1, 1, **other)))

    assert batches.stage() is S.HELD
    assert batches.block_reasons() == [bar, BlockReason.UNSHUFFLED]
    assert words in refused(batches)
    assert [kind for kind, _, _ in batches.warnings()] == (
        [] if bar is BlockReason.UNPROVEN else ["count"]
    )


def test_a_device_without_a_face_reader_may_report_unverified(batches: Any, proof: Any) -> None:
    batches.shuffling()
    batches.apply(ShuffleDone(proof(1, 1, result=ShuffleResult.UNVERIFIED, back="red")))

    assert batches.stage() is S.SHUFFLED


def test_a_device_without_a_key_need_not_sign(unpaired: Any, proof: Any) -> None:
    unpaired.apply(IdentityProven("bench", "0.1", b"", 0, 1, bare=True))
    unpaired.shuffling()
    unpaired.apply(ShuffleDone(proof(1, 1, device="bench", signed=False, genuine=False)))

    assert unpaired.stage() is S.SHUFFLED


def test_a_receipt_of_another_device_changes_nothing(batches: Any, proof: Any) -> None:
    batches.shuffling()
    batches.apply(ShuffleDone(proof(1, 99, device="another")))
    assert batches.stage() is S.SHUFFLING
    assert "another device" in refused(batches)

    batches.apply(ShuffleDone(proof(1, 1)))
    assert batches.stage() is S.SHUFFLED


def test_a_receipt_counts_once(batches: Any, proof: Any) -> None:
    batches.played("red", 1, 1)
    batches.shuffling("red", 1, 2)
    batches.apply(ShuffleDone(proof(1, 1)))

    assert batches.stage() is S.SHUFFLING
    assert "already has its receipt" in refused(batches)


def test_a_receipt_without_a_reported_start_does_not_count(batches: Any, proof: Any) -> None:
    batches.counted()
    batches.apply(ShuffleDone(proof(1, 1)))

    assert batches.stage() is S.COUNTED
    assert "its start was not reported" in refused(batches)


def test_a_reused_shuffle_number_does_not_count(batches: Any, proof: Any) -> None:
    batches.played("red", 1, 4)
    batches.counted("red", 1)
    batches.apply(ShuffleStarted(1, 4))
    assert batches.remarks() == [(BlockReason.UNPROVEN, "red")]

    batches.apply(ShuffleDone(proof(1, 4)))
    assert batches.stage() is S.COUNTED


def test_shuffle_numbers_are_stored_for_the_last_devices(batches: Any) -> None:
    for number in range(DEVICES_MAX + 3):
        batches.apply(IdentityProven(f"device {number}", "1", b"", 0, 1, bare=False))
        batches.apply(ShuffleAborted(1, 7, AbortReason.FAULT))

    cycles = batches.lineage.cycles
    assert len(cycles) == DEVICES_MAX
    assert cycles[-1] == (f"device {DEVICES_MAX + 2}", 7)


def test_the_first_shuffle_number_may_be_zero(batches: Any, proof: Any) -> None:
    batches.shuffling(cycle=0)
    batches.apply(ShuffleDone(proof(1, 0)))

    assert batches.stage() is S.SHUFFLED


def test_a_repeated_start_is_one_shuffle(batches: Any) -> None:
    batches.shuffling(cycle=3)
    batches.apply(ShuffleStarted(1, 3))

    assert batches.stage() is S.SHUFFLING
    assert not batches.last.remarks


def test_a_shuffle_of_uncounted_cards_does_not_count(batches: Any) -> None:
    batches.loaded()
    batches.apply(ShuffleStarted(1, 1))

    assert batches.stage() is S.COLLECTED
    assert "count it, then shuffle it" in to_words(batches.last.remarks[0].detail)


def test_a_shuffle_in_sort_mode_does_not_count(batches: Any) -> None:
    batches.loaded()
    batches.apply(ModeChanged(ShufflerMode.SORT))
    batches.compartment(1, "counted", 416)
    batches.apply(ShuffleStarted(1, 1))

    assert batches.stage() is S.COUNTED
    assert "sort mode" in to_words(batches.last.remarks[0].detail)


@pytest.mark.parametrize("door", [0, 1])
def test_a_shuffle_with_an_open_door_does_not_count(batches: Any, door: int) -> None:
    batches.loaded()
    batches.apply(DoorMoved(open=True, compartment=door))
    batches.compartment(1, "counted", 416)
    batches.apply(ShuffleStarted(1, 1))
    assert "a door is open" in to_words(batches.last.remarks[0].detail)

    batches.apply(DoorMoved(open=False, compartment=door), ShuffleStarted(1, 2))
    assert batches.stage() is S.SHUFFLING


def test_a_second_shuffle_before_the_first_completes_breaks_it(batches: Any, proof: Any) -> None:
    batches.shuffling(cycle=1)
    batches.apply(ShuffleStarted(1, 2))
    assert batches.life().block_reasons == (BlockReason.BROKEN_OFF,)

    batches.apply(ShuffleDone(proof(1, 2)))
    assert batches.stage() is S.HELD


def test_a_stored_batch_may_be_shuffled_again(batches: Any, proof: Any) -> None:
    batches.stored(cycle=1)
    batches.apply(ShuffleStarted(1, 2))
    assert batches.life().proof is None

    batches.apply(ShuffleDone(proof(1, 2)))
    assert batches.life().proof == proof(1, 2)


@pytest.mark.parametrize("place", ["counted", "shuffling", "shuffled", "stored"])
@pytest.mark.parametrize("reason", AbortReason)
def test_an_aborted_shuffle_holds_the_batch(batches: Any, place: str, reason: AbortReason) -> None:
    getattr(batches, place)()
    batches.apply(ShuffleAborted(1, 1, reason))

    assert batches.block_reasons() == [BlockReason.BROKEN_OFF, BlockReason.UNSHUFFLED]
    assert batches.warnings() == [("broken_off", 1, False)]
    assert reason.value in to_words(batches.last.opened[0].text)


def test_counting_and_shuffling_again_clears_an_abort(batches: Any, proof: Any) -> None:
    batches.shuffling(cycle=1)
    batches.apply(ShuffleAborted(1, 1, AbortReason.PERSON))
    batches.compartment(1, "counted", 416)
    batches.apply(ShuffleStarted(1, 2), ShuffleDone(proof(1, 2)))

    assert batches.stage() is S.SHUFFLED
    assert batches.life().block_reasons == ()


def test_an_abort_over_loaded_cards_only_warns(batches: Any) -> None:
    batches.loaded()
    batches.apply(ShuffleAborted(1, 1, AbortReason.FAULT))

    assert batches.stage() is S.COLLECTED
    assert batches.warnings() == [("broken_off", 1, False)]


@pytest.mark.parametrize("reported", [(1,), (), (0, 7)])
def test_power_loss_during_a_shuffle_aborts_it(batches: Any, reported: tuple[int, ...]) -> None:
    batches.shuffling()
    batches.apply(ShufflerStarted(2, reported))

    assert batches.block_reasons() == [BlockReason.BROKEN_OFF, BlockReason.UNSHUFFLED]
    assert batches.warnings() == [("broken_off", 1, False)]


def test_power_loss_with_a_stored_batch_only_warns(batches: Any) -> None:
    batches.stored("red", 1, 1)
    batches.shuffling("blue", 2, 2)
    batches.apply(ShufflerStarted(2, (2,)))

    assert batches.stage("red") is S.STORED
    assert batches.warnings() == [("broken_off", 2, False), ("power", 0, False)]
    assert "with red in it" in to_words(batches.last.opened[1].text)


def test_a_restart_of_an_empty_shuffler_gives_no_warning(batches: Any) -> None:
    batches.apply(ShufflerStarted(2, ()))
    assert not batches.lineage.warnings


@pytest.mark.parametrize("place", ["counted", "shuffling", "shuffled", "stored"])
def test_lost_events_hold_the_batches_inside(batches: Any, place: str) -> None:
    getattr(batches, place)()
    batches.apply(EventsLost(3))

    assert batches.block_reasons() == [BlockReason.UNPROVEN, BlockReason.UNSHUFFLED]
    assert batches.warnings() == [("events_lost", 0, False)]
    assert "3 events" in to_words(batches.last.opened[0].text)


def test_lost_events_of_an_unknown_number_are_reported(batches: Any) -> None:
    batches.released()
    batches.apply(EventsLost(0))

    assert batches.stage() is S.RELEASED
    assert to_words(batches.last.opened[0].text).startswith("events of the shuffler")


def test_a_jam_reported_before_its_abort_gives_both_reasons(batches: Any) -> None:
    batches.shuffling()
    batches.apply(JamReported(1, cleared=False), ShuffleAborted(1, 1, AbortReason.JAM))

    assert batches.block_reasons() == [
        BlockReason.JAMMED,
        BlockReason.BROKEN_OFF,
        BlockReason.UNSHUFFLED,
    ]
    assert batches.warnings() == [("jam", 1, True), ("broken_off", 1, False)]


def test_a_shuffle_in_an_empty_compartment_belongs_to_no_batch(batches: Any, proof: Any) -> None:
    batches.apply(ShuffleAborted(2, 1, AbortReason.FAULT))

    assert batches.warnings() == [("broken_off", 2, False)]
    assert not batches.last.moves
