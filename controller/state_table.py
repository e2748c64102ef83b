"""A flat state table on the transitions library: which trigger leads where, drawn as a diagram.

The one importer of `transitions`. It holds no state; its caller does.
Source: controller/procedure/README.md, "The procedure".
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct
from transitions import EventData, Machine, MachineError, Transition

PhaseT = TypeVar("PhaseT", bound=StrEnum)
TriggerT = TypeVar("TriggerT", bound=StrEnum)


class NoEdge(Struct, Generic[PhaseT, TriggerT], frozen=True):
    """`trigger` may not occur in `phase`; `legal` are the ones that may."""

    phase: PhaseT
    trigger: TriggerT
    legal: tuple[TriggerT, ...]


class _Position:
    """The library's model during one call, so that calls share nothing."""

    __slots__ = ("state",)

    def __init__(self, state: str) -> None:
        self.state = state


class _Edge(Transition):
    """An edge that skips the library's callbacks and conditions: this table has none."""

    def execute(self, event_data: EventData) -> bool:
        assert isinstance(event_data.model, _Position)
        assert self.dest is not None
        event_data.model.state = self.dest
        return True


class _Edges(Machine):
    transition_cls = _Edge


class StateTable(Generic[PhaseT, TriggerT]):
    """An immutable table of edges; safe for several threads, as a call changes nothing in it.

    The library's machine gets no model, callback or condition, so a call can only look up an edge
    and write the scratch position. Phases and triggers are the members of the two enums that the
    edges name, whether or not an edge uses them.
    """

    __slots__ = ("_by_name", "_machine", "_phases", "_triggers")

    def __init__(self, edges: Sequence[tuple[PhaseT, TriggerT, PhaseT]]) -> None:
        assert edges, "a state table needs at least one edge"
        pairs = [(source, trigger) for source, trigger, _ in edges]
        assert len(set(pairs)) == len(pairs), "a trigger leads to one phase only"
        self._phases = type(edges[0][0])
        self._triggers = type(edges[0][1])
        self._by_name = {phase.value: phase for phase in self._phases}
        self._machine = _Edges(
            model=None,
            states=[phase.value for phase in self._phases],
            initial=edges[0][0].value,
            transitions=[[trigger.value, source.value, to.value] for source, trigger, to in edges],
            auto_transitions=False,
            queued=False,
        )

    def next(self, phase: PhaseT, trigger: TriggerT) -> PhaseT | NoEdge[PhaseT, TriggerT]:
        """The phase after `trigger`; a missing edge is a NoEdge, never an exception."""
        event = self._machine.events.get(trigger.value)
        if event is None:
            return NoEdge(phase, trigger, self.legal(phase))
        position = _Position(phase.value)
        try:
            moved = event.trigger(position)
        except MachineError:
            return NoEdge(phase, trigger, self.legal(phase))
        assert moved, "without conditions an edge that exists is taken"
        return self._by_name[position.state]

    def legal(self, phase: PhaseT) -> tuple[TriggerT, ...]:
        """The triggers that may occur in `phase`, in the order of their enum."""
        names = self._machine.get_triggers(phase.value)
        return tuple(trigger for trigger in self._triggers if trigger.value in names)

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
