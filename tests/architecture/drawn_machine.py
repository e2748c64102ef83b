"""A machine as a Mermaid state diagram, drawn by the transitions library: its moves alone."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from transitions.extensions import GraphMachine

# Colours of states, and states by their own names: a diagram without them shows the same.
STYLE: Final = re.compile(r" *(?:classDef |Class |state \"(\w+)\" as \1$|$)")


def drawn_machine(
    title: str, states: type[StrEnum], moves: Iterable[tuple[StrEnum, StrEnum, StrEnum]]
) -> str:
    """The moves (trigger, source, destination) as a diagram; the text is deterministic."""
    machine = GraphMachine(
        states=states,
        initial=next(iter(states)),
        transitions=[list(move) for move in moves],
        auto_transitions=False,
        graph_engine="mermaid",
        title=title,
    )
    drawn = machine.get_graph().draw(None) + "\n"
    return "".join(line for line in drawn.splitlines(keepends=True) if not STYLE.match(line))
