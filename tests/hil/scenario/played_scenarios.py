"""Scenarios that are played at the simulated rig, for tests of what is made of their results."""

from pathlib import Path

from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.run import StepOutcome, StepResult
from hil.scenario.reports.played import PlayedScenario
from hil.scenario.rigs.open_rig import PlayedRig
from hil.scenario.rigs.rig_file import read_rig

OVERDRAW = """\
scenario overdraw "a fifth card after a natural"
source "a table"
control verdicts
burn 2c + 2
P 9h; B Kc; P Qd; B Jh
P 3c
caught by irregularity OVERDRAW by card 8
measure step at most 10s
"""
LATE = "burn 2c + 2\nwait 2s\nmeasure step at most 1s\nP 9h"
IMPOSSIBLE = 'scenario impossible "<b>&"\nmeasure exchange\nwait 1s'
LEFT_OUT = "expect metric smartshoe_a is 1"


def played(text: str, name: str = "tried", seed: int = 1) -> PlayedScenario:
    """The scenario of that text, played."""
    scenario = parse_scenario(text, name=name)
    result = PlayedRig(read_rig("simulated"), Path("unused")).play(scenario, seed)
    return PlayedScenario(Path(f"{name}.scenario"), result)


def step(began_ms: int, took_ms: int, text: str = "wait 1s", **more: object) -> StepResult:
    """A step that passed."""
    values = {"card": 0, **more}
    outcome = StepOutcome(str(values.pop("outcome", "PASS")))
    why = str(values.pop("why", ""))
    began_ns, took_ns = began_ms * 10**6, took_ms * 10**6
    return StepResult(1, 1, text, outcome, why, began_ns, took_ns, **values)  # type: ignore[arg-type]
