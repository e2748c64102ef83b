"""The buffer of a FEIG OBID reader, and what became of each record in it.

Responsible for: keeping records until they are cleared, telling that some were lost because it was
full, and the log of records delivered and lost.
Not responsible for: when they are sent and in which frames (feig).
Source: wire document of FEIG OBID readers, buffered read mode.
"""

from collections import deque

from hil.dealing.truth import ReportTruth
from hil.emulator.feig.wire import Status
from hil.emulator.lines.batch import Batch
from hil.emulator.lines.reports import Report


class FeigLog:
    """What became of each record: cleared by the host, sent into the blue, or lost."""

    def __init__(self) -> None:
        self._finished: list[ReportTruth] = []
        self._under_way: dict[int, tuple[Report, ...]] = {}

    def finish(self, report: Report, *, delivered: bool) -> None:
        """A record is gone from the reader."""
        truth = ReportTruth(report.ordinal, report.code, report.frame, int(delivered))
        self._finished.append(truth)

    def sent(self, number: int, records: tuple[Report, ...]) -> None:
        """These left in the notification of that number and are forgotten by the reader."""
        self._under_way[number] = records

    def settle(self, batch: Batch) -> None:
        """What is not acknowledged has arrived if its notification has."""
        for copy in batch.copies:
            arrived = batch.whole_copies(copy.report.frame) > 0
            for report in self._under_way.pop(copy.report.ordinal, ()):
                self.finish(report, delivered=arrived)

    def take(self) -> tuple[ReportTruth, ...]:
        """The records gone since the last call."""
        finished = tuple(self._finished)
        self._finished.clear()
        return finished


class RecordBuffer:
    """At most `size` records. What is handed over stays until it is cleared."""

    def __init__(self, size: int, log: FeigLog) -> None:
        self.size = size
        self._log = log
        self._records: deque[Report] = deque()
        self._handed_over = 0
        self._overflowed = self._overflow_told = False

    def __len__(self) -> int:
        return len(self._records)

    def add(self, report: Report) -> None:
        """Keep it; where there is no room it is lost."""
        if len(self._records) < self.size:
            self._records.append(report)
            return
        self._overflowed, self._overflow_told = True, False
        self._log.finish(report, delivered=False)

    def hand_over(self, count_max: int) -> tuple[Status, tuple[bytes, ...]]:
        """The first records, which the next clearing takes away."""
        records = tuple(report.frame for report in self._records)[:count_max]
        self._handed_over = len(records)
        if self._overflowed:
            self._overflow_told = True
            return Status.OVERFLOW, records
        if not records:
            return Status.NO_VALID_DATA, ()
        return Status.MORE_DATA if len(records) < len(self._records) else Status.OK, records

    def clear(self) -> None:
        """What was handed over last is acknowledged."""
        for report in self._leave():
            self._log.finish(report, delivered=True)

    def forget(self, number: int) -> None:
        """What was handed over last has left in the notification of that number."""
        self._log.sent(number, self._leave())

    def drop_all(self) -> None:
        """Everything in it is lost."""
        while self._records:
            self._log.finish(self._records.popleft(), delivered=False)
        self._handed_over = 0
        self._overflowed = self._overflow_told = False

    def _leave(self) -> tuple[Report, ...]:
        gone = tuple(self._records.popleft() for _ in range(self._handed_over))
        self._handed_over = 0
        if self._overflow_told:
            self._overflowed = self._overflow_told = False
        return gone
