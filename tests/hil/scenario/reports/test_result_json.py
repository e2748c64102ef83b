"""Results as JSON: each scenario, and the run with its incidents."""

import json

from played_scenarios import LATE, LEFT_OUT, OVERDRAW, played

from hil.scenario.reports.result_json import run_object, scenario_object


def test_a_scenario_has_its_steps_with_place_outcome_and_facts() -> None:
    found = scenario_object(played(OVERDRAW))
    *_, drawn, caught, _ = found["steps"]

    assert json.loads(json.dumps(found)) == found
    assert (found["scenario"], found["outcome"], found["why"]) == ("overdraw", "PASS", "")
    assert (drawn["line"], drawn["column"], drawn["text"]) == (6, 1, "P 3c")
    assert drawn["facts"] == ["irregularity OVERDRAW"]
    assert caught["outcome"] == "PASS"


def test_an_incident_says_at_which_card_and_step_it_was_caught() -> None:
    found = scenario_object(played(OVERDRAW))

    assert found["incident"] == {
        "caught": True,
        "card": 8,
        "step": {"line": 7, "text": "caught by irregularity OVERDRAW by card 8"},
        "control": "verdicts",
        "outcome": "PASS",
    }


def test_a_measure_has_its_figure_and_its_limit_in_milliseconds() -> None:
    found = scenario_object(played(LATE))

    assert found["outcome"] == "FAIL"
    assert found["why"] == "tried.scenario:3:1: measure step at most 1s: it took 2000.0 ms"
    assert found["measures"] == [{"measure": "step", "line": 3, "ms": 2000.0, "limit_ms": 1000.0}]


def test_the_run_counts_outcomes_and_names_every_incident() -> None:
    missed = OVERDRAW.replace("P 3c\n", "").replace("overdraw", "missed")
    runs = [played(one) for one in (OVERDRAW, missed, LATE, LEFT_OUT)]
    found = run_object(runs, "simulated", 1, interrupted=False)

    assert found["counts"] == {"PASS": 1, "FAIL": 2, "ERROR": 0, "SKIP": 1}
    assert {name: one["caught"] for name, one in found["incidents"].items()} == {
        "overdraw": True,
        "missed": False,
    }
    assert found["incidents"]["missed"]["card"] is None


def test_a_run_without_incidents_has_none() -> None:
    assert "incidents" not in run_object([played(LATE)], "simulated", 1, interrupted=True)
