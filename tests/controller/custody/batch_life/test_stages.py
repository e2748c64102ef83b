"""The table of stages: every edge is reached by a fact, and no edge skips a step."""

from typing import Any

from controller.custody.batch_life.facts import (
    Fact,
    FirstCardOut,
    ShoeOver,
    Touched,
)
from controller.custody.batch_life.stages import EDGES, LIVES, BatchStage, BatchTrigger
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    CompartmentState,
    ShuffleAborted,
    ShuffleDone,
    ShuffleShown,
    ShuffleStarted,
)

S = BatchStage
T = BatchTrigger


def report(state: CompartmentState, cards: int | None = None) -> CompartmentChanged:
    return CompartmentChanged(1, state, cards, "red", b"")


def bring_to(batches: Any, stage: BatchStage) -> None:
    """Bring the red batch to that stage, in compartment 1 while in the shuffler."""
    match stage:
        case S.UNKNOWN:
            pass
        case S.COLLECTED:
            batches.apply(RecordAct(ActKind.INTO_SHUFFLER, "red"))
        case S.HELD:
            batches.counted()
            batches.apply(Touched("red"))
        case S.CUT:
            batches.released()
            batches.apply(RecordAct(ActKind.CUT))
        case S.IN_SHOE:
            batches.released()
            batches.apply(RecordAct(ActKind.LOADED, "red"))
        case S.IN_PLAY:
            batches.released()
            batches.apply(FirstCardOut("red"))
        case S.SPENT:
            batches.played()
        case _:
            getattr(batches, stage.value)()


FACTS: dict[BatchTrigger, tuple[Fact, ...]] = {
    T.COLLECTED: (report(CompartmentState.LOADING),),
    T.COUNTED: (report(CompartmentState.COUNTED, 416),),
    T.SHUFFLE_BEGUN: (ShuffleStarted(1, 9),),
    T.SHUFFLE_BROKEN: (ShuffleAborted(1, 9, AbortReason.JAM),),
    T.SHUFFLE_SHOWN: (ShuffleShown(1, 1, 90_000),),
    T.SHUFFLED_BY_HAND: (report(CompartmentState.EMPTY), RecordAct(ActKind.SHUFFLED, "red")),
    T.STORED: (report(CompartmentState.STORED, 416),),
    T.RELEASED: (report(CompartmentState.RELEASED),),
    T.CUT: (RecordAct(ActKind.CUT),),
    T.LOADED: (RecordAct(ActKind.LOADED, "red"),),
    T.FIRST_CARD: (FirstCardOut("red"),),
    T.SHOE_OVER: (ShoeOver(played=True),),
    T.SHOE_UNPLAYED: (ShoeOver(played=False),),
    T.NEW_CARDS: (RecordAct(ActKind.RECEIVED, "red"),),
}


def test_every_edge_is_reached_by_a_fact(tables: Any, proof: Any) -> None:
    for source, trigger, to in EDGES:
        batches = tables()
        bring_to(batches, source)
        assert batches.stage() is source
        facts = FACTS.get(trigger, ())
        if trigger is T.SHUFFLE_PROVEN:
            facts = (ShuffleDone(proof(1, 1)),)
        if trigger is T.WENT_WRONG:
            short = report(CompartmentState.COUNTED, 415)
            facts = (short if source is S.COLLECTED else Touched("red"),)

        moves = [(one.before, one.after) for fact in facts for one in batches.apply(fact).moves]
        assert (source.value, to.value) in moves, (source, trigger)


def test_an_unshuffled_batch_has_no_edge_into_the_shoe() -> None:
    for stage in (S.UNKNOWN, S.COLLECTED, S.COUNTED, S.SHUFFLING, S.SPENT, S.HELD):
        for trigger in (T.RELEASED, T.CUT, T.LOADED, T.FIRST_CARD):
            assert trigger not in LIVES.get_triggers(stage), (stage, trigger)


def test_edges_out_of_in_play() -> None:
    to = {one.dest for one in LIVES.get_transitions(source=S.IN_PLAY)}
    assert to == {S.SPENT.name, S.COLLECTED.name, S.HELD.name}


def test_every_move_is_between_stages() -> None:
    """The library does not check the source of a transition, nor its destination."""
    every = LIVES.get_transitions()
    assert {one.source for one in every} | {one.dest for one in every} == {one.name for one in S}


def test_edges_into_shuffled_need_a_count_and_a_shuffle() -> None:
    for stage in S:
        triggers = {one for source, one, to in EDGES if to is S.SHUFFLED and source is stage}
        assert triggers <= {T.SHUFFLE_PROVEN, T.SHUFFLE_SHOWN, T.SHUFFLED_BY_HAND}, stage
        by_device = triggers & {T.SHUFFLE_PROVEN, T.SHUFFLE_SHOWN}
        assert not by_device or stage is S.SHUFFLING, stage
