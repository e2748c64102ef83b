"""Checks a rig before anything is played: does it open, are its devices and commands there?"""

import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hil.reference_firmware.build import NEEDS, Build
from hil.reference_firmware.qemu import QEMU
from hil.scenario.benches.labgrid_place import PlaceUnavailable, show
from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.run import StepOutcome
from hil.scenario.rigs.open_rig import PlayedRig
from hil.scenario.rigs.rig_file import (
    FIRMWARE,
    PERSON,
    RigFile,
    RigKind,
    resources_of_the_place,
)

# Programs that build the firmware for the board and run it, with their Debian packages.
_BOARD: Final = (NEEDS[Build.ARM], QEMU, ("make", "make"))


@dataclass(frozen=True, slots=True)
class CheckedPoint:
    """One thing that was checked; `remedy` says what to do where it is not `good`."""

    what: str
    good: bool
    remedy: str = ""


def check_rig(rig: RigFile) -> tuple[CheckedPoint, ...]:
    """Everything that the rig needs here."""
    found: list[CheckedPoint] = []
    if rig.shuffler is not None and rig.shuffler.device == FIRMWARE:
        found.extend(_firmware_tools())
    if rig.kind is RigKind.BENCH:
        found.extend(_bench(rig))
    if all(one.good for one in found):
        found.extend(_opened(rig, model) for model in rig.shoe.models)
    return tuple(found)


def _firmware_tools() -> Iterator[CheckedPoint]:
    for program, packages in _BOARD:
        found = shutil.which(program) is not None
        remedy = f"apt-get install --no-install-recommends {packages}"
        yield CheckedPoint(f"{program} is installed", found, "" if found else remedy)


def _bench(rig: RigFile) -> Iterator[CheckedPoint]:
    """The ports and commands of a bench, and somebody who reads what is asked."""
    of_place = resources_of_the_place(rig)
    if rig.labgrid is not None:
        yield _place(rig, of_place)
    ports = [("shoe.line", "the shoe", rig.shoe.line)]
    if rig.shuffler is not None:
        ports.append(("shuffler.device", "the shuffler", rig.shuffler.device))
    for key, what, port in ports:
        if key in of_place:
            continue
        if "://" in port:
            yield CheckedPoint(f"the port of {what} is {port}: not tried before the run", good=True)
            continue
        there = Path(port).exists()
        remedy = "" if there else "plug it in, or correct the port in the rig's file"
        yield CheckedPoint(f"the port of {what} is there: {port}", there, remedy)
    commands = [(f"power.{one}", getattr(rig.power, one)) for one in rig.power.__struct_fields__]
    if rig.feeder is not None:
        commands.append(("feeder.command", rig.feeder.command))
    for key, command in commands:
        if command and command != PERSON and key not in of_place:
            program = shlex.split(command)[0]
            found = shutil.which(program) is not None
            remedy = "" if found else f"install {program}, or correct `{key}` in the rig's file"
            yield CheckedPoint(f"{program} of `{key}` is installed", found, remedy)
    asked = sys.stdin.isatty()
    remedy = "" if asked else "run it at a terminal"
    yield CheckedPoint("a person at the terminal can be asked", asked, remedy)


def _place(rig: RigFile, resources: dict[str, str]) -> CheckedPoint:
    """Whether the place of labgrid is free, and has the resources; it is not acquired."""
    assert rig.labgrid is not None, "the rig has a place"
    what = f"place {rig.labgrid.place} of labgrid at {rig.labgrid.coordinator}"
    try:
        place = show(rig.labgrid)
    except PlaceUnavailable as error:
        why, _, remedy = str(error).partition(" Remedy: ")
        return CheckedPoint(f"{what}: {why}", good=False, remedy=remedy)
    for key, name in resources.items():
        if name not in place.resources:
            remedy = f"correct `{key}`; it has {', '.join(place.resources) or 'none'}"
            return CheckedPoint(f"{what} has no resource {name!r}", good=False, remedy=remedy)
    if place.holder:
        return CheckedPoint(
            f"{what} is held by {place.holder}", good=False, remedy="wait until it is released"
        )
    return CheckedPoint(f"{what} is free, and has {', '.join(sorted(place.resources))}", good=True)


def _opened(rig: RigFile, model: str) -> CheckedPoint:
    """Open the rig with that shoe, and let a second pass."""
    shuffler = "device shuffler tablelink\n" if rig.shuffler else ""
    scenario = parse_scenario(f"device shoe {model}\n{shuffler}wait 1s\n")
    with TemporaryDirectory(prefix="smartshoe-") as folder:
        result = PlayedRig(rig, Path(folder)).play(scenario)
    devices = model + (" and a shuffler" if rig.shuffler else "")
    if result.outcome is StepOutcome.PASS:
        return CheckedPoint(f"the rig opens: {devices}", good=True)
    return CheckedPoint(f"the rig opens: {devices}: {result.steps[0].why}", good=False)
