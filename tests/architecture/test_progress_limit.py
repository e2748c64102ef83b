"""The limit of a test, of tests/progress, on generated tests: it is one of progress."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SETTINGS = f"""\
[pytest]
pythonpath = {TESTS / "progress"}
still_seconds = 1
addopts = -p progress_limit
markers =
  full: long
"""
EXAMPLES = """\
import subprocess, sys, threading

import pytest

WORK = "import time\\nwhile time.process_time() < 3: pass"
ASLEEP = "input()  # the sleeper"

def test_stands_still():
    reader = threading.Thread(target=threading.Event().wait, name="reader of A", daemon=True)
    reader.start()
    with subprocess.Popen([sys.executable, "-c", ASLEEP], stdin=subprocess.PIPE) as asleep:
        try:
            threading.Event().wait()
        finally:
            asleep.kill()

def test_works():
    exec(WORK)

def test_has_a_child_that_works():
    subprocess.run([sys.executable, "-c", WORK], check=True)

@pytest.fixture
def stuck():
    yield
    threading.Event().wait()

def test_cannot_be_torn_down(stuck):
    pass

def test_goes_on_after_them():
    pass
"""
ASLEEP_NAMED = re.compile(r"process \d+, .* of processor: \S+ -c input\(\)  # the sleeper")
THE_WAIT = EXAMPLES.splitlines().index("            threading.Event().wait()") + 1


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("limit")
    (folder / "pytest.ini").write_text(SETTINGS)
    (folder / "test_examples.py").write_text(EXAMPLES)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def outcomes(output: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for outcome, name in re.findall(r"^([A-Z]+) test_examples\.py::(\w+)", output, re.MULTILINE):
        found.setdefault(name, []).append(outcome)
    return found


def test_what_stands_still_fails(output: str) -> None:
    assert outcomes(output)["test_stands_still"] == ["FAILED"]


def test_it_says_who_stood_still_and_where(output: str) -> None:
    # A busy machine looks later.
    assert re.search(r"StoodStill: the test stood still: nothing moved for \d+ s", output)
    assert ASLEEP_NAMED.search(output)
    assert f"\ntest_examples.py:{THE_WAIT}: " in output
    assert "--- thread reader of A ---" in output


@pytest.mark.parametrize("name", ["test_works", "test_has_a_child_that_works"])
def test_what_works_goes_on(output: str, name: str) -> None:
    assert outcomes(output)[name] == ["PASSED"]


def test_a_tear_down_that_stands_still_is_an_error(output: str) -> None:
    assert outcomes(output)["test_cannot_be_torn_down"] == ["PASSED", "ERROR"]


def test_the_run_goes_on(output: str) -> None:
    assert outcomes(output)["test_goes_on_after_them"] == ["PASSED"]
