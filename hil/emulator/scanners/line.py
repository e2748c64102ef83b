"""A scanner as a served device: what it has to send becomes reports, one for each sending.

Responsible for: giving a scanner the shape that lines serve, and telling what left whole.
Not responsible for: the scanners (hid_pos, ssi) and lines (line, serve, hil.simulation.cable).
Source: package README, "Serving an emulator" and "Scanners".
"""

from typing import Generic, Protocol, TypeVar

from hil.dealing.truth import ReportTruth
from hil.emulator.lines.batch import Batch
from hil.emulator.lines.reports import Copy, Report


class Scanning(Protocol):
    """What the emulated scanners have in common."""

    @property
    def next_due_ns(self) -> int | None: ...

    def receive(self, data: bytes, at_ns: int) -> bytes: ...

    def tick(self, at_ns: int) -> bytes: ...


ScannerT = TypeVar("ScannerT", bound=Scanning)


class SendingLog:
    """Each sending is finished when it has left: how often it is made is the host's doing."""

    def __init__(self) -> None:
        self._finished: list[ReportTruth] = []

    def settle(self, batch: Batch) -> None:
        """A batch is done: it has left, or was dropped."""
        for copy in batch.copies:
            report = copy.report
            whole = batch.whole_copies(report.frame)
            self._finished.append(ReportTruth(report.ordinal, report.code, report.frame, whole))

    def take(self) -> tuple[ReportTruth, ...]:
        """The sendings finished since the last call."""
        finished = tuple(self._finished)
        self._finished.clear()
        return finished


class ScannerLine(Generic[ScannerT]):
    """Follows hil.emulator.lines.served.Served around one scanner."""

    def __init__(self, scanner: ScannerT) -> None:
        self.scanner = scanner
        self.log = SendingLog()
        self._sendings = 0

    @property
    def idle(self) -> bool:
        """Whether nothing waits to be sent or acknowledged."""
        return self.scanner.next_due_ns is None

    @property
    def next_due_ns(self) -> int | None:
        """When there is something to do; None: only after an input."""
        return self.scanner.next_due_ns

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes of the host; the answers to what ended in them."""
        return self.scanner.receive(data, at_ns)

    def overdue_answer(self, at_ns: int) -> bytes:
        """A scanner waits for the rest of a packet without end."""
        return b""

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """What is sent at that moment."""
        data = self.scanner.tick(at_ns)
        if not data:
            return ()
        self._sendings += 1
        return (Copy(Report(self._sendings, "scan", data), 1),)

    def host_appeared(self, at_ns: int) -> None:
        """No matter to a scanner."""
