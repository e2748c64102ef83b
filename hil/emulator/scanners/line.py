"""Adapts an emulated scanner to the served-device interface, one report for each sending."""

from typing import Generic, Protocol, TypeVar

from hil.dealing.truth import ReportTruth
from hil.emulator.lines.reports import Copy, Report
from hil.emulator.lines.transmission import Transmission


class EmulatedScanner(Protocol):
    """The interface common to the emulated scanners."""

    @property
    def next_due_ns(self) -> int | None: ...

    def receive(self, data: bytes, at_ns: int) -> bytes: ...

    def tick(self, at_ns: int) -> bytes: ...


ScannerT = TypeVar("ScannerT", bound=EmulatedScanner)


class ScanLog:
    """Logs each sending when it was sent; repeats depend on the host and count as new ones."""

    def __init__(self) -> None:
        self._finished: list[ReportTruth] = []

    def settle(self, transmission: Transmission) -> None:
        """Process a finished transmission: it was sent, or dropped."""
        for copy in transmission.copies:
            report = copy.report
            whole = transmission.whole_copies(report.frame)
            self._finished.append(ReportTruth(report.ordinal, report.code, report.frame, whole))

    def take(self) -> tuple[ReportTruth, ...]:
        """The sendings finished since the last call."""
        finished = tuple(self._finished)
        self._finished.clear()
        return finished


class ScannerLine(Generic[ScannerT]):
    """Implements hil.emulator.lines.served_device.ServedDevice for one scanner."""

    def __init__(self, scanner: ScannerT) -> None:
        self.scanner = scanner
        self.log = ScanLog()
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
        """Take bytes of the host; returns the answers to packets completed by them."""
        return self.scanner.receive(data, at_ns)

    def overdue_answer(self, at_ns: int) -> bytes:
        """Nothing: a scanner waits for the rest of a packet without limit."""
        return b""

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """What is sent at that time."""
        data = self.scanner.tick(at_ns)
        if not data:
            return ()
        self._sendings += 1
        return (Copy(Report(self._sendings, "scan", data), 1),)

    def host_appeared(self, at_ns: int) -> None:
        """Nothing: a scanner does not notice its host."""
