"""Scenarios as tests of pytest: files of scenarios as items, and the rig as a fixture.

Loaded by `-p hil.scenario.commands.pytest_plugin`, not by itself: other projects in the same
environment stay as they are.
Source: pytest's "Working with non-python tests".
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pytest

from controller.core.script.errors import ScriptError
from hil.scenario.language.reading import SUFFIX, Scenario, parse_scenario, read_scenario
from hil.scenario.play.run import ScenarioResult, StepOutcome
from hil.scenario.reports.played import PlayedScenario
from hil.scenario.reports.progress import step_line
from hil.scenario.rigs.open_rig import Interrupted, PlayedRig
from hil.scenario.rigs.rig_file import RigFileError, read_rig

PlayScenario: TypeAlias = Callable[[str | Path], ScenarioResult]
_RIG = pytest.StashKey[PlayedRig]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the command line."""
    group = parser.getgroup("smartshoe", "scenarios of smartshoe")
    group.addoption(
        "--rig", default="simulated", metavar="RIG", help="a rig's name, or the path of its .toml"
    )
    group.addoption(
        "--scenario-seed", default=1, type=int, metavar="S", help="equal seeds give equal cards"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the rig; one for the whole run, so that it stays broken once it broke."""
    try:
        described = read_rig(config.getoption("--rig"))
    except RigFileError as error:
        raise pytest.UsageError(str(error)) from error
    folder = TemporaryDirectory(prefix="smartshoe-")
    config.add_cleanup(folder.cleanup)
    config.stash[_RIG] = PlayedRig(described, Path(folder.name))


def pytest_report_header(config: pytest.Config) -> str:
    """The rig and the seed."""
    seed = config.getoption("--scenario-seed")
    return f"rig: {config.stash[_RIG].rig.name}, seed {seed}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ScenarioTestFile | None":
    """Scenarios are tests."""
    if file_path.suffix != SUFFIX:
        return None
    return ScenarioTestFile.from_parent(parent, path=file_path)


@pytest.fixture
def rig(request: pytest.FixtureRequest) -> PlayScenario:
    """Plays a scenario on the rig: its text, or the path of its file; the result.

    Skips the test where the rig cannot play it.
    """
    config = request.config

    def play(source: str | Path) -> ScenarioResult:
        if isinstance(source, Path):
            scenario = read_scenario(source)
        else:
            scenario = parse_scenario(source, name=request.node.name)
        result = _played(config, scenario)
        if result.why_skipped:
            pytest.skip(result.why_skipped)
        return result

    return play


class ScenarioTestFile(pytest.File):
    """A file of a scenario."""

    def collect(self) -> Iterable[pytest.Item]:
        """Its one scenario. Every problem of the file is the error of the collection."""
        try:
            scenario = read_scenario(self.path)
        except ScriptError as error:
            raise self.CollectError(str(error)) from error
        yield ScenarioItem.from_parent(self, name=scenario.name, scenario=scenario)


class ScenarioFailed(Exception):
    """A scenario did not pass; `played` says where and why."""

    def __init__(self, played: PlayedScenario) -> None:
        super().__init__(played.why)
        self.played = played


class ScenarioItem(pytest.Item):
    """A scenario as a test."""

    def __init__(self, *, scenario: Scenario, **more: Any) -> None:
        super().__init__(**more)
        self._scenario = scenario

    def runtest(self) -> None:
        """Play it on the rig."""
        result = _played(self.config, self._scenario)
        if result.why_skipped:
            pytest.skip(result.why_skipped)
        for one in result.steps:
            if one.measure:
                self.user_properties.append((f"{one.measure}:{one.line}", one.measured_ns / 10**6))
        if result.outcome is not StepOutcome.PASS:
            raise ScenarioFailed(PlayedScenario(self.path, result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *more: Any) -> Any:
        """The steps that were run, and why it failed with line and column."""
        if not isinstance(excinfo.value, ScenarioFailed):
            return super().repr_failure(excinfo, *more)
        played = excinfo.value.played
        run = [one for one in played.result.steps if one.outcome is not StepOutcome.SKIP]
        return "\n".join([*(step_line(one).plain for one in run), played.why])

    def reportinfo(self) -> tuple[Path, int, str]:
        """File, first line, name."""
        first = self._scenario.steps[0].line - 1 if self._scenario.steps else 0
        return self.path, first, self._scenario.name


def _played(config: pytest.Config, scenario: Scenario) -> ScenarioResult:
    try:
        return config.stash[_RIG].play(scenario, config.getoption("--scenario-seed"))
    except Interrupted as stopped:
        raise KeyboardInterrupt from stopped
