"""What may be done with a batch now, and why not: the shoe, the shuffler's orders, the warnings."""

from typing import Any

import pytest

from controller.custody.batch_life.facts import (
    FirstCardOut,
    GoesIn,
    Handled,
    HandShuffled,
    ShoeOver,
)
from controller.custody.batch_life.permissions import (
    clear_refused,
    due_in_play,
    hindrances,
    idle_in_shuffler,
    order_refused,
)
from controller.custody.batch_life.state import NO_LINEAGE, Bar
from drivers.commands import ShufflerOrder
from drivers.shuffler_events import (
    DoorMoved,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShuffleBegan,
    ShuffleDone,
    ShufflerMode,
)

O = ShufflerOrder  # noqa: E741


def told(batches: Any, order: ShufflerOrder, compartment: int = 1, shoe_open: bool = False) -> str:
    return order_refused(batches.lineage, order, compartment, shoe_open=shoe_open)


@pytest.mark.parametrize(
    ("place", "bar", "words"),
    [
        ("loaded", Bar.UNSHUFFLED, "neither counted nor shuffled"),
        ("counted", Bar.UNSHUFFLED, "counted and not shuffled"),
        ("shuffling", Bar.UNSHUFFLED, "still being shuffled"),
        ("shuffled", Bar.NOT_RELEASED, "in the shuffler"),
        ("stored", Bar.NOT_RELEASED, "in the shuffler"),
    ],
)
def test_a_batch_on_its_way_is_hindered_by_its_next_step(
    batches: Any, place: str, bar: Bar, words: str
) -> None:
    getattr(batches, place)()
    (one,) = hindrances(batches.lineage, "red")

    assert one.bar is bar
    assert words in one.detail
    assert one.remedy


def test_a_batch_of_which_nothing_is_known_is_not_known_to_be_shuffled(batches: Any) -> None:
    assert batches.bars() == [Bar.UNSHUFFLED]


def test_the_batch_just_dealt_is_hindered_twice(batches: Any) -> None:
    batches.played()
    first, second = hindrances(batches.lineage, "red")

    assert (first.bar, first.remedy) == (Bar.REPEATED, "take blue")
    assert second.bar is Bar.UNSHUFFLED


def test_while_one_batch_is_in_play_the_other_may_not_come(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.tell(FirstCardOut("red"))
    batches.released("blue", 2, 2)

    assert batches.bars("blue") == [Bar.NOT_RELEASED]
    assert batches.bars("red") == []


@pytest.mark.parametrize("back", ["green", ""])
def test_a_back_of_neither_batch_is_foreign(batches: Any, back: str) -> None:
    assert batches.bars(back) == [Bar.FOREIGN]


def test_a_continuous_shuffler_hinders_no_batch() -> None:
    assert hindrances(NO_LINEAGE, "red") == ()
    assert idle_in_shuffler(NO_LINEAGE, "red")
    assert due_in_play(NO_LINEAGE) == ""


def test_a_hand_shuffled_batch_needs_no_shuffler_but_all_its_cards(unpaired: Any) -> None:
    unpaired.tell(HandShuffled("red"))
    assert unpaired.bars() == []


def test_with_cards_left_in_the_shuffler_no_batch_is_ready(batches: Any) -> None:
    batches.tell(HandShuffled("red"), ModeChanged(ShufflerMode.SERVICE), ResidualCards(0, 2))

    assert batches.bars() == [Bar.DEVICE]


def test_a_held_batch_names_every_bar(batches: Any) -> None:
    batches.stored()
    batches.tell(DoorMoved(open=True, compartment=1), JamReported(1, cleared=False))

    assert batches.bars() == [Bar.TOUCHED, Bar.JAMMED, Bar.UNSHUFFLED]


def test_the_batch_that_is_out_is_due(batches: Any) -> None:
    assert due_in_play(batches.lineage) == ""
    batches.released("red", 1, 1)
    assert due_in_play(batches.lineage) == "red"
    batches.released("blue", 2, 2)
    assert due_in_play(batches.lineage) == ""


def test_the_idle_batch_has_to_lie_in_the_shuffler(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    assert idle_in_shuffler(batches.lineage, "red")
    assert not idle_in_shuffler(batches.lineage, "blue")

    batches.compartment(2, "released")
    assert not idle_in_shuffler(batches.lineage, "red")


# --- orders -------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", O)
def test_a_device_of_which_nobody_knows_who_it_is_is_only_asked(
    unpaired: Any, order: ShufflerOrder
) -> None:
    assert bool(told(unpaired, order)) == (order is not O.STATUS)


@pytest.mark.parametrize("order", [O.STATUS, O.ABORT, O.PLAY])
def test_breaking_off_and_going_back_to_play_are_always_allowed(
    batches: Any, order: ShufflerOrder
) -> None:
    batches.shuffling()
    batches.tell(JamReported(1, cleared=False), ResidualCards(1, 4), ModeChanged(ShufflerMode.SORT))
    assert told(batches, order, 1, shoe_open=True) == ""


@pytest.mark.parametrize("order", [O.SORT, O.SERVICE, O.SELF_TEST])
def test_no_sorting_service_or_test_with_a_batch_bound_to_an_open_shoe(
    batches: Any, order: ShufflerOrder
) -> None:
    assert "end the shoe first" in told(batches, order, 0, shoe_open=True)
    assert told(batches, order, 0) == ""

    batches.released()
    batches.tell(FirstCardOut("red"))
    assert "end the shoe first" in told(batches, order, 0)


@pytest.mark.parametrize("order", [O.LOAD, O.COUNT, O.SHUFFLE, O.STORE, O.RELEASE, O.SELF_TEST])
def test_nothing_runs_over_left_or_jammed_cards(batches: Any, order: ShufflerOrder) -> None:
    batches.tell(ResidualCards(2, 16))
    assert "16 cards are left" in told(batches, order)

    batches.tell(ResidualCards(2, 0), JamReported(2, cleared=False))
    assert "jammed" in told(batches, order)


def test_service_may_free_a_jam_while_no_shoe_is_open(batches: Any) -> None:
    batches.tell(JamReported(2, cleared=False))
    assert told(batches, O.SERVICE, 0) == ""


@pytest.mark.parametrize("order", [O.LOAD, O.COUNT, O.SHUFFLE, O.STORE, O.RELEASE])
def test_cards_move_in_play_mode_and_in_a_named_compartment(
    batches: Any, order: ShufflerOrder
) -> None:
    assert "1 or 2" in told(batches, order, 0)

    batches.tell(ModeChanged(ShufflerMode.SERVICE))
    assert "order play first" in told(batches, order)


def test_a_free_compartment_is_loaded_and_a_full_one_is_not(batches: Any) -> None:
    assert told(batches, O.LOAD) == ""
    batches.stored("red", 1, 1)
    assert "use the other one" in told(batches, O.LOAD, 1)
    assert told(batches, O.LOAD, 2) == ""


def test_a_held_batch_is_loaded_anew_where_it_lies(batches: Any) -> None:
    batches.counted()
    batches.tell(Handled("red"))

    assert told(batches, O.LOAD, 1) == ""


def test_while_one_is_in_play_and_one_inside_nothing_can_go_in(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.tell(FirstCardOut("red"))
    assert "no batch can go in" in told(batches, O.LOAD, 1)

    batches.tell(ShoeOver(played=True))
    assert told(batches, O.LOAD, 1) == ""


def test_counting_breaks_no_shuffle(batches: Any) -> None:
    assert told(batches, O.COUNT) == ""
    batches.loaded()
    assert told(batches, O.COUNT) == ""
    batches.counted()
    batches.shuffling()
    assert "order abort" in told(batches, O.COUNT)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("loaded", "order count first"),
        ("counted", ""),
        ("shuffling", "being shuffled already"),
        ("shuffled", ""),
        ("stored", ""),
    ],
)
def test_only_what_is_counted_is_shuffled(batches: Any, place: str, words: str) -> None:
    getattr(batches, place)()
    refused = told(batches, O.SHUFFLE)

    assert words in refused
    assert bool(words) == bool(refused)


def test_a_released_batch_is_not_shuffled_where_it_lies(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released")

    assert "take it out" in told(batches, O.SHUFFLE)
    assert "red is released" in told(batches, O.STORE)


def test_a_short_batch_is_not_shuffled_and_it_is_said_why(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 415)

    assert "red is short of cards" in told(batches, O.SHUFFLE)


@pytest.mark.parametrize("door", [0, 1])
def test_nothing_is_shuffled_behind_an_open_door(batches: Any, door: int) -> None:
    batches.loaded()
    batches.tell(DoorMoved(open=True, compartment=door))
    batches.compartment(1, "counted", 416)

    assert "close it first" in told(batches, O.SHUFFLE)


@pytest.mark.parametrize("order", [O.SHUFFLE, O.STORE, O.RELEASE])
def test_what_nobody_can_name_is_loaded_anew(batches: Any, order: ShufflerOrder) -> None:
    assert "load it anew" in told(batches, order)


@pytest.mark.parametrize("order", [O.STORE, O.RELEASE])
@pytest.mark.parametrize("place", ["loaded", "counted", "shuffling"])
def test_an_unshuffled_batch_is_neither_stored_nor_released(
    batches: Any, place: str, order: ShufflerOrder
) -> None:
    getattr(batches, place)()
    assert "not shuffled" in told(batches, order)


@pytest.mark.parametrize("order", [O.STORE, O.RELEASE])
def test_a_shuffled_batch_is_stored_or_released(batches: Any, order: ShufflerOrder) -> None:
    batches.shuffled()
    assert told(batches, order) == ""


def test_the_batch_that_was_just_dealt_is_not_released_again(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.stored("red", 1, 2)

    assert "release the other batch" in told(batches, O.RELEASE)


def test_the_idle_batch_stays_inside_while_a_shoe_is_open(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    assert "a shoe is open" in told(batches, O.RELEASE, 2, shoe_open=True)

    batches.released("red", 1, 2)
    assert "red is out of the shuffler" in told(batches, O.RELEASE, 2)

    batches.tell(FirstCardOut("red"))
    assert "a shoe is open" in told(batches, O.RELEASE, 2)

    batches.tell(ShoeOver(played=True), GoesIn("red"))
    assert told(batches, O.RELEASE, 2) == ""


def test_a_continuous_shuffler_takes_orders_that_are_about_no_batch(
    batches: Any, paired: Any
) -> None:
    batches.lineage = NO_LINEAGE
    batches.tell(paired)

    assert told(batches, O.SHUFFLE) == ""


def test_of_a_continuous_shuffler_no_batch_is_followed(
    batches: Any, paired: Any, proof: Any
) -> None:
    batches.lineage = NO_LINEAGE
    batches.tell(paired)
    known = batches.lineage
    batches.counted()
    batches.tell(ShuffleBegan(1, 1), ShuffleDone(proof(1, 1)), HandShuffled("red"))

    assert batches.lineage == known
    assert batches.last.proofs == ()


# --- warnings -----------------------------------------------------------------------------------


def test_a_warning_is_cleared_when_its_cause_is_over(batches: Any) -> None:
    assert clear_refused(batches.lineage, 1) == "no warning 1 is open; no warning is open"

    batches.tell(SelfTested(passed=False, detail="camera"))
    assert "let the shuffler pass its self-test" in clear_refused(batches.lineage, 1)
    assert clear_refused(batches.lineage, 2) == "no warning 2 is open; open are 1"

    batches.tell(SelfTested(passed=True, detail=""))
    assert clear_refused(batches.lineage, 1) == ""
