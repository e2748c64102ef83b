"""Counts and faces held against a whole batch (D-19; Parx 2018), and what a compartment says."""

from typing import Any

import pytest

from controller.custody.batch_life.compartments import FACES
from controller.custody.batch_life.facts import GoesIn
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Bar
from drivers.events import FaceSuit
from drivers.shuffler_events import JamReported, ShuffleDone

S = BatchStage
WHOLE = bytes([8] * 52)


@pytest.mark.parametrize(
    ("cards", "bar", "words"),
    [
        (415, Bar.SHORT, "415 of 416, 1 card missing"),
        (400, Bar.SHORT, "400 of 416, 16 cards missing"),
        (417, Bar.LONG, "417 of 416, 1 card too many"),
        (0, Bar.SHORT, "0 of 416, 416 cards missing"),
    ],
)
def test_a_batch_that_is_short_or_long_is_held_and_said_by_how_much(
    batches: Any, cards: int, bar: Bar, words: str
) -> None:
    batches.loaded()
    batches.compartment(1, "counted", cards)

    assert batches.stage() is S.HELD
    assert batches.bars() == [bar, Bar.UNSHUFFLED]
    assert batches.warnings() == [("count", 1, False)]
    assert words in batches.last.opened[0].text
    assert words in batches.last.moves[0].why


def test_the_number_is_right_and_the_faces_are_not(batches: Any, one_face_off: bytes) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 416, faces=one_face_off)

    assert batches.life().bars == (Bar.FOREIGN,)
    assert "missing 1 of Ad; too many 1 of 2d" in batches.last.opened[0].text


def test_a_short_batch_is_told_with_the_faces_that_are_missing(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 414, faces=bytes([8] * 50 + [7, 7]))

    assert batches.life().bars == (Bar.SHORT,)
    assert "414 of 416, 2 cards missing: missing 1 of Qh, 1 of Kh" in batches.last.opened[0].text


def test_faces_that_are_not_counts_of_52_prove_nothing(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 416, faces=b"\x08")

    assert batches.life().bars == (Bar.FOREIGN,)


def test_whole_faces_make_a_batch_counted(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 416, faces=WHOLE)

    assert batches.stage() is S.COUNTED


def test_faces_come_in_the_order_of_the_devices_suits() -> None:
    told = [(suit.value, rank) for suit in FaceSuit for rank in range(1, 14)]
    assert [(card.suit.value, card.rank.value) for card in FACES] == told


def test_a_count_that_names_no_number_is_none(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", None)

    assert batches.stage() is S.COLLECTED
    assert batches.remarked() == [(Bar.UNPROVEN, "red")]


def test_cards_on_their_way_in_are_not_counted_yet(batches: Any) -> None:
    batches.tell(GoesIn("red"))
    batches.compartment(1, "loading", 200)

    assert batches.stage() is S.COLLECTED
    assert not batches.lineage.warnings


def test_a_right_count_ends_that_cards_were_missing(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 415)
    batches.compartment(1, "loading")
    assert batches.life().bars == (Bar.SHORT,)

    batches.compartment(1, "counted", 416)
    assert batches.stage() is S.COUNTED
    assert batches.life().bars == ()


def test_a_second_wrong_count_opens_no_second_warning(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 415)
    batches.compartment(1, "counted", 417)

    assert batches.life().bars == (Bar.SHORT, Bar.LONG)
    assert batches.warnings() == [("count", 1, False)]
    assert not batches.last.opened


@pytest.mark.parametrize("place", ["shuffled", "stored"])
def test_counted_once_more_a_shuffled_batch_is_only_counted(batches: Any, place: str) -> None:
    getattr(batches, place)()
    batches.compartment(1, "counted", 416)

    assert batches.stage() is S.COUNTED
    assert batches.life().proof is None


@pytest.mark.parametrize("state", ["counted", "loading"])
def test_cards_loaded_or_counted_in_the_middle_of_a_shuffle_break_it(
    batches: Any, state: str
) -> None:
    batches.shuffling()
    batches.compartment(1, state, 416)

    assert batches.warnings() == [("broken_off", 1, False)]
    assert batches.stage() is (S.COUNTED if state == "counted" else S.COLLECTED)


def test_a_released_batch_that_is_counted_begins_anew(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released")
    batches.compartment(1, "counted", 416)

    assert batches.stage() is S.COUNTED


def test_stored_a_batch_is_still_whole_or_held(batches: Any) -> None:
    batches.shuffled()
    batches.compartment(1, "stored", 412)

    assert batches.life().bars == (Bar.SHORT,)
    assert batches.warnings() == [("count", 1, False)]


def test_a_shuffled_batch_is_told_shuffled_once_more(batches: Any) -> None:
    batches.shuffled()
    batches.compartment(1, "shuffled", 416)

    assert batches.stage() is S.SHUFFLED
    assert not batches.last.remarks


def test_shuffled_is_a_claim_until_the_receipt_comes(batches: Any, proof: Any) -> None:
    batches.shuffling()
    batches.compartment(1, "shuffled", 416)
    assert batches.stage() is S.SHUFFLING

    batches.tell(ShuffleDone(proof(1, 1)))
    assert batches.stage() is S.SHUFFLED


@pytest.mark.parametrize("state", ["shuffled", "stored"])
def test_a_shuffle_that_nobody_heard_of_proves_nothing(batches: Any, state: str) -> None:
    batches.counted()
    batches.compartment(1, state, 416)

    assert batches.stage() is S.COUNTED
    assert batches.remarked() == [(Bar.UNPROVEN, "red")]


def test_a_released_batch_that_is_said_to_be_stored_was_touched(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released")
    batches.compartment(1, "stored", 416)

    assert batches.life().bars == (Bar.TOUCHED,)


def test_a_batch_the_shuffler_holds_back_is_held(batches: Any) -> None:
    batches.counted()
    batches.compartment(1, "held", None)
    assert batches.life().bars == (Bar.UNPROVEN,)

    batches.compartment(1, "held", None)
    assert batches.life().bars == (Bar.UNPROVEN,)


def test_a_batch_the_shuffler_holds_back_for_its_count_is_short(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "held", 411)

    assert batches.life().bars == (Bar.SHORT,)


def test_while_cards_are_jammed_nothing_is_counted(batches: Any) -> None:
    batches.loaded()
    batches.tell(JamReported(1, cleared=False))
    batches.compartment(1, "counted", 416)

    assert batches.stage() is S.HELD
    assert batches.remarked() == [(Bar.JAMMED, "red")]


def test_taken_out_after_its_count_a_batch_is_to_be_counted_again(batches: Any) -> None:
    batches.counted()
    batches.compartment(1, "empty")

    assert batches.stage() is S.COLLECTED
    assert batches.life().cards is None
    assert not batches.lineage.warnings


@pytest.mark.parametrize("place", ["shuffled", "stored"])
def test_a_batch_that_leaves_the_shuffler_unreleased_was_touched(batches: Any, place: str) -> None:
    getattr(batches, place)()
    batches.compartment(1, "empty")

    assert batches.stage() is S.HELD
    assert batches.life().bars == (Bar.TOUCHED,)
    assert batches.life().compartment == 0
    assert batches.warnings() == [("count", 1, False)]


def test_a_batch_that_is_gone_from_its_shuffle_was_never_shuffled(batches: Any) -> None:
    batches.shuffling()
    batches.compartment(1, "empty")

    assert batches.life().bars == (Bar.BROKEN_OFF,)
    assert batches.life().compartment == 0
    assert batches.warnings() == [("broken_off", 1, False)]


def test_an_empty_compartment_is_empty(batches: Any) -> None:
    before = batches.lineage
    batches.compartment(1, "empty")
    assert batches.lineage == before


def test_released_twice_is_released(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released")
    batches.compartment(1, "released")

    assert not batches.last.moves
    assert not batches.last.remarks


def test_a_release_of_cards_that_nobody_can_name_is_remarked(batches: Any) -> None:
    batches.compartment(1, "released")
    assert batches.remarked() == [(Bar.UNPROVEN, "")]


def test_a_release_told_after_the_batch_is_gone_says_nothing_new(batches: Any) -> None:
    batches.released()
    batches.compartment(1, "released", back="red")

    assert not batches.last.remarks
    assert batches.stage() is S.RELEASED


def test_released_with_the_other_back_on_top_is_foreign(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released", back="blue")

    assert batches.life().bars == (Bar.FOREIGN,)
