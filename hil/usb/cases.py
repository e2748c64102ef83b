"""Runs a file of USB test cases in a pytest process that preloads umockdev, and collects failures.

Source: umockdev(7).
"""

import ast
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

from hil.usb.bed import NO_ANSWER, PRELOADED

ROOT = Path(__file__).resolve().parents[2]


class CasesFailed(Exception):
    """pytest wrote no report; the message is its output."""


def case_names(cases: Path) -> tuple[str, ...]:
    """The names of the tests in the file, in order."""
    statements = ast.parse(cases.read_text(encoding="utf-8")).body
    return tuple(
        node.name
        for node in statements
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def run_cases(cases: Path, report: Path) -> dict[str, str]:
    """Run the file; map each case to its failure text, empty if it passed. Raises CasesFailed.

    Repeated once if the bench's serving process died (umockdev does, once in many runs).
    """
    failures = _run(cases, report)
    if any(NO_ANSWER in failure for failure in failures.values()):
        return _run(cases, report)
    return failures


def _run(cases: Path, report: Path) -> dict[str, str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST")
    }
    environment["LD_PRELOAD"] = PRELOADED
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--junitxml={report}")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(cases)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if not report.is_file():
        raise CasesFailed(done.stdout + done.stderr)
    failures: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - written by our own pytest
        name = case.get("name", "").partition("[")[0]
        failure = "\n".join(part.text or part.tag for part in case)
        failures[name] = failures.get(name, "") + failure
    return failures
