"""The result of one fact for the two batches, and the functions that add to it.

Source: NY (a)(4)(iv), S42 (a)(4), (e); D-19, D-20.

Only the table of stages decides whether a batch moves.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.batch_life.facts import StageChange
from controller.custody.batch_life.stages import BatchStage, BatchTrigger
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage, OpenWarning
from controller.state_table import NoEdge, StateTable
from drivers.shuffler_events import ShuffleProof

# Only a right count clears these reasons.
NOT_WHOLE: Final = (BlockReason.SHORT, BlockReason.LONG, BlockReason.FOREIGN)


class Remark(Struct, frozen=True):
    """A wrong act or report that changes no stage. `back` is empty where the batch is unknown."""

    reason: BlockReason
    back: str
    detail: str


class CheckedProof(Struct, frozen=True):
    """A checked shuffle receipt: it counts for that batch, or `refused` says why not."""

    back: str
    proof: ShuffleProof
    refused: str


class LineageUpdate(Struct, frozen=True):
    """The result of one fact: the new lineage, and what changed, in order."""

    lineage: Lineage
    moves: tuple[StageChange, ...] = ()
    opened: tuple[OpenWarning, ...] = ()
    closed: tuple[OpenWarning, ...] = ()
    proofs: tuple[CheckedProof, ...] = ()
    remarks: tuple[Remark, ...] = ()


class BatchContext(Struct, frozen=True):
    """Constants for one fact: the stage table, `cards` and `decks` of a batch, the time (UTC)."""

    stage_table: StateTable[BatchStage, BatchTrigger]
    cards: int
    decks: int
    at_ns: int


def with_life(lineage: Lineage, life: BatchLife) -> Lineage:
    """The lineage with the state of this batch replaced."""
    lives = tuple(life if one.back == life.back else one for one in lineage.lives)
    return replace(lineage, lives=lives)


def can_advance(context: BatchContext, life: BatchLife, trigger: BatchTrigger) -> bool:
    """Whether the stage of this batch permits that trigger."""
    return not isinstance(context.stage_table.next(life.stage, trigger), NoEdge)


def advance(
    update: LineageUpdate, context: BatchContext, life: BatchLife, trigger: BatchTrigger, why: str
) -> LineageUpdate:
    """Move this batch along a transition and store it; unchanged where there is no transition."""
    after = context.stage_table.next(life.stage, trigger)
    if isinstance(after, NoEdge):
        return update
    moved = StageChange(life.back, life.stage, after, why)
    return replace(
        update,
        lineage=with_life(update.lineage, replace(life, stage=after)),
        moves=(*update.moves, moved),
    )


def hold_batch(
    update: LineageUpdate, context: BatchContext, life: BatchLife, reason: BlockReason, why: str
) -> LineageUpdate:
    """Hold this batch, where its stage permits, and add the reason that blocks it."""
    trigger = (
        BatchTrigger.SHUFFLE_BROKEN if reason is BlockReason.BROKEN_OFF else BatchTrigger.WENT_WRONG
    )
    reasons = life.block_reasons if reason in life.block_reasons else (*life.block_reasons, reason)
    barred = replace(life, block_reasons=reasons, proof=None, by_hand=False, cycle=0)
    if life.stage is BatchStage.HELD:
        return replace(update, lineage=with_life(update.lineage, barred))
    return advance(update, context, barred, trigger, why)


def add_remark(update: LineageUpdate, reason: BlockReason, back: str, detail: str) -> LineageUpdate:
    """Add a remark, where batches are tracked."""
    if not update.lineage.lives:
        return update
    return replace(update, remarks=(*update.remarks, Remark(reason, back, detail)))


def restart(
    update: LineageUpdate, context: BatchContext, life: BatchLife, why: str
) -> LineageUpdate:
    """Start the batch over as its cards are gathered or loaded: count and shuffle are void.

    Reasons that only a right count clears remain.
    """
    reasons = tuple(reason for reason in life.block_reasons if reason in NOT_WHOLE)
    fresh = replace(life, cards=None, proof=None, by_hand=False, block_reasons=reasons, cycle=0)
    if life.stage is BatchStage.COLLECTED:
        return replace(update, lineage=with_life(update.lineage, fresh))
    return advance(update, context, fresh, BatchTrigger.COLLECTED, why)
