"""Applies events of the shuffler itself: identity, doors, jams, modes, lights, silence.

Source: S42-e-8-ii-A (stored securely: no door opened since the shuffle ended), D-20; field practice
(SugarHouse: lights ignored, 16 cards left inside, sort mode used live; Deck Mate 2: a device
opened, changed, or another one).

Cards left in a compartment are missing from the batch in it, and from the one that it shuffled and
that is not in play yet: both are short until they are counted and shuffled again, whoever takes the
cards out or clears the warning. A door that opens over a batch that is only loaded, counted or
released raises no warning: the count is then repeated.
"""

from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.change import BatchContext, LineageUpdate, hold_batch, restart
from controller.custody.batch_life.compartments import COMPARTMENTS, because_in_compartment
from controller.custody.batch_life.facts import EventsLost, ShufflerPortLost
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BatchLife, BlockReason, WarningKind
from controller.custody.batch_life.warnings import (
    deactivate,
    deactivate_all,
    open_warning,
    take_out_what_is_left,
)
from drivers.shuffler_events import (
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
