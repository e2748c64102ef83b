"""Derives an emulated shuffler's status events from its sensors, compartments and warning lamps.

Source: wire document of TableLink/1, "Events".
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hil.emulator.tablelink.cbor import Map, Value, encode
from hil.emulator.tablelink.compartment import DeviceMode
from hil.emulator.tablelink.order_rules import COMPARTMENTS, HOUSING, MachineState
from hil.emulator.tablelink.wire import EventKind

JAM_WARNING, DOOR_WARNING, RESIDUAL_WARNING = 1, 2, 3
WARNING_FACT = "warning "


@dataclass(frozen=True, slots=True)
class StatusFact:
    """One reported fact and its event.

    `value` is the present value, `initial` the assumed one where nothing was reported yet.
    """

    name: str
    value: Value
    initial: Value
    kind: EventKind
    body: Map


def sensor_facts(machine: MachineState) -> tuple[StatusFact, ...]:
    """Doors, jams, cards left behind (sensed when a compartment is at rest), and the mode."""
    facts = [_lid(HOUSING, is_open=machine.door_open)]
    for number, bay in zip(COMPARTMENTS, machine.bays, strict=True):
        facts.append(_lid(number, is_open=bay.door_open))
        jam: Map = {1: number, 2: not bay.jammed}
        facts.append(StatusFact(f"jam {number}", bay.jammed, False, EventKind.JAM, jam))
        if bay.operation is None:
            left = len(bay.stuck)
            facts.append(
                StatusFact(f"left {number}", left, 0, EventKind.RESIDUAL, {1: left, 2: number})
            )
    mode = int(machine.mode)
    facts.append(StatusFact("mode", mode, int(DeviceMode.PLAY), EventKind.MODE, {1: mode}))
    return tuple(facts)


def _lid(number: int, *, is_open: bool) -> StatusFact:
    return StatusFact(f"lid {number}", is_open, False, EventKind.LID, {1: is_open, 2: number})


def compartment_facts(machine: MachineState) -> tuple[StatusFact, ...]:
    """The states of the compartments."""
    empty = (encode({1: 1, 2: 0}), encode({1: 2, 2: 0}))
    bodies = (
        record.event_body(number)
        for number, record in zip(COMPARTMENTS, machine.records, strict=True)
    )
    return tuple(
        StatusFact(f"compartment {number}", encode(body), initial, EventKind.COMPARTMENT, body)
        for number, initial, body in zip(COMPARTMENTS, empty, bodies, strict=True)
    )


def active_warnings(machine: MachineState, own: Mapping[int, str]) -> dict[int, str]:
    """Active warnings by code: those of the sensors and the machine's `own`."""
    warnings: dict[int, str] = {}
    if any(bay.jammed for bay in machine.bays):
        warnings[JAM_WARNING] = "a card is jammed"
    if machine.any_door:
        warnings[DOOR_WARNING] = "a door is open"
    if any(bay.stuck and bay.operation is None for bay in machine.bays):
        warnings[RESIDUAL_WARNING] = "cards are left where none may be"
    return warnings | dict(own)


def warning_facts(on: Mapping[int, str], facts: Mapping[str, Value]) -> tuple[StatusFact, ...]:
    """Facts of the active warnings, and of those that were reported as active before."""
    known = {
        int(name.removeprefix(WARNING_FACT)) for name in facts if name.startswith(WARNING_FACT)
    }
    changes: list[StatusFact] = []
    for code in sorted(known.union(on)):
        before = facts.get(f"{WARNING_FACT}{code}")
        text = on.get(code, before if isinstance(before, str) else "")
        body: Map = {1: code, 2: text, 3: code in on}
        changes.append(
            StatusFact(f"{WARNING_FACT}{code}", on.get(code, ""), "", EventKind.WARNING, body)
        )
    return tuple(changes)
