"""The smoke test's rules for stray and missing files in a wheel."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def smoke() -> ModuleType:
    spec = importlib.util.spec_from_file_location("smoke", Path(__file__).with_name("smoke.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name",
    [
        "tests/test_core.py",
        "controller/tests/test_core.py",
        "conftest.py",
        "README.md",
        "controller/core/core.py.orig",
        "controller/__pycache__/core.cpython-311.pyc",
        "controller/live.db",
        "smartshoe-0.0.9.dist-info/METADATA",
        "office/audit/run.py",
        "hil/demo/demo.py",
    ],
)
def test_a_stray_file_is_found(smoke: ModuleType, name: str) -> None:
    assert smoke.strays({"controller/core/core.py", name}, "0.5.0") == [name]


@pytest.mark.parametrize(
    "name",
    [
        "controller/rules/profiles/data/clauses.csv",
        "controller/rules/profiles/standard.toml",
        "drivers/README.md",
        "smartshoe-0.5.0.dist-info/licenses/LICENSE",
    ],
)
def test_a_data_file_is_not_a_stray(smoke: ModuleType, name: str) -> None:
    assert smoke.strays({name}, "0.5.0") == []


def test_a_rule_table_left_out_is_found(smoke: ModuleType) -> None:
    in_tree = {"controller/core/core.py", "controller/rules/profiles/data/clauses.csv"}

    assert smoke.missing({"controller/core/core.py"}, in_tree) == [
        "controller/rules/profiles/data/clauses.csv"
    ]


def test_the_clauses_are_among_the_files_a_wheel_must_hold(smoke: ModuleType) -> None:
    assert "controller/rules/profiles/data/clauses.csv" in smoke.sources()


@pytest.mark.parametrize(
    "name", ["hil/bench/report.py", "hil/gate/machine.py", "hil/crash/world.py"]
)
def test_what_runs_from_a_clone_alone_is_a_stray_of_the_bench(smoke: ModuleType, name: str) -> None:
    known = "hil/scenarios/overdraw.scenario"

    assert smoke.strays({known, name}, "0.5.0", "smartshoe_hil") == [name]
    assert name not in smoke.sources(smoke.DISTRIBUTIONS["smartshoe_hil"])
