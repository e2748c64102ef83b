"""Applies shuffles: begun, completed with a receipt that is checked, or aborted.

Not: the signature of a receipt (firmware_bridge reports whether it is genuine).
Source: S42-e-1, NY-a-4-iv-c, S42-a-4-iv; D-19, D-20; field practice (Taj Mahal and Showboat:
batches dealt that were never shuffled).

A shuffle counts once, as a whole, by the trusted device, with the right cards at its end. A receipt
that says "not verified" counts only where the device cannot read faces, the count is right and its
sensor saw the right back: such a device can verify no more. Shuffle numbers only increase; the
highest number of each of the last devices is stored, so that no receipt counts twice. A shuffle
that lamps show has no receipt: it counts on what people counted, and is marked as shown. A shuffle
that begins without a right count, with an open door, or outside play mode does not count.
"""

from typing import Final, assert_never

from msgspec.structs import replace

from controller.custody.batch_life.change import (
    BatchContext,
    LineageUpdate,
    add_remark,
    advance,
    hold_batch,
    without_shuffle,
)
from controller.custody.batch_life.compartments import (
    COMPARTMENTS,
    CountMismatch,
    check_count,
    hold_broken_shuffle,
    place_in_compartment,
)
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.custody.batch_life.stages import COUNT_VALID, BatchStage, BatchTrigger
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage, WarningKind
from controller.custody.batch_life.warnings import open_warning
from drivers.shuffler_events import (
    AbortReason,
    ShuffleAborted,
    ShuffleDone,
    ShuffleProof,
    ShuffleResult,
    ShufflerMode,
    ShufflerStarted,
    ShuffleShown,
    ShuffleStarted,
)
from foundation.message import Message, message

DEVICES_MAX: Final = 8
_MS_PER_S: Final = 1000
# A jam or an open door may be reported before the abort that it caused.
_IN_DOUBT: Final = (*COUNT_VALID, BatchStage.SHUFFLING, BatchStage.HELD)


def on_shuffle_started(
    update: LineageUpdate, context: BatchContext, event: ShuffleStarted
) -> LineageUpdate:
    """A shuffle begins; it will count if nothing is against it from the start."""
    if event.compartment not in COMPARTMENTS or not update.lineage.lives:
        return update
    known = update.lineage.in_compartment(event.compartment)
    if known is not None and known.stage is BatchStage.SHUFFLING and known.cycle == event.cycle:
        return update
    again = event.cycle <= _last_cycle(update.lineage)
    update = _remember_cycle(update, event.cycle)
    update, life = place_in_compartment(update, context, event.compartment, "")
    if life is None:
        return update
    if life.stage is BatchStage.SHUFFLING:
        update = hold_broken_shuffle(
            update, context, life, message("another_shuffle_begins", batch=life.back)
        )
        life = update.lineage.life(life.back) or life
    refused = message("number_used_before") if again else _start_problem(update.lineage, life)
    if refused is not None:
        detail = message("shuffle_will_not_count", why=refused)
        return add_remark(update, BlockReason.UNPROVEN, life.back, detail)
    begun = replace(without_shuffle(life), cycle=event.cycle)
    why = message("shuffle_begins", cycle=event.cycle)
    return advance(update, context, begun, BatchTrigger.SHUFFLE_BEGUN, why)


def on_shuffle_done(
    update: LineageUpdate, context: BatchContext, event: ShuffleDone
) -> LineageUpdate:
    """A shuffle completed: its receipt counts, or is refused with the reason."""
    proof = event.proof
    if not update.lineage.lives:
        return update
    life = update.lineage.in_compartment(proof.compartment)
    refused = _origin_problem(update.lineage, life, proof)
    if proof.device == update.lineage.device:
        update = _remember_cycle(update, proof.cycle)
    if life is None or refused is not None:
        return _add_proof(update, life, proof, refused)
    problem = _proof_problem(update.lineage, life, proof, context)
    if problem is None:
        shuffled = replace(life, cards=proof.count, proof=proof, block_reasons=(), cycle=0)
        why = message("shuffle_is_complete", cycle=proof.cycle)
        return _add_proof(
            advance(update, context, shuffled, BatchTrigger.SHUFFLE_PROVEN, why), life, proof, None
        )
    why = message("shuffle_does_not_count", cycle=proof.cycle, batch=life.back, why=problem.detail)
    update = hold_batch(update, context, replace(life, cards=proof.count), problem.reason, why)
    if problem.reason is not BlockReason.UNPROVEN:
        update = open_warning(
            update, context, WarningKind.COUNT, why, active=False, compartment=proof.compartment
        )
    return _add_proof(update, life, proof, problem.detail)


def on_shuffle_shown(
    update: LineageUpdate, context: BatchContext, event: ShuffleShown
) -> LineageUpdate:
    """Lamps show that a shuffle ran to its end: it counts, as far as a lamp can say."""
    life = update.lineage.in_compartment(event.compartment)
    if life is None or life.stage is not BatchStage.SHUFFLING or life.cycle != event.cycle:
        back = "" if life is None else life.back
        detail = message("shown_shuffle_counts_for_no_batch", cycle=event.cycle)
        return add_remark(update, BlockReason.UNPROVEN, back, detail)
    shuffled = replace(life, shown=event, block_reasons=(), cycle=0)
    why = message("shuffle_is_shown", cycle=event.cycle, seconds=event.ran_ms // _MS_PER_S)
    return advance(update, context, shuffled, BatchTrigger.SHUFFLE_SHOWN, why)


def on_shuffle_aborted(
    update: LineageUpdate, context: BatchContext, event: ShuffleAborted
) -> LineageUpdate:
    """A shuffle was aborted: the batch is not shuffled."""
    return _abort(_remember_cycle(update, event.cycle), context, event.compartment, event.reason)


def on_shuffler_started(
    update: LineageUpdate, context: BatchContext, event: ShufflerStarted
) -> LineageUpdate:
    """The shuffler booted: running shuffles are aborted, stored batches were without power."""
    reported = tuple(each for each in COMPARTMENTS if each in event.broken_off)
    running = [one.compartment for one in update.lineage.lives if one.stage is BatchStage.SHUFFLING]
    aborted = (*reported, *(each for each in running if each not in reported))
    for compartment in aborted:
        update = _abort(update, context, compartment, AbortReason.POWER)
    idle = tuple(
        one.back
        for one in update.lineage.lives
        if one.compartment and one.compartment not in aborted
    )
    if idle:
        text = message("shuffler_restarted_with", batches=idle)
        update = open_warning(update, context, WarningKind.POWER, text, active=False)
    return update


def _abort(
    update: LineageUpdate, context: BatchContext, compartment: int, reason: AbortReason
) -> LineageUpdate:
    life = update.lineage.in_compartment(compartment)
    if life is not None and life.stage in _IN_DOUBT:
        why = message("shuffle_of_batch_aborted", batch=life.back, reason=reason.value)
        return hold_broken_shuffle(update, context, life, why)
    text = message("shuffle_there_aborted", compartment=compartment, reason=reason.value)
    return open_warning(
        update, context, WarningKind.BROKEN_OFF, text, active=False, compartment=compartment
    )


def _start_problem(lineage: Lineage, life: BatchLife) -> Message | None:
    """Why a shuffle that begins now will not count; None where it will."""
    if life.stage not in COUNT_VALID:
        return message("not_counted_before_it", batch=life.back)
    if lineage.mode is not ShufflerMode.PLAY:
        return message("in_mode_put_into_play_mode", mode=lineage.mode.value)
    if any(door in (0, life.compartment) for door in lineage.doors):
        return message("door_open_close_it")
    return None


def _origin_problem(
    lineage: Lineage, life: BatchLife | None, proof: ShuffleProof
) -> Message | None:
    """Why a receipt does not belong to the shuffle running in its compartment; else None."""
    if proof.device != lineage.device:
        return message("from_another_device")
    if life is None:
        return message("shuffled_batch_unknown")
    if life.stage is not BatchStage.SHUFFLING or life.cycle != proof.cycle:
        return message("no_such_shuffle_running", batch=life.back)
    return None


def _proof_problem(
    lineage: Lineage, life: BatchLife, proof: ShuffleProof, context: BatchContext
) -> CountMismatch | None:
    """What is wrong with the receipt of the running shuffle; None where it is right."""
    if not (proof.genuine or lineage.bare):
        return CountMismatch(BlockReason.UNPROVEN, message("receipt_without_signature"))
    if proof.ended_us < proof.began_us:
        return CountMismatch(BlockReason.UNPROVEN, message("ends_before_it_begins"))
    mismatch = check_count(proof.count, proof.faces, context.cards, context.decks)
    if mismatch is not None:
        return mismatch
    if proof.back not in ("", life.back):
        detail = message("another_back_seen", batch=life.back)
        return CountMismatch(BlockReason.FOREIGN, detail)
    match proof.result:
        case ShuffleResult.GOOD:
            return None
        case ShuffleResult.UNVERIFIED:
            if not proof.faces and proof.back == life.back:
                return None
            return CountMismatch(BlockReason.UNPROVEN, message("could_not_verify_it"))
        case ShuffleResult.COUNT_DIFFERS:
            return CountMismatch(BlockReason.SHORT, message("reports_different_count"))
        case ShuffleResult.FACES_DIFFER:
            return CountMismatch(BlockReason.FOREIGN, message("reports_different_faces"))
        case _:
            assert_never(proof.result)


def _add_proof(
    update: LineageUpdate, life: BatchLife | None, proof: ShuffleProof, refused: Message | None
) -> LineageUpdate:
    back = life.back if life is not None else ""
    return replace(update, proofs=(*update.proofs, ShuffleRecorded(back, proof, refused)))


def _last_cycle(lineage: Lineage) -> int:
    return next((last for device, last in lineage.cycles if device == lineage.device), -1)


def _remember_cycle(update: LineageUpdate, cycle: int) -> LineageUpdate:
    """Remember the highest shuffle number of the connected device."""
    device = update.lineage.device
    others = tuple(one for one in update.lineage.cycles if one[0] != device)
    highest = max(cycle, _last_cycle(update.lineage))
    cycles = (*others, (device, highest))[-DEVICES_MAX:]
    return replace(update, lineage=replace(update.lineage, cycles=cycles))
