"""Shows a run while it goes on: each scenario, each step with its outcome, and the end."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.status import Status
from rich.text import Text

from hil.scenario.language.reading import Scenario
from hil.scenario.play.run import StepOutcome, StepResult
from hil.scenario.reports.played import PlayedScenario, duration

_STYLES: Final = {
    StepOutcome.PASS: "green",
    StepOutcome.FAIL: "bold red",
    StepOutcome.ERROR: "bold magenta",
    StepOutcome.SKIP: "dim",
}


class Progress:
    """A run on the terminal; without one the same lines, plain."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status: Status | None = None
        self._scenario: Scenario | None = None
        self._done = 0

    def begin(self, path: Path, scenario: Scenario) -> None:
        """A scenario begins."""
        self._scenario, self._done = scenario, 0
        title = f"  {scenario.title}" if scenario.title else ""
        self._print(Text.assemble((scenario.name, "bold"), title, (f"  {path}", "dim")))
        if self._console.is_terminal:
            self._status = self._console.status("")
            self._status.start()
            self._show_next()

    def step(self, step: StepResult) -> None:
        """A step has ended."""
        self._done += 1
        self._print(step_line(step))
        self._show_next()

    def end(self, played: PlayedScenario) -> None:
        """A scenario has ended."""
        if self._status is not None:
            self._status.stop()
            self._status = None
        result = played.result
        outcome = result.outcome
        line = Text.assemble("  = ", (outcome.value, _STYLES[outcome]))
        if result.why_skipped:
            line.append(f"  {result.why_skipped}")
        elif result.scenario.control:
            step = result.caught_step
            at = f" at card {result.caught_card}" if step and result.caught_card else ""
            where = f"caught{at}, line {step.line}" if step else "not caught"
            line.append(f"  {where}")
        self._print(line)

    def summary(self, runs: Sequence[PlayedScenario], rig: str, seed: int) -> None:
        """The end of the run: the measures, what did not pass, and how many ended how."""
        measured = [(one, step) for one in runs for step in one.result.steps if step.measure]
        for one, step in measured:
            if step.outcome in (StepOutcome.PASS, StepOutcome.FAIL):
                limit = f", at most {duration(step.limit_ns)}" if step.limit_ns else ""
                figure = f"{step.measure} {duration(step.measured_ns)}{limit}"
                self._print(Text(f"measured  {one.result.scenario.name}: {figure}"))
        for one in runs:
            if one.why:
                outcome = one.result.outcome
                self._print(
                    Text.assemble((f"{outcome.value:<5}", _STYLES[outcome]), f"  {one.why}")
                )
        incidents = [one for one in runs if one.result.scenario.control]
        if incidents:
            caught = sum(one.result.caught for one in incidents)
            self._print(Text(f"incidents: {caught} of {len(incidents)} caught"))
        counted = Counter(one.result.outcome for one in runs)
        numbers = ", ".join(f"{counted[one]} {one.value}" for one in StepOutcome if counted[one])
        self._print(Text(f"{len(runs)} played on {rig}, seed {seed}: {numbers or 'none'}"))

    def _show_next(self) -> None:
        if self._status is not None and self._scenario is not None:
            steps = self._scenario.steps
            text = steps[self._done].text if self._done < len(steps) else "closing the rig"
            self._status.update(Text(f"{self._done + 1} of {len(steps)}: {text}"))

    def _print(self, line: Text) -> None:
        self._console.print(line, soft_wrap=True)


def step_line(step: StepResult) -> Text:
    """One step: outcome, line and column, statement, what came of it, card and duration."""
    line = Text.assemble(
        "  ",
        (f"{step.outcome.value:<5}", _STYLES[step.outcome]),
        (f" {f'{step.line}:{step.column}':<6} ", "dim"),
        step.text,
    )
    if step.measure and step.outcome in (StepOutcome.PASS, StepOutcome.FAIL):
        line.append(f": {duration(step.measured_ns)}")
    if step.why and step.outcome is not StepOutcome.SKIP:
        line.append(f": {step.why}", style=_STYLES[step.outcome])
    if step.stopped:
        line.append(f": {step.stopped}", style=_STYLES[step.outcome])
    if step.outcome is StepOutcome.PASS and step.facts:
        line.append(f"  [{', '.join(step.facts)}]", style="cyan")
    if step.outcome is not StepOutcome.SKIP and step.took_ns:
        line.append(f"  ({duration(step.took_ns)})", style="dim")
    return line
