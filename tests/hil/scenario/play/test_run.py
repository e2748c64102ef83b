"""Expectations, measures and outcomes of a run, on the simulated bench."""

import pytest

from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.run import ScenarioResult, ScenarioRun, StepOutcome, StepResult

OVERDRAWN = "burn 2c + 2\nP 9h; B Kc; P Qd; B Jh\nP 3c\n"
COUP = "burn 2c + 2\nP 9h; B Kc; P Qd; B Jh\nresult player\n"


def run(text: str) -> ScenarioResult:
    scenario = parse_scenario(text)
    return ScenarioRun(scenario, SimulatedBench(scenario), "simulated").run()


def failure(text: str) -> str:
    """Why the scenario failed: the reason of its one FAIL."""
    (failed,) = (one for one in run(text).steps if one.outcome is StepOutcome.FAIL)
    return failed.why


@pytest.mark.parametrize(
    "text",
    [
        OVERDRAWN + "expect irregularity OVERDRAW",
        OVERDRAWN + "expect irregularity OVERDRAW by card 8",
        OVERDRAWN + "P 4c\nexpect irregularity OVERDRAW among others",
        OVERDRAWN + "P 4c\nexpect irregularity OVERDRAW, OVERDRAW, DEALT_WHILE_SUSPENDED",
        OVERDRAWN + "expect irregularity OVERDRAW\nexpect nothing",
        COUP + "expect nothing\nexpect coup 1 player\nexpect coup 1 counted",
        COUP + "expect phase between_coups",
        COUP + "resolve continue because x\nexpect refusal",
        "expect link shoe up\nunplug shoe\nexpect link shoe down",
        "expect phase closed",
    ],
)
def test_what_is_so_passes(text: str) -> None:
    assert [one.why for one in run(text).steps if one.why] == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (OVERDRAWN, "raised and not expected: OVERDRAW"),
        (OVERDRAWN + "expect nothing", "raised: OVERDRAW"),
        (OVERDRAWN + "expect irregularity BURN_SHORT", "raised: OVERDRAW"),
        (OVERDRAWN + "expect irregularity OVERDRAW by card 7", "it was known at card 8 only"),
        (COUP + "expect irregularity OVERDRAW", "raised: nothing"),
        (COUP + "expect coup 1 tie", "not concluded; there is: coup 1: player"),
        (COUP + "expect phase suspended", "it is between_coups"),
        (COUP + "resolve continue because x", "refused: "),
        (COUP + "expect refusal", "not concluded; there is: nothing"),
        ("wait 2s\nmeasure step at most 1s", "it took 2000.0 ms"),
    ],
)
def test_what_is_not_so_fails_with_what_is(text: str, why: str) -> None:
    assert failure(text).startswith(why)


def test_after_a_failure_the_rest_is_skipped_with_its_line() -> None:
    result = run("expect phase suspended\nwait 1s\nwait 1s")

    assert [one.outcome.value for one in result.steps] == ["FAIL", "SKIP", "SKIP"]
    assert {one.why for one in result.steps[1:]} == {"line 1 ended in FAIL"}


def test_an_expectation_with_a_time_waits_no_longer() -> None:
    result = run("expect phase suspended within 3s")

    assert 3 * 10**9 <= result.steps[0].took_ns < 4 * 10**9


def test_an_incident_is_caught_at_a_card_and_a_step() -> None:
    result = run(OVERDRAWN + "caught by irregularity OVERDRAW")
    step = result.caught_step

    assert step is not None
    assert (result.caught, result.caught_card, step.line) == (True, 8, 4)


def test_an_incident_that_was_missed_is_not_caught() -> None:
    result = run(COUP + "caught by irregularity OVERDRAW")

    assert (result.caught, result.outcome) == (False, StepOutcome.FAIL)


def test_a_step_has_what_was_concluded_and_when_with_its_cards() -> None:
    result = run(OVERDRAWN + "expect irregularity OVERDRAW")
    drawn = result.steps[5]

    assert (drawn.line, drawn.column, drawn.text, drawn.card) == (3, 1, "P 3c", 8)
    assert drawn.facts == ("irregularity OVERDRAW",)
    times = (*drawn.fact_times_ns, *drawn.card_times_ns)
    assert all(drawn.began_ns <= one <= drawn.began_ns + drawn.took_ns for one in times)
    assert sum(len(one.card_times_ns) for one in result.steps) == 8


def test_a_measure_has_its_figure_and_limit() -> None:
    measured = run("wait 2s\nmeasure step at most 3s").steps[1]

    assert (measured.measure, measured.measured_ns, measured.limit_ns) == (
        "step",
        2 * 10**9,
        3 * 10**9,
    )


def test_unplugged_is_measured_to_now() -> None:
    measured = run("unplug shoe\nwait 2s\nmeasure unplug-to-detected").steps[2]

    assert 2 * 10**9 <= measured.measured_ns < 3 * 10**9


def test_each_step_is_shown_as_it_ends() -> None:
    shown: list[StepResult] = []
    scenario = parse_scenario(COUP)
    result = ScenarioRun(scenario, SimulatedBench(scenario), "simulated", show=shown.append).run()

    assert tuple(shown) == result.steps
