"""Counts and faces against a complete batch (D-19; Parx 2018), and compartment states."""

from typing import Any

import pytest

from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BlockReason
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.cards import FACES
from controller.system.messages.catalogue import to_words
from drivers.events import FaceSuit
from drivers.shuffler_events import JamReported, ShuffleDone

S = BatchStage
WHOLE = bytes([8] * 52)


@pytest.mark.parametrize(
    ("cards", "bar", "words"),
    [
        (415, BlockReason.SHORT, "415 of 416, 1 card missing"),
        (400, BlockReason.SHORT, "400 of 416, 16 cards missing"),
        (417, BlockReason.LONG, "417 of 416, 1 card too many"),
        (0, BlockReason.SHORT, "0 of 416, 416 cards missing"),
    ],
)
def test_a_short_or_long_batch_is_held_with_the_difference(
    batches: Any, cards: int, bar: BlockReason, words: str
) -> None:
    batches.loaded()
    batches.compartment(1, "counted", cards)

    assert batches.stage() is S.HELD
    assert batches.block_reasons() == [bar, BlockReason.UNSHUFFLED]
    assert batches.warnings() == [("count", 1, False)]
    assert words in to_words(batches.last.opened[0].text)
    assert words in to_words(batches.last.moves[0].why)


def test_a_right_count_with_wrong_faces_holds_the_batch(batches: Any, one_face_off: bytes) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 416, faces=one_face_off)

    assert batches.life().block_reasons == (BlockReason.FOREIGN,)
    assert "missing 1 of Ad; too many 1 of 2d" in to_words(batches.last.opened[0].text)


def test_a_short_batch_is_reported_with_its_missing_faces(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 414, faces=bytes([8] * 50 + [7, 7]))

    assert batches.life().block_reasons == (BlockReason.SHORT,)
    assert "414 of 416, 2 cards missing: missing 1 of Qh, 1 of Kh" in to_words(
        batches.last.opened[0].text
    )


def test_face_counts_of_another_length_hold_the_batch(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 416, faces=b"\x08")

    assert batches.life().block_reasons == (BlockReason.FOREIGN,)


def test_right_faces_make_a_batch_counted(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 416, faces=WHOLE)

    assert batches.stage() is S.COUNTED


def test_faces_are_in_the_device_order_of_suits() -> None:
    expected = [(suit.value, rank) for suit in FaceSuit for rank in range(1, 14)]
    assert [(card.suit.value, card.rank.value) for card in FACES] == expected


def test_a_count_without_a_number_is_no_count(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", None)

    assert batches.stage() is S.COLLECTED
    assert batches.remarks() == [(BlockReason.UNPROVEN, "red")]


def test_a_count_while_loading_is_ignored(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"))
    batches.compartment(1, "loading", 200)

    assert batches.stage() is S.COLLECTED
    assert not batches.lineage.warnings


def test_a_right_count_clears_missing_cards(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 415)
    batches.compartment(1, "loading")
    assert batches.life().block_reasons == (BlockReason.SHORT,)

    batches.compartment(1, "counted", 416)
    assert batches.stage() is S.COUNTED
    assert batches.life().block_reasons == ()


def test_a_second_wrong_count_opens_no_second_warning(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 415)
    batches.compartment(1, "counted", 417)

    assert batches.life().block_reasons == (BlockReason.SHORT, BlockReason.LONG)
    assert batches.warnings() == [("count", 1, False)]
    assert not batches.last.opened


@pytest.mark.parametrize("place", ["shuffled", "stored"])
def test_counting_a_shuffled_batch_voids_its_shuffle(batches: Any, place: str) -> None:
    getattr(batches, place)()
    batches.compartment(1, "counted", 416)

    assert batches.stage() is S.COUNTED
    assert batches.life().proof is None


@pytest.mark.parametrize("state", ["counted", "loading"])
def test_loading_or_counting_during_a_shuffle_breaks_it(batches: Any, state: str) -> None:
    batches.shuffling()
    batches.compartment(1, state, 416)

    assert batches.warnings() == [("broken_off", 1, False)]
    assert batches.stage() is (S.COUNTED if state == "counted" else S.COLLECTED)


def test_counting_a_released_batch_starts_it_over(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released")
    batches.compartment(1, "counted", 416)

    assert batches.stage() is S.COUNTED


def test_a_wrong_count_of_a_stored_batch_holds_it(batches: Any) -> None:
    batches.shuffled()
    batches.compartment(1, "stored", 412)

    assert batches.life().block_reasons == (BlockReason.SHORT,)
    assert batches.warnings() == [("count", 1, False)]


def test_a_repeated_report_of_shuffled_changes_nothing(batches: Any) -> None:
    batches.shuffled()
    batches.compartment(1, "shuffled", 416)

    assert batches.stage() is S.SHUFFLED
    assert not batches.last.remarks


def test_a_report_of_shuffled_without_a_receipt_moves_nothing(batches: Any, proof: Any) -> None:
    batches.shuffling()
    batches.compartment(1, "shuffled", 416)
    assert batches.stage() is S.SHUFFLING

    batches.apply(ShuffleDone(proof(1, 1)))
    assert batches.stage() is S.SHUFFLED


@pytest.mark.parametrize("state", ["shuffled", "stored"])
def test_a_report_of_shuffled_without_a_shuffle_is_remarked(batches: Any, state: str) -> None:
    batches.counted()
    batches.compartment(1, state, 416)

    assert batches.stage() is S.COUNTED
    assert batches.remarks() == [(BlockReason.UNPROVEN, "red")]


def test_a_released_batch_reported_as_stored_is_held_as_touched(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released")
    batches.compartment(1, "stored", 416)

    assert batches.life().block_reasons == (BlockReason.TOUCHED,)


def test_a_batch_reported_as_held_is_held(batches: Any) -> None:
    batches.counted()
    batches.compartment(1, "held", None)
    assert batches.life().block_reasons == (BlockReason.UNPROVEN,)

    batches.compartment(1, "held", None)
    assert batches.life().block_reasons == (BlockReason.UNPROVEN,)


def test_a_batch_reported_as_held_with_a_low_count_is_short(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "held", 411)

    assert batches.life().block_reasons == (BlockReason.SHORT,)


def test_counts_are_ignored_during_a_jam(batches: Any) -> None:
    batches.loaded()
    batches.apply(JamReported(1, cleared=False))
    batches.compartment(1, "counted", 416)

    assert batches.stage() is S.HELD
    assert batches.remarks() == [(BlockReason.JAMMED, "red")]


def test_removing_a_counted_batch_voids_its_count(batches: Any) -> None:
    batches.counted()
    batches.compartment(1, "empty")

    assert batches.stage() is S.COLLECTED
    assert batches.life().cards is None
    assert not batches.lineage.warnings


@pytest.mark.parametrize("place", ["shuffled", "stored"])
def test_removing_an_unreleased_batch_holds_it_as_touched(batches: Any, place: str) -> None:
    getattr(batches, place)()
    batches.compartment(1, "empty")

    assert batches.stage() is S.HELD
    assert batches.life().block_reasons == (BlockReason.TOUCHED,)
    assert batches.life().compartment == 0
    assert batches.warnings() == [("count", 1, False)]


def test_removing_a_batch_during_its_shuffle_breaks_the_shuffle(batches: Any) -> None:
    batches.shuffling()
    batches.compartment(1, "empty")

    assert batches.life().block_reasons == (BlockReason.BROKEN_OFF,)
    assert batches.life().compartment == 0
    assert batches.warnings() == [("broken_off", 1, False)]


def test_emptying_an_empty_compartment_changes_nothing(batches: Any) -> None:
    before = batches.lineage
    batches.compartment(1, "empty")
    assert batches.lineage == before


def test_a_repeated_release_changes_nothing(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released")
    batches.compartment(1, "released")

    assert not batches.last.moves
    assert not batches.last.remarks


def test_a_release_of_an_unknown_batch_is_remarked(batches: Any) -> None:
    batches.compartment(1, "released")
    assert batches.remarks() == [(BlockReason.UNPROVEN, "")]


def test_a_release_reported_after_removal_changes_nothing(batches: Any) -> None:
    batches.released()
    batches.compartment(1, "released", back="red")

    assert not batches.last.remarks
    assert batches.stage() is S.RELEASED


def test_a_release_with_the_other_back_is_foreign(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released", back="blue")

    assert batches.life().block_reasons == (BlockReason.FOREIGN,)
