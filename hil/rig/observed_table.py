"""The program's table with somebody who looks on in its own thread, at each durable transaction."""

from collections.abc import Callable

from controller.core.state import Stored
from controller.table.loop import Loop
from controller.table.table import RunSpec, Table
from foundation.timestamp import Timestamp


class ObservedTable(Table):
    """A table that calls `look` after the writes to devices, before the state is shown."""

    def __init__(
        self,
        name: str,
        spec: RunSpec,
        clock: Callable[[], Timestamp],
        look: Callable[[Stored], object],
    ) -> None:
        super().__init__(name, spec, clock)
        self._look = look

    def _show(self, loop: Loop, stored: Stored) -> None:
        self._look(stored)
        super()._show(loop, stored)
