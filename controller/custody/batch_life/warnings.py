"""Warnings of the shuffler: opened once, ended by the device, cleared by a named person.

Not: what play does while a warning is open (procedure).
Source: field practice (SugarHouse: warning lights ignored; a warning is an interlock, not a lamp).

Only warning lights, with the device's own codes, are unlimited in number: LAMPS_MAX of them are
kept, the last one stands for all others until a status names them. Every other warning exists once
for each kind and compartment. That the shuffler is silent, or is not the paired one, can be cleared
while it lasts: it may never come back, the shoe in play is not affected, and no batch of it is
loaded without a proof in any case.
"""

from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.change import BatchContext, LineageUpdate
from controller.custody.batch_life.state import Lineage, OpenWarning, WarningKind
from controller.rules.actions.actions import ClearWarning
from foundation.message import Message, message

LAMPS_MAX: Final = 10
# Code of the warning that stands for all further lights; above every device code.
MORE_LAMPS: Final = 0x10000
# Lights; jam, door, residual, abort and count for each compartment and the device; 7 more.
WARNINGS_MAX: Final = LAMPS_MAX + 5 * 3 + 7

_COMPARTMENTS: Final = (1, 2)


def open_warning(
    update: LineageUpdate,
    context: BatchContext,
    kind: WarningKind,
    text: Message,
    *,
    active: bool,
    compartment: int = 0,
    code: int = 0,
) -> LineageUpdate:
    """Open a warning, or set `active` of the one that is already open."""
    place = compartment if compartment in _COMPARTMENTS else 0
    lineage = update.lineage
    for one in lineage.warnings:
        if (one.kind, one.code, one.compartment) == (kind, code, place):
            return _replace_warning(update, replace(one, active=active))
    if kind is WarningKind.LAMP and code != MORE_LAMPS and _no_room(lineage):
        more = message("more_warnings_than_kept")
        return open_warning(update, context, kind, more, active=True, code=MORE_LAMPS)
    number = lineage.warnings_given + 1
    opened = OpenWarning(number, kind, code, text, context.at_ns, active=active, compartment=place)
    lineage = replace(lineage, warnings=(*lineage.warnings, opened), warnings_given=number)
    return replace(update, lineage=lineage, opened=(*update.opened, opened))


def deactivate(
    update: LineageUpdate, kind: WarningKind, *, compartment: int = 0, code: int = 0
) -> LineageUpdate:
    """The cause of a warning has ended; it stays open until a person clears it."""
    for one in update.lineage.warnings:
        if (one.kind, one.code, one.compartment) == (kind, code, compartment):
            update = _replace_warning(update, replace(one, active=False))
    return update


def deactivate_all(update: LineageUpdate) -> LineageUpdate:
    """Mark the causes of all warnings as ended: another device is connected."""
    warnings = tuple(replace(one, active=False) for one in update.lineage.warnings)
    return replace(update, lineage=replace(update.lineage, warnings=warnings))


def clear_warning(
    update: LineageUpdate, context: BatchContext, fact: ClearWarning
) -> LineageUpdate:
    """Clear a warning; one that cannot be cleared stays."""
    number = fact.number
    if clear_refusal(update.lineage, number) is not None:
        return update
    closed = tuple(one for one in update.lineage.warnings if one.number == number)
    left = tuple(one for one in update.lineage.warnings if one.number != number)
    return replace(
        update, lineage=replace(update.lineage, warnings=left), closed=(*update.closed, *closed)
    )


def clear_refusal(lineage: Lineage, number: int) -> Message | None:
    """Why the warning of that number cannot be cleared now, with the remedy; None if it can."""
    open_now = next((one for one in lineage.warnings if one.number == number), None)
    if open_now is None:
        numbers = tuple(one.number for one in lineage.warnings)
        if not numbers:
            return message("no_warning_open", number=number)
        return message("no_such_warning_open", number=number, numbers=numbers)
    if open_now.active and open_now.kind not in _CLEARABLE_WHILE_ACTIVE:
        remedy = _REMEDIES[open_now.kind]
        return message("warning_still_active", number=number, text=open_now.text, remedy=remedy)
    return None


def take_out_what_is_left(count: int) -> Message:
    """How many residual cards there are, and their remedy."""
    left = message("cards_left_in_shuffler", count=count)
    return message("what_then_remedy", what=left, remedy=take_out(count))


def take_out(count: int) -> Message:
    """The remedy for residual cards."""
    return message("take_it_out") if count == 1 else message("take_them_out")


_REMEDIES: Final = {
    WarningKind.LAMP: message("do_what_shuffler_asks"),
    WarningKind.JAM: message("free_the_cards"),
    WarningKind.DOOR: message("close_the_door"),
    WarningKind.RESIDUAL: message("take_cards_out_of_shuffler"),
    WarningKind.MODE: message("put_shuffler_back_into_play_mode"),
    WarningKind.BROKEN_OFF: message("count_and_shuffle_batch_again"),
    WarningKind.COUNT: message("look_at_the_cards"),
    WarningKind.POWER: message("look_into_the_shuffler"),
    WarningKind.SELF_TEST: message("let_shuffler_pass_self_test"),
    WarningKind.TAMPER: message("look_at_the_shuffler"),
    WarningKind.IDENTITY: message("connect_paired_shuffler_with_firmware"),
    WarningKind.EVENTS_LOST: message("count_and_shuffle_what_lies_inside"),
    WarningKind.SILENT: message("switch_shuffler_on"),
}


_CLEARABLE_WHILE_ACTIVE: Final = (WarningKind.SILENT, WarningKind.IDENTITY)


def _no_room(lineage: Lineage) -> bool:
    lamps = [
        one for one in lineage.warnings if one.kind is WarningKind.LAMP and one.code != MORE_LAMPS
    ]
    return len(lamps) >= LAMPS_MAX - 1


def _replace_warning(update: LineageUpdate, changed: OpenWarning) -> LineageUpdate:
    warnings = tuple(
        changed if one.number == changed.number else one for one in update.lineage.warnings
    )
    return replace(update, lineage=replace(update.lineage, warnings=warnings))
