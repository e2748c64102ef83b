"""A full status: agreement changes nothing, a contradiction holds the batch and warns."""

from typing import Any

import pytest

from controller.custody.batch_life.facts import FirstCardOut
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import NO_LINEAGE, BlockReason
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from controller.system.messages.catalogue import to_words
from drivers.shuffler_events import (
    DoorMoved,
    JamReported,
    ResidualCards,
    ShufflerWarning,
)

S = BatchStage


@pytest.mark.parametrize(
    ("place", "state", "cards", "cycle"),
    [
        ("loaded", "loading", 100, 0),
        ("counted", "counted", 416, 0),
        ("shuffling", "shuffling", None, 1),
        ("shuffling", "shuffling", None, 0),
        ("shuffled", "shuffled", 416, 1),
        ("stored", "stored", 416, 1),
        ("stored", "stored", None, 1),
    ],
)
def test_an_agreeing_status_changes_nothing(
    batches: Any, place: str, state: str, cards: int | None, cycle: int
) -> None:
    getattr(batches, place)()
    before = batches.lineage
    batches.status((1, state, cards, "", cycle), (2, "empty", None, "", 0))

    assert batches.lineage == before
    assert not batches.last.remarks


@pytest.mark.parametrize(
    ("place", "state"),
    [
        ("counted", "shuffling"),
        ("counted", "stored"),
        ("shuffling", "shuffled"),
        ("shuffled", "released"),
        ("stored", "released"),
    ],
)
def test_a_status_ahead_of_the_known_stage_changes_nothing(
    batches: Any, place: str, state: str
) -> None:
    getattr(batches, place)()
    before = batches.lineage
    batches.status((1, state, None, "", 1))

    assert batches.lineage == before


@pytest.mark.parametrize(
    ("place", "state"),
    [
        ("counted", "loading"),
        ("counted", "held"),
        ("shuffled", "counted"),
        ("stored", "loading"),
        ("stored", "shuffling"),
        ("stored", "held"),
    ],
)
def test_a_status_behind_the_known_stage_holds_the_batch(
    batches: Any, place: str, state: str
) -> None:
    getattr(batches, place)()
    batches.status((1, state, None, "", 1))

    assert batches.life().block_reasons == (BlockReason.UNPROVEN,)
    assert batches.warnings() == [("count", 1, False)]
    assert f"and now is {state}" in to_words(batches.last.opened[0].text)


@pytest.mark.parametrize(("state", "cycle"), [("counted", 1), ("held", 1), ("shuffling", 2)])
def test_a_status_without_the_running_shuffle_aborts_it(
    batches: Any, state: str, cycle: int
) -> None:
    batches.shuffling()
    batches.status((1, state, None, "", cycle))

    assert batches.life().block_reasons == (BlockReason.BROKEN_OFF,)
    assert batches.warnings() == [("broken_off", 1, False)]


def test_a_stored_batch_missing_from_the_status_is_held_as_touched(batches: Any) -> None:
    batches.stored()
    batches.status((1, "empty", None, "", 1))

    assert batches.life().block_reasons == (BlockReason.TOUCHED,)
    assert batches.warnings() == [("count", 1, False)]


def test_a_released_batch_may_be_gone_but_not_stored(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released")
    released = batches.lineage
    batches.status((1, "empty", None, "", 1))
    assert batches.stage() is S.RELEASED
    assert batches.life().compartment == 0

    batches.lineage = released
    batches.status((1, "released", None, "", 1))
    assert batches.lineage == released

    batches.status((1, "stored", None, "", 1))
    assert batches.stage() is S.HELD


@pytest.mark.parametrize("place", ["counted", "shuffled", "stored"])
def test_a_different_count_holds_the_batch(batches: Any, place: str) -> None:
    getattr(batches, place)()
    batches.status((1, place, 400, "", 1))

    assert batches.life().block_reasons == (BlockReason.SHORT,)
    assert batches.warnings() == [("count", 1, False)]


def test_a_different_back_holds_the_batch(batches: Any) -> None:
    batches.stored()
    batches.status((1, "stored", 416, "blue", 1))

    assert batches.life().block_reasons == (BlockReason.FOREIGN,)


def test_a_status_clears_no_block_reason(batches: Any) -> None:
    batches.stored()
    batches.apply(DoorMoved(open=True, compartment=1), DoorMoved(open=False, compartment=1))
    batches.status((1, "stored", 416, "red", 1))
    batches.status((1, "counted", 416, "red", 1))

    assert batches.life().block_reasons == (BlockReason.TOUCHED,)


def test_at_the_first_start_batches_inside_must_be_counted_and_shuffled(batches: Any) -> None:
    batches.status((1, "stored", 416, "red", 12), (2, "empty", None, "", 11))

    assert batches.stage("red") is S.COLLECTED
    assert batches.life("red").compartment == 1
    assert not batches.lineage.warnings


def test_at_the_first_start_a_batch_without_a_sensed_back_is_unknown(batches: Any) -> None:
    batches.status((1, "stored", 416, "", 12))

    assert batches.remarks() == [(BlockReason.UNPROVEN, "")]


def test_a_batch_in_play_reported_inside_is_held(batches: Any) -> None:
    batches.released()
    batches.apply(FirstCardOut("red"))
    batches.status((1, "stored", 416, "red", 1))

    assert batches.stage() is S.HELD
    assert batches.warnings() == [("count", 1, False)]


def test_a_released_batch_reported_inside_is_held(batches: Any) -> None:
    batches.released()
    batches.status((1, "stored", 416, "red", 1))

    assert batches.life().block_reasons == (BlockReason.FOREIGN,)
    assert batches.warnings() == [("count", 1, False)]


def test_a_collected_batch_reported_inside_is_placed(batches: Any) -> None:
    batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"))
    batches.status((1, "loading", None, "", 0))

    assert batches.life().compartment == 1
    assert not batches.lineage.warnings


def test_releases_without_a_batch_and_unknown_compartments_are_ignored(
    batches: Any,
) -> None:
    before = batches.lineage
    batches.status((1, "released", None, "", 0), (3, "stored", 416, "red", 0))

    assert batches.lineage == before


def test_the_status_sets_the_mode(batches: Any) -> None:
    batches.stored()
    batches.status((1, "stored", 416, "", 1), mode="service")

    assert batches.warnings() == [("mode", 0, True)]
    assert batches.life().block_reasons == (BlockReason.TOUCHED,)


def test_an_unreported_open_door_holds_stored_batches(batches: Any) -> None:
    batches.stored()
    batches.status((1, "stored", 416, "", 1), door_open=True)
    assert batches.life().block_reasons == (BlockReason.TOUCHED,)
    assert batches.warnings() == [("door", 0, True)]

    batches.status(door_open=False)
    assert batches.warnings() == [("door", 0, False)]


def test_a_door_already_reported_open_changes_nothing(batches: Any) -> None:
    batches.stored("red", 1)
    batches.apply(DoorMoved(open=True, compartment=2))
    batches.status((1, "stored", 416, "", 1), door_open=True)

    assert batches.stage() is S.STORED
    assert not batches.lineage.warnings


@pytest.mark.parametrize("where", [0, 1, 2])
def test_cards_taken_out_ease_the_warning_by_the_next_status(batches: Any, where: int) -> None:
    batches.apply(ResidualCards(where, 16))
    batches.clear_warnings()
    assert batches.warnings() == [("residual", where, True)]

    batches.status(residual=0)
    assert batches.warnings() == [("residual", where, False)]

    batches.clear_warnings()
    assert batches.warnings() == []


@pytest.mark.parametrize(("reported", "left"), [(0, 0), (1, 1), (5, 5)])
def test_the_status_sets_the_number_of_residual_cards(
    batches: Any, reported: int, left: int
) -> None:
    batches.apply(ResidualCards(1, 16))
    batches.status(residual=reported)

    assert batches.lineage.residual == left
    kinds = [("residual", 1, False), ("residual", 0, True)]
    assert batches.warnings() == kinds[: 2 if left else 1]


@pytest.mark.parametrize("place", ["loaded", "counted", "shuffling", "shuffled", "stored"])
def test_residual_cards_of_a_status_hold_every_batch(batches: Any, place: str) -> None:
    """A status does not say in which compartment they lie."""
    batches.released("red", 1)
    getattr(batches, place)("blue", 2, *((2,) if place not in ("loaded", "counted") else ()))
    batches.status(residual=3)
    batches.status(residual=0)

    assert batches.life("red").block_reasons == (BlockReason.SHORT,)
    assert batches.life("blue").block_reasons == (BlockReason.SHORT,)


def test_cards_counted_by_a_status_are_those_of_the_device_as_a_whole(batches: Any) -> None:
    batches.status(residual=5)
    batches.apply(ResidualCards(0, 0))

    assert batches.lineage.residual == 0


def test_an_unchanged_number_of_residual_cards_changes_nothing(batches: Any) -> None:
    batches.apply(ResidualCards(1, 16))
    batches.status(residual=16)

    assert batches.warnings() == [("residual", 1, True)]


def test_the_status_sets_the_warning_lights(batches: Any) -> None:
    batches.apply(ShufflerWarning(1, "", active=True), ShufflerWarning(2, "", active=True))
    batches.status(lamps=(2, 3))

    assert [(one.code, one.active) for one in batches.lineage.warnings] == [
        (1, False),
        (2, True),
        (3, True),
    ]


@pytest.mark.parametrize("where", [0, 1])
def test_a_running_compartment_ends_its_jam(batches: Any, where: int) -> None:
    batches.apply(JamReported(where, cleared=False))
    batches.status((1, "held", None, "", 0), (2, "empty", None, "", 0))
    assert batches.warnings() == [("jam", where, True)]

    batches.status((1, "empty", None, "", 0), (2, "empty", None, "", 0))
    assert batches.warnings() == [("jam", where, False)]


def test_a_status_without_compartments_ends_no_jam(batches: Any) -> None:
    batches.apply(JamReported(0, cleared=False))
    batches.status()

    assert batches.warnings() == [("jam", 0, True)]


def test_without_batches_a_status_changes_only_the_device(batches: Any, paired: Any) -> None:
    batches.lineage = NO_LINEAGE
    batches.apply(paired)
    batches.status((1, "stored", 416, "red", 1), lamps=(4,))

    assert batches.warnings() == [("lamp", 0, True)]
    assert batches.lineage.lives == ()
