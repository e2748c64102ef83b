"""The incident library: each is caught at its moment, and each control, removed alone, misses it.

Controls are removed by a patch of the built program, in this process or in the program's own.

Source: hil/scenarios/incidents; hil/scenario/benches/removed_controls.py.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.run_guard import memory_folder
from hil.scenario.benches.emulated_bench import emulated_bench
from hil.scenario.benches.removed_controls import REMOVALS, patch_of
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import Scenario, Step, read_scenario
from hil.scenario.language.statements import Expect
from hil.scenario.play.run import ScenarioResult, ScenarioRun, StepOutcome, StepResult

FOLDER = Path(__file__).resolve().parents[3] / "hil" / "scenarios" / "incidents"
NAMES = (
    "golden_nugget_2012",
    "taj_mahal_2011",
    "sugarhouse_2017",
    "rivers_2018",
    "parx_2018",
    "hollywood_2015",
    "tran_slug",
    "macau_cold_deck_2024",
    "two_pack_scam",
    "cutters_2011",
    "deckmate_firmware_swap",
)
INCIDENTS = {name: read_scenario(FOLDER / f"{name}.scenario") for name in NAMES}
# The card of the shoe at which each is caught, with SEED; 0: before the first one.
CARDS = {
    "golden_nugget_2012": 4,
    "taj_mahal_2011": 0,
    "sugarhouse_2017": 0,
    "rivers_2018": 40,
    "parx_2018": 349,
    "hollywood_2015": 0,
    "tran_slug": 176,
    "macau_cold_deck_2024": 1,
    "two_pack_scam": 1,
    "cutters_2011": 0,
    "deckmate_firmware_swap": 17,
}
SEED = 0
# What a removed control misses never comes: so long is waited for it on the emulated rig.
MISSED_NS = 3_000_000_000


def catches(scenario: Scenario) -> list[Step]:
    """The steps that catch it, one for each control."""
    return [one for one in scenario.steps if isinstance(one.body, Expect) and one.body.caught]


def of_control(control: str) -> str:
    """The one incident that a control stops."""
    (name,) = (name for name, one in INCIDENTS.items() if control in one.controls)
    return name


def simulated(name: str, seed: int = SEED) -> ScenarioResult:
    scenario = INCIDENTS[name]
    return ScenarioRun(scenario, SimulatedBench(scenario), "simulated", seed).run()


def emulated(name: str, folder: Path, patch: str = "") -> ScenarioResult:
    scenario = INCIDENTS[name]
    with emulated_bench(scenario, folder / (name + patch.rpartition(":")[2]), patch=patch) as bench:
        return ScenarioRun(scenario, bench, "emulated", SEED).run()


def failed(result: ScenarioResult) -> StepResult | None:
    """The step that did not pass; None if all did."""
    return next((one for one in result.steps if one.outcome is not StepOutcome.PASS), None)


def missed_at(control: str) -> tuple[int, StepOutcome]:
    """The line at which an incident goes on unnoticed without its control."""
    scenario = INCIDENTS[of_control(control)]
    return catches(scenario)[scenario.controls.index(control)].line, StepOutcome.FAIL


def where(result: ScenarioResult) -> tuple[int, StepOutcome] | None:
    step = failed(result)
    return None if step is None else (step.line, step.outcome)


@pytest.fixture(scope="module")
def rig() -> Iterator[Path]:
    """The folder of the emulated rig: what is commissioned there once serves all incidents."""
    with tempfile.TemporaryDirectory(prefix="t-", dir=memory_folder()) as name:
        yield Path(name)


# --- the library ----------------------------------------------------------------------------------


def test_the_library_has_every_incident() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_incident_says_where_it_is_described_when_it_is_known_and_what_stops_it(
    name: str,
) -> None:
    incident = INCIDENTS[name]
    assert incident.name == name
    assert all((incident.title, incident.source, incident.known))
    assert len(catches(incident)) == len(incident.controls) > 0


def test_every_control_stops_one_incident_and_can_be_removed() -> None:
    controls = [control for one in INCIDENTS.values() for control in one.controls]
    assert sorted(controls) == sorted(REMOVALS)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_caught_at_its_card_under_the_simulated_clock(name: str) -> None:
    result = simulated(name)
    assert (failed(result), result.caught, result.caught_card) == (None, True, CARDS[name])


@pytest.mark.parametrize("name", NAMES)
def test_it_is_caught_at_the_same_card_on_the_emulated_rig(name: str, rig: Path) -> None:
    result = emulated(name, rig)
    assert (failed(result), result.caught, result.caught_card) == (None, True, CARDS[name])


@pytest.mark.parametrize("seed", range(1, 4))
def test_other_cards_change_no_stated_moment(seed: int) -> None:
    assert [name for name in NAMES if not simulated(name, seed).caught] == []


# --- each control, removed alone ------------------------------------------------------------------


@pytest.mark.parametrize("control", REMOVALS)
def test_without_a_control_its_own_incident_is_missed_and_no_other(
    control: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    REMOVALS[control](monkeypatch.setattr)
    found = {name: where(simulated(name)) for name in NAMES}
    assert found == {**dict.fromkeys(NAMES), of_control(control): missed_at(control)}


@pytest.mark.full
@pytest.mark.parametrize("control", REMOVALS)
def test_without_a_control_the_program_misses_its_own_incident(
    control: str, rig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hil.scenario.play.run.PATIENCE_NS", MISSED_NS)
    result = emulated(of_control(control), rig, patch_of(control))
    assert (where(result), result.caught) == (missed_at(control), False)


@pytest.mark.full
@pytest.mark.parametrize("control", REMOVALS)
def test_without_a_control_the_program_catches_every_other_incident(
    control: str, rig: Path
) -> None:
    others = [name for name in NAMES if name != of_control(control)]
    found = {name: where(emulated(name, rig, patch_of(control))) for name in others}
    assert found == dict.fromkeys(others)
