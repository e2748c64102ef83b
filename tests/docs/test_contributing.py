"""CONTRIBUTING.md sends a contributor to files that declare what they are named for."""

import re
from pathlib import Path

import pytest

from controller.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = re.compile(r"smartshoe[_-](\d+\.\d+\.\d+)[^\s`]*\.(?:deb|whl)\b")
# What is new, and one of its kind as its declaration has it.
DECLARED = {
    "metric": '"coups_total"',
    "irregularity": '    OVERDRAW = "OVERDRAW"',
    "command": '"check-config"',
    "setting of a profile": '"irregularity_rules"',
    "action of people": "class RecordAct(",
    "key of table.toml": "class TableSection",
}


def row(new: str) -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return str(re.findall(rf"^\| {re.escape(new)} \| ([^|]+) \|", text, re.MULTILINE)[0])


@pytest.mark.parametrize("new", DECLARED)
def test_the_first_place_that_is_named_declares_it(new: str) -> None:
    named = re.findall(r"`([^`]+)`", row(new))[0]
    folder = ROOT / named
    files = sorted(folder.glob("*.py")) if folder.is_dir() else sorted(ROOT.glob(named))

    assert any(DECLARED[new] in file.read_text("utf-8") for file in files), named


def test_no_test_uses_a_library_of_mocks() -> None:
    files = sorted((ROOT / "tests").rglob("*.py"))
    mocking = re.compile(
        r"^\s*(?:from|import) (?:unittest\.mock|unittest import|pytest_mock)", re.M
    )

    assert [str(file) for file in files if mocking.search(file.read_text("utf-8"))] == []
    assert len(files) > 700


def test_pages_name_packages_of_this_version() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "deploy").rglob("*.md")]
    named = {
        (str(page.relative_to(ROOT)), found)
        for page in pages
        for found in PACKAGE.findall(page.read_text("utf-8"))
    }

    assert {one for one in named if one[1] != VERSION} == set()
