"""Results as one page that needs nothing else: no script, no other file, light and dark.

Source: Jinja documentation, "Autoescaping".
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from controller.version import software_identifier
from hil.scenario.play.run import StepOutcome
from hil.scenario.reports.played import PlayedScenario, duration
from hil.scenario.reports.time_line import AXIS_WIDTH, time_line

TEXT_WIDTH: Final = 360


def results_page(runs: Sequence[PlayedScenario], rig: str) -> str:
    """The page as HTML."""
    counted = Counter(one.result.outcome for one in runs)
    return (
        _environment()
        .get_template("results.html")
        .render(
            runs=runs,
            rig=rig,
            seed=runs[0].result.seed if runs else 0,
            version=software_identifier(),
            counts=[(one.value, counted[one]) for one in StepOutcome if counted[one]],
            incidents=[one for one in runs if one.result.scenario.control],
            axis_width=AXIS_WIDTH,
            text_width=TEXT_WIDTH,
            skip=StepOutcome.SKIP,
            error=StepOutcome.ERROR,
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hil.scenario.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["duration"] = duration
    environment.globals["time_line"] = time_line
    return environment
