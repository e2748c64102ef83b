"""The way of a shuffler's event through the core: once down, once up, in few calls and files."""

import sys
from types import FrameType

import pytest

from controller.core.core import Core
from controller.core.state import CoreState
from controller.core.tape.entries import CoreOutput, EventVerdicts
from controller.core.tape.inputs import Input
from controller.procedure.events import ShufflerReported
from drivers.shuffler_events import CompartmentChanged, CompartmentState
from hil.simulation.batches import BatchTable

# A first count of a right batch, the longest way of one report: it is gathered, then counted.
CALLS_MAX = 79
FILES_MAX = 24


class MeasuredCore(Core, frozen=True):
    """Counts the program's functions that run for each input, and the files they are in."""

    ways: list[tuple[CoreOutput, int, set[str]]]

    def handle(self, state: CoreState, item: Input) -> tuple[CoreState, CoreOutput]:
        calls, files = 0, set()

        def counting(frame: FrameType, event: str, value: object) -> None:
            nonlocal calls
            name = frame.f_globals.get("__name__", "")
            if event == "call" and name.startswith("controller."):
                calls += 1
                files.add(name)

        before = sys.getprofile()
        sys.setprofile(counting)
        try:
            after, output = super().handle(state, item)
        finally:
            sys.setprofile(before)
        self.ways.append((output, calls, files))
        return after, output


def reports(output: CoreOutput, state: CompartmentState) -> bool:
    return any(
        isinstance(entry, EventVerdicts)
        and isinstance(entry.event, ShufflerReported)
        and isinstance(entry.event.event, CompartmentChanged)
        and entry.event.event.state is state
        for entry in output.entries
    )


@pytest.mark.parametrize("state", [CompartmentState.COUNTED, CompartmentState.STORED])
def test_a_report_of_the_shuffler_passes_few_functions(state) -> None:
    table = BatchTable()
    ways: list[tuple[CoreOutput, int, set[str]]] = []
    core = {name: getattr(table.core, name) for name in Core.__struct_fields__}
    table.core = MeasuredCore(**core, ways=ways)
    table.shuffle_and_store("red")
    table.shuffle_and_store("blue")
    found = [(calls, len(files)) for output, calls, files in ways if reports(output, state)]
    assert len(found) == 2
    assert max(calls for calls, _ in found) <= CALLS_MAX
    assert max(files for _, files in found) <= FILES_MAX
