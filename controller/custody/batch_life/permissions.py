"""What is permitted with a batch now: dealing from it, shuffler orders, clearing warnings.

Source: NY-a-4-iv-c to NY-a-4-iv-e; S42-a-4-iv to S42-a-4-vi, S42-e-1, S42-e-8-ii-A; D-19 to D-21;
field practice (Taj Mahal, Showboat, SugarHouse, the two-pack scam).
"""

from typing import Final

from msgspec import Struct

from controller.custody.batch_life import warnings
from controller.custody.batch_life.stages import COUNT_VALID, READY, BatchStage
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage
from controller.custody.batch_life.warnings import cards_left, take_out
from drivers.commands import ShufflerOrder
from drivers.shuffler_events import ShufflerMode


class Obstacle(Struct, frozen=True):
    """A reason why a batch may not be dealt from; `detail` and `remedy` are sentences."""

    reason: BlockReason
    detail: str
    remedy: str


_REPEAT: Final = "count and shuffle it again"
_BLOCKED: Final = {
    BlockReason.SHORT: (
        "is short of cards",
        "find the missing cards, then count and shuffle it again",
    ),
    BlockReason.LONG: (
        "has too many cards",
        "take the wrong cards out, then count and shuffle it again",
    ),
    BlockReason.FOREIGN: (
        "holds cards that are not its own",
        "sort it out, then count and shuffle it again",
    ),
    BlockReason.UNSHUFFLED: ("was dealt from unshuffled", _REPEAT),
    BlockReason.UNPROVEN: ("has no proof that it is whole and shuffled", _REPEAT),
    BlockReason.JAMMED: ("was jammed in the shuffler", f"free its cards, then {_REPEAT}"),
    BlockReason.BROKEN_OFF: (
        "had its shuffle aborted",
        f"{_REPEAT}, or shuffle it by hand on record",
    ),
    BlockReason.TOUCHED: ("was touched, or a door was opened on it", _REPEAT),
    BlockReason.REPEATED: ("was dealt twice in a row", _REPEAT),
    BlockReason.NOT_RELEASED: ("was dealt from before it was released", _REPEAT),
    BlockReason.DEVICE: ("came out of a shuffler that was not in order", _REPEAT),
}
_NOT_SHUFFLED: Final = {
    BatchStage.UNKNOWN: ("is not known to be shuffled", "load, count and shuffle it"),
    BatchStage.COLLECTED: ("is gathered and neither counted nor shuffled", "count and shuffle it"),
    BatchStage.COUNTED: ("is counted and not shuffled", "shuffle it"),
    BatchStage.SHUFFLING: ("is still being shuffled", "wait for the end of the shuffle"),
    BatchStage.SPENT: ("was dealt and not shuffled since", "put it into the shuffler"),
    BatchStage.HELD: ("is held and not shuffled", _REPEAT),
}


def obstacles_to_dealing(lineage: Lineage, back: str) -> tuple[Obstacle, ...]:
    """Why this batch may not be put into the dealing shoe now; empty where it may."""
    if not lineage.lives:
        return ()
    life = lineage.life(back)
    if life is None:
        backs = " and ".join(one.back for one in lineage.lives)
        foreign = f"no batch of this table has {back or 'such'} backs"
        return (Obstacle(BlockReason.FOREIGN, foreign, f"take the batch of {backs} that is due"),)
    return (*batch_obstacles(lineage, life), *_device_obstacles(lineage, life))


def batch_obstacles(lineage: Lineage, life: BatchLife) -> tuple[Obstacle, ...]:
    """The obstacles of this batch itself, first wrong step first."""
    back, obstacles = life.back, []
    if _was_dealt_last(lineage, back):
        other = lineage.other(back)
        due = other.back if other is not None else "the other batch"
        obstacles.append(
            Obstacle(BlockReason.REPEATED, f"the last shoe was dealt from {back}", f"take {due}")
        )
    obstacles += [_block(back, reason) for reason in life.block_reasons]
    if life.stage in _NOT_SHUFFLED:
        state, remedy = _NOT_SHUFFLED[life.stage]
        obstacles.append(Obstacle(BlockReason.UNSHUFFLED, f"{back} {state}", remedy))
    elif life.stage in (BatchStage.SHUFFLED, BatchStage.STORED):
        obstacles.append(
            Obstacle(
                BlockReason.NOT_RELEASED, f"{back} is in the shuffler", "have it released first"
            )
        )
    elif life.stage in READY and lineage.in_play not in ("", back):
        obstacles.append(
            Obstacle(
                BlockReason.NOT_RELEASED,
                f"{lineage.in_play} is in play",
                "end its shoe before the next",
            )
        )
    return tuple(obstacles)


def _was_dealt_last(lineage: Lineage, back: str) -> bool:
    return back == lineage.last_played and back != lineage.may_repeat


def batch_due_next(lineage: Lineage) -> str:
    """The batch due for the next shoe; empty where not exactly one is out of the shuffler."""
    ready = [one.back for one in lineage.lives if one.stage in READY]
    return ready[0] if len(ready) == 1 else ""


def idle_in_shuffler(lineage: Lineage, in_play: str) -> bool:
    """Whether every batch other than `in_play` is in the shuffler and not released."""
    return all(one.stored for one in lineage.lives if one.back != in_play)


def order_refusal(
    lineage: Lineage, order: ShufflerOrder, compartment: int, *, shoe_open: bool
) -> str:
    """Why an order to the shuffler is refused now, with the remedy; empty where it is permitted.

    Status is always permitted; abort and play mode for every device with a proven identity.
    """
    if order is ShufflerOrder.STATUS:
        return ""
    if not lineage.trusted:
        return "the shuffler has not proven its identity: connect the one that was paired"
    if order in (ShufflerOrder.ABORT, ShufflerOrder.PLAY):
        return ""
    if order in _NOT_WITH_OPEN_SHOE and (shoe_open or lineage.in_play):
        return f"no {order} with a batch bound to an open shoe: end the shoe first"
    if order in (ShufflerOrder.SERVICE, ShufflerOrder.SORT):
        return ""
    if lineage.residual:
        return f"{cards_left(lineage.residual)}: {take_out(lineage.residual)} first"
    if lineage.jammed(1) or lineage.jammed(2):
        return "cards are jammed in the shuffler: free them first"
    if order is ShufflerOrder.SELF_TEST:
        return ""
    if lineage.mode is not ShufflerMode.PLAY:
        return f"the shuffler is in {lineage.mode} mode: order play first"
    if compartment not in (1, 2):
        return f"say which compartment is to {order}: 1 or 2"
    if not lineage.lives:
        return ""
    return _compartment_refusal(lineage, order, compartment, shoe_open=shoe_open)


def clear_refusal(lineage: Lineage, number: int) -> str:
    """Why the warning of that number cannot be cleared now, with the remedy; empty if it can."""
    return warnings.clear_refusal(lineage, number)


def _block(back: str, reason: BlockReason) -> Obstacle:
    state, remedy = _BLOCKED[reason]
    return Obstacle(reason, f"{back} {state}", remedy)


def _device_obstacles(lineage: Lineage, life: BatchLife) -> tuple[Obstacle, ...]:
    """Obstacles for every batch from this shuffler in its present state."""
    found = []
    if not (lineage.trusted or life.by_hand):
        found.append(
            Obstacle(
                BlockReason.DEVICE,
                "the shuffler has not proven its identity",
                "connect the paired shuffler, or shuffle by hand on record",
            )
        )
    if lineage.residual:
        left = cards_left(lineage.residual)
        found.append(
            Obstacle(
                BlockReason.DEVICE,
                left,
                f"{take_out(lineage.residual)}, then count the batch again",
            )
        )
    if lineage.mode is not ShufflerMode.PLAY and not life.by_hand:
        found.append(
            Obstacle(
                BlockReason.DEVICE,
                f"the shuffler is in {lineage.mode} mode",
                "put it into play mode",
            )
        )
    return tuple(found)


_NOT_WITH_OPEN_SHOE: Final = (ShufflerOrder.SELF_TEST, ShufflerOrder.SERVICE, ShufflerOrder.SORT)


def _compartment_refusal(
    lineage: Lineage, order: ShufflerOrder, compartment: int, *, shoe_open: bool
) -> str:
    """Why an order is refused for the batch in a compartment; empty where it is permitted."""
    life = lineage.in_compartment(compartment)
    match order:
        case ShufflerOrder.LOAD:
            return _load_refusal(lineage, life, compartment)
        case ShufflerOrder.COUNT:
            if life is not None and life.stage is BatchStage.SHUFFLING:
                return f"{life.back} is being shuffled: wait for its end, or order abort"
            return ""
        case ShufflerOrder.SHUFFLE:
            return _shuffle_refusal(lineage, life, compartment)
        case _ if life is None:
            return f"which batch is in compartment {compartment} is unknown: load it again"
        case _ if life.stage not in (BatchStage.SHUFFLED, BatchStage.STORED):
            obstacles = batch_obstacles(lineage, life)
            why = (
                f"{obstacles[0].detail}: {obstacles[0].remedy}"
                if obstacles
                else f"{life.back} is released"
            )
            return f"no {order} of a batch that is not shuffled and in the shuffler; {why}"
        case ShufflerOrder.RELEASE:
            return _release_refusal(lineage, life, shoe_open=shoe_open)
        case _:
            return ""


def _load_refusal(lineage: Lineage, life: BatchLife | None, compartment: int) -> str:
    if life is not None and life.stage not in (BatchStage.COLLECTED, BatchStage.HELD):
        return f"{life.back} is {life.stage} in compartment {compartment}: use the other one"
    loadable = [
        one
        for one in lineage.lives
        if one.back != lineage.in_play and one.compartment in (0, compartment)
    ]
    if loadable:
        return ""
    return "no batch can go in: one is in play, or both are in the shuffler"


def _shuffle_refusal(lineage: Lineage, life: BatchLife | None, compartment: int) -> str:
    if life is None:
        return f"which batch is in compartment {compartment} is unknown: load it again"
    if any(door in (0, compartment) for door in lineage.doors):
        return "a door of the shuffler is open: close it first"
    if life.stage in COUNT_VALID:
        return ""
    if life.stage is BatchStage.SHUFFLING:
        return f"{life.back} is being shuffled already: wait for its end"
    if life.stage is BatchStage.RELEASED:
        return f"{life.back} is released: take it out to be cut, or load it again"
    blocked = "".join(
        f"{one.detail}; " for one in (_block(life.back, reason) for reason in life.block_reasons)
    )
    return f"{blocked}{life.back} was not counted since it was loaded: order count first"


def _release_refusal(lineage: Lineage, life: BatchLife, *, shoe_open: bool) -> str:
    if _was_dealt_last(lineage, life.back):
        return f"the last shoe was dealt from {life.back}: release the other batch"
    if shoe_open or lineage.in_play:
        return f"a shoe is open: {life.back} stays in the shuffler until it is over"
    out = [one.back for one in lineage.lives if one.stage in READY]
    if out:
        return f"{out[0]} is already out of the shuffler for the next shoe: load it, or put it back"
    return ""
