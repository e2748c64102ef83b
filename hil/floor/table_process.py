"""One process of several tables, each with an emulated shoe and its dealer."""

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from hil.floor.plan import PlannedTable
from hil.measure.figures import NS_PER_MS
from hil.measure.program import MeasuredProgram
from hil.rig.program import Program
from hil.rig.shoe_runner import Pace
from hil.rig.tables.stored_table import stored_table
from hil.rig.tables.table_folder import TableFolder
from hil.rig.tables.table_shoe import TableShoe

# People press keys so often.
_KEY_NS = 100 * NS_PER_MS


class TableProcess:
    """Use as a context manager: the program runs within. `more` are further sections of a table."""

    def __init__(
        self, root: Path, tables: Sequence[PlannedTable], card_ms: int, more: str = ""
    ) -> None:
        card_ns = card_ms * NS_PER_MS
        pace = Pace(card_ns, card_ns, _KEY_NS, _KEY_NS, card_ns, card_ns)
        self.tables = tuple(tables)
        self.folder = TableFolder(root)
        self.shoes = {one.name: TableShoe(one.seed, pace) for one in tables}
        self._more = more
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            for one in self.tables:
                shoe = stack.enter_context(self.shoes[one.name])
                self.folder.add(one.name, shoe.url, pit=one.pit, more=self._more)
            program = Program(self.folder.configs, self.folder.log)
            self.measured = stack.enter_context(MeasuredProgram(program))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @property
    def targets(self) -> dict[str, str]:
        """The path of each table's metrics by its name."""
        return {one.name: f"/metrics/{one.name}" for one in self.tables}

    @property
    def address(self) -> str:
        """Host and port of the metrics."""
        return self.folder.metrics_url.removeprefix("http://")

    def begin(self, apart_s: float) -> None:
        """Let all dealers begin, so long apart."""
        for shoe in self.shoes.values():
            shoe.begin()
            time.sleep(apart_s)

    def leave(self) -> None:
        """Let the dealing at each table end with the coup that is being dealt."""
        for shoe in self.shoes.values():
            shoe.leave_after_coup()

    def dealt(self) -> dict[str, int]:
        """The coups dealt at each table, once all dealers have left."""
        for shoe in self.shoes.values():
            shoe.finish()
        return {name: len(shoe.truth.coups) for name, shoe in self.shoes.items()}

    def journaled(self) -> dict[str, int]:
        """The counted coups in the journal of each table."""
        return {
            one.name: stored_table(self.folder.journal_of(one.name)).counted for one in self.tables
        }
