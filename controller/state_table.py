"""A flat state table on the transitions library: which trigger leads where, drawn as a diagram.

The one importer of `transitions`. It holds no state; its caller does.
Source: controller/procedure/README.md, "The procedure".
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct
from transitions import Machine

PhaseT = TypeVar("PhaseT", bound=StrEnum)
TriggerT = TypeVar("TriggerT", bound=StrEnum)


class NoEdge(Struct, Generic[PhaseT, TriggerT], frozen=True):
    """`trigger` may not occur in `phase`; `legal` are the ones that may."""

    phase: PhaseT
    trigger: TriggerT
    legal: tuple[TriggerT, ...]


class StateTable(Generic[PhaseT, TriggerT]):
    """An immutable table of edges; safe for several threads, as a call changes no answer of it.

    The library's machine gets no model, callback or condition, so a trigger is the look-up of its
    edge. Phases and triggers are the members of the two enums that the edges name, whether or not
    an edge uses them.
    """

    __slots__ = ("_by_name", "_legal", "_machine", "_phases", "_triggers")

    def __init__(self, edges: Sequence[tuple[PhaseT, TriggerT, PhaseT]]) -> None:
        assert edges, "a state table needs at least one edge"
        pairs = [(source, trigger) for source, trigger, _ in edges]
        assert len(set(pairs)) == len(pairs), "a trigger leads to one phase only"
        self._phases = type(edges[0][0])
        self._triggers = type(edges[0][1])
        self._by_name = {phase.value: phase for phase in self._phases}
        # Made when first asked for: the library walks its whole table for it.
        self._legal: dict[PhaseT, tuple[TriggerT, ...]] = {}
        self._machine = Machine(
            model=None,
            states=[phase.value for phase in self._phases],
            initial=edges[0][0].value,
            transitions=[[trigger.value, source.value, to.value] for source, trigger, to in edges],
            auto_transitions=False,
            queued=False,
        )

    def next(self, phase: PhaseT, trigger: TriggerT) -> PhaseT | NoEdge[PhaseT, TriggerT]:
        """The phase after `trigger`; a missing edge is a NoEdge, never an exception."""
        event = self._machine.events.get(trigger)
        edges = event.transitions.get(phase) if event is not None else None
        if not edges:
            return NoEdge(phase, trigger, self.legal(phase))
        to = edges[0].dest
        assert to is not None, "every edge leads to a phase"
        return self._by_name[to]

    def has_edge(self, phase: PhaseT, trigger: TriggerT) -> bool:
        """Whether `trigger` may occur in `phase`."""
        event = self._machine.events.get(trigger)
        return event is not None and bool(event.transitions.get(phase))

    def legal(self, phase: PhaseT) -> tuple[TriggerT, ...]:
        """The triggers that may occur in `phase`, in the order of their enum."""
        if phase not in self._legal:
            names = self._machine.get_triggers(phase.value)
            self._legal[phase] = tuple(one for one in self._triggers if one.value in names)
        return self._legal[phase]

    def mermaid(self) -> str:
        """The table as a Mermaid state diagram; the text is deterministic."""
        lines = ["stateDiagram-v2", f"    [*] --> {self._machine.initial}"]
        for phase in self._phases:
            labels: dict[PhaseT, list[str]] = {}
            for trigger in self.legal(phase):
                to = self.next(phase, trigger)
                assert not isinstance(to, NoEdge), "a legal trigger has an edge"
                labels.setdefault(to, []).append(trigger.value)
            lines += [f"    {phase} --> {to}: {', '.join(on)}" for to, on in labels.items()]
        return "\n".join(lines) + "\n"
