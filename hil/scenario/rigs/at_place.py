"""A rig at a place of labgrid: its resources become ports and commands of the rig."""

from msgspec.structs import replace

from hil.scenario.benches.labgrid_place import RESOURCE, HeldPlace
from hil.scenario.rigs.rig_file import RigFile


def at_place(rig: RigFile, place: HeldPlace) -> RigFile:
    """The rig with a URL for each port of the place, and a command for each of its switches.

    Raises PlaceUnavailable.
    """

    def port(line: str) -> str:
        return place.port(line.removeprefix(RESOURCE)) if line.startswith(RESOURCE) else line

    def command(words: str) -> str:
        if not words.startswith(RESOURCE):
            return words
        return place.power_command(words.removeprefix(RESOURCE))

    shuffler = rig.shuffler
    if shuffler is not None:
        shuffler = replace(shuffler, device=port(shuffler.device))
    return replace(
        rig,
        shoe=replace(rig.shoe, line=port(rig.shoe.line)),
        shuffler=shuffler,
        power=replace(
            rig.power, shoe=command(rig.power.shoe), shuffler=command(rig.power.shuffler)
        ),
    )
