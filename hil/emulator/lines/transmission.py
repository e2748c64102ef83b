"""Applies the fault plan to bytes sent together, and records which reports arrived whole."""

from collections import deque
from collections.abc import Iterator
from typing import Protocol

from hil.dealing.truth import ReportTruth
from hil.emulator.lines.faults import LineFaults
from hil.emulator.lines.reports import Copy


class Transmission:
    """Bytes that are sent together. A raw transmission (an answer, noise) holds no report."""

    def __init__(self, pieces: tuple[tuple[bytes, int], ...], copies: tuple[Copy, ...]) -> None:
        self.pieces = deque(piece for piece in pieces if piece[0])
        self._data = b"".join(piece for piece, _ in pieces)
        self._arrived = bytearray(len(self._data))
        self._at = 0
        self.copies = copies

    @property
    def done(self) -> bool:
        return self._at == len(self._data)

    @property
    def begun(self) -> bool:
        return self._at > 0

    def advance(self, count: int, *, arrived: bool) -> None:
        """Mark the next `count` bytes of the first piece as sent; `arrived`: a host was there."""
        piece, _ = self.pieces.popleft()
        assert 0 < count <= len(piece), "more bytes left than the piece has"
        self._arrived[self._at : self._at + count] = bytes((arrived,)) * count
        self._at += count
        if piece[count:]:
            self.pieces.appendleft((piece[count:], 0))

    def drop_rest(self) -> None:
        """Mark all remaining bytes as lost."""
        while not self.done:
            self.advance(len(self.pieces[0][0]), arrived=False)

    def whole_copies(self, frame: bytes) -> int:
        """How many whole, undamaged copies of the frame arrived."""
        count, at = 0, self._data.find(frame)
        while at >= 0:
            count += all(self._arrived[at : at + len(frame)])
            at = self._data.find(frame, at + len(frame))
        return count


def distinguishable(copies: tuple[Copy, ...]) -> Iterator[tuple[Copy, ...]]:
    """The copies in groups in which no two reports have the same frame, as sequences repeat."""
    group: list[Copy] = []
    ordinals: dict[bytes, int] = {}
    for copy in copies:
        if ordinals.setdefault(copy.report.frame, copy.report.ordinal) != copy.report.ordinal:
            yield tuple(group)
            group, ordinals = [], {copy.report.frame: copy.report.ordinal}
        group.append(copy)
    if group:
        yield tuple(group)


def transmission_of(
    copies: tuple[Copy, ...], faults: LineFaults | None, at_ns: int
) -> Transmission:
    """Copies due at one time, after the fault plan was applied."""
    frames = b"".join(copy.report.frame for copy in copies)
    pieces = tuple((copy.report.frame, 0) for copy in copies)
    return Transmission(pieces if faults is None else faults.apply(frames, at_ns), copies)


class SentLog(Protocol):
    """Collects the delivery of a device's reports."""

    def settle(self, transmission: Transmission) -> None:
        """Process a finished transmission: it was sent, or dropped."""
        ...

    def take(self) -> tuple[ReportTruth, ...]:
        """The reports finished since the last call."""
        ...


class DeliveryLog:
    """For reports sent a fixed number of times: counts the copies that arrived."""

    def __init__(self, repeats: int) -> None:
        self._repeats = repeats
        self._sent: dict[int, int] = {}
        self._arrived: dict[int, int] = {}
        self._finished: list[ReportTruth] = []

    def settle(self, transmission: Transmission) -> None:
        """Count a finished transmission's copies; a report is finished with its last copy."""
        reports = {copy.report.ordinal: copy.report for copy in transmission.copies}
        for copy in transmission.copies:
            ordinal = copy.report.ordinal
            self._sent[ordinal] = self._sent.get(ordinal, 0) + 1
        for ordinal, report in reports.items():
            arrived = self._arrived.get(ordinal, 0) + transmission.whole_copies(report.frame)
            self._arrived[ordinal] = arrived
            if self._sent[ordinal] == self._repeats:
                del self._sent[ordinal], self._arrived[ordinal]
                truth = ReportTruth(ordinal, report.code, report.frame, arrived)
                self._finished.append(truth)

    def take(self) -> tuple[ReportTruth, ...]:
        """The reports finished since the last call."""
        finished = tuple(self._finished)
        self._finished.clear()
        return finished
