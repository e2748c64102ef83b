"""What went wrong at real tables, refused at the first wrong step.

Responsible for: the incidents of the field that the life of a batch is there to stop.
Not responsible for: the verdicts that follow at the table (procedure).
Source: field practice: Taj Mahal 2011, Showboat 2012, SugarHouse 2017, the two-pack scam, Deck Mate
2 (2023), Parx 2018.
"""

from dataclasses import replace
from typing import Any

from controller.custody.batch_life.facts import (
    CutMade,
    FirstCardOut,
    GoesIn,
    PutIntoShoe,
    ShoeOver,
    WarningAnswered,
)
from controller.custody.batch_life.permissions import clear_refused, hindrances, order_refused
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Bar
from drivers.commands import ShufflerOrder
from drivers.shuffler_events import (
    IdentityRefused,
    ModeChanged,
    ResidualCards,
    ShuffleBegan,
    ShuffleDone,
    ShufflerMode,
    ShufflerWarning,
)

S = BatchStage


def test_taj_mahal_a_batch_that_was_never_shuffled_is_put_into_the_shoe(batches: Any) -> None:
    batches.counted()
    refused = order_refused(batches.lineage, ShufflerOrder.RELEASE, 1, shoe_open=False)
    assert "red is counted and not shuffled: shuffle it" in refused

    batches.takes_out(1)  # by hand, past the order
    batches.tell(CutMade())
    assert batches.remarked() == [(Bar.NOT_RELEASED, "")]
    batches.tell(PutIntoShoe("red"))
    assert batches.remarked() == [(Bar.UNSHUFFLED, "red")]
    batches.tell(FirstCardOut("red"))
    assert batches.remarked() == [(Bar.UNSHUFFLED, "red")]
    assert batches.stage() is S.HELD


def test_showboat_nine_times_unshuffled_is_nine_times_refused(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    for _ in range(9):
        batches.loaded("red", 1)
        batches.compartment(1, "released")
        batches.compartment(1, "empty")
        (one,) = hindrances(batches.lineage, "red")
        assert one.bar is Bar.UNSHUFFLED


def test_showboat_a_shuffle_that_was_broken_off_is_none(batches: Any) -> None:
    batches.shuffling()
    batches.compartment(1, "released")

    assert batches.remarked() == [(Bar.UNSHUFFLED, "red")]
    assert batches.bars() == [Bar.BROKEN_OFF, Bar.UNSHUFFLED]
    assert batches.lineage.interlocked


def test_sugarhouse_a_warning_light_is_no_lamp(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.tell(FirstCardOut("red"), ShufflerWarning(21, "card feed", active=True))
    assert batches.lineage.interlocked

    batches.tell(WarningAnswered(1))  # waved away while it is lit
    assert batches.lineage.interlocked
    assert "until its light is off" in clear_refused(batches.lineage, 1)

    batches.tell(ShufflerWarning(21, "card feed", active=False))
    assert batches.lineage.interlocked
    batches.tell(WarningAnswered(1))
    assert not batches.lineage.interlocked


def test_sugarhouse_sixteen_cards_are_left_inside(batches: Any) -> None:
    batches.released("red", 1)
    batches.tell(ResidualCards(1, 16))
    assert batches.bars()[0] is Bar.SHORT

    batches.tell(ResidualCards(1, 0), WarningAnswered(1), CutMade(), PutIntoShoe("red"))
    assert (Bar.SHORT, "red") in batches.remarked()
    assert batches.stage() is S.HELD


def test_sugarhouse_the_sort_mode_at_a_live_table(batches: Any, proof: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.tell(FirstCardOut("red"))
    refused = order_refused(batches.lineage, ShufflerOrder.SORT, 0, shoe_open=True)
    assert "no sort with a batch bound to an open shoe" in refused

    batches.tell(ModeChanged(ShufflerMode.SORT))  # at the device itself
    assert batches.warnings() == [("mode", 0, True)]
    assert batches.life("blue").bars == (Bar.TOUCHED,)

    batches.compartment(2, "counted", 416)
    batches.tell(ShuffleBegan(2, 3), ShuffleDone(proof(2, 3)))
    assert batches.stage("blue") is S.COUNTED


def test_two_packs_the_batch_just_dealt_goes_back_into_the_shoe(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.deals("red")
    batches.tell(ShoeOver(played=True), PutIntoShoe("red"))
    assert batches.remarked() == [(Bar.REPEATED, "red"), (Bar.UNSHUFFLED, "red")]

    # Nobody says so and no sensor sees it: it is the only batch that is not in the shuffler.
    batches.tell(FirstCardOut(""))
    assert batches.remarked() == [(Bar.REPEATED, "red"), (Bar.UNSHUFFLED, "red")]
    assert batches.lineage.in_play == "red"
    assert batches.stage("red") is S.SPENT


def test_two_packs_shuffled_properly_it_is_still_the_wrong_one(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.played("red", 1, 2)
    batches.released("red", 1, 3)

    assert batches.bars("red") == [Bar.REPEATED]


def test_deck_mate_an_unknown_device_takes_the_place_of_the_paired_one(
    batches: Any, proof: Any
) -> None:
    batches.shuffling("red", 1, 1)
    batches.tell(IdentityRefused("deck", "its firmware is not approved", rolled_back=False))
    batches.tell(ShuffleDone(proof(1, 1)))
    assert batches.stage() is S.SHUFFLING
    assert batches.last.proofs == ()

    batches.takes_out(1)
    assert batches.remarked() == [(Bar.DEVICE, "")]
    assert batches.bars() == [Bar.UNSHUFFLED, Bar.DEVICE]
    assert "identity" in batches.warnings()[0]


def test_deck_mate_a_receipt_with_the_key_of_no_paired_device(batches: Any, proof: Any) -> None:
    batches.shuffling("red", 1, 1)
    batches.tell(ShuffleDone(replace(proof(1, 1), genuine=False)))

    assert batches.bars() == [Bar.UNPROVEN, Bar.UNSHUFFLED]


def test_parx_the_number_of_cards_is_right_and_a_queen_is_a_jack(batches: Any) -> None:
    batches.tell(GoesIn("red"))
    faces = bytearray([8] * 52)
    faces[11] -= 1  # the queen of diamonds
    faces[10] += 1
    batches.compartment(1, "counted", 416, faces=bytes(faces))

    assert batches.bars() == [Bar.FOREIGN, Bar.UNSHUFFLED]
    assert "missing 1 of Qd; too many 1 of Jd" in batches.last.opened[0].text
