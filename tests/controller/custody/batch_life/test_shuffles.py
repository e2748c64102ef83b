"""Shuffles count as a whole or not at all: begun, done with a receipt, broken off."""

from typing import Any

import pytest

from controller.custody.batch_life.facts import EventsLost
from controller.custody.batch_life.shuffles import DEVICES_KEPT_MAX
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Bar
from drivers.shuffler_events import (
    AbortReason,
    DoorMoved,
    IdentityProven,
    JamReported,
    ModeChanged,
    ShuffleAborted,
    ShuffleBegan,
    ShuffleDone,
    ShuffleResult,
    ShufflerMode,
    ShufflerStarted,
)

S = BatchStage


def refused(batches: Any) -> str:
    (judged,) = batches.last.proofs
    return str(judged.refused)


def test_a_whole_shuffle_counts_and_keeps_its_receipt(batches: Any, proof: Any) -> None:
    batches.shuffling(cycle=5)
    batches.tell(ShuffleDone(proof(1, 5)))

    assert batches.stage() is S.SHUFFLED
    assert batches.life().proof == proof(1, 5)
    assert batches.last.proofs[0].back == "red"
    assert refused(batches) == ""


@pytest.mark.parametrize(
    ("other", "bar", "words"),
    [
        ({"genuine": False}, Bar.UNPROVEN, "signature"),
        ({"ended_us": 10}, Bar.UNPROVEN, "ends before it begins"),
        ({"count": 415}, Bar.SHORT, "1 card missing"),
        ({"count": 420}, Bar.LONG, "4 cards too many"),
        ({"faces": bytes([7, 9, *[8] * 50])}, Bar.FOREIGN, "missing 1 of Ad"),
        ({"back": "blue"}, Bar.FOREIGN, "another back than red"),
        ({"result": ShuffleResult.COUNT_DIFFERS}, Bar.SHORT, "its count differs"),
        ({"result": ShuffleResult.FACES_DIFFER}, Bar.FOREIGN, "its faces differ"),
        ({"result": ShuffleResult.UNVERIFIED}, Bar.UNPROVEN, "could not verify"),
        (
            {"result": ShuffleResult.UNVERIFIED, "back": "red", "faces": bytes([8] * 52)},
            Bar.UNPROVEN,
            "could not verify",
        ),
    ],
)
def test_a_receipt_that_lacks_something_leaves_the_batch_held(
    batches: Any, proof: Any, other: dict[str, Any], bar: Bar, words: str
) -> None:
    batches.shuffling()
    batches.tell(ShuffleDone(proof(1, 1, **other)))

    assert batches.stage() is S.HELD
    assert batches.bars() == [bar, Bar.UNSHUFFLED]
    assert words in refused(batches)
    assert [kind for kind, _, _ in batches.warnings()] == ([] if bar is Bar.UNPROVEN else ["count"])


def test_a_device_that_cannot_read_may_leave_faces_unverified(batches: Any, proof: Any) -> None:
    batches.shuffling()
    batches.tell(ShuffleDone(proof(1, 1, result=ShuffleResult.UNVERIFIED, back="red")))

    assert batches.stage() is S.SHUFFLED


def test_a_bare_device_signs_nothing(unpaired: Any, proof: Any) -> None:
    unpaired.tell(IdentityProven("bench", "0.1", b"", 0, 1, bare=True))
    unpaired.shuffling()
    unpaired.tell(ShuffleDone(proof(1, 1, device="bench", signed=False, genuine=False)))

    assert unpaired.stage() is S.SHUFFLED


def test_a_receipt_of_another_device_moves_nothing(batches: Any, proof: Any) -> None:
    batches.shuffling()
    batches.tell(ShuffleDone(proof(1, 99, device="another")))
    assert batches.stage() is S.SHUFFLING
    assert "another device" in refused(batches)

    batches.tell(ShuffleDone(proof(1, 1)))
    assert batches.stage() is S.SHUFFLED


def test_a_receipt_counts_once(batches: Any, proof: Any) -> None:
    batches.played("red", 1, 1)
    batches.shuffling("red", 1, 2)
    batches.tell(ShuffleDone(proof(1, 1)))

    assert batches.stage() is S.SHUFFLING
    assert "has its receipt already" in refused(batches)


def test_a_receipt_of_a_shuffle_that_was_not_heard_to_begin_counts_for_nothing(
    batches: Any, proof: Any
) -> None:
    batches.counted()
    batches.tell(ShuffleDone(proof(1, 1)))

    assert batches.stage() is S.COUNTED
    assert "not heard to begin" in refused(batches)


def test_a_shuffle_with_a_number_used_before_does_not_count(batches: Any, proof: Any) -> None:
    batches.played("red", 1, 4)
    batches.counted("red", 1)
    batches.tell(ShuffleBegan(1, 4))
    assert batches.remarked() == [(Bar.UNPROVEN, "red")]

    batches.tell(ShuffleDone(proof(1, 4)))
    assert batches.stage() is S.COUNTED


def test_numbers_are_kept_for_each_of_the_last_devices(batches: Any) -> None:
    for number in range(DEVICES_KEPT_MAX + 3):
        batches.tell(IdentityProven(f"device {number}", "1", b"", 0, 1, bare=False))
        batches.tell(ShuffleAborted(1, 7, AbortReason.FAULT))

    kept = batches.lineage.cycles
    assert len(kept) == DEVICES_KEPT_MAX
    assert kept[-1] == (f"device {DEVICES_KEPT_MAX + 2}", 7)


def test_the_first_number_of_a_device_may_be_nought(batches: Any, proof: Any) -> None:
    batches.shuffling(cycle=0)
    batches.tell(ShuffleDone(proof(1, 0)))

    assert batches.stage() is S.SHUFFLED


def test_a_beginning_told_twice_is_one(batches: Any) -> None:
    batches.shuffling(cycle=3)
    batches.tell(ShuffleBegan(1, 3))

    assert batches.stage() is S.SHUFFLING
    assert not batches.last.remarks


def test_a_shuffle_of_uncounted_cards_does_not_count(batches: Any) -> None:
    batches.loaded()
    batches.tell(ShuffleBegan(1, 1))

    assert batches.stage() is S.COLLECTED
    assert "count it, then shuffle it" in batches.last.remarks[0].detail


def test_a_shuffle_in_sort_mode_is_none(batches: Any) -> None:
    batches.loaded()
    batches.tell(ModeChanged(ShufflerMode.SORT))
    batches.compartment(1, "counted", 416)
    batches.tell(ShuffleBegan(1, 1))

    assert batches.stage() is S.COUNTED
    assert "sort mode" in batches.last.remarks[0].detail


@pytest.mark.parametrize("door", [0, 1])
def test_a_shuffle_behind_an_open_door_does_not_count(batches: Any, door: int) -> None:
    batches.loaded()
    batches.tell(DoorMoved(open=True, compartment=door))
    batches.compartment(1, "counted", 416)
    batches.tell(ShuffleBegan(1, 1))
    assert "a door is open" in batches.last.remarks[0].detail

    batches.tell(DoorMoved(open=False, compartment=door), ShuffleBegan(1, 2))
    assert batches.stage() is S.SHUFFLING


def test_a_second_shuffle_before_the_first_is_whole_breaks_it(batches: Any, proof: Any) -> None:
    batches.shuffling(cycle=1)
    batches.tell(ShuffleBegan(1, 2))
    assert batches.life().bars == (Bar.BROKEN_OFF,)

    batches.tell(ShuffleDone(proof(1, 2)))
    assert batches.stage() is S.HELD


def test_a_stored_batch_may_be_shuffled_once_more(batches: Any, proof: Any) -> None:
    batches.stored(cycle=1)
    batches.tell(ShuffleBegan(1, 2))
    assert batches.life().proof is None

    batches.tell(ShuffleDone(proof(1, 2)))
    assert batches.life().proof == proof(1, 2)


@pytest.mark.parametrize("place", ["counted", "shuffling", "shuffled", "stored"])
@pytest.mark.parametrize("reason", AbortReason)
def test_a_batch_whose_shuffle_is_broken_off_is_unshuffled(
    batches: Any, place: str, reason: AbortReason
) -> None:
    getattr(batches, place)()
    batches.tell(ShuffleAborted(1, 1, reason))

    assert batches.bars() == [Bar.BROKEN_OFF, Bar.UNSHUFFLED]
    assert batches.warnings() == [("broken_off", 1, False)]
    assert reason.value in batches.last.opened[0].text


def test_counted_and_shuffled_anew_a_broken_off_batch_is_whole(batches: Any, proof: Any) -> None:
    batches.shuffling(cycle=1)
    batches.tell(ShuffleAborted(1, 1, AbortReason.PERSON))
    batches.compartment(1, "counted", 416)
    batches.tell(ShuffleBegan(1, 2), ShuffleDone(proof(1, 2)))

    assert batches.stage() is S.SHUFFLED
    assert batches.life().bars == ()


def test_broken_off_over_cards_that_were_only_loaded_warns(batches: Any) -> None:
    batches.loaded()
    batches.tell(ShuffleAborted(1, 1, AbortReason.FAULT))

    assert batches.stage() is S.COLLECTED
    assert batches.warnings() == [("broken_off", 1, False)]


@pytest.mark.parametrize("told", [(1,), (), (0, 7)])
def test_power_lost_in_mid_shuffle_leaves_the_batch_unshuffled(
    batches: Any, told: tuple[int, ...]
) -> None:
    batches.shuffling()
    batches.tell(ShufflerStarted(2, told))

    assert batches.bars() == [Bar.BROKEN_OFF, Bar.UNSHUFFLED]
    assert batches.warnings() == [("broken_off", 1, False)]


def test_power_lost_over_a_kept_batch_is_a_warning_and_nothing_else(batches: Any) -> None:
    batches.stored("red", 1, 1)
    batches.shuffling("blue", 2, 2)
    batches.tell(ShufflerStarted(2, (2,)))

    assert batches.stage("red") is S.STORED
    assert batches.warnings() == [("broken_off", 2, False), ("power", 0, False)]
    assert "with red in it" in batches.last.opened[1].text


def test_an_empty_shuffler_may_start_whenever_it_likes(batches: Any) -> None:
    batches.tell(ShufflerStarted(2, ()))
    assert not batches.lineage.warnings


@pytest.mark.parametrize("place", ["counted", "shuffling", "shuffled", "stored"])
def test_where_events_are_lost_what_lies_in_the_shuffler_is_unproven(
    batches: Any, place: str
) -> None:
    getattr(batches, place)()
    batches.tell(EventsLost(3))

    assert batches.bars() == [Bar.UNPROVEN, Bar.UNSHUFFLED]
    assert batches.warnings() == [("events_lost", 0, False)]
    assert "3 events" in batches.last.opened[0].text


def test_lost_events_of_unknown_number_are_events(batches: Any) -> None:
    batches.released()
    batches.tell(EventsLost(0))

    assert batches.stage() is S.RELEASED
    assert batches.last.opened[0].text.startswith("events of the shuffler")


def test_a_jam_told_before_the_shuffle_it_broke_off_is_both(batches: Any) -> None:
    batches.shuffling()
    batches.tell(JamReported(1, cleared=False), ShuffleAborted(1, 1, AbortReason.JAM))

    assert batches.bars() == [Bar.JAMMED, Bar.BROKEN_OFF, Bar.UNSHUFFLED]
    assert batches.warnings() == [("jam", 1, True), ("broken_off", 1, False)]


def test_a_shuffle_that_began_with_nothing_in_the_compartment_and_ends_is_of_no_batch(
    batches: Any, proof: Any
) -> None:
    batches.tell(ShuffleAborted(2, 1, AbortReason.FAULT))

    assert batches.warnings() == [("broken_off", 2, False)]
    assert not batches.last.moves
