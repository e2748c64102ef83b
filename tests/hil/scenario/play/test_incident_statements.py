"""Statements of incidents: controls, exchanged faces, cards counted by their face."""

import pytest

from controller.core.script.errors import ScriptError
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.run import ScenarioResult, ScenarioRun, StepOutcome

NINE_SEVENS = """\
scenario sevens "a seven too many"
control count
swap red Qd for 7h
load red
"""
DRAWN = "draw 7h\n" * 9
CAUGHT = "caught by irregularity TOO_MANY_OF_A_CARD by card {} among others\n"


def played(text: str) -> ScenarioResult:
    scenario = parse_scenario(text)
    return ScenarioRun(scenario, SimulatedBench(scenario), "simulated").run()


def why(result: ScenarioResult) -> list[str]:
    return [one.why for one in result.steps if one.outcome is StepOutcome.FAIL]


def test_a_card_is_counted_by_its_face() -> None:
    result = played(NINE_SEVENS + "draw 2c\n" + DRAWN + CAUGHT.format("9 of 7h"))
    assert (why(result), result.caught, result.caught_card) == ([], True, 10)


def test_what_is_known_one_card_of_that_face_later_is_late() -> None:
    result = played(NINE_SEVENS + DRAWN + CAUGHT.format("8 of 7h"))
    assert (why(result), result.caught) == (["it was known at card 9 only"], False)


def test_a_face_that_is_not_there_cannot_be_exchanged() -> None:
    result = played("swap red 7h for Qd\n" * 9)
    assert result.outcome is StepOutcome.ERROR
    assert result.steps[-1].why == "red has no 7h"


def test_an_incident_with_two_controls_is_caught_if_both_catch_it() -> None:
    two = NINE_SEVENS.replace("count\n", "count, again\n") + DRAWN + CAUGHT.format("9 of 7h")
    assert played(two + "caught by phase suspended\n").caught
    half = played(two + "caught by phase closed within 1s\n")
    assert (half.caught, half.caught_step) == (False, None)


def test_a_list_of_controls_ends_with_a_name() -> None:
    with pytest.raises(ScriptError, match="control"):
        parse_scenario("control count,\n")
