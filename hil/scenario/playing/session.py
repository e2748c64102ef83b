"""Plays scenarios one after the other on a rig, and judges the whole.

Source: hil/scenario/README.md, "Running scenarios".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from controller.cli.errors import ExitCode
from hil.scenario.play.run import StepOutcome
from hil.scenario.playing.files import ScenarioFile
from hil.scenario.reports.played import Played
from hil.scenario.reports.progress import Progress
from hil.scenario.rigs.open_rig import Interrupted, PlayedRig
from hil.scenario.rigs.rig_file import RigFile


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """What was played. `interrupted`: by Ctrl-C, and the rest was not begun."""

    runs: tuple[Played, ...]
    interrupted: bool

    @property
    def exit_code(self) -> ExitCode:
        """DONE if something was played and all of it passed; else NO, or INTERRUPTED."""
        if self.interrupted:
            return ExitCode.INTERRUPTED
        outcomes = {one.result.outcome for one in self.runs} - {StepOutcome.SKIP}
        return ExitCode.DONE if outcomes == {StepOutcome.PASS} else ExitCode.NO


def play_all(
    scenarios: Sequence[ScenarioFile],
    rig: RigFile,
    seed: int,
    progress: Progress,
    ended: Callable[[Played], object],
) -> PlayedRun:
    """Play them all; `ended` is called after each. Ctrl-C ends it with what was run."""
    opened = PlayedRig(rig)
    runs: list[Played] = []
    interrupted = False
    try:
        for one in scenarios:
            progress.begin(one.path, one.scenario)
            try:
                result = opened.play(one.scenario, seed, progress.step)
            except Interrupted as stopped:
                result, interrupted = stopped.result, True
            runs.append(Played(one.path, result))
            progress.end(runs[-1])
            ended(runs[-1])
            if interrupted:
                break
    except KeyboardInterrupt:  # between two scenarios
        interrupted = True
    return PlayedRun(tuple(runs), interrupted)
