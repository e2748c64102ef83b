"""Events of the shuffler itself: doors, jams, residual cards, modes, lights, identity, silence."""

from typing import Any

import pytest
from msgspec.structs import replace

from controller.custody.batch_life.facts import (
    ShufflerPortLost,
)
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BlockReason
from controller.rules.actions.actions import ClearWarning, RecordAct
from controller.rules.actions.choices import ActKind
from controller.system.messages.catalogue import to_words
from drivers.shuffler_events import (
    ContactRestored,
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
    ShuffleShown,
)
from foundation.message import message

S = BatchStage


@pytest.mark.parametrize("door", [0, 1])
@pytest.mark.parametrize("place", ["shuffling", "shuffled", "stored"])
def test_opening_a_door_on_a_shuffled_batch_holds_it(batches: Any, place: str, door: int) -> None:
    getattr(batches, place)()
    batches.apply(DoorMoved(open=True, compartment=door))

    assert batches.block_reasons() == [BlockReason.TOUCHED, BlockReason.UNSHUFFLED]
    assert batches.warnings() == [("door", door, True)]
    assert batches.lineage.door_open

    batches.apply(DoorMoved(open=False, compartment=door))
    assert batches.warnings() == [("door", door, False)]
    assert not batches.lineage.door_open


def test_the_door_of_the_other_compartment_holds_nothing(batches: Any) -> None:
    batches.stored("red", 1)
    batches.apply(DoorMoved(open=True, compartment=2))

    assert batches.stage() is S.STORED
    assert not batches.lineage.warnings


def test_opening_a_door_on_a_counted_batch_voids_the_count_without_a_warning(
    batches: Any,
) -> None:
    batches.counted()
    batches.apply(DoorMoved(open=True, compartment=1))

    assert batches.stage() is S.COLLECTED
    assert not batches.lineage.warnings


@pytest.mark.parametrize("place", ["loaded", "released"])
def test_doors_may_be_opened_for_loading_and_removal(batches: Any, place: str) -> None:
    getattr(batches, place)()
    before = batches.stage()
    batches.apply(DoorMoved(open=True, compartment=1), DoorMoved(open=False, compartment=1))

    assert batches.stage() is before
    assert not batches.lineage.warnings


def test_a_jam_blocks_the_batch_until_counted_and_shuffled(batches: Any) -> None:
    batches.shuffling()
    batches.apply(JamReported(1, cleared=False))
    assert batches.block_reasons() == [BlockReason.JAMMED, BlockReason.UNSHUFFLED]
    assert batches.warnings() == [("jam", 1, True)]

    batches.apply(JamReported(1, cleared=True))
    assert batches.warnings() == [("jam", 1, False)]
    assert batches.block_reasons() == [BlockReason.JAMMED, BlockReason.UNSHUFFLED]

    batches.compartment(1, "counted", 416)
    assert batches.block_reasons() == [BlockReason.UNSHUFFLED]


def test_a_jam_of_the_device_holds_both_batches(batches: Any) -> None:
    batches.stored("red", 1, 1)
    batches.shuffling("blue", 2, 2)
    batches.apply(JamReported(0, cleared=False))

    assert (
        batches.life("red").block_reasons
        == batches.life("blue").block_reasons
        == (BlockReason.JAMMED,)
    )
    assert "jammed in the shuffler" in to_words(batches.last.opened[0].text)


@pytest.mark.parametrize("where", [0, 1, 9])
def test_residual_cards_make_the_released_batch_short(batches: Any, where: int) -> None:
    batches.released("red", 1)
    batches.apply(RecordAct(ActKind.CUT), ResidualCards(where, 16))

    assert batches.stage() is S.HELD
    assert batches.block_reasons() == [
        BlockReason.SHORT,
        BlockReason.UNSHUFFLED,
        BlockReason.DEVICE,
    ]
    assert batches.lineage.residual == 16
    assert "16 cards are left" in to_words(batches.last.opened[0].text)

    batches.apply(ResidualCards(where, 0))
    assert batches.block_reasons() == [BlockReason.SHORT, BlockReason.UNSHUFFLED]
    assert batches.warnings() == [("residual", where % 9, False)]


def test_residual_cards_of_the_other_compartment_do_not_matter(batches: Any) -> None:
    batches.released("red", 1)
    batches.apply(ResidualCards(2, 1))

    assert batches.block_reasons() == [BlockReason.DEVICE]


@pytest.mark.parametrize("where", [0, 1])
@pytest.mark.parametrize("place", ["loaded", "counted", "shuffling", "shuffled", "stored"])
def test_residual_cards_hold_a_batch_in_that_compartment(
    batches: Any, place: str, where: int
) -> None:
    getattr(batches, place)()
    batches.apply(ResidualCards(where, 3), ResidualCards(where, 0))
    batches.clear_warnings()

    assert batches.stage() is S.HELD
    assert batches.block_reasons() == [BlockReason.SHORT, BlockReason.UNSHUFFLED]
    assert not batches.lineage.interlocked


def test_residual_cards_of_the_device_hold_both_batches(batches: Any) -> None:
    batches.released("red", 1)
    batches.stored("blue", 2, 2)
    batches.apply(ResidualCards(0, 3))

    assert batches.life("red").block_reasons == batches.life("blue").block_reasons
    assert batches.life("blue").block_reasons == (BlockReason.SHORT,)


@pytest.mark.parametrize("place", ["counted", "shuffling", "shuffled", "stored"])
def test_residual_cards_beside_a_batch_inside_do_not_hold_it(batches: Any, place: str) -> None:
    getattr(batches, place)()
    before = batches.stage()
    batches.apply(ResidualCards(2, 3), ResidualCards(2, 0))

    assert batches.stage() is before


def test_what_residual_cards_held_is_dealt_once_it_was_counted_and_shuffled(batches: Any) -> None:
    batches.stored("red", 1)
    batches.apply(ResidualCards(1, 3), RecordAct(ActKind.SHUFFLED, "red"))
    assert batches.stage() is S.HELD

    batches.apply(ResidualCards(1, 0))
    batches.released("red", 1, 2)
    assert batches.block_reasons() == []


def test_a_count_over_residual_cards_does_not_count(batches: Any) -> None:
    batches.loaded("red", 1)
    batches.apply(ResidualCards(1, 3))
    batches.compartment(1, "counted", 416)
    assert batches.life().block_reasons == (BlockReason.SHORT,)

    batches.apply(ResidualCards(1, 0))
    batches.compartment(1, "counted", 416)
    assert batches.stage() is S.COUNTED


def test_residual_cards_make_a_released_batch_short_whose_shuffle_lamps_showed(
    batches: Any,
) -> None:
    batches.shuffling("red", 1)
    batches.apply(ShuffleShown(1, 1, 90_000))
    batches.compartment(1, "released")
    batches.apply(ResidualCards(1, 3))

    assert batches.life().block_reasons == (BlockReason.SHORT,)


def test_a_release_with_residual_cards_holds_the_batch(batches: Any) -> None:
    batches.stored("red", 1)
    batches.apply(ResidualCards(2, 3))
    batches.take_out(1)

    assert batches.stage() is S.HELD
    assert batches.block_reasons() == [
        BlockReason.DEVICE,
        BlockReason.UNSHUFFLED,
        BlockReason.DEVICE,
    ]


def test_residual_cards_do_not_hold_a_hand_shuffled_batch(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.SHUFFLED, "red"), ResidualCards(1, 3))
    assert batches.stage() is S.RELEASED


@pytest.mark.parametrize("mode", [ShufflerMode.SERVICE, ShufflerMode.SORT, ShufflerMode.TEST])
@pytest.mark.parametrize("place", ["counted", "shuffling", "shuffled", "stored"])
def test_leaving_play_mode_holds_batches_inside(
    batches: Any, place: str, mode: ShufflerMode
) -> None:
    getattr(batches, place)()
    batches.apply(ModeChanged(mode))
    assert batches.block_reasons() == [
        BlockReason.TOUCHED,
        BlockReason.UNSHUFFLED,
        BlockReason.DEVICE,
    ]
    assert batches.warnings() == [("mode", 0, True)]

    batches.apply(ModeChanged(mode))
    assert not batches.last.opened

    batches.apply(ModeChanged(ShufflerMode.PLAY))
    assert batches.warnings() == [("mode", 0, False)]
    assert batches.block_reasons() == [BlockReason.TOUCHED, BlockReason.UNSHUFFLED]


def test_leaving_play_mode_does_not_hold_a_batch_outside(batches: Any) -> None:
    batches.released()
    batches.apply(ModeChanged(ShufflerMode.SERVICE))

    assert batches.stage() is S.RELEASED
    assert batches.block_reasons() == [BlockReason.DEVICE]


def test_a_warning_stays_open_after_its_light_is_off(batches: Any) -> None:
    batches.apply(ShufflerWarning(7, "door ajar", active=True))
    assert to_words(batches.last.opened[0].text) == "the shuffler warns (code 7): door ajar"
    assert batches.lineage.interlocked

    batches.apply(ShufflerWarning(7, "", active=False))
    assert [(one.code, one.active) for one in batches.lineage.warnings] == [(7, False)]

    batches.apply(ShufflerWarning(7, "", active=True))
    assert [(one.code, one.active) for one in batches.lineage.warnings] == [(7, True)]
    assert not batches.last.opened


def test_a_passed_self_test_ends_the_cause_of_a_failed_one(batches: Any) -> None:
    batches.apply(SelfTested(passed=False, detail="camera"))
    assert batches.warnings() == [("self_test", 0, True)]
    assert "camera" in to_words(batches.last.opened[0].text)

    batches.apply(SelfTested(passed=True, detail=""))
    assert batches.warnings() == [("self_test", 0, False)]


def test_tampering_holds_the_batches_inside(
    batches: Any,
) -> None:
    batches.stored()
    batches.apply(DeviceTampered(message("device_settings_changed", foreign="case")))

    assert batches.block_reasons() == [BlockReason.TOUCHED, BlockReason.UNSHUFFLED]
    assert batches.warnings() == [("tamper", 0, False)]


def test_silence_changes_no_stage(batches: Any) -> None:
    batches.stored()
    batches.apply(DeviceSilent(3000, lost=False))
    assert not batches.lineage.warnings

    batches.apply(DeviceSilent(5000, lost=True))
    assert batches.warnings() == [("silent", 0, True)]
    assert batches.stage() is S.STORED
    assert not batches.lineage.trusted

    batches.apply(ContactRestored())
    assert batches.warnings() == [("silent", 0, False)]


def test_the_warning_of_silence_can_be_cleared_while_silent(batches: Any, paired: Any) -> None:
    batches.apply(
        ShufflerPortLost(), ClearWarning(1), ShufflerPortLost(), DeviceSilent(5000, lost=True)
    )
    assert batches.warnings() == []

    batches.apply(paired, ShufflerPortLost())
    assert batches.warnings() == [("silent", 0, True)]


def test_a_lost_port_requires_a_new_proof_of_identity(batches: Any, paired: Any) -> None:
    batches.released()
    batches.apply(ShufflerPortLost())
    assert batches.block_reasons() == [BlockReason.DEVICE]

    batches.apply(paired)
    assert batches.block_reasons() == []
    assert batches.warnings() == [("silent", 0, False)]


def test_events_of_an_unproven_device_change_no_stage(unpaired: Any, proof: Any) -> None:
    unpaired.shuffled()
    unpaired.compartment(1, "released")

    assert unpaired.stage() is S.COLLECTED  # a person recorded it
    assert unpaired.remarks() == [(BlockReason.DEVICE, "")]
    assert unpaired.block_reasons() == [BlockReason.UNSHUFFLED, BlockReason.DEVICE]


@pytest.mark.parametrize("rolled_back", [True, False])
def test_a_refused_device_is_not_trusted(batches: Any, rolled_back: bool) -> None:
    batches.stored()
    batches.apply(IdentityRefused("5348", message("device_has_no_identity"), rolled_back))
    batches.compartment(1, "released")

    assert batches.stage() is S.STORED
    assert batches.warnings() == [("identity", 0, True)]
    assert ("earlier state" in to_words(batches.lineage.warnings[0].text)) is rolled_back


def test_reconnecting_the_paired_device_ends_the_identity_warning(
    batches: Any, paired: Any
) -> None:
    batches.stored()
    batches.apply(
        IdentityRefused("x", message("device_has_no_identity"), rolled_back=False), paired
    )

    assert batches.warnings() == [("identity", 0, False)]
    assert batches.stage() is S.STORED


def test_another_shuffler_holds_no_batch(batches: Any, paired: Any) -> None:
    batches.stored("red", 1, 1)
    batches.loaded("blue", 2)
    batches.apply(
        DoorMoved(open=True, compartment=2),
        ResidualCards(2, 2),
        ShufflerWarning(9, "", active=True),
        replace(paired, device="another", version="2.0"),
    )

    assert batches.life("red").block_reasons == (BlockReason.UNPROVEN,)
    assert [one.compartment for one in batches.lineage.lives] == [0, 0]
    assert (batches.lineage.device, batches.lineage.version) == ("another", "2.0")
    assert not batches.lineage.door_open
    assert batches.lineage.residual == 0
    assert batches.warnings() == [
        ("residual", 2, False),
        ("lamp", 0, False),
        ("identity", 0, False),
    ]
    batches.clear_warnings()
    assert not batches.lineage.interlocked


def test_an_exchanged_shuffler_does_not_keep_the_mode_of_the_old_one(
    batches: Any, paired: Any
) -> None:
    batches.released("red", 1)
    batches.apply(ModeChanged(ShufflerMode.SORT))
    assert batches.block_reasons() == [BlockReason.DEVICE]

    batches.apply(replace(paired, device="another"))

    assert batches.lineage.mode is ShufflerMode.PLAY
    assert batches.block_reasons() == []
    assert batches.warnings() == [("mode", 0, False), ("identity", 0, False)]


def test_a_warning_is_cleared_by_number_once_its_cause_ended(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.LOADED, "red"), SelfTested(passed=False, detail=""))
    batches.apply(ClearWarning(1))
    assert batches.warnings() == [("self_test", 0, True)]

    batches.apply(SelfTested(passed=True, detail=""), ClearWarning(2))
    assert batches.warnings() == [("self_test", 0, False)]

    batches.apply(ClearWarning(1))
    assert batches.warnings() == []
    assert [one.number for one in batches.last.closed] == [1]


def test_a_repeated_warning_has_a_new_number(batches: Any) -> None:
    for _ in range(2):
        batches.apply(SelfTested(passed=False, detail=""), SelfTested(passed=True, detail=""))
        batches.clear_warnings()
    batches.apply(SelfTested(passed=False, detail=""))

    assert [one.number for one in batches.lineage.warnings] == [3]


def test_the_number_of_warning_lights_is_bounded(
    batches: Any,
) -> None:
    for code in range(50):
        batches.apply(ShufflerWarning(code, "", active=True))
    assert len(batches.lineage.warnings) == 10
    assert "more warnings than are kept" in to_words(batches.lineage.warnings[-1].text)

    for code in range(50):
        batches.apply(ShufflerWarning(code, "", active=False))
    batches.clear_warnings()
    assert [one.active for one in batches.lineage.warnings] == [True]

    batches.status(lamps=(40, 41))
    batches.clear_warnings()
    assert [one.code for one in batches.lineage.warnings] == [40, 41]
