"""The same scenarios on every rig: under a simulated clock, with a real program, with firmware."""

from pathlib import Path

import pytest

from hil.scenario.benches.emulated_bench import emulated_bench
from hil.scenario.benches.firmware_shuffler import firmware_shuffler
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import Scenario, parse_scenario, read_scenario
from hil.scenario.play.run import ScenarioRun, StepOutcome

FOLDER = Path(__file__).parents[4] / "hil" / "scenarios"
SCENARIOS = {path.stem: read_scenario(path) for path in sorted(FOLDER.glob("*.scenario"))}
SEED = 7


def failures(bench: object, scenario: Scenario) -> list[str]:
    result = ScenarioRun(scenario, bench, "test", SEED).run()  # type: ignore[arg-type]
    wrong = [one for one in result.steps if one.outcome is not StepOutcome.PASS]
    return [f"{one.line}:{one.column}: {one.text}: {one.outcome}: {one.why}" for one in wrong]


@pytest.mark.parametrize("name", SCENARIOS)
def test_under_the_simulated_clock(name: str) -> None:
    scenario = SCENARIOS[name]
    assert failures(SimulatedBench(scenario), scenario) == []


@pytest.mark.parametrize("line", ["pty", pytest.param("tcp", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", SCENARIOS)
def test_on_emulated_devices_with_the_program_as_a_process(
    name: str, line: str, fast_dir: Path
) -> None:
    scenario = SCENARIOS[name]
    with emulated_bench(scenario, fast_dir / "one", line=line) as bench:
        assert failures(bench, scenario) == []


@pytest.mark.needs("qemu-system-arm")
@pytest.mark.needs("gcc-arm-none-eabi")
@pytest.mark.parametrize(
    "name", ["exchange", pytest.param("residual_cards", marks=pytest.mark.full)]
)
def test_with_the_firmware_on_an_emulated_board(name: str, fast_dir: Path) -> None:
    scenario = SCENARIOS[name]
    with emulated_bench(scenario, fast_dir / "one", shuffler=firmware_shuffler) as bench:
        assert failures(bench, scenario) == []


NAMED = """\
hand-shuffle red
load red
dealer-on by "Bo Chu"
dealer-off by "Dee Dealer"
"""


def test_a_refusal_names_the_person_alike_on_every_rig(fast_dir: Path) -> None:
    scenario = parse_scenario(NAMED)
    simulated = failures(SimulatedBench(scenario), scenario)
    with emulated_bench(scenario, fast_dir / "one") as bench:
        emulated = failures(bench, scenario)

    assert len(simulated) == 1
    assert "refused: Dee Dealer is not signed on" in simulated[0]
    assert emulated == simulated
