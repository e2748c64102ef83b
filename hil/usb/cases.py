"""A file of cases for USB devices, run in a pytest that has umockdev before the system's libraries.

Responsible for: which cases a file holds, running them all once, and what went wrong with each; so
that each of them is one test again.
Not responsible for: the cases and their test bed (usb_bed).
Source: package README, "USB without a device"; umockdev(7).
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
    """There is no report at all; the message is what was said instead."""


def names_of(cases: Path) -> tuple[str, ...]:
    """The tests that stand in the file, in their order."""
    read = ast.parse(cases.read_text(encoding="utf-8")).body
    return tuple(
        node.name
        for node in read
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def outcomes_of(cases: Path, report: Path) -> dict[str, str]:
    """Run the file; what went wrong with each case, empty: nothing. Raises CasesFailed.

    Where the bench's own process died amid it (umockdev does, once in many runs), once more.
    """
    found = _run(cases, report)
    if any(NO_ANSWER in wrong for wrong in found.values()):
        return _run(cases, report)
    return found


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
    found: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - our own pytest wrote it
        name = case.get("name", "").partition("[")[0]
        wrong = "\n".join(part.text or part.tag for part in case)
        found[name] = found.get(name, "") + wrong
    return found
