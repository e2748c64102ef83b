"""Lists the functions that one input passes in the core.

Each way is warm: an input of its kind went before it, so nothing is loaded or built for it.
"""

import sys
from functools import cache
from types import FrameType

from controller.core.core import Core
from controller.core.state import CoreState
from controller.core.tape.entries import CoreOutput, EventVerdicts
from controller.core.tape.inputs import Input
from controller.procedure.events import ShufflerReported
from controller.procedure.phases import Phase
from controller.rules.actions.actions import OperatorAction, RecordAct, Resolution, Role
from controller.rules.actions.choices import ActKind, FloorDecision
from drivers.shuffler_events import CompartmentChanged, CompartmentState
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, PortOpened
from hil.bench.measure.fixtures import PORT, bench_core, deal_reports, started_input
from hil.simulation.batches import BatchTable

PACKAGES = ("controller.", "drivers.", "firmware_bridge.")
COUPS = 3

Way = list[tuple[str, str]]


class WalkedCore(Core, frozen=True):
    """Notes the functions of the program that run for each input, each once, as they begin."""

    ways: list[tuple[CoreState, CoreOutput, Way]]

    def handle(self, state: CoreState, item: Input) -> tuple[CoreState, CoreOutput]:
        found: dict[tuple[str, str], None] = {}

        def noting(frame: FrameType, event: str, value: object) -> None:
            module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_qualname
            if event == "call" and module.startswith(PACKAGES) and "<" not in name:
                found.setdefault((module, name))

        before = sys.getprofile()
        sys.setprofile(noting)
        try:
            after, output = super().handle(state, item)
        finally:
            sys.setprofile(before)
        self.ways.append((after, output, list(found)))
        return after, output


def walked(core: Core) -> WalkedCore:
    fields = {name: getattr(core, name) for name in Core.__struct_fields__}
    return WalkedCore(**fields, ways=[])


def dealt_table() -> tuple[WalkedCore, CoreState]:
    """A table whose shoe's port is open and that dealt some coups without a mistake."""
    core = walked(bench_core())
    state, _ = core.handle(core.initial(), started_input())
    state, _ = core.handle(state, PortOpened(PORT, now(), bytes(32)))
    for report in deal_reports(seed=1, coups_max=COUPS):
        state, _ = core.handle(state, Chunk(PORT, now(), report.frame))
    return core, state


def way_of_a_card() -> Way:
    """Banker's first card of the last coup, read and in order."""
    core, _ = dealt_table()
    return [way for state, _, way in core.ways if state.table.phase is Phase.PLAYER_2][-1]


def way_of_a_decision() -> Way:
    """A floorperson decides that play goes on after a jam."""
    core, state = dealt_table()
    for _ in range(2):
        for action in (RecordAct(ActKind.SHOE_JAMMED), Resolution(FloorDecision.CONTINUE)):
            act = OperatorAction(now(), "Bo Ray", Role.FLOORPERSON, "bench", action, "seen")
            state, _ = core.handle(state, act)
    assert state.table.suspension is None
    return core.ways[-1][2]


def way_of_a_shuffler_event() -> Way:
    """The shuffler reports that the second batch is stored."""
    table = BatchTable()
    core = table.core = walked(table.core)
    table.shuffle_and_store("red")
    table.shuffle_and_store("blue")
    return [way for _, output, way in core.ways if reports_storing(output)][-1]


def reports_storing(output: CoreOutput) -> bool:
    return any(
        isinstance(entry, EventVerdicts)
        and isinstance(entry.event, ShufflerReported)
        and isinstance(entry.event.event, CompartmentChanged)
        and entry.event.event.state is CompartmentState.STORED
        for entry in output.entries
    )


WALKS = {
    "card": way_of_a_card,
    "decision": way_of_a_decision,
    "shuffler event": way_of_a_shuffler_event,
}


@cache
def drawn_walk(name: str) -> str:
    """The functions of a way: a line for each module, in the order in which they begin."""
    modules: dict[str, list[str]] = {}
    for module, function in WALKS[name]():
        modules.setdefault(module, []).append(function)
    count = sum(map(len, modules.values()))
    lines = [f"{module}: {' '.join(functions)}" for module, functions in modules.items()]
    return f"{count} in {len(modules)} modules\n" + "".join(f"  {one}\n" for one in lines)
