"""Results as JUnit XML: a suite for each scenario, a case for each step.

Source: https://github.com/testmoapp/junitxml.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as ET

from hil.scenario.play.run import StepOutcome, StepResult
from hil.scenario.reports.played import PlayedScenario

NS_PER_S: Final = 1_000_000_000
_ELEMENTS: Final = {
    StepOutcome.FAIL: "failure",
    StepOutcome.ERROR: "error",
    StepOutcome.SKIP: "skipped",
}
# Characters that XML 1.0 cannot have, not even as references.
_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def junit_xml(runs: Sequence[PlayedScenario], rig: str) -> str:
    """The document. A scenario that was left out is a suite with one skipped case."""
    root = ET.Element("testsuites", name=f"smartshoe-hil {rig}")
    for played in runs:
        root.append(_suite(played))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(one.get(name, "0")) for one in root)))
    root.set("time", _seconds(sum(_took_ns(one.result.steps) for one in runs)))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document.decode() + "\n"


def _suite(played: PlayedScenario) -> ET.Element:
    result = played.result
    suite = ET.Element("testsuite", name=_clean(result.scenario.name), file=_clean(played.path))
    cases = [_case(played, one) for one in result.steps]
    counted = Counter(one.outcome for one in result.steps)
    if result.why_skipped:
        cases = [_skipped_case(played)]
        counted = Counter({StepOutcome.SKIP: 1})
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(counted[StepOutcome.FAIL]))
    suite.set("errors", str(counted[StepOutcome.ERROR]))
    suite.set("skipped", str(counted[StepOutcome.SKIP]))
    suite.set("time", _seconds(_took_ns(result.steps)))
    properties = {"rig": result.rig, "seed": str(result.seed), "title": result.scenario.title}
    if result.scenario.control:
        properties["caught"] = str(result.caught).lower()
        properties["caught_card"] = str(result.caught_card)
    for step in result.steps:
        if step.measure and step.outcome in (StepOutcome.PASS, StepOutcome.FAIL):
            properties[f"{step.measure}_ms:{step.line}"] = f"{step.measured_ns / 10**6:.3f}"
    group = ET.SubElement(suite, "properties")
    for name, value in properties.items():
        ET.SubElement(group, "property", name=name, value=_clean(value))
    suite.extend(cases)
    return suite


def _case(played: PlayedScenario, step: StepResult) -> ET.Element:
    case = ET.Element(
        "testcase",
        classname=_clean(played.result.scenario.name),
        name=_clean(f"{step.line}:{step.column} {step.text}"),
        file=_clean(played.path),
        line=str(step.line),
        time=_seconds(step.took_ns),
    )
    if step.outcome in _ELEMENTS:
        ET.SubElement(case, _ELEMENTS[step.outcome], message=_clean(step.why)).text = _clean(
            f"{played.path}:{step.line}:{step.column}: {step.text}: {step.why}"
        )
    if step.facts:
        ET.SubElement(case, "system-out").text = _clean("\n".join(step.facts))
    return case


def _skipped_case(played: PlayedScenario) -> ET.Element:
    result = played.result
    case = ET.Element(
        "testcase",
        classname=_clean(result.scenario.name),
        name="left out before the run",
        file=_clean(played.path),
        time=_seconds(0),
    )
    ET.SubElement(case, "skipped", message=_clean(result.why_skipped))
    return case


def _took_ns(steps: Sequence[StepResult]) -> int:
    return sum(one.took_ns for one in steps)


def _seconds(ns: int) -> str:
    return f"{ns / NS_PER_S:.6f}"


def _clean(text: object) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", str(text))
