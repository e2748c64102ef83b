"""What a floor on one machine is made of: tables, processes, pits, the pace, the scrapes."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

TABLES_MAX = 1_000
# A pit of that many tables, as houses have them.
PIT_TABLES = 8


class PlannedTable(Struct, frozen=True):
    """One table: its name, its pit, and the seed of its dealer."""

    name: str
    pit: str
    seed: int


class FloorPlan(Struct, frozen=True):
    """A floor to be run in `folder`.

    `a_process` tables share a process; a card leaves each shoe every `card_ms` while coups are
    dealt. It is measured for `seconds`, and scraped every `scrape_s`.
    """

    folder: Path
    tables: int
    a_process: int
    seconds: int
    card_ms: int
    scrape_s: int

    def processes(self) -> Iterator[tuple[PlannedTable, ...]]:
        """The tables of each process."""
        tables = [
            PlannedTable(f"T{number:04}", f"pit-{1 + (number - 1) // PIT_TABLES}", number)
            for number in range(1, self.tables + 1)
        ]
        for first in range(0, self.tables, self.a_process):
            yield tuple(tables[first : first + self.a_process])
