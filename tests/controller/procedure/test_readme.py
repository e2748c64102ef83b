"""The READMEs agree with the program: phases, irregularities, decisions and fates."""

from importlib.resources import files

import pytest

from controller.procedure.irregularities import CATALOGUE
from controller.procedure.phases import Phase
from controller.rules.actions.choices import FloorDecision
from controller.rules.outcome import CoupFate
from controller.system.messages.catalogue import to_words
from foundation.message import Message

PAGES = tuple(
    (files(room) / "README.md").read_text("utf-8")
    for room in ("controller.procedure", "controller.procedure.irregularities")
)


def section(name: str) -> str:
    return "\n".join(PAGES).split(f"\n## {name}\n")[1].split("\n## ")[0]


def table_rows(text: str) -> list[list[str]]:
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_every_irregularity_is_in_the_readme_as_in_the_catalogue() -> None:
    assert table_rows(section("Irregularities")) == [
        [
            f"`{code.value}`",
            to_words(Message(code.value)),
            "yes" if kind.suspends else "no",
            ", ".join(decision.value for decision in kind.decisions),
        ]
        for code, kind in CATALOGUE.items()
    ]


def test_every_decision_is_in_the_readme() -> None:
    assert [row[0].strip("`") for row in table_rows(section("Suspension"))] == list(FloorDecision)


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_is_explained(phase: Phase) -> None:
    explained = " ".join(row[0] for row in table_rows(section("The procedure")))
    between = phase in (Phase.PLAYER_2, Phase.BANKER_2, Phase.PLAYER_3)
    assert between or f"`{phase.value}`" in explained


@pytest.mark.parametrize("fate", CoupFate)
def test_every_fate_of_a_coup_is_named(fate: CoupFate) -> None:
    assert f"`{fate.value}`" in section("Verdicts and effects")
