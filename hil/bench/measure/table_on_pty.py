"""A whole table in this process on a pty, with the length of its queue and the reports stored."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from controller.core.state import Conclusion, Stored
from controller.core.tape.entries import EventVerdicts
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.procedure.events import CustodyFindingRaised, GamingDayChanged
from controller.record.snapshot import Health
from controller.rules.profiles.load import load_clauses
from controller.table.stored_until import StoredUntil, note_file
from controller.table.table import RunSpec, Table
from drivers.shoes.models import ANGEL_EYE_II_EX
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import PortEvent, PortOpened
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.serial_port import SerialPort
from hil.bench.measure.fixtures import started_input
from hil.measure.checks import CannotMeasure
from hil.rig.observed_table import ObservedTable

OPEN_S_MAX = 5.0
# Events that the core derives; every other judged event is a report of the shoe.
_DERIVED_EVENTS = (GamingDayChanged, CustodyFindingRaised)


@dataclass(slots=True)
class ServedTable:
    """A running table. `most_waiting` is the greatest length of its queue after a store."""

    table: Table
    metrics: TableMetrics
    reports: int = 0
    most_waiting: int = 0
    opened: threading.Event = field(default_factory=threading.Event)

    def note(self, stored: Stored) -> None:
        """Count one durable transaction."""
        self.metrics.stored(stored)
        self.most_waiting = max(self.most_waiting, self.table.waiting)
        self.reports += sum(map(_reports, stored.conclusions))


def _reports(conclusion: Conclusion) -> int:
    """The number of the shoe's reports judged in it."""
    judged = (entry.event for entry in conclusion.entries if isinstance(entry, EventVerdicts))
    return sum(not isinstance(event, _DERIVED_EVENTS) for event in judged)


@contextmanager
def served_table(
    path: str, folder: Path, name: str = "BENCH-1", *, answers: bool = False
) -> Iterator[ServedTable]:
    """A table of this name with its shoe at that terminal.

    With `answers` every store writes one byte to it. Raises CannotMeasure.
    """
    openings: list[bytes] = []

    def on_stored(stored: Stored) -> None:
        served.note(stored)
        if answers and stored.conclusions and openings:
            pump.write(b"+", openings[-1])

    def on_port_event(event: PortEvent) -> None:
        if isinstance(event, PortOpened):
            openings.append(event.entropy)
            served.opened.set()
        table.put(event)

    beginning = RunSpec(
        folder,
        load_clauses(),
        lambda _replaced: started_input(path),
        stored_until=StoredUntil(note_file(folder.parent / name)),
    )
    table = ObservedTable(name, beginning, now, on_stored)
    served = ServedTable(table, TableMetrics(table))
    pump = PortPump(path, SerialPort(path, ANGEL_EYE_II_EX.baud), on_port_event)
    table.attach_reader(pump.caught_up)
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
