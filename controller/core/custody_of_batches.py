"""Custody follows the life of the batches: whole batches go where the shuffler and people put them.

Responsible for: reading off two states of the batches' lives where each bound batch is now, and
what its count in the shuffler says of its cards.
Not responsible for: the life itself (custody.lineage), single cards and shoes (custodian), and what
custody makes of it (controller.custody).
Source: NY (a)(4)(iv), (d); S42 (a)(4), (d); D-17, D-19.
"""

from types import MappingProxyType
from typing import Final

from controller.custody import batch_actions as batches
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import NO_LINEAGE, Bar, BatchLife, Lineage
from controller.custody.card_states import Whereabouts
from controller.custody.findings import Finding
from controller.custody.state import CustodyState
from controller.procedure.events import DomainEvent, ShufflerTold
from drivers.shuffler_events import CompartmentChanged

# Out of the shuffler; and in play, where play itself moves the cards.
_OUTSIDE: Final = MappingProxyType(
    {
        BatchStage.RELEASED: Whereabouts.UNKNOWN,
        BatchStage.CUT: Whereabouts.UNKNOWN,
        BatchStage.IN_SHOE: Whereabouts.SHOE,
        BatchStage.IN_PLAY: None,
        BatchStage.SPENT: None,
    }
)
_STEP: Final = "the count of the shuffler"


def followed(
    state: CustodyState, event: DomainEvent, before: Lineage, after: Lineage
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Custody after one event changed the life of a batch."""
    if before is after or after is NO_LINEAGE:
        return state, ()
    for life in after.lives:
        was, place = before.life(life.back), _place(life)
        if place is not None and (was is None or _place(was) is not place):
            state = batches.batch_moved(state, life.back, place).state
    return _counted(state, event, before, after)


def _place(life: BatchLife) -> Whereabouts | None:
    """Where all of it is; None where its stage does not say."""
    in_shuffler = Whereabouts.SHUFFLER if life.compartment else None
    return _OUTSIDE.get(life.stage, in_shuffler)


def _counted(
    state: CustodyState, event: DomainEvent, before: Lineage, after: Lineage
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """The shuffler counted a batch. What bars the batch by itself is not told a second time."""
    match event:
        case ShufflerTold(event=CompartmentChanged(compartment=number, cards=int() as cards)):
            pass
        case _:
            return state, ()
    life = next((one for one in after.lives if one.compartment == number), None)
    if life is None or life == before.life(life.back) or _in_play(state, life):
        return state, ()
    counted = batches.counted(state, life.back, cards, _STEP)
    told = Bar.SHORT in life.bars or Bar.LONG in life.bars
    return counted.state, () if told else counted.findings


def _in_play(state: CustodyState, life: BatchLife) -> bool:
    """Whether custody knows better: this very batch is being dealt."""
    in_play = state.shoe.in_play if state.shoe is not None else ""
    names = {one.manifest.back: one.manifest.batch for one in state.batches}
    return bool(in_play) and names.get(life.back) == in_play
