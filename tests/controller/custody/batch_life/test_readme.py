"""The README says what is followed: the diagram, every stage, every bar and every warning."""

import re
from importlib.resources import files

import pytest

from controller.custody.batch_life.stages import EDGES, BatchStage
from controller.custody.batch_life.state import Bar, WarningKind
from controller.state_table import StateTable

README = (files("controller") / "README.md").read_text("utf-8")
SECTION = README.split("\n## The life of a batch\n")[1].split("\n## ")[0]
EXPLAINED = [
    word
    for line in SECTION.splitlines()
    if line.startswith("| `")
    for word in re.findall(r"`(\w+)`", line.split(" | ")[0])
]


def test_the_diagram_is_the_table_the_library_holds() -> None:
    (drawn,) = re.findall(r"```mermaid\n(.*?)```", SECTION, re.DOTALL)
    assert drawn == StateTable(EDGES).mermaid()


@pytest.mark.parametrize("word", [*BatchStage, *Bar, *WarningKind])
def test_every_stage_bar_and_warning_is_explained_there(word: str) -> None:
    assert str(word) in EXPLAINED
