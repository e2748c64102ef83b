"""Warnings of the shuffler: each opened once, ended by the device, closed by a named person.

Responsible for: opening and easing warnings, a bound on how many are kept, and why one cannot be
cleared yet.
Not responsible for: what play does while one is open (the procedure) and for what opens which.
Source: field practice (SugarHouse: warning lights ignored; a warning is an interlock, not a lamp).

Decisions. Only the device can give warnings without end, by its own codes: of these so many are
kept, and then one that stands for all others until a status names them. All other warnings are one
for each kind and compartment. That the shuffler is silent, or not the one that was paired, can be
cleared while it lasts: it may never come back, the shoe in play is not touched by it, and nothing
of its batches is loaded without a proof all the same.
"""

from typing import Final

from controller.custody.batch_life.change import Followed, Measure
from controller.custody.batch_life.state import Lineage, OpenWarning, WarningKind
from firmware_bridge.values import replace

LAMPS_MAX: Final = 10
# Stands for all lamps for which there is no room; no device can give a code so high.
MORE_LAMPS: Final = 0x10000
# The lamps; jam, door, residual, broken off and count for each compartment and the device; 7 more.
WARNINGS_MAX: Final = LAMPS_MAX + 5 * 3 + 7

_COMPARTMENTS: Final = (1, 2)
_TEXT_MAX: Final = 120


def warn(
    f: Followed,
    measure: Measure,
    kind: WarningKind,
    text: str,
    *,
    active: bool,
    compartment: int = 0,
    code: int = 0,
) -> Followed:
    """Open that warning, or tell of the one that is open whether its cause lasts."""
    place = compartment if compartment in _COMPARTMENTS else 0
    lineage = f.lineage
    for one in lineage.warnings:
        if (one.kind, one.code, one.compartment) == (kind, code, place):
            return _with(f, replace(one, active=active))
    if kind is WarningKind.LAMP and code != MORE_LAMPS and _no_room(lineage):
        more = "the shuffler gives more warnings than are kept: look at it, then ask its status"
        return warn(f, measure, kind, more, active=True, code=MORE_LAMPS)
    number = lineage.warnings_told + 1
    opened = OpenWarning(number, kind, code, text, measure.at_ns, active=active, compartment=place)
    lineage = replace(lineage, warnings=(*lineage.warnings, opened), warnings_told=number)
    return replace(f, lineage=lineage, opened=(*f.opened, opened))


def ease(f: Followed, kind: WarningKind, *, compartment: int = 0, code: int = 0) -> Followed:
    """What that warning is about is over; it stays open until a person clears it."""
    for one in f.lineage.warnings:
        if (one.kind, one.code, one.compartment) == (kind, code, compartment):
            f = _with(f, replace(one, active=False))
    return f


def ease_all(f: Followed) -> Followed:
    """Nothing of what the warnings are about can be told of any more: the device is another."""
    warnings = tuple(replace(one, active=False) for one in f.lineage.warnings)
    return replace(f, lineage=replace(f.lineage, warnings=warnings))


def answer(f: Followed, number: int) -> Followed:
    """A named person clears a warning; one that cannot be cleared stays."""
    if clear_refused(f.lineage, number):
        return f
    closed = tuple(one for one in f.lineage.warnings if one.number == number)
    left = tuple(one for one in f.lineage.warnings if one.number != number)
    return replace(f, lineage=replace(f.lineage, warnings=left), closed=(*f.closed, *closed))


def clear_refused(lineage: Lineage, number: int) -> str:
    """Why the warning of that number cannot be cleared now, with the remedy; empty if it can."""
    open_now = next((one for one in lineage.warnings if one.number == number), None)
    if open_now is None:
        numbers = ", ".join(str(one.number) for one in lineage.warnings)
        known = f"open are {numbers}" if numbers else "no warning is open"
        return f"no warning {number} is open; {known}"
    if open_now.active and open_now.kind not in _OF_ITS_ABSENCE:
        return (
            f"warning {number} ({open_now.text}) is still so: {_REMEDIES[open_now.kind]},"
            " then clear it"
        )
    return ""


def harmless(text: str) -> str:
    """What a device wrote, without anything but what can be read on one line."""
    return "".join(each if each.isprintable() else "?" for each in text[:_TEXT_MAX])


_REMEDIES: Final = {
    WarningKind.LAMP: "do what the shuffler asks for until its light is off",
    WarningKind.JAM: "free the cards",
    WarningKind.DOOR: "close the door",
    WarningKind.RESIDUAL: "take the cards out of the shuffler",
    WarningKind.MODE: "put the shuffler back into play mode",
    WarningKind.BROKEN_OFF: "count and shuffle the batch anew",
    WarningKind.COUNT: "look at the cards",
    WarningKind.POWER: "look into the shuffler",
    WarningKind.SELF_TEST: "let the shuffler pass its self-test",
    WarningKind.TAMPER: "look at the shuffler",
    WarningKind.IDENTITY: "connect the paired shuffler with approved firmware, or pair this one",
    WarningKind.EVENTS_LOST: "count and shuffle what lies in the shuffler anew",
    WarningKind.SILENT: "switch the shuffler on and look at its cable",
}


_OF_ITS_ABSENCE: Final = (WarningKind.SILENT, WarningKind.IDENTITY)


def _no_room(lineage: Lineage) -> bool:
    lamps = [
        one for one in lineage.warnings if one.kind is WarningKind.LAMP and one.code != MORE_LAMPS
    ]
    return len(lamps) >= LAMPS_MAX - 1


def _with(f: Followed, changed: OpenWarning) -> Followed:
    warnings = tuple(changed if one.number == changed.number else one for one in f.lineage.warnings)
    return replace(f, lineage=replace(f.lineage, warnings=warnings))
