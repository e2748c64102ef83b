"""The README of custody names every code and every standing.

Responsible for: the tables of the README against the closed sets.
Not responsible for: its sentences.
Source: controller/custody/README.md.
"""

import re
from pathlib import Path

from controller.custody.card_states import PLACE_OF, Standing, Whereabouts
from controller.custody.findings import FindingCode
from controller.profiles.rule_points import RulePoint

README = Path(__file__).parents[3] / "controller" / "custody" / "README.md"


def section(name: str) -> str:
    return README.read_text(encoding="utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]


def cells(name: str) -> list[list[str]]:
    lines = [line for line in section(name).splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_code_has_its_proof() -> None:
    codes = [row[0].strip("`") for row in cells("What is proven")]
    assert codes == list(FindingCode)


def test_every_rule_point_is_one_of_the_rules() -> None:
    named = re.findall(r"`(\w+)`", " ".join(row[3] for row in cells("What is proven")))
    assert set(named) <= set(RulePoint)


def test_every_standing_has_its_place() -> None:
    told = {name: row[1] for row in cells("Places") for name in re.findall(r"`(\w+)`", row[0])}
    same = {standing.name for standing in Standing if standing.name == PLACE_OF[standing].name}
    for name, place in told.items():
        if place == "of that name":
            assert name in same
            told[name] = PLACE_OF[Standing[name]].value.replace("_", " ")

    assert told == {
        standing.name: PLACE_OF[standing].value.replace("_", " ") for standing in Standing
    }


def test_the_diagram_knows_every_place() -> None:
    edges = re.findall(r"^ +(\w+) --> (\w+): ", section("Places"), re.MULTILINE)
    assert {place for edge in edges for place in edge} == set(Whereabouts)
