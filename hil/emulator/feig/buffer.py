"""Emulates the record buffer of a FEIG OBID reader, and logs which records were delivered or lost.

Source: wire document of FEIG OBID readers, buffered read mode.
"""

from collections import deque

from hil.dealing.truth import ReportTruth
from hil.emulator.feig.wire import AnswerStatus
from hil.emulator.lines.reports import Report
from hil.emulator.lines.transmission import Transmission


class FeigLog:
    """The delivery of each record: cleared by the host, sent unacknowledged, or lost."""

    def __init__(self) -> None:
        self._finished: list[ReportTruth] = []
        self._under_way: dict[int, tuple[Report, ...]] = {}

    def finish(self, report: Report, *, delivered: bool) -> None:
        """A record left the reader's buffer."""
        truth = ReportTruth(report.ordinal, report.code, report.frame, int(delivered))
        self._finished.append(truth)

    def sent(self, number: int, records: tuple[Report, ...]) -> None:
        """Records were sent in notification `number`, and the reader no longer stores them."""
        self._under_way[number] = records

    def settle(self, transmission: Transmission) -> None:
        """Unacknowledged records arrived if their notification arrived."""
        for copy in transmission.copies:
            arrived = transmission.whole_copies(copy.report.frame) > 0
            for report in self._under_way.pop(copy.report.ordinal, ()):
                self.finish(report, delivered=arrived)

    def take(self) -> tuple[ReportTruth, ...]:
        """The records that left the buffer since the last call."""
        finished = tuple(self._finished)
        self._finished.clear()
        return finished


class RecordBuffer:
    """Stores at most `size` records. Records that were read stay until they are cleared."""

    def __init__(self, size: int, log: FeigLog) -> None:
        self.size = size
        self._log = log
        self._records: deque[Report] = deque()
        self._read_count = 0
        self._overflowed = self._overflow_reported = False

    def __len__(self) -> int:
        return len(self._records)

    def add(self, report: Report) -> None:
        """Store a record; it is lost where there is no room."""
        if len(self._records) < self.size:
            self._records.append(report)
            return
        self._overflowed, self._overflow_reported = True, False
        self._log.finish(report, delivered=False)

    def read(self, count_max: int) -> tuple[AnswerStatus, tuple[bytes, ...]]:
        """Read the first records; the next `clear` removes them."""
        records = tuple(report.frame for report in self._records)[:count_max]
        self._read_count = len(records)
        if self._overflowed:
            self._overflow_reported = True
            return AnswerStatus.OVERFLOW, records
        if not records:
            return AnswerStatus.NO_VALID_DATA, ()
        return AnswerStatus.MORE_DATA if len(records) < len(
            self._records
        ) else AnswerStatus.OK, records

    def clear(self) -> None:
        """Remove the records read last: they were acknowledged."""
        for report in self._remove_read():
            self._log.finish(report, delivered=True)

    def forget(self, number: int) -> None:
        """Remove the records read last: they were sent in notification `number`."""
        self._log.sent(number, self._remove_read())

    def drop_all(self) -> None:
        """Lose all records."""
        while self._records:
            self._log.finish(self._records.popleft(), delivered=False)
        self._read_count = 0
        self._overflowed = self._overflow_reported = False

    def _remove_read(self) -> tuple[Report, ...]:
        removed = tuple(self._records.popleft() for _ in range(self._read_count))
        self._read_count = 0
        if self._overflow_reported:
            self._overflowed = self._overflow_reported = False
        return removed
