"""A long command that ran whole leaves its record in build/runs, with commit and machine."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from hil.crash import __main__ as crash
from hil.crash.__main__ import ResultRow
from hil.crash.verdict import Defect
from hil.gate import __main__ as gate
from hil.run_record import (
    RUNS,
    MachineDescription,
    RunRecord,
    commit_of,
    encoded,
    read_record,
    record_run,
)

TESTS = Path(__file__).resolve().parents[1]
MACHINE = MachineDescription("a processor", 2, "CPython 3.11.2", "Linux", 0.5)
SETTINGS = f"""\
[pytest]
pythonpath = {TESTS}/register
addopts = -p register_plugin -p run_record_plugin
testpaths = tests
markers =
    clause(id): as in this repository
register_complete = false
"""
CASES = """\
def test_one(): pass
def test_two(): pass
"""


def test_a_run_of_changed_files_says_so(checkout: Path) -> None:
    (checkout / "file").write_text("two")

    assert commit_of(checkout).endswith(" and changes")


def test_outside_a_checkout_nothing_is_written(tmp_path: Path) -> None:
    record_run("make full", {}, checkout=tmp_path, machine=MACHINE)

    assert list(tmp_path.iterdir()) == []


def test_a_record_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(encoded(RunRecord("make full", "0.9.0", {})).replace(b"version", b"virsion"))

    with pytest.raises(ValueError, match=r"a\.json: .*virsion"):
        read_record(path)


@pytest.fixture
def tested(checkout: Path) -> Path:
    """A checkout with two tests and the plug-in of this repository."""
    (checkout / "pytest.ini").write_text(SETTINGS)
    (checkout / "conftest.py").write_text(
        "def pytest_addoption(parser):\n"
        "    parser.addoption('--full', action='store_true')\n"
        "    parser.addoption('--services', default='both')\n"
    )
    (checkout / "tests").mkdir()
    (checkout / "tests" / "test_cases.py").write_text(CASES)
    return checkout


def run_tests(checkout: Path, *options: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        cwd=checkout,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("options", "what", "processes"),
    [
        (("--services", "none"), "make test", "0"),
        (("--services", "only"), "make test-services", "0"),
        (("--full",), "make full", "2"),
    ],
)
def test_a_whole_run_of_the_tests_is_recorded_with_its_counts(
    tested: Path, options: tuple[str, ...], what: str, processes: str
) -> None:
    run_tests(tested, "-n", processes, *options)
    (record,) = (read_record(path) for path in (tested / RUNS).iterdir())

    assert record.what == what
    # The register of clauses is none of the tests that need services; here there is none.
    errors = int(what != "make test-services")
    assert record.figures == {"passed": 2, "failed": 0, "error": errors, "skipped": 0}


@pytest.mark.parametrize("options", [("-k", "one"), ("tests/test_cases.py",), ("--co",)])
def test_a_part_of_the_tests_is_not_recorded(tested: Path, options: tuple[str, ...]) -> None:
    run_tests(tested, *options)

    assert not (tested / RUNS).exists()


def test_a_command_records_that_it_came_to_its_end(checkout: Path) -> None:
    record_run("make gate", {}, checkout=checkout, machine=MACHINE)

    record = read_record(checkout / RUNS / "make-gate.json")
    assert (record.figures, record.took_s, record.commit) == ({}, None, commit_of(checkout))


@pytest.mark.parametrize(("full", "every", "recorded"), [(True, 0, 1), (True, 5, 0), (False, 0, 0)])
def test_the_whole_matrix_is_recorded_without_its_controls(
    *, full: bool, every: int, recorded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[tuple[object, ...]] = []
    parts: list[dict[str, dict[str, int]]] = []

    def keep(*words: object, **named: dict[str, dict[str, int]]) -> None:
        kept.append(words)
        parts.append(named["parts"])

    monkeypatch.setattr(crash, "record_run", keep)
    rows = [ResultRow("kill", "kills", control=False, tried=7)]
    rows.append(ResultRow("kill", "a control", control=True, tried=2))
    rows[1].defects[Defect.LOST] = 2
    options = argparse.Namespace(full=full, point="", every=every, only=(), seed=1, json=None)

    assert crash.finish(rows, options, 3.0) == crash.EXIT_HELD
    assert len(kept) == recorded
    for _, figures, _ in kept:
        assert figures == {"points tried": 9, "lost": 0, "doubled": 0, "undetected": 0}
    for by_kind in parts:
        assert by_kind == {
            "kills": {"tried": 7, "lost": 0, "doubled": 0, "undetected": 0},
            "a control": {"tried": 2, "lost": 2, "doubled": 0, "undetected": 0},
        }


@pytest.mark.parametrize(("parts", "recorded"), [([], 1), (["unit"], 0)])
def test_all_parts_of_the_gate_are_recorded(
    parts: list[str], recorded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[tuple[object, ...]] = []
    monkeypatch.setattr(gate, "record_run", lambda *words: kept.append(words))
    monkeypatch.setattr(gate, "require", lambda *_: None)
    monkeypatch.setattr(gate, "_run", lambda parts: [True] * (len(parts) - 1) + [False])

    assert gate.main(parts) == gate.FAILED
    assert len(kept) == recorded
    for _, figures, _ in kept:
        assert figures == {"parts passed": len(gate.PARTS) - 1, "parts failed": 1}
