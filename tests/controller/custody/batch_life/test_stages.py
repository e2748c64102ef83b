"""The table of stages: every edge is reached by something that happens, and none leads past a step.

Responsible for: the edges as such, and one way to come along each of them.
Not responsible for: what else becomes of a batch (the other tests here).
Source: controller/README.md, "The life of a batch".
"""

from typing import Any

import pytest

from controller.custody.batch_life.facts import (
    CutMade,
    Fact,
    FirstCardOut,
    GoesIn,
    Handled,
    HandShuffled,
    NewCards,
    PutIntoShoe,
    ShoeOver,
)
from controller.custody.batch_life.stages import EDGES, BatchStage, BatchTrigger
from controller.state_table import NoEdge, StateTable
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    CompartmentState,
    ShuffleAborted,
    ShuffleBegan,
    ShuffleDone,
)

S = BatchStage
T = BatchTrigger
LIVES = StateTable(EDGES)


def lies(state: CompartmentState, cards: int | None = None) -> CompartmentChanged:
    return CompartmentChanged(1, state, cards, "red", b"")


def brought_to(batches: Any, stage: BatchStage) -> None:
    """Red on its way, in compartment 1 where it is in the shuffler."""
    match stage:
        case S.UNKNOWN:
            pass
        case S.COLLECTED:
            batches.tell(GoesIn("red"))
        case S.HELD:
            batches.counted()
            batches.tell(Handled("red"))
        case S.CUT:
            batches.released()
            batches.tell(CutMade())
        case S.IN_SHOE:
            batches.released()
            batches.tell(PutIntoShoe("red"))
        case S.IN_PLAY:
            batches.released()
            batches.tell(FirstCardOut("red"))
        case S.SPENT:
            batches.played()
        case _:
            getattr(batches, stage.value)()


HAPPENINGS: dict[BatchTrigger, tuple[Fact, ...]] = {
    T.COLLECTED: (lies(CompartmentState.LOADING),),
    T.COUNTED: (lies(CompartmentState.COUNTED, 416),),
    T.SHUFFLE_BEGUN: (ShuffleBegan(1, 9),),
    T.SHUFFLE_BROKEN: (ShuffleAborted(1, 9, AbortReason.JAM),),
    T.SHUFFLED_BY_HAND: (lies(CompartmentState.EMPTY), HandShuffled("red")),
    T.STORED: (lies(CompartmentState.STORED, 416),),
    T.RELEASED: (lies(CompartmentState.RELEASED),),
    T.CUT: (CutMade(),),
    T.LOADED: (PutIntoShoe("red"),),
    T.FIRST_CARD: (FirstCardOut("red"),),
    T.SHOE_OVER: (ShoeOver(played=True),),
    T.SHOE_UNPLAYED: (ShoeOver(played=False),),
    T.NEW_CARDS: (NewCards("red"),),
}


@pytest.mark.parametrize(("source", "trigger", "to"), EDGES)
def test_every_edge_is_something_that_happens(
    batches: Any, proof: Any, source: BatchStage, trigger: BatchTrigger, to: BatchStage
) -> None:
    brought_to(batches, source)
    assert batches.stage() is source
    happening = HAPPENINGS.get(trigger, ())
    if trigger is T.SHUFFLE_PROVEN:
        happening = (ShuffleDone(proof(1, 1)),)
    if trigger is T.WENT_WRONG:
        gone = source is S.COLLECTED
        happening = (lies(CompartmentState.COUNTED, 415) if gone else Handled("red"),)

    moves = [
        (moved.before, moved.after) for fact in happening for moved in batches.tell(fact).moves
    ]
    assert (source.value, to.value) in moves


@pytest.mark.parametrize("stage", [S.UNKNOWN, S.COLLECTED, S.COUNTED, S.SHUFFLING, S.SPENT, S.HELD])
@pytest.mark.parametrize("trigger", [T.RELEASED, T.CUT, T.LOADED, T.FIRST_CARD])
def test_what_is_not_shuffled_has_no_way_into_the_dealing_shoe(
    stage: BatchStage, trigger: BatchTrigger
) -> None:
    assert isinstance(LIVES.next(stage, trigger), NoEdge)


@pytest.mark.parametrize("trigger", T)
def test_a_batch_in_play_is_spent_gathered_or_held_and_nothing_else(trigger: BatchTrigger) -> None:
    to = LIVES.next(S.IN_PLAY, trigger)
    assert isinstance(to, NoEdge) or to in (S.SPENT, S.COLLECTED, S.HELD)


@pytest.mark.parametrize("stage", S)
def test_only_a_right_count_and_a_whole_shuffle_lead_to_shuffled(stage: BatchStage) -> None:
    reaching = {trigger for source, trigger, to in EDGES if to is S.SHUFFLED and source is stage}
    assert reaching <= {T.SHUFFLE_PROVEN, T.SHUFFLED_BY_HAND}
    assert T.SHUFFLE_PROVEN not in reaching or stage is S.SHUFFLING
