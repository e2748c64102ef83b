"""A machine as a Mermaid state diagram, drawn by the transitions library."""

from collections.abc import Iterable
from enum import StrEnum

from transitions.extensions import GraphMachine


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
    return machine.get_graph().draw(None) + "\n"
