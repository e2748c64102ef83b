"""What is permitted with a batch: dealing, shuffler orders, clearing warnings; and why not."""

from typing import Any

import pytest
from in_words import why_words

from controller.custody.batch_life.facts import (
    FirstCardOut,
    ShoeOver,
    Touched,
)
from controller.custody.batch_life.permissions import (
    batch_due_next,
    idle_in_shuffler,
    obstacles_to_dealing,
    order_refusal,
)
from controller.custody.batch_life.state import NO_LINEAGE, BlockReason
from controller.custody.batch_life.warnings import clear_refusal
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from controller.system.messages.catalogue import to_words
from drivers.commands import ShufflerOrder
from drivers.shuffler_events import (
    DoorMoved,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShuffleDone,
    ShufflerMode,
    ShuffleStarted,
)

O = ShufflerOrder  # noqa: E741


def refusal_of(
    batches: Any, order: ShufflerOrder, compartment: int = 1, shoe_open: bool = False
) -> str:
    return why_words(order_refusal(batches.lineage, order, compartment, shoe_open=shoe_open))


@pytest.mark.parametrize(
    ("place", "bar", "words"),
    [
        ("loaded", BlockReason.UNSHUFFLED, "neither counted nor shuffled"),
        ("counted", BlockReason.UNSHUFFLED, "counted and not shuffled"),
        ("shuffling", BlockReason.UNSHUFFLED, "still being shuffled"),
        ("shuffled", BlockReason.NOT_RELEASED, "in the shuffler"),
        ("stored", BlockReason.NOT_RELEASED, "in the shuffler"),
    ],
)
def test_an_unready_batch_is_blocked_by_its_next_step(
    batches: Any, place: str, bar: BlockReason, words: str
) -> None:
    getattr(batches, place)()
    (one,) = obstacles_to_dealing(batches.lineage, "red")

    assert one.reason is bar
    assert words in to_words(one.detail)
    assert to_words(one.remedy)


def test_an_unknown_batch_is_not_known_to_be_shuffled(batches: Any) -> None:
    assert batches.block_reasons() == [BlockReason.UNSHUFFLED]


def test_the_batch_just_dealt_has_two_obstacles(batches: Any) -> None:
    batches.played()
    first, second = obstacles_to_dealing(batches.lineage, "red")

    assert (first.reason, to_words(first.remedy)) == (BlockReason.REPEATED, "take blue")
    assert second.reason is BlockReason.UNSHUFFLED


def test_while_one_batch_is_in_play_the_other_is_blocked(batches: Any) -> None:
    batches.released("red", 1, 1)
    batches.apply(FirstCardOut("red"))
    batches.released("blue", 2, 2)

    assert batches.block_reasons("blue") == [BlockReason.NOT_RELEASED]
    assert batches.block_reasons("red") == []


@pytest.mark.parametrize("back", ["green", ""])
def test_an_unknown_back_is_foreign(batches: Any, back: str) -> None:
    assert batches.block_reasons(back) == [BlockReason.FOREIGN]


def test_a_continuous_shuffler_blocks_no_batch() -> None:
    assert obstacles_to_dealing(NO_LINEAGE, "red") == ()
    assert idle_in_shuffler(NO_LINEAGE, "red")
    assert batch_due_next(NO_LINEAGE) == ""


def test_a_hand_shuffled_batch_needs_no_trusted_shuffler(unpaired: Any) -> None:
    unpaired.apply(RecordAct(ActKind.SHUFFLED, "red"))
    assert unpaired.block_reasons() == []


def test_residual_cards_block_every_batch(batches: Any) -> None:
    batches.apply(
        RecordAct(ActKind.SHUFFLED, "red"), ModeChanged(ShufflerMode.SERVICE), ResidualCards(0, 2)
    )

    assert batches.block_reasons() == [BlockReason.DEVICE]


def test_a_held_batch_lists_every_block_reason(batches: Any) -> None:
    batches.stored()
    batches.apply(DoorMoved(open=True, compartment=1), JamReported(1, cleared=False))

    assert batches.block_reasons() == [
        BlockReason.TOUCHED,
        BlockReason.JAMMED,
        BlockReason.UNSHUFFLED,
    ]


def test_the_ready_batch_is_due_next(batches: Any) -> None:
    assert batch_due_next(batches.lineage) == ""
    batches.released("red", 1, 1)
    assert batch_due_next(batches.lineage) == "red"
    batches.released("blue", 2, 2)
    assert batch_due_next(batches.lineage) == ""


def test_the_idle_batch_must_be_in_the_shuffler(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    assert idle_in_shuffler(batches.lineage, "red")
    assert not idle_in_shuffler(batches.lineage, "blue")

    batches.compartment(2, "released")
    assert not idle_in_shuffler(batches.lineage, "red")


# --- orders -------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", O)
def test_an_unproven_device_accepts_only_status_orders(unpaired: Any, order: ShufflerOrder) -> None:
    assert bool(refusal_of(unpaired, order)) == (order is not O.STATUS)


@pytest.mark.parametrize("order", [O.STATUS, O.ABORT, O.PLAY])
def test_abort_and_play_orders_are_always_permitted(batches: Any, order: ShufflerOrder) -> None:
    batches.shuffling()
    batches.apply(
        JamReported(1, cleared=False), ResidualCards(1, 4), ModeChanged(ShufflerMode.SORT)
    )
    assert refusal_of(batches, order, 1, shoe_open=True) == ""


@pytest.mark.parametrize("order", [O.SORT, O.SERVICE, O.SELF_TEST])
def test_sort_service_and_self_test_are_refused_while_a_shoe_is_open(
    batches: Any, order: ShufflerOrder
) -> None:
    assert "end the shoe first" in refusal_of(batches, order, 0, shoe_open=True)
    assert refusal_of(batches, order, 0) == ""

    batches.released()
    batches.apply(FirstCardOut("red"))
    assert "end the shoe first" in refusal_of(batches, order, 0)


@pytest.mark.parametrize("order", [O.LOAD, O.COUNT, O.SHUFFLE, O.STORE, O.RELEASE, O.SELF_TEST])
def test_orders_are_refused_with_residual_or_jammed_cards(
    batches: Any, order: ShufflerOrder
) -> None:
    batches.apply(ResidualCards(2, 16))
    assert "16 cards are left" in refusal_of(batches, order)

    batches.apply(ResidualCards(2, 0), JamReported(2, cleared=False))
    assert "jammed" in refusal_of(batches, order)


def test_service_is_permitted_during_a_jam_without_a_shoe(batches: Any) -> None:
    batches.apply(JamReported(2, cleared=False))
    assert refusal_of(batches, O.SERVICE, 0) == ""


@pytest.mark.parametrize("order", [O.LOAD, O.COUNT, O.SHUFFLE, O.STORE, O.RELEASE])
def test_card_orders_need_play_mode_and_a_compartment(batches: Any, order: ShufflerOrder) -> None:
    assert "1 or 2" in refusal_of(batches, order, 0)

    batches.apply(ModeChanged(ShufflerMode.SERVICE))
    assert "order play first" in refusal_of(batches, order)


def test_only_a_free_compartment_is_loaded(batches: Any) -> None:
    assert refusal_of(batches, O.LOAD) == ""
    batches.stored("red", 1, 1)
    assert "use the other one" in refusal_of(batches, O.LOAD, 1)
    assert refusal_of(batches, O.LOAD, 2) == ""


def test_a_held_batch_may_be_loaded_again_in_its_compartment(batches: Any) -> None:
    batches.counted()
    batches.apply(Touched("red"))

    assert refusal_of(batches, O.LOAD, 1) == ""


def test_load_is_refused_with_one_batch_in_play_and_one_inside(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.released("red", 1, 2)
    batches.apply(FirstCardOut("red"))
    assert "no batch can go in" in refusal_of(batches, O.LOAD, 1)

    batches.apply(ShoeOver(played=True))
    assert refusal_of(batches, O.LOAD, 1) == ""


def test_count_is_refused_during_a_shuffle(batches: Any) -> None:
    assert refusal_of(batches, O.COUNT) == ""
    batches.loaded()
    assert refusal_of(batches, O.COUNT) == ""
    batches.counted()
    batches.shuffling()
    assert "order abort" in refusal_of(batches, O.COUNT)


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
def test_shuffle_is_refused_without_a_count(batches: Any, place: str, words: str) -> None:
    getattr(batches, place)()
    refused = refusal_of(batches, O.SHUFFLE)

    assert words in refused
    assert bool(words) == bool(refused)


def test_shuffle_is_refused_for_a_released_batch(batches: Any) -> None:
    batches.stored()
    batches.compartment(1, "released")

    assert "take it out" in refusal_of(batches, O.SHUFFLE)
    assert "red is released" in refusal_of(batches, O.STORE)


def test_shuffle_is_refused_for_a_short_batch_with_the_reason(batches: Any) -> None:
    batches.loaded()
    batches.compartment(1, "counted", 415)

    assert "red is short of cards" in refusal_of(batches, O.SHUFFLE)


@pytest.mark.parametrize("door", [0, 1])
def test_shuffle_is_refused_with_an_open_door(batches: Any, door: int) -> None:
    batches.loaded()
    batches.apply(DoorMoved(open=True, compartment=door))
    batches.compartment(1, "counted", 416)

    assert "close it first" in refusal_of(batches, O.SHUFFLE)


@pytest.mark.parametrize("order", [O.SHUFFLE, O.STORE, O.RELEASE])
def test_orders_for_an_unknown_batch_ask_for_loading_again(
    batches: Any, order: ShufflerOrder
) -> None:
    assert "load it again" in refusal_of(batches, order)


@pytest.mark.parametrize("order", [O.STORE, O.RELEASE])
@pytest.mark.parametrize("place", ["loaded", "counted", "shuffling"])
def test_store_and_release_are_refused_for_an_unshuffled_batch(
    batches: Any, place: str, order: ShufflerOrder
) -> None:
    getattr(batches, place)()
    assert "not shuffled" in refusal_of(batches, order)


@pytest.mark.parametrize("order", [O.STORE, O.RELEASE])
def test_store_and_release_are_permitted_for_a_shuffled_batch(
    batches: Any, order: ShufflerOrder
) -> None:
    batches.shuffled()
    assert refusal_of(batches, order) == ""


def test_release_is_refused_for_the_batch_just_dealt(batches: Any) -> None:
    batches.played("red", 1, 1)
    batches.stored("red", 1, 2)

    assert "release the other batch" in refusal_of(batches, O.RELEASE)


def test_release_is_refused_while_a_shoe_is_open(batches: Any) -> None:
    batches.stored("blue", 2, 1)
    assert "a shoe is open" in refusal_of(batches, O.RELEASE, 2, shoe_open=True)

    batches.released("red", 1, 2)
    assert "red is already out of the shuffler" in refusal_of(batches, O.RELEASE, 2)

    batches.apply(FirstCardOut("red"))
    assert "a shoe is open" in refusal_of(batches, O.RELEASE, 2)

    batches.apply(ShoeOver(played=True), RecordAct(ActKind.INTO_SHUFFLER, "red"))
    assert refusal_of(batches, O.RELEASE, 2) == ""


def test_a_continuous_shuffler_accepts_orders(batches: Any, paired: Any) -> None:
    batches.lineage = NO_LINEAGE
    batches.apply(paired)

    assert refusal_of(batches, O.SHUFFLE) == ""


def test_a_continuous_shuffler_has_no_tracked_batch(batches: Any, paired: Any, proof: Any) -> None:
    batches.lineage = NO_LINEAGE
    batches.apply(paired)
    known = batches.lineage
    batches.counted()
    batches.apply(
        ShuffleStarted(1, 1), ShuffleDone(proof(1, 1)), RecordAct(ActKind.SHUFFLED, "red")
    )

    assert batches.lineage == known
    assert batches.last.proofs == ()


# --- warnings -----------------------------------------------------------------------------------


def test_a_warning_can_be_cleared_once_its_cause_ended(batches: Any) -> None:
    assert (
        why_words(clear_refusal(batches.lineage, 1)) == "no warning 1 is open; no warning is open"
    )

    batches.apply(SelfTested(passed=False, detail="camera"))
    assert "let the shuffler pass its self-test" in why_words(clear_refusal(batches.lineage, 1))
    assert why_words(clear_refusal(batches.lineage, 2)) == "no warning 2 is open; open are 1"

    batches.apply(SelfTested(passed=True, detail=""))
    assert why_words(clear_refusal(batches.lineage, 1)) == ""
