"""Custody follows the batches: whole batches move where the shuffler and people put them.

Source: NY (a)(4)(iv), (d); S42 (a)(4), (d); D-17, D-19.
"""

from types import MappingProxyType
from typing import Final

from controller.custody import batch_actions
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import NO_LINEAGE, BatchLife, BlockReason, Lineage
from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding
from controller.custody.state import CustodyState
from controller.procedure.events import DomainEvent, ShufflerReported
from drivers.shuffler_events import CompartmentChanged

# None: the cards are in play, and play itself moves them.
_OUTSIDE: Final = MappingProxyType(
    {
        BatchStage.RELEASED: CardPlace.UNKNOWN,
        BatchStage.CUT: CardPlace.UNKNOWN,
        BatchStage.IN_SHOE: CardPlace.SHOE,
        BatchStage.IN_PLAY: None,
        BatchStage.SPENT: None,
    }
)
_STEP: Final = "the count of the shuffler"


def apply_lineage_change(
    state: CustodyState, event: DomainEvent, before: Lineage, after: Lineage
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Move whole batches to the places that their stages name, and check the shuffler's count."""
    if before is after or after is NO_LINEAGE:
        return state, ()
    for life in after.lives:
        was, place = before.life(life.back), _place(life)
        if place is not None and (was is None or _place(was) is not place):
            state = batch_actions.move_batch(state, life.back, place).state
    return _check_count(state, event, before, after)


def _place(life: BatchLife) -> CardPlace | None:
    """The place of the whole batch; None if its stage does not determine it."""
    in_shuffler = CardPlace.SHUFFLER if life.compartment else None
    return _OUTSIDE.get(life.stage, in_shuffler)


def _check_count(
    state: CustodyState, event: DomainEvent, before: Lineage, after: Lineage
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Check the shuffler's count of a batch; a count that already blocks it gives no finding."""
    match event:
        case ShufflerReported(event=CompartmentChanged(compartment=number, cards=int() as cards)):
            pass
        case _:
            return state, ()
    life = next((one for one in after.lives if one.compartment == number), None)
    if life is None or life == before.life(life.back) or _in_play(state, life):
        return state, ()
    counted = batch_actions.record_count(state, life.back, cards, _STEP)
    blocked = BlockReason.SHORT in life.block_reasons or BlockReason.LONG in life.block_reasons
    return counted.state, () if blocked else counted.findings


def _in_play(state: CustodyState, life: BatchLife) -> bool:
    """Whether this batch is being dealt, so that custody knows its cards better."""
    in_play = state.shoe.in_play if state.shoe is not None else ""
    names = {one.manifest.back: one.manifest.batch for one in state.batches}
    return bool(in_play) and names.get(life.back) == in_play
