"""Applies events of the shuffler itself: identity, doors, jams, modes, lights, silence, status.

Source: NY-a-4-iv-c; S42-a-4-iv, S42-e-8-ii-A (stored securely: no door opened since the shuffle
ended), D-20, D-22; field practice (SugarHouse: lights ignored, 16 cards left inside, sort mode used
live; Deck Mate 2: a device opened, changed, or another one).

Cards left in a compartment are missing from the batch in it, and from the one that it shuffled and
that is not in play yet: both are short until they are counted and shuffled again, whoever takes the
cards out or clears the warning. A door that opens over a batch that is only loaded, counted or
released raises no warning: the count is then repeated.

A status proves neither a count nor a shuffle: it can only take away. A compartment that is further
on than the known state contradicts nothing: its events are still to come, and the batch keeps its
stage until then. So the status is requested after the events that the device stored.
"""

from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.change import BatchContext, LineageUpdate, hold_batch, restart
from controller.custody.batch_life.compartments import (
    COMPARTMENTS,
    because_in_compartment,
    empty_compartment,
    hold_broken_shuffle,
    hold_mismatch,
    hold_on_other_back,
    hold_on_wrong_count,
    match_compartment,
    place_in_compartment,
)
from controller.custody.batch_life.facts import EventsLost, ShufflerPortLost
from controller.custody.batch_life.stages import READY, BatchStage
from controller.custody.batch_life.state import BatchLife, BlockReason, WarningKind
from controller.custody.batch_life.warnings import (
    LAMPS_MAX,
    deactivate,
    deactivate_all,
    open_warning,
    take_out_what_is_left,
)
from drivers.shuffler_events import (
    CompartmentState,
    ContactRestored,
    DeviceSilent,
    DeviceTampered,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShufflerMode,
    ShufflerStatus,
    ShufflerWarning,
)
from foundation.message import Message, message

# Shuffled, or being shuffled: an open door spoils these batches.
_SECURED: Final = (BatchStage.SHUFFLING, BatchStage.SHUFFLED, BatchStage.STORED)
_IN_DOUBT: Final = (*_SECURED, BatchStage.COUNTED, BatchStage.RELEASED)
_OUT: Final = (BatchStage.RELEASED, BatchStage.CUT, BatchStage.IN_SHOE)


def on_door_moved(update: LineageUpdate, context: BatchContext, event: DoorMoved) -> LineageUpdate:
    """A door of the housing or of a compartment was opened or closed."""
    place = _place(event.compartment)
    others = tuple(each for each in update.lineage.doors if each != place)
    doors = tuple(sorted((*others, place))) if event.open else others
    update = replace(update, lineage=replace(update.lineage, doors=doors))
    return (
        hold_behind_door(update, context, place)
        if event.open
        else deactivate(update, WarningKind.DOOR, compartment=place)
    )


def hold_behind_door(update: LineageUpdate, context: BatchContext, place: int) -> LineageUpdate:
    """Hold or start over the batches behind an open door."""
    for life in _behind(update, place):
        if life.stage in _SECURED:
            why = message("door_opened_on_shuffled", batch=life.back)
            update = hold_batch(update, context, life, BlockReason.TOUCHED, why)
            update = open_warning(
                update, context, WarningKind.DOOR, why, active=True, compartment=place
            )
        elif life.stage is BatchStage.COUNTED:
            why = message("door_opened_on_counted", batch=life.back)
            update = restart(update, context, life, why)
    return update


def on_jam(update: LineageUpdate, context: BatchContext, event: JamReported) -> LineageUpdate:
    """Cards are jammed, or a jam was cleared."""
    place = _place(event.compartment)
    if event.cleared:
        return deactivate(update, WarningKind.JAM, compartment=place)
    where = message("compartment_number", number=place) if place else message("the_shuffler")
    for life in _behind(update, place):
        why = message("cards_of_batch_jammed_in", batch=life.back, where=where)
        update = hold_batch(update, context, life, BlockReason.JAMMED, why)
    text = message("cards_jammed_in", where=where)
    return open_warning(update, context, WarningKind.JAM, text, active=True, compartment=place)


def on_residual_cards(
    update: LineageUpdate, context: BatchContext, event: ResidualCards
) -> LineageUpdate:
    """Residual cards are in the shuffler, or were taken out."""
    place = _place(event.compartment)
    others = tuple(one for one in update.lineage.residuals if one[0] != place)
    left = ((place, event.cards),) if event.cards > 0 else ()
    update = replace(update, lineage=replace(update.lineage, residuals=(*others, *left)))
    if not left:
        return deactivate(update, WarningKind.RESIDUAL, compartment=place)
    return hold_over_residual_cards(update, context, place, event.cards)


def hold_over_residual_cards(
    update: LineageUpdate, context: BatchContext, place: int, cards: int
) -> LineageUpdate:
    """Hold the batches that cards left in that compartment are missing from, and warn of them.

    `place` is 0 where the compartment is not known: any batch may be short.
    """
    text = take_out_what_is_left(cards)
    for life in update.lineage.lives:
        if _may_lack_cards_left_in(life, place):
            why = message("short_by_cards_left", batch=life.back, what=text)
            update = hold_batch(update, context, life, BlockReason.SHORT, why)
    return open_warning(update, context, WarningKind.RESIDUAL, text, active=True, compartment=place)


def _may_lack_cards_left_in(life: BatchLife, place: int) -> bool:
    """Whether the batch lies in that compartment, or came out of it and is not in play yet."""
    if life.stage not in _OUT:
        return life.compartment > 0 and place in (0, life.compartment)
    shuffled = life.proof or life.shown
    return shuffled is not None and place in (0, shuffled.compartment)


def on_mode(
    update: LineageUpdate, context: BatchContext, event: ModeChanged | ShufflerStatus
) -> LineageUpdate:
    """Store the mode of the shuffler; leaving play mode holds the batches inside."""
    mode = event.mode
    if mode is update.lineage.mode:
        return update
    update = replace(update, lineage=replace(update.lineage, mode=mode))
    if mode is ShufflerMode.PLAY:
        return deactivate(update, WarningKind.MODE)
    why = message("shuffler_went_into_mode", mode=mode.value)
    update = hold_all_inside(update, context, BlockReason.TOUCHED, why)
    text = message("shuffler_mode_is", mode=mode.value)
    return open_warning(update, context, WarningKind.MODE, text, active=True)


def on_warning_light(
    update: LineageUpdate, context: BatchContext, event: ShufflerWarning
) -> LineageUpdate:
    """A warning light of the shuffler went on or off."""
    if not event.active:
        return deactivate(update, WarningKind.LAMP, code=event.code)
    text = message("shuffler_warns_saying", code=event.code, foreign=event.text)
    return open_warning(update, context, WarningKind.LAMP, text, active=True, code=event.code)


def on_self_test(update: LineageUpdate, context: BatchContext, event: SelfTested) -> LineageUpdate:
    if event.passed:
        return deactivate(update, WarningKind.SELF_TEST)
    text = message("failed_self_test_saying", foreign=event.detail)
    return open_warning(update, context, WarningKind.SELF_TEST, text, active=True)


def on_tampered(
    update: LineageUpdate, context: BatchContext, event: DeviceTampered
) -> LineageUpdate:
    """The shuffler reports that it was tampered with: the batches inside are in doubt."""
    why = message("shuffler_was_opened_or_changed", what=event.what)
    return open_warning(
        hold_all_inside(update, context, BlockReason.TOUCHED, why),
        context,
        WarningKind.TAMPER,
        why,
        active=False,
    )


def on_events_lost(update: LineageUpdate, context: BatchContext, fact: EventsLost) -> LineageUpdate:
    """Events of the shuffler are lost: the batches inside are in doubt."""
    why = (
        message("number_of_events_lost", number=fact.missing)
        if fact.missing
        else message("events_lost")
    )
    return open_warning(
        hold_all_inside(update, context, BlockReason.UNPROVEN, why),
        context,
        WarningKind.EVENTS_LOST,
        why,
        active=False,
    )


def on_identity_proven(
    update: LineageUpdate, context: BatchContext, event: IdentityProven
) -> LineageUpdate:
    """The shuffler is a paired one; if it is another than before, it holds no batch."""
    before = update.lineage.device
    named = replace(
        update.lineage, device=event.device, version=event.version, bare=event.bare, trusted=True
    )
    update = deactivate(replace(update, lineage=named), WarningKind.IDENTITY)
    update = on_contact_restored(update, context, event)
    if before in ("", event.device):
        return update
    why = message("another_shuffler_connected", device=event.device)
    update = hold_all_inside(update, context, BlockReason.UNPROVEN, why)
    lives = tuple(replace(one, compartment=0) for one in update.lineage.lives)
    emptied = replace(update.lineage, lives=lives, doors=(), residuals=(), mode=ShufflerMode.PLAY)
    update = deactivate_all(replace(update, lineage=emptied))
    return open_warning(update, context, WarningKind.IDENTITY, why, active=False)


def on_identity_refused(
    update: LineageUpdate, context: BatchContext, event: IdentityRefused
) -> LineageUpdate:
    """The identity was refused: further events of this device are ignored."""
    update = replace(update, lineage=replace(update.lineage, trusted=False))
    text = message("shuffler_not_admitted", why=event.why)
    if event.rolled_back:
        text = message("shuffler_not_admitted_rolled_back", why=event.why)
    return open_warning(update, context, WarningKind.IDENTITY, text, active=True)


def on_silent(
    update: LineageUpdate, context: BatchContext, fact: DeviceSilent | ShufflerPortLost
) -> LineageUpdate:
    """The shuffler is lost; it reports missed events once it has proven its identity again."""
    if isinstance(fact, DeviceSilent) and not fact.lost:
        return update
    update = replace(update, lineage=replace(update.lineage, trusted=False))
    if update.lineage.silent:
        return update  # warned already, and perhaps cleared by a person since
    update = replace(update, lineage=replace(update.lineage, silent=True))
    text = message("shuffler_silent")
    return open_warning(update, context, WarningKind.SILENT, text, active=True)


def on_contact_restored(
    update: LineageUpdate, context: BatchContext, event: ContactRestored | IdentityProven
) -> LineageUpdate:
    """A silent shuffler reports again."""
    return deactivate(
        replace(update, lineage=replace(update.lineage, silent=False)), WarningKind.SILENT
    )


def hold_all_inside(
    update: LineageUpdate, context: BatchContext, reason: BlockReason, why: Message
) -> LineageUpdate:
    """Hold every counted or shuffled batch in the shuffler."""
    for life in _behind(update, 0):
        if life.stage in _IN_DOUBT:
            update = hold_batch(update, context, life, reason, because_in_compartment(life, why))
    return update


def _behind(update: LineageUpdate, place: int) -> list[BatchLife]:
    """The batches in that compartment, or in either where `place` is 0 (the housing)."""
    return [
        one for one in update.lineage.lives if one.compartment and place in (0, one.compartment)
    ]


def _place(compartment: int) -> int:
    return compartment if compartment in COMPARTMENTS else 0


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
