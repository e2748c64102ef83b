"""A whole table in this process on a pty, with what waits, what was told and what was stored.

Responsible for: a table, its journal in a folder, its port and its pump, put together and ended;
when each card was stored and how many there were.
Not responsible for: who writes on the other end (overload, interference, paced).
Source: package README, "What is measured".
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from controller.metrics.collector import TableMetrics
from controller.procedure.events import CustodyFound, GamingDayTurned
from controller.profiles.load import load_clauses
from controller.table.loop import Conclusion, Stored
from controller.table.table import Beginning, Health, Table
from controller.tape.entries import Judged
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import PortEvent, PortOpened
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.serial_port import SerialPort
from hil.bench.measure.checks import CannotMeasure
from hil.bench.measure.stage import started
from hil.rig.in_process import BAUD

OPEN_S_MAX = 5.0
# What the core tells itself; everything else that is judged here was a report.
_CONCLUDED = (GamingDayTurned, CustodyFound)


@dataclass(slots=True)
class ServedTable:
    """A table that runs. `most_waiting` is the longest its queue was seen after a store."""

    table: Table
    metrics: TableMetrics
    reports: int = 0
    most_waiting: int = 0
    opened: threading.Event = field(default_factory=threading.Event)

    def note(self, stored: Stored) -> None:
        """One durable transaction."""
        self.metrics.observe(stored)
        self.most_waiting = max(self.most_waiting, self.table.waiting)
        self.reports += sum(map(_reports, stored.conclusions))


def _reports(conclusion: Conclusion) -> int:
    """How many of the shoe's reports were judged in it."""
    judged = (entry.event for entry in conclusion.entries if isinstance(entry, Judged))
    return sum(not isinstance(event, _CONCLUDED) for event in judged)


@contextmanager
def served_table(path: str, folder: Path, *, answers: bool = False) -> Iterator[ServedTable]:
    """A table whose shoe is at that terminal; with `answers` every store writes one byte to it."""
    openings: list[bytes] = []

    def stored(what: Stored) -> None:
        served.note(what)
        if answers and what.conclusions and openings:
            pump.write(b"+", openings[-1])

    def told(event: PortEvent) -> None:
        if isinstance(event, PortOpened):
            openings.append(event.entropy)
            served.opened.set()
        table.put(event)

    beginning = Beginning(folder, load_clauses(), lambda _replaced: started(path))
    table = Table("BENCH-1", beginning, now, stored)
    served = ServedTable(table, TableMetrics("BENCH-1"))
    pump = PortPump(path, SerialPort(path, BAUD), told)
    table.start()
    if table.health is not Health.RUNNING:
        raise CannotMeasure(table.failure)
    pump.start()
    try:
        if not served.opened.wait(OPEN_S_MAX):
            raise CannotMeasure("the pty could not be opened")
        yield served
    finally:
        pump.stop()
        pump.join()
        table.stop()
        table.join()
