"""The shuffler itself: doors, jams, left cards, modes, lamps, tests, identity, silence."""

from dataclasses import replace
from typing import Any

import pytest

from controller.custody.batch_life.facts import (
    CutMade,
    HandShuffled,
    PortGone,
    PutIntoShoe,
    WarningAnswered,
)
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Bar
from drivers.shuffler_events import (
    DeviceHeardAgain,
    DeviceSilent,
    DeviceTampered,
    DoorMoved,
    IdentityRefused,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShufflerMode,
    ShufflerWarning,
)

S = BatchStage


@pytest.mark.parametrize("door", [0, 1])
@pytest.mark.parametrize("place", ["shuffling", "shuffled", "stored"])
def test_a_door_opened_on_a_shuffled_batch_touches_it(batches: Any, place: str, door: int) -> None:
    getattr(batches, place)()
    batches.tell(DoorMoved(open=True, compartment=door))

    assert batches.bars() == [Bar.TOUCHED, Bar.UNSHUFFLED]
    assert batches.warnings() == [("door", door, True)]
    assert batches.lineage.door_open

    batches.tell(DoorMoved(open=False, compartment=door))
    assert batches.warnings() == [("door", door, False)]
    assert not batches.lineage.door_open


def test_the_door_of_the_other_compartment_touches_nothing(batches: Any) -> None:
    batches.stored("red", 1)
    batches.tell(DoorMoved(open=True, compartment=2))

    assert batches.stage() is S.STORED
    assert not batches.lineage.warnings


def test_a_door_opened_over_a_counted_batch_costs_its_count_and_warns_nobody(
    batches: Any,
) -> None:
    batches.counted()
    batches.tell(DoorMoved(open=True, compartment=1))

    assert batches.stage() is S.COLLECTED
    assert not batches.lineage.warnings


@pytest.mark.parametrize("place", ["loaded", "released"])
def test_doors_are_for_loading_and_taking_out(batches: Any, place: str) -> None:
    getattr(batches, place)()
    before = batches.stage()
    batches.tell(DoorMoved(open=True, compartment=1), DoorMoved(open=False, compartment=1))

    assert batches.stage() is before
    assert not batches.lineage.warnings


def test_a_jam_bars_the_batch_until_it_is_free_counted_and_shuffled(batches: Any) -> None:
    batches.shuffling()
    batches.tell(JamReported(1, cleared=False))
    assert batches.bars() == [Bar.JAMMED, Bar.UNSHUFFLED]
    assert batches.warnings() == [("jam", 1, True)]

    batches.tell(JamReported(1, cleared=True))
    assert batches.warnings() == [("jam", 1, False)]
    assert batches.bars() == [Bar.JAMMED, Bar.UNSHUFFLED]

    batches.compartment(1, "counted", 416)
    assert batches.bars() == [Bar.UNSHUFFLED]


def test_a_jam_of_the_whole_device_is_one_of_both_batches(batches: Any) -> None:
    batches.stored("red", 1, 1)
    batches.shuffling("blue", 2, 2)
    batches.tell(JamReported(0, cleared=False))

    assert batches.life("red").bars == batches.life("blue").bars == (Bar.JAMMED,)
    assert "jammed in the shuffler" in batches.last.opened[0].text


@pytest.mark.parametrize("where", [0, 1, 9])
def test_cards_left_in_the_shuffler_are_missing_from_the_batch_that_came_out(
    batches: Any, where: int
) -> None:
    batches.released("red", 1)
    batches.tell(CutMade(), ResidualCards(where, 16))

    assert batches.stage() is S.HELD
    assert batches.bars() == [Bar.SHORT, Bar.UNSHUFFLED, Bar.DEVICE]
    assert batches.lineage.residual == 16
    assert "16 cards are left" in batches.last.opened[0].text

    batches.tell(ResidualCards(where, 0))
    assert batches.bars() == [Bar.SHORT, Bar.UNSHUFFLED]
    assert batches.warnings() == [("residual", where % 9, False)]


def test_cards_left_in_the_other_compartment_are_not_of_this_batch(batches: Any) -> None:
    batches.released("red", 1)
    batches.tell(ResidualCards(2, 1))

    assert batches.bars() == [Bar.DEVICE]


def test_nothing_is_released_as_ready_while_cards_are_left(batches: Any) -> None:
    batches.stored("red", 1)
    batches.tell(ResidualCards(2, 3))
    batches.takes_out(1)

    assert batches.stage() is S.HELD
    assert batches.bars() == [Bar.DEVICE, Bar.UNSHUFFLED, Bar.DEVICE]


def test_a_shuffled_by_hand_batch_is_not_what_is_left_in_the_shuffler(batches: Any) -> None:
    batches.tell(HandShuffled("red"), ResidualCards(1, 3))
    assert batches.stage() is S.RELEASED


@pytest.mark.parametrize("mode", [ShufflerMode.SERVICE, ShufflerMode.SORT, ShufflerMode.TEST])
@pytest.mark.parametrize("place", ["counted", "shuffling", "shuffled", "stored"])
def test_another_mode_than_play_touches_what_is_in_the_shuffler(
    batches: Any, place: str, mode: ShufflerMode
) -> None:
    getattr(batches, place)()
    batches.tell(ModeChanged(mode))
    assert batches.bars() == [Bar.TOUCHED, Bar.UNSHUFFLED, Bar.DEVICE]
    assert batches.warnings() == [("mode", 0, True)]

    batches.tell(ModeChanged(mode))
    assert not batches.last.opened

    batches.tell(ModeChanged(ShufflerMode.PLAY))
    assert batches.warnings() == [("mode", 0, False)]
    assert batches.bars() == [Bar.TOUCHED, Bar.UNSHUFFLED]


def test_a_batch_that_is_out_of_the_shuffler_is_no_matter_of_its_modes(batches: Any) -> None:
    batches.released()
    batches.tell(ModeChanged(ShufflerMode.SERVICE))

    assert batches.stage() is S.RELEASED
    assert batches.bars() == [Bar.DEVICE]


def test_a_lamp_is_a_warning_that_outlasts_its_light(batches: Any) -> None:
    batches.tell(ShufflerWarning(7, "door\x07ajar", active=True))
    assert batches.last.opened[0].text == "the shuffler warns (code 7): door?ajar"
    assert batches.lineage.interlocked

    batches.tell(ShufflerWarning(7, "", active=False))
    assert [(one.code, one.active) for one in batches.lineage.warnings] == [(7, False)]

    batches.tell(ShufflerWarning(7, "", active=True))
    assert [(one.code, one.active) for one in batches.lineage.warnings] == [(7, True)]
    assert not batches.last.opened


def test_a_self_test_that_failed_is_over_with_one_that_is_passed(batches: Any) -> None:
    batches.tell(SelfTested(passed=False, detail="camera"))
    assert batches.warnings() == [("self_test", 0, True)]
    assert "camera" in batches.last.opened[0].text

    batches.tell(SelfTested(passed=True, detail=""))
    assert batches.warnings() == [("self_test", 0, False)]


def test_a_shuffler_that_was_opened_or_changed_proves_nothing_of_what_it_holds(
    batches: Any,
) -> None:
    batches.stored()
    batches.tell(DeviceTampered("case opened"))

    assert batches.bars() == [Bar.TOUCHED, Bar.UNSHUFFLED]
    assert batches.warnings() == [("tamper", 0, False)]


def test_silence_moves_no_batch(batches: Any) -> None:
    batches.stored()
    batches.tell(DeviceSilent(3000, lost=False))
    assert not batches.lineage.warnings

    batches.tell(DeviceSilent(5000, lost=True))
    assert batches.warnings() == [("silent", 0, True)]
    assert batches.stage() is S.STORED
    assert not batches.lineage.trusted

    batches.tell(DeviceHeardAgain())
    assert batches.warnings() == [("silent", 0, False)]


def test_a_shuffler_that_may_never_come_back_holds_up_play_no_longer_than_a_person_wants(
    batches: Any, paired: Any
) -> None:
    batches.tell(PortGone(), WarningAnswered(1), PortGone(), DeviceSilent(5000, lost=True))
    assert batches.warnings() == []

    batches.tell(paired, PortGone())
    assert batches.warnings() == [("silent", 0, True)]


def test_a_lost_port_asks_for_the_proof_of_identity_anew(batches: Any, paired: Any) -> None:
    batches.released()
    batches.tell(PortGone())
    assert batches.bars() == [Bar.DEVICE]

    batches.tell(paired)
    assert batches.bars() == []
    assert batches.warnings() == [("silent", 0, False)]


def test_nothing_that_an_unproven_device_says_moves_a_batch(unpaired: Any, proof: Any) -> None:
    unpaired.shuffled()
    unpaired.compartment(1, "released")

    assert unpaired.stage() is S.COLLECTED  # a person said so
    assert unpaired.remarked() == [(Bar.DEVICE, "")]
    assert unpaired.bars() == [Bar.UNSHUFFLED, Bar.DEVICE]


@pytest.mark.parametrize("rolled_back", [True, False])
def test_a_refused_device_is_trusted_no_more(batches: Any, rolled_back: bool) -> None:
    batches.stored()
    batches.tell(IdentityRefused("5348", "its key is not the paired one", rolled_back))
    batches.compartment(1, "released")

    assert batches.stage() is S.STORED
    assert batches.warnings() == [("identity", 0, True)]
    assert ("earlier state" in batches.lineage.warnings[0].text) is rolled_back


def test_the_paired_device_back_again_ends_the_doubt(batches: Any, paired: Any) -> None:
    batches.stored()
    batches.tell(IdentityRefused("x", "unknown", rolled_back=False), paired)

    assert batches.warnings() == [("identity", 0, False)]
    assert batches.stage() is S.STORED


def test_another_shuffler_knows_nothing_of_the_batches(batches: Any, paired: Any) -> None:
    batches.stored("red", 1, 1)
    batches.loaded("blue", 2)
    batches.tell(
        DoorMoved(open=True, compartment=2),
        ResidualCards(2, 2),
        ShufflerWarning(9, "", active=True),
        replace(paired, device="another", version="2.0"),
    )

    assert batches.life("red").bars == (Bar.UNPROVEN,)
    assert [one.compartment for one in batches.lineage.lives] == [0, 0]
    assert (batches.lineage.device, batches.lineage.version) == ("another", "2.0")
    assert not batches.lineage.door_open
    assert batches.lineage.residual == 0
    assert batches.warnings() == [
        ("residual", 2, False),
        ("lamp", 0, False),
        ("identity", 0, False),
    ]
    batches.answers_all()
    assert not batches.lineage.interlocked


def test_a_warning_is_cleared_by_its_number_and_only_when_its_cause_is_over(batches: Any) -> None:
    batches.tell(PutIntoShoe("red"), SelfTested(passed=False, detail=""))
    batches.tell(WarningAnswered(1))
    assert batches.warnings() == [("self_test", 0, True)]

    batches.tell(SelfTested(passed=True, detail=""), WarningAnswered(2))
    assert batches.warnings() == [("self_test", 0, False)]

    batches.tell(WarningAnswered(1))
    assert batches.warnings() == []
    assert [one.number for one in batches.last.closed] == [1]


def test_a_cleared_warning_that_comes_again_has_another_number(batches: Any) -> None:
    for _ in range(2):
        batches.tell(SelfTested(passed=False, detail=""), SelfTested(passed=True, detail=""))
        batches.answers_all()
    batches.tell(SelfTested(passed=False, detail=""))

    assert [one.number for one in batches.lineage.warnings] == [3]


def test_a_device_that_lights_every_lamp_is_kept_in_bounds_and_not_forgotten(
    batches: Any,
) -> None:
    for code in range(50):
        batches.tell(ShufflerWarning(code, "", active=True))
    assert len(batches.lineage.warnings) == 10
    assert "more warnings than are kept" in batches.lineage.warnings[-1].text

    for code in range(50):
        batches.tell(ShufflerWarning(code, "", active=False))
    batches.answers_all()
    assert [one.active for one in batches.lineage.warnings] == [True]

    batches.status(lamps=(40, 41))
    batches.answers_all()
    assert [one.code for one in batches.lineage.warnings] == [40, 41]
