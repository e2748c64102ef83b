"""A scenario that was played: its result, its file, and why it did not pass, in one line."""

from dataclasses import dataclass
from pathlib import Path

from hil.scenario.play.run import ScenarioResult, StepOutcome, StepResult


@dataclass(frozen=True, slots=True)
class PlayedScenario:
    """One scenario that was played, from that file."""

    path: Path
    result: ScenarioResult

    @property
    def decisive(self) -> StepResult | None:
        """The step that decided the outcome: the one that failed, if any."""
        failed = (StepOutcome.FAIL, StepOutcome.ERROR)
        return next((one for one in self.result.steps if one.outcome in failed), None)

    @property
    def why(self) -> str:
        """Why it did not pass, with the place in its file; empty if it did."""
        if self.result.why_skipped:
            return f"{self.path}: {self.result.why_skipped}"
        step = self.decisive
        return f"{self.path}:{step.line}:{step.column}: {step.text}: {step.why}" if step else ""


def duration(ns: int) -> str:
    """A duration in words: 0.42 ms, 12.3 ms, 4.25 s, 2 min 30 s."""
    if ns < 10**9:
        return f"{ns / 10**6:.3g} ms" if ns < 10**8 else f"{ns / 10**6:.0f} ms"
    seconds = ns / 10**9
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"
