"""Pure packages call nothing of the outside, where an import alone does not show it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from import_configuration import ROOT, settings_of
from import_contracts import graph

pytestmark = pytest.mark.needs("import-linter")

INPUT_REMEDY = "take it as an input; the rim does it and puts its result into the queue"
BANNED_CALLS = {
    "open": INPUT_REMEDY,
    "print": "return what is to be shown",
    "input": INPUT_REMEDY,
    "hash": "differs from run to run; use hashlib over the stored encoding",
    "id": "differs from run to run",
    "datetime.now": "take an `at: Timestamp`",
    "datetime.today": "take an `at: Timestamp`",
    "datetime.datetime.now": "take an `at: Timestamp`",
    "date.today": "take an `at: Timestamp`",
    "datetime.date.today": "take an `at: Timestamp`",
}


def pure_files() -> Iterator[Path]:
    pure = tuple(settings_of("pure")["source_modules"])
    for module in sorted(graph().modules):
        if module in pure or module.startswith(tuple(f"{one}." for one in pure)):
            path = ROOT / Path(*module.split("."))
            yield path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def calls_of_the_outside(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)) in BANNED_CALLS:
            yield f"line {node.lineno} calls {name}: {BANNED_CALLS[name]}"


def test_pure_packages_call_nothing_of_the_outside() -> None:
    files = list(pure_files())
    found = [
        f"{path.relative_to(ROOT)}: {call}"
        for path in files
        for call in calls_of_the_outside(path.read_text("utf-8"))
    ]
    assert len(files) > 150
    assert not found, "\n".join(found)


@pytest.mark.parametrize("source", ["open('x')", "print(1)", "day = datetime.now(UTC)"])
def test_a_call_of_the_outside_is_found(source: str) -> None:
    assert list(calls_of_the_outside(source))


def test_of_io_a_pure_package_uses_bytes_in_memory_alone() -> None:
    source = (ROOT / "controller" / "core" / "gaming_day.py").read_text("utf-8")
    imported = [
        [alias.name for alias in node.names]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module == "io"
    ]
    assert imported == [["BytesIO"]]
