"""The README's diagram, stages, block reasons and warnings against the program."""

import re
from importlib.resources import files

from drawn_machine import drawn_machine

from controller.custody.batch_life.stages import EDGES, BatchStage
from controller.custody.batch_life.state import BlockReason, WarningKind

SECTION = (files("controller.custody.batch_life") / "README.md").read_text("utf-8")
EXPLAINED = [
    word
    for line in SECTION.splitlines()
    if line.startswith("| `")
    for word in re.findall(r"`(\w+)`", line.split(" | ")[0])
]


def test_the_diagram_matches_the_stage_table() -> None:
    (drawn,) = re.findall(r"```mermaid\n(.*?)```", SECTION, re.DOTALL)
    moves = [(trigger, source, to) for source, trigger, to in EDGES]
    assert drawn == drawn_machine("batch", BatchStage, moves)


def test_every_stage_block_reason_and_warning_is_documented() -> None:
    for word in (*BatchStage, *BlockReason, *WarningKind):
        assert str(word) in EXPLAINED, word
