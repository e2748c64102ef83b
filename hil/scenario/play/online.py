"""Which devices of a table are online: a rig hands itself over when all of them are."""

from typing import Final

from controller.record.snapshot import Snapshot
from drivers.events import Stage
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX

# It says nothing before it is switched on, which a scenario does: its port is open.
_SILENT: Final = (ANGEL_EYE_II_EX.name,)
_OPEN: Final = (Stage.OPENED, Stage.IDENTIFIED, Stage.ONLINE)


def device_stages(shown: Snapshot) -> tuple[tuple[str, Stage], ...]:
    """Each device by the name that scenarios give it, and its stage."""
    found = [("shoe", shown.device.stage)]
    if shown.shuffler is not None:
        found.append(("shuffler", shown.shuffler.stage))
    found += [(one.seat or one.kind, one.stage) for one in shown.beside]
    return tuple(found)


def devices_offline(shown: Snapshot) -> tuple[str, ...]:
    """Those that are not online, each with its stage."""
    silent = shown.device.model in _SILENT
    return tuple(
        f"{name} ({stage.value})"
        for name, stage in device_stages(shown)
        if stage is not Stage.ONLINE and not (silent and name == "shoe" and stage in _OPEN)
    )
