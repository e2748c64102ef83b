"""The tests that depend on a library, on the lowest and the newest release that pyproject allows.

The locks name one release; a house's machine, or a program that embeds tables, may have another.
Source: pyproject.toml.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hil.gate.kernel import GateUnable

ROOT: Final = Path(__file__).resolve().parents[2]
# By library: what its users of ours are tested by.
TESTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "prometheus-client": (
            "tests/controller/outlets/metrics",
            "tests/controller/outlets/console/test_metrics_routes.py",
            "tests/docs/test_tables_in_another_program.py",
        ),
        "transitions": (
            "tests/controller/procedure/test_table.py",
            "tests/controller/custody/batch_life/test_stages.py",
            "tests/verdicts/test_library_judges.py",
        ),
    }
)


def run_on_other_releases() -> bool:
    """Whether all tests passed on each release; prints their output. Raises GateUnable."""
    passed = True
    for name, tests in TESTS.items():
        for release in releases_of(name):
            with tempfile.TemporaryDirectory(prefix="smartshoe-release-") as folder:
                _install(release, folder)
                print(f"gate: with {release}", flush=True)
                environment = {**os.environ, "PYTHONPATH": os.pathsep.join((folder, str(ROOT)))}
                command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
                run = subprocess.run(command, cwd=ROOT, env=environment, check=False)
                passed = passed and run.returncode == 0
    return passed


def releases_of(name: str) -> Iterator[str]:
    """What to install for the lowest and for the newest release that pyproject allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (allowed,) = [
        one.removeprefix(name)
        for one in project["dependencies"]
        if one.startswith(name) and one[len(name)] in "<>=!~"
    ]
    lowest = allowed.split(",")[0]
    assert lowest.startswith(">="), f"{name} has no lowest release"
    yield f"{name}=={lowest.removeprefix('>=')}"
    yield f"{name}{allowed}"


def _install(release: str, folder: str) -> None:
    """That release alone into a folder. Raises GateUnable."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    options = ["--no-deps", "--upgrade", "--target", folder]
    done = subprocess.run([*pip, *options, release], capture_output=True, text=True, check=False)
    if done.returncode:
        raise GateUnable(f"{release} cannot be installed: {done.stderr.strip().splitlines()[-1]}")
