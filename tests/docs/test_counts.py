"""A count that a page writes in words is that of the data.

Source: controller/rules/profiles/shipped, controller/rules/profiles/data/clauses.csv,
hil/scenarios/incidents.
"""

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "controller" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
)
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
NUMBERS = {word: number for number, word in enumerate(ONES.split())}


def profiles() -> int:
    return len(list((ROOT / "controller" / "rules" / "profiles" / "shipped").glob("*.toml")))


def rule_documents() -> int:
    register = ROOT / "controller" / "rules" / "profiles" / "data" / "clauses.csv"
    with register.open(encoding="utf-8") as file:
        return len({row["id"].partition("-")[0] for row in csv.DictReader(file)})


def incidents() -> int:
    return len(list((ROOT / "hil" / "scenarios" / "incidents").glob("*.scenario")))


@pytest.mark.parametrize(
    ("words", "counted"),
    [
        (r"\b(\w+) profiles\b", profiles()),
        (r"\b(\w+) rule documents\b", rule_documents()),
        (r"\[(\w+) incidents\]", incidents()),
    ],
)
def test_a_count_in_words_is_that_of_the_data(words: str, counted: int) -> None:
    found = [
        (page.name, one)
        for page in PAGES
        for one in re.findall(words, page.read_text("utf-8"))
        if one.lower() in NUMBERS
    ]

    assert found
    assert [(page, one) for page, one in found if NUMBERS[one.lower()] != counted] == []
