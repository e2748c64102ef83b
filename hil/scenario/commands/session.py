"""Plays scenarios one after the other on a rig, and judges the whole."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from controller.system.command_line.errors import ExitCode
from hil.scenario.commands.files import ScenarioFile
from hil.scenario.play.run import ScenarioResult, StepOutcome
from hil.scenario.reports.played import PlayedScenario
from hil.scenario.reports.progress import Progress
from hil.scenario.rigs.open_rig import Interrupted, PlayedRig
from hil.scenario.rigs.rig_file import RigFile


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """What was played. `interrupted`: by Ctrl-C, and the rest was not begun."""

    runs: tuple[PlayedScenario, ...]
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
    ended: Callable[[PlayedScenario], object],
) -> PlayedRun:
    """Play them all; `ended` is called after each. Ctrl-C ends it with what was run."""
    runs: list[PlayedScenario] = []
    with TemporaryDirectory(prefix="smartshoe-") as folder:
        opened = PlayedRig(rig, Path(folder))
        try:
            for one in scenarios:
                progress.begin(one.path, one.scenario)
                result, interrupted = _result(opened, one, seed, progress)
                runs.append(PlayedScenario(one.path, result))
                progress.end(runs[-1])
                ended(runs[-1])
                if interrupted:
                    return PlayedRun(tuple(runs), interrupted=True)
        except KeyboardInterrupt:  # between two scenarios
            return PlayedRun(tuple(runs), interrupted=True)
    return PlayedRun(tuple(runs), interrupted=False)


def _result(
    opened: PlayedRig, one: ScenarioFile, seed: int, progress: Progress
) -> tuple[ScenarioResult, bool]:
    """The result, and whether Ctrl-C came in it."""
    try:
        return opened.play(one.scenario, seed, progress.step), False
    except Interrupted as stopped:
        return stopped.result, True
