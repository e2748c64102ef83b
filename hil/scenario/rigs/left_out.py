"""Why a rig leaves a scenario out: said before the run, with the statement it cannot do."""

from hil.scenario.language.reading import Scenario
from hil.scenario.rigs.capabilities import needs_by_line
from hil.scenario.rigs.rig_file import RigFile


def reason_left_out(scenario: Scenario, rig: RigFile) -> str:
    """Why `rig` cannot play the scenario; empty if it can."""
    can = rig.can
    for one in needs_by_line(scenario):
        if one.capability not in can:
            where = f"at line {one.line}" if one.line else "in its heading"
            return f"rig {rig.name} has no {one.capability.value}: `{one.text}` {where}"
    return ""
