"""The whole shuffler told at once: agreement says nothing, a contradiction holds and warns."""

from typing import Any

import pytest

from controller.custody.batch_life.facts import FirstCardOut, GoesIn
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import NO_LINEAGE, Bar
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
def test_what_agrees_says_nothing(
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
def test_further_on_its_way_is_no_contradiction_and_no_proof(
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
def test_further_back_is_a_contradiction(batches: Any, place: str, state: str) -> None:
    getattr(batches, place)()
    batches.status((1, state, None, "", 1))

    assert batches.life().bars == (Bar.UNPROVEN,)
    assert batches.warnings() == [("count", 1, False)]
    assert f"and now is {state}" in batches.last.opened[0].text


@pytest.mark.parametrize(("state", "cycle"), [("counted", 1), ("held", 1), ("shuffling", 2)])
def test_a_shuffle_that_is_not_under_way_any_more_is_broken_off(
    batches: Any, state: str, cycle: int
) -> None:
    batches.shuffling()
    batches.status((1, state, None, "", cycle))

    assert batches.life().bars == (Bar.BROKEN_OFF,)
    assert batches.warnings() == [("broken_off", 1, False)]


def test_a_stored_batch_that_is_gone_was_touched(batches: Any) -> None:
    batches.stored()
    batches.status((1, "empty", None, "", 1))

    assert batches.life().bars == (Bar.TOUCHED,)
    assert batches.warnings() == [("count", 1, False)]


def test_a_released_batch_may_be_gone_and_may_not_be_stored(batches: Any) -> None:
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
def test_another_count_holds_the_batch(batches: Any, place: str) -> None:
    getattr(batches, place)()
    batches.status((1, place, 400, "", 1))

    assert batches.life().bars == (Bar.SHORT,)
    assert batches.warnings() == [("count", 1, False)]


def test_another_back_holds_the_batch(batches: Any) -> None:
    batches.stored()
    batches.status((1, "stored", 416, "blue", 1))

    assert batches.life().bars == (Bar.FOREIGN,)


def test_a_status_lifts_no_bar(batches: Any) -> None:
    batches.stored()
    batches.tell(DoorMoved(open=True, compartment=1), DoorMoved(open=False, compartment=1))
    batches.status((1, "stored", 416, "red", 1))
    batches.status((1, "counted", 416, "red", 1))

    assert batches.life().bars == (Bar.TOUCHED,)


def test_at_the_first_start_what_lies_there_has_to_be_counted_and_shuffled(batches: Any) -> None:
    batches.status((1, "stored", 416, "red", 12), (2, "empty", None, "", 11))

    assert batches.stage("red") is S.COLLECTED
    assert batches.life("red").compartment == 1
    assert not batches.lineage.warnings


def test_at_the_first_start_nobody_can_name_what_no_sensor_sees(batches: Any) -> None:
    batches.status((1, "stored", 416, "", 12))

    assert batches.remarked() == [(Bar.UNPROVEN, "")]


def test_a_batch_in_play_that_the_status_shows_inside_is_held(batches: Any) -> None:
    batches.released()
    batches.tell(FirstCardOut("red"))
    batches.status((1, "stored", 416, "red", 1))

    assert batches.stage() is S.HELD
    assert batches.warnings() == [("count", 1, False)]


def test_a_batch_to_be_cut_that_the_status_shows_inside_is_held(batches: Any) -> None:
    batches.released()
    batches.status((1, "stored", 416, "red", 1))

    assert batches.life().bars == (Bar.FOREIGN,)
    assert batches.warnings() == [("count", 1, False)]


def test_a_batch_on_its_way_in_is_there(batches: Any) -> None:
    batches.tell(GoesIn("red"))
    batches.status((1, "loading", None, "", 0))

    assert batches.life().compartment == 1
    assert not batches.lineage.warnings


def test_what_is_released_from_an_empty_place_and_compartments_that_are_none_say_nothing(
    batches: Any,
) -> None:
    before = batches.lineage
    batches.status((1, "released", None, "", 0), (3, "stored", 416, "red", 0))

    assert batches.lineage == before


def test_the_status_tells_the_mode(batches: Any) -> None:
    batches.stored()
    batches.status((1, "stored", 416, "", 1), mode="service")

    assert batches.warnings() == [("mode", 0, True)]
    assert batches.life().bars == (Bar.TOUCHED,)


def test_a_door_found_open_that_was_never_told_touches_what_is_stored(batches: Any) -> None:
    batches.stored()
    batches.status((1, "stored", 416, "", 1), door_open=True)
    assert batches.life().bars == (Bar.TOUCHED,)
    assert batches.warnings() == [("door", 0, True)]

    batches.status(door_open=False)
    assert batches.warnings() == [("door", 0, False)]


def test_a_door_that_was_told_open_is_no_news(batches: Any) -> None:
    batches.stored("red", 1)
    batches.tell(DoorMoved(open=True, compartment=2))
    batches.status((1, "stored", 416, "", 1), door_open=True)

    assert batches.stage() is S.STORED
    assert not batches.lineage.warnings


@pytest.mark.parametrize(("told", "left"), [(0, 0), (5, 5)])
def test_the_status_tells_how_many_cards_are_left(batches: Any, told: int, left: int) -> None:
    batches.tell(ResidualCards(1, 16))
    batches.status(residual=told)

    assert batches.lineage.residual == left
    kinds = [("residual", 1, False), ("residual", 0, True)]
    assert batches.warnings() == kinds[: 2 if left else 1]


def test_as_many_cards_left_as_were_told_is_no_news(batches: Any) -> None:
    batches.tell(ResidualCards(1, 16))
    batches.status(residual=16)

    assert batches.warnings() == [("residual", 1, True)]


def test_the_status_tells_the_lamps(batches: Any) -> None:
    batches.tell(ShufflerWarning(1, "", active=True), ShufflerWarning(2, "", active=True))
    batches.status(lamps=(2, 3))

    assert [(one.code, one.active) for one in batches.lineage.warnings] == [
        (1, False),
        (2, True),
        (3, True),
    ]


@pytest.mark.parametrize("where", [0, 1])
def test_a_compartment_that_runs_is_not_jammed(batches: Any, where: int) -> None:
    batches.tell(JamReported(where, cleared=False))
    batches.status((1, "held", None, "", 0), (2, "empty", None, "", 0))
    assert batches.warnings() == [("jam", where, True)]

    batches.status((1, "empty", None, "", 0), (2, "empty", None, "", 0))
    assert batches.warnings() == [("jam", where, False)]


def test_a_status_that_names_no_compartment_frees_no_jam(batches: Any) -> None:
    batches.tell(JamReported(0, cleared=False))
    batches.status()

    assert batches.warnings() == [("jam", 0, True)]


def test_without_batches_a_status_is_about_the_device_alone(batches: Any, paired: Any) -> None:
    batches.lineage = NO_LINEAGE
    batches.tell(paired)
    batches.status((1, "stored", 416, "red", 1), lamps=(4,))

    assert batches.warnings() == [("lamp", 0, True)]
    assert batches.lineage.lives == ()
