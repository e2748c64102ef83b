"""Compares the shuffler's full status with the known state; holds batches that contradict.

Source: D-22; NY-a-4-iv-c, S42-a-4-iv, S42-e-8-ii-A.

A status proves neither a count nor a shuffle: it can only take away. A compartment that is further
on than the known state contradicts nothing: its events are still to come, and the batch keeps its
stage until then. So the status is requested after the events that the device stored.
"""

from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.change import BatchContext, LineageUpdate, hold_batch
from controller.custody.batch_life.compartment_match import match_compartment
from controller.custody.batch_life.compartments import (
    COMPARTMENTS,
    empty_compartment,
    hold_broken_shuffle,
    hold_mismatch,
    hold_on_other_back,
    hold_on_wrong_count,
    place_in_compartment,
)
from controller.custody.batch_life.device import (
    hold_behind_door,
    hold_over_residual_cards,
    on_mode,
)
from controller.custody.batch_life.stages import READY, BatchStage
from controller.custody.batch_life.state import BatchLife, BlockReason, WarningKind
from controller.custody.batch_life.warnings import (
    LAMPS_MAX,
    deactivate,
    open_warning,
)
from drivers.shuffler_events import CompartmentState, ShufflerStatus
from foundation.message import Message, message

_S: Final = BatchStage
_C: Final = CompartmentState
_FURTHER: Final = (_C.SHUFFLED, _C.STORED, _C.RELEASED)
# Compartment states that agree with a stage; for other stages, every state does.
_AGREES: Final = {
    _S.COUNTED: (_C.COUNTED, _C.SHUFFLING, *_FURTHER),
    _S.SHUFFLING: (_C.SHUFFLING, *_FURTHER),
    _S.SHUFFLED: _FURTHER,
    _S.STORED: _FURTHER,
    _S.RELEASED: (_C.RELEASED,),
}
_COUNTED_IN: Final = (_S.COUNTED, _S.SHUFFLED, _S.STORED)
# Compartment states that rule out a jam.
_NOT_JAMMED: Final = (_C.EMPTY, _C.COUNTED, *_FURTHER)


def on_status(update: LineageUpdate, context: BatchContext, event: ShufflerStatus) -> LineageUpdate:
    """Compare a full status with the known state."""
    update = on_mode(update, context, event)
    update = _doors(update, context, open_now=event.door_open)
    update = _residual(update, context, event.residual)
    update = _lamps(update, context, event.warnings)
    for compartment, state, cards, back, cycle in event.compartments:
        if compartment in COMPARTMENTS:
            update = (
                deactivate(update, WarningKind.JAM, compartment=compartment)
                if state in _NOT_JAMMED
                else update
            )
            update = _compartment(update, context, (compartment, state, cards, back, cycle))
    if event.compartments and all(
        compartment[1] in _NOT_JAMMED for compartment in event.compartments
    ):
        update = deactivate(update, WarningKind.JAM)
    return update


def _doors(update: LineageUpdate, context: BatchContext, *, open_now: bool) -> LineageUpdate:
    known = update.lineage.doors
    if open_now and not known:
        return hold_behind_door(
            replace(update, lineage=replace(update.lineage, doors=(0,))), context, 0
        )
    if not open_now:
        update = replace(update, lineage=replace(update.lineage, doors=()))
        for place in (0, *COMPARTMENTS):
            update = deactivate(update, WarningKind.DOOR, compartment=place)
    return update


def _residual(update: LineageUpdate, context: BatchContext, cards: int) -> LineageUpdate:
    if cards == update.lineage.residual:
        return update
    left = ((0, cards),) if cards > 0 else ()
    update = replace(update, lineage=replace(update.lineage, residuals=left))
    for place in (0, *COMPARTMENTS):
        update = deactivate(update, WarningKind.RESIDUAL, compartment=place)
    return hold_over_residual_cards(update, context, 0, cards) if left else update


def _lamps(update: LineageUpdate, context: BatchContext, codes: tuple[int, ...]) -> LineageUpdate:
    for one in update.lineage.warnings:
        if one.kind is WarningKind.LAMP and one.code not in codes:
            update = deactivate(update, WarningKind.LAMP, code=one.code)
    for code in codes[: LAMPS_MAX + 1]:
        text = message("shuffler_warns", code=code)
        update = open_warning(update, context, WarningKind.LAMP, text, active=True, code=code)
    return update


def _compartment(
    update: LineageUpdate,
    context: BatchContext,
    report: tuple[int, CompartmentState, int | None, str, int],
) -> LineageUpdate:
    compartment, state, cards, back, cycle = report
    life = update.lineage.in_compartment(compartment)
    if state is _C.EMPTY:
        return empty_compartment(update, context, compartment)
    if life is None:
        return (
            update
            if state is _C.RELEASED
            else _unexpected_cards(update, context, compartment, back)
        )
    if back not in ("", life.back):
        return hold_on_other_back(update, context, compartment, back)
    if state not in _AGREES.get(life.stage, tuple(_C)):
        why = message(
            "was_in_stage_now_is",
            batch=life.back,
            stage=life.stage.value,
            compartment=compartment,
            state=state.value,
        )
        return _hold_contradiction(update, context, life, why)
    if life.stage is _S.SHUFFLING and state is _C.SHUFFLING and cycle not in (0, life.cycle):
        why = message("in_other_shuffle", batch=life.back, cycle=cycle, known=life.cycle)
        return _hold_contradiction(update, context, life, why)
    if life.stage in _COUNTED_IN and state in (_C.COUNTED, *_FURTHER[:2]):
        return hold_on_wrong_count(update, context, life, cards, b"") or update
    return update


def _unexpected_cards(
    update: LineageUpdate, context: BatchContext, compartment: int, back: str
) -> LineageUpdate:
    """Cards are in a compartment that was known to be empty."""
    if not update.lineage.lives:
        return update
    found = match_compartment(update.lineage, compartment, back)
    life = found.life
    if life is not None and found.contradiction is None and life.stage in READY:
        why = message(
            "was_ready_and_lies_inside",
            batch=life.back,
            stage=life.stage.value,
            compartment=compartment,
        )
        return hold_mismatch(update, context, compartment, life, why)
    return place_in_compartment(update, context, compartment, back)[0]


def _hold_contradiction(
    update: LineageUpdate, context: BatchContext, life: BatchLife, why: Message
) -> LineageUpdate:
    if life.stage is _S.SHUFFLING:
        return hold_broken_shuffle(update, context, life, why)
    update = hold_batch(update, context, life, BlockReason.UNPROVEN, why)
    return open_warning(
        update, context, WarningKind.COUNT, why, active=False, compartment=life.compartment
    )
