"""Results as JUnit XML."""

from xml.etree import ElementTree as ET

from played_scenarios import IMPOSSIBLE, LATE, LEFT_OUT, OVERDRAW, played, step

from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.run import ScenarioResult
from hil.scenario.reports.junit import junit_xml
from hil.scenario.reports.played import PlayedScenario


def document(*texts: str) -> ET.Element:
    return ET.fromstring(junit_xml([played(one) for one in texts], "simulated"))


def test_a_scenario_is_a_suite_and_a_step_a_case() -> None:
    (suite,) = document(OVERDRAW)
    cases = suite.findall("testcase")

    assert (suite.get("name"), suite.get("file")) == ("overdraw", "tried.scenario")
    assert suite.get("tests") == str(len(cases)) == "8"
    assert cases[5].get("name") == "6:1 P 3c"
    assert cases[5].findtext("system-out") == "irregularity OVERDRAW"
    assert cases[5].get("time") == "0.300000"


def test_the_root_counts_all_suites() -> None:
    root = document(OVERDRAW, LATE, IMPOSSIBLE, LEFT_OUT)
    counts = [root.get(name) for name in ("tests", "failures", "errors", "skipped")]

    assert counts == ["15", "1", "1", "3"]


def test_a_failure_has_the_place_and_the_reason() -> None:
    failure = document(LATE).find("testsuite/testcase/failure")

    assert failure is not None
    assert failure.get("message") == "it took 2000.0 ms"
    assert failure.text is not None
    assert failure.text.startswith("tried.scenario:3:1: measure step")


def test_what_was_left_out_is_a_skipped_case_with_the_reason() -> None:
    skipped = document(LEFT_OUT).find("testsuite/testcase/skipped")

    assert skipped is not None
    assert (
        skipped.get("message")
        == "rig simulated has no metrics: `expect metric smartshoe_a is 1` at line 1"
    )


def test_measures_and_the_catch_are_properties() -> None:
    (suite,) = document(OVERDRAW)
    properties = {one.get("name"): one.get("value") for one in suite.iter("property")}

    assert properties["seed"] == "1"
    assert properties["caught"] == "true"
    assert properties["caught_card"] == "8"
    assert properties["step_ms:8"] == "0.000"


def test_characters_that_xml_cannot_have_are_replaced() -> None:
    one = ScenarioResult(parse_scenario("wait 1s"), "own", 1, (step(0, 1, 'lamp 4 on "\x1b"'),))
    text = junit_xml([PlayedScenario(played(LATE).path, one)], "own")

    assert 'lamp 4 on "\N{REPLACEMENT CHARACTER}"' in ET.tostring(
        ET.fromstring(text), encoding="unicode"
    ).replace("&quot;", '"')
