"""The result of one fact for the two batches, and the functions that add to it.

Source: NY (a)(4)(iv), S42 (a)(4), (e); D-19, D-20.

Only the table of stages decides whether a batch moves.
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.custody.batch_life.stages import LIVES, BatchStage, BatchTrigger
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage, OpenWarning
from controller.custody.card_states import CardPlace
from controller.custody.moves import BatchMoved, Move
from foundation.message import Message

# Only a right count clears these reasons.
NOT_WHOLE: Final = (BlockReason.SHORT, BlockReason.LONG, BlockReason.FOREIGN)


class Remark(Struct, frozen=True):
    """A wrong act or report that changes no stage. `back` is empty where the batch is unknown."""

    reason: BlockReason
    back: str
    detail: Message


class LineageUpdate(Struct, frozen=True):
    """The result of one fact: the new lineage, and what changed, in order.

    `placed` are the effects that custody follows.
    """

    lineage: Lineage
    placed: tuple[Move, ...] = ()
    moves: tuple[StageChange, ...] = ()
    opened: tuple[OpenWarning, ...] = ()
    closed: tuple[OpenWarning, ...] = ()
    proofs: tuple[ShuffleRecorded, ...] = ()
    remarks: tuple[Remark, ...] = ()


class BatchContext(Struct, frozen=True):
    """Constants for one fact: `cards` and `decks` of a batch, the time (UTC).

    `by_contacts`: the shuffler shows only contacts, and people enter what those cannot show.
    """

    cards: int
    decks: int
    at_ns: int
    by_contacts: bool = False


# The place of a whole batch by its stage: in the shuffler where that has it, else nowhere known.
# None: the cards are in play, and play itself moves them.
_PLACE_OUTSIDE: Final = MappingProxyType(
    {
        BatchStage.RELEASED: CardPlace.UNKNOWN,
        BatchStage.CUT: CardPlace.UNKNOWN,
        BatchStage.IN_SHOE: CardPlace.SHOE,
        BatchStage.IN_PLAY: None,
        BatchStage.SPENT: None,
    }
)
_IN_SHUFFLER: Final = (None, CardPlace.SHUFFLER)


def with_life(update: LineageUpdate, life: BatchLife) -> LineageUpdate:
    """The update with the state of this batch replaced, and its cards where its stage has them."""
    lineage, placed = update.lineage, update.placed
    place = _PLACE_OUTSIDE.get(life.stage, _IN_SHUFFLER[life.compartment > 0])
    lives = list(lineage.lives)
    for at, before in enumerate(lives):
        if before.back != life.back:
            continue
        was = _PLACE_OUTSIDE.get(before.stage, _IN_SHUFFLER[before.compartment > 0])
        if place is not None and place is not was:
            placed = (*placed, BatchMoved(life.back, place))
        lives[at] = life
    return replace(update, lineage=replace(lineage, lives=tuple(lives)), placed=placed)


class _Moving:
    """The model of the machine for one move."""

    __slots__ = ("stage",)

    def __init__(self, stage: BatchStage) -> None:
        self.stage = stage


def can_advance(life: BatchLife, trigger: BatchTrigger) -> bool:
    """Whether the stage of this batch permits that trigger."""
    return trigger in LIVES.get_triggers(life.stage)


def advance(
    update: LineageUpdate,
    context: BatchContext,
    life: BatchLife,
    trigger: BatchTrigger,
    why: Message,
) -> LineageUpdate:
    """Move this batch along a transition and store it; unchanged where there is no transition."""
    if not can_advance(life, trigger):
        return update
    batch = _Moving(life.stage)
    LIVES.events[trigger].trigger(batch)
    moved = StageChange(life.back, life.stage, batch.stage, why)
    update = replace(update, moves=(*update.moves, moved))
    return with_life(update, replace(life, stage=batch.stage))


def without_shuffle(life: BatchLife) -> BatchLife:
    """The batch with no shuffle that counts, and none under way."""
    return replace(life, proof=None, shown=None, by_hand=False, cycle=0)


def hold_batch(
    update: LineageUpdate, context: BatchContext, life: BatchLife, reason: BlockReason, why: Message
) -> LineageUpdate:
    """Hold this batch, where its stage permits, and add the reason that blocks it."""
    trigger = (
        BatchTrigger.SHUFFLE_BROKEN if reason is BlockReason.BROKEN_OFF else BatchTrigger.WENT_WRONG
    )
    reasons = life.block_reasons if reason in life.block_reasons else (*life.block_reasons, reason)
    barred = without_shuffle(replace(life, block_reasons=reasons))
    if life.stage is BatchStage.HELD:
        return with_life(update, barred)
    return advance(update, context, barred, trigger, why)


def add_remark(
    update: LineageUpdate, reason: BlockReason, back: str, detail: Message
) -> LineageUpdate:
    """Add a remark, where batches are tracked."""
    if not update.lineage.lives:
        return update
    return replace(update, remarks=(*update.remarks, Remark(reason, back, detail)))


def restart(
    update: LineageUpdate, context: BatchContext, life: BatchLife, why: Message
) -> LineageUpdate:
    """Start the batch over as its cards are gathered or loaded: count and shuffle are void.

    Reasons that only a right count clears remain.
    """
    reasons = tuple(filter(NOT_WHOLE.__contains__, life.block_reasons))
    fresh = without_shuffle(replace(life, cards=None, block_reasons=reasons))
    if life.stage is BatchStage.COLLECTED:
        return with_life(update, fresh)
    return advance(update, context, fresh, BatchTrigger.COLLECTED, why)
