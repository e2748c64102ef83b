"""Results as JSON: one object for each scenario, and one for the run."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from hil.scenario.play.run import StepOutcome, StepResult
from hil.scenario.reports.played import PlayedScenario

NS_PER_MS: Final = 1_000_000


def scenario_object(played: PlayedScenario) -> dict[str, Any]:
    """One scenario with its steps and measures; times in milliseconds."""
    result = played.result
    return {
        "scenario": result.scenario.name,
        "title": result.scenario.title,
        "file": str(played.path),
        "rig": result.rig,
        "seed": result.seed,
        "outcome": result.outcome.value,
        "why": played.why,
        **({"incident": incident_object(played)} if result.scenario.control else {}),
        "steps": [_step_object(one) for one in result.steps],
        "measures": [
            {
                "measure": one.measure,
                "line": one.line,
                "ms": one.measured_ns / NS_PER_MS,
                "limit_ms": one.limit_ns / NS_PER_MS if one.limit_ns else None,
            }
            for one in result.steps
            if one.measure
        ],
    }


def _step_object(step: StepResult) -> dict[str, Any]:
    return {
        "line": step.line,
        "column": step.column,
        "text": step.text,
        "outcome": step.outcome.value,
        "why": step.why,
        "began_ms": step.began_ns / NS_PER_MS,
        "took_ms": step.took_ns / NS_PER_MS,
        "card": step.card,
        "stopped": step.stopped,
        "facts": list(step.facts),
    }


def incident_object(played: PlayedScenario) -> dict[str, Any]:
    """Whether an incident was caught, at which card (None: at none) and at which step."""
    result = played.result
    step = result.caught_step
    return {
        "caught": result.caught,
        "card": (result.caught_card or None) if step else None,
        "step": {"line": step.line, "text": step.text} if step else None,
        "control": result.scenario.control,
        "outcome": result.outcome.value,
    }


def run_object(
    runs: Sequence[PlayedScenario], rig: str, seed: int, *, interrupted: bool
) -> dict[str, Any]:
    """The run: how many scenarios ended how, and every incident by its name."""
    counted = Counter(one.result.outcome for one in runs)
    found: dict[str, Any] = {
        "rig": rig,
        "seed": seed,
        "interrupted": interrupted,
        "scenarios": len(runs),
        "counts": {one.value: counted[one] for one in StepOutcome},
    }
    incidents = [one for one in runs if one.result.scenario.control]
    if incidents:
        found["incidents"] = {one.result.scenario.name: incident_object(one) for one in incidents}
    return found
