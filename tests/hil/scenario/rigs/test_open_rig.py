"""Playing on a rig: what it leaves out, a rig that broke, and Ctrl-C."""

import signal
from pathlib import Path

import pytest

from hil.scenario.language.reading import Scenario, parse_scenario
from hil.scenario.play.run import StepOutcome, StepResult
from hil.scenario.rigs.open_rig import Interrupted, PlayedRig
from hil.scenario.rigs.rig_file import parse_rig, read_rig

NO_PORT = """
name = "bare"
title = "a bench whose shoe is not plugged in"
kind = "bench"
[shoe]
models = ["angel-eye"]
line = "/dev/no-such-shoe"
[feeder]
"""
# Neither the simulated rig nor one that does not open stores anything.
UNUSED = Path("no-such-folder")
CARDS = "burn 2c + 2\nP 9h\nB 2c"


def scenario(text: str) -> Scenario:
    return parse_scenario(text, name="tried")


def outcomes(steps: tuple[StepResult, ...]) -> list[str]:
    return [one.outcome.value for one in steps]


def test_a_scenario_is_played_and_each_step_is_shown() -> None:
    shown: list[StepResult] = []
    result = PlayedRig(read_rig("simulated"), UNUSED).play(scenario(CARDS), 7, shown.append)

    assert result.outcome is StepOutcome.PASS
    assert tuple(shown) == result.steps
    assert (result.rig, result.seed) == ("simulated", 7)


def test_what_the_rig_cannot_do_is_skipped_without_a_step() -> None:
    result = PlayedRig(read_rig("simulated"), UNUSED).play(
        scenario("expect metric smartshoe_a is 1")
    )

    assert (result.outcome, result.steps) == (StepOutcome.SKIP, ())
    assert (
        result.why_skipped
        == "rig simulated has no metrics: `expect metric smartshoe_a is 1` at line 1"
    )


def test_a_rig_that_does_not_open_is_an_error_of_the_first_step() -> None:
    result = PlayedRig(parse_rig(NO_PORT, "bare.toml"), UNUSED).play(scenario(CARDS))

    assert outcomes(result.steps) == ["ERROR", "SKIP", "SKIP"]
    assert result.steps[0].why.startswith("the port of the shoe is not there: /dev/no-such-shoe")
    assert result.steps[1].why == "line 1 ended in ERROR"


def test_a_broken_rig_stays_broken_and_repeats_the_first_cause() -> None:
    rig = PlayedRig(read_rig("simulated"), UNUSED, broke="no power")
    results = [rig.play(scenario(CARDS)) for _ in range(2)]

    assert [one.steps[0].why for one in results] == ["rig simulated broke: no power"] * 2
    assert {one.outcome for one in results} == {StepOutcome.ERROR}
    assert rig.broke == "no power"


def test_a_rig_that_breaks_in_a_run_is_broken_for_the_next_one() -> None:
    rig = PlayedRig(parse_rig(NO_PORT, "bare.toml"), UNUSED)
    first, second = rig.play(scenario(CARDS)), rig.play(scenario(CARDS))

    assert second.steps[0].why == f"rig bare broke: {first.steps[0].why}"


def test_ctrl_c_keeps_what_was_run() -> None:
    def interrupt(step: StepResult) -> None:
        if step.text == "P 9h":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted) as caught:
        PlayedRig(read_rig("simulated"), UNUSED).play(scenario(CARDS), show=interrupt)
    steps = caught.value.result.steps

    assert outcomes(steps) == ["PASS", "PASS", "ERROR"]
    assert steps[-1].why == "interrupted by Ctrl-C"
    assert caught.value.result.outcome is StepOutcome.ERROR
