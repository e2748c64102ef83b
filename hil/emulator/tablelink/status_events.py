"""What of an emulated shuffler is told as events because it has changed: sensors, states, lamps.

Responsible for: each fact with its event, and what was told of it before anything was.
Not responsible for: whether it has changed and whether there is room (shuffler_works).
Source: wire document of TableLink/1, "Events".
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hil.emulator.tablelink.cbor import Map, Value, encoded
from hil.emulator.tablelink.compartment import Mode
from hil.emulator.tablelink.order_rules import COMPARTMENTS, HOUSING, Machine
from hil.emulator.tablelink.wire import Kind

JAM_LAMP, DOOR_LAMP, RESIDUAL_LAMP = 1, 2, 3
LAMP = "lamp "


@dataclass(frozen=True, slots=True)
class Fact:
    """`value` is how it is; `at_first` how it is taken to be where nothing was told of it yet."""

    name: str
    value: Value
    at_first: Value
    kind: Kind
    body: Map


def sensors(machine: Machine) -> tuple[Fact, ...]:
    """Doors, jams, cards left behind (seen when a compartment stands still), and the mode."""
    facts = [_lid(HOUSING, is_open=machine.door_open)]
    for number, bay in zip(COMPARTMENTS, machine.bays, strict=True):
        facts.append(_lid(number, is_open=bay.door_open))
        jam: Map = {1: number, 2: not bay.jammed}
        facts.append(Fact(f"jam {number}", bay.jammed, False, Kind.JAM, jam))
        if bay.operation is None:
            left = len(bay.stuck)
            facts.append(Fact(f"left {number}", left, 0, Kind.RESIDUAL, {1: left, 2: number}))
    mode = int(machine.mode)
    facts.append(Fact("mode", mode, int(Mode.PLAY), Kind.MODE, {1: mode}))
    return tuple(facts)


def _lid(number: int, *, is_open: bool) -> Fact:
    return Fact(f"lid {number}", is_open, False, Kind.LID, {1: is_open, 2: number})


def standings(machine: Machine) -> tuple[Fact, ...]:
    """The states of the compartments."""
    empty = (encoded({1: 1, 2: 0}), encoded({1: 2, 2: 0}))
    bodies = (
        standing.told(number)
        for number, standing in zip(COMPARTMENTS, machine.standings, strict=True)
    )
    return tuple(
        Fact(f"compartment {number}", encoded(body), at_first, Kind.COMPARTMENT, body)
        for number, at_first, body in zip(COMPARTMENTS, empty, bodies, strict=True)
    )


def lit(machine: Machine, own: Mapping[int, str]) -> dict[int, str]:
    """The lamps that are on, its own ones among them."""
    lamps: dict[int, str] = {}
    if any(bay.jammed for bay in machine.bays):
        lamps[JAM_LAMP] = "a card is jammed"
    if machine.any_door:
        lamps[DOOR_LAMP] = "a door is open"
    if any(bay.stuck and bay.operation is None for bay in machine.bays):
        lamps[RESIDUAL_LAMP] = "cards are left where none may be"
    return lamps | dict(own)


def lamps(on: Mapping[int, str], facts: Mapping[str, Value]) -> tuple[Fact, ...]:
    """The lamps that are on, and those that were told to be."""
    known = {int(name.removeprefix(LAMP)) for name in facts if name.startswith(LAMP)}
    told: list[Fact] = []
    for code in sorted(known.union(on)):
        before = facts.get(f"{LAMP}{code}")
        text = on.get(code, before if isinstance(before, str) else "")
        body: Map = {1: code, 2: text, 3: code in on}
        told.append(Fact(f"{LAMP}{code}", on.get(code, ""), "", Kind.WARNING, body))
    return tuple(told)
