"""The tables of custody's README against the closed sets of the program."""

import re
from pathlib import Path

from controller.custody.card_states import PLACE_OF, CardPlace, CardState
from controller.custody.findings import FindingCode
from controller.rules.profiles.rule_points import RulePoint

README = Path(__file__).parents[3] / "controller" / "custody" / "README.md"


def section(name: str) -> str:
    return README.read_text(encoding="utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]


def cells(name: str) -> list[list[str]]:
    lines = [line for line in section(name).splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_finding_code_is_documented() -> None:
    codes = [row[0].strip("`") for row in cells("What is proven")]
    assert codes == list(FindingCode)


def test_every_documented_rule_point_exists() -> None:
    named = re.findall(r"`(\w+)`", " ".join(row[2] for row in cells("What is proven")))
    assert set(named) <= set(RulePoint)


def test_every_card_state_is_documented_with_its_place() -> None:
    documented = {
        name: row[1] for row in cells("Places") for name in re.findall(r"`(\w+)`", row[0])
    }
    same = {state.name for state in CardState if state.name == PLACE_OF[state].name}
    for name, place in documented.items():
        if place == "of that name":
            assert name in same
            documented[name] = PLACE_OF[CardState[name]].value.replace("_", " ")

    assert documented == {
        state.name: PLACE_OF[state].value.replace("_", " ") for state in CardState
    }


def test_the_diagram_contains_every_place() -> None:
    edges = re.findall(r"^ +(\w+) --> (\w+): ", section("Places"), re.MULTILINE)
    assert {place for edge in edges for place in edge} == set(CardPlace)
