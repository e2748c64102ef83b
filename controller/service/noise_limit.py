"""Limits what a port brings: noise that is stored, and new reports a second.

Of noise the first of each hour is stored whole, then counts and samples; what the last hour stored
counts after a restart, too. A shoe that reports faster than any hand deals is closed for a time.
Source: goal P17 (reports).
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final, TypeAlias

from msgspec.structs import replace

from controller.core.settings import Settings
from controller.core.tape.inputs import NoiseDropped, ReportsExceeded
from controller.core.tape.records import inputs_in, read_input
from controller.journal.encoding import EncodingError
from controller.journal.store import open_read_only
from controller.journal.values import JournalError
from drivers.catalogue import find_model
from drivers.framing import Framing
from firmware_bridge.link import LinkFault
from firmware_bridge.transport.port import Chunk, PortEvent, PortShut
from foundation.message import message
from foundation.timestamp import Timestamp

_NS_PER_S: Final = 1_000_000_000
# Returns whether the input was queued: after the end nothing is.
_Put: TypeAlias = Callable[[PortEvent | NoiseDropped | ReportsExceeded], bool]
_NOT_COUNTED: Final = "the start goes on, without the noise stored before record %d: %s"


class ReportLimit:
    """Counts the new reports of one port against `limit` a second. Used by its reader's thread.

    What a port brings at once, after a host or a serial server stood still, is no excess: of a
    burst no more counts than the limit of BURST_S.
    """

    FOR_S: ClassVar[int] = 10
    # Twice what the buffer of a serial server holds. Each report raises what a person has to
    # decide, and that is kept in memory.
    AHEAD_MAX: ClassVar[int] = 4096
    BURST_S: ClassVar[int] = 5
    PAUSE_S: ClassVar[float] = 60.0
    PAUSE_S_MAX: ClassVar[float] = 600.0

    def __init__(self, limit: int) -> None:
        self._limit = limit
        # How many reports the port is ahead of its limit, in units of a report a nanosecond.
        self._ahead = 0
        self._counted_ns = 0
        self._since_ns: int | None = None
        self._count = 0
        self._pause_s = self.PAUSE_S
        self._shut_ns: int | None = None

    def exceeded(self, port: str, count: int, at: Timestamp) -> ReportsExceeded | None:
        """Count new reports; what is to be recorded where there were too many for FOR_S.

        At AHEAD_MAX it is recorded before.
        """
        now_ns = at.monotonic_ns
        drained = (now_ns - self._counted_ns) * self._limit
        self._counted_ns = now_ns
        self._ahead = max(0, self._ahead - drained)
        if self._ahead <= _NS_PER_S:
            self._since_ns, self._count = None, 0
        most = self.BURST_S * self._limit * _NS_PER_S
        self._ahead = min(most, self._ahead + count * _NS_PER_S)
        self._count += count
        if self._since_ns is None and self._ahead > _NS_PER_S:
            self._since_ns = now_ns
        if self._since_ns is None:
            return None
        lasted_ns = now_ns - self._since_ns
        if lasted_ns < self.FOR_S * _NS_PER_S and self._count < self.AHEAD_MAX:
            return None
        seconds = max(1, lasted_ns // _NS_PER_S)
        found = ReportsExceeded(port, at, self._count, seconds, self._limit)
        self._ahead, self._since_ns, self._count = 0, None, 0
        return found

    def shut(self, at: Timestamp) -> PortShut:
        """What closes the port: for twice as long as last time, if that is not long ago."""
        now_ns, before_ns = at.monotonic_ns, self._shut_ns
        pause_s = self._pause_s
        if before_ns is not None and now_ns - before_ns > self.PAUSE_S_MAX * _NS_PER_S:
            pause_s = self.PAUSE_S
        self._shut_ns = now_ns + int(pause_s * _NS_PER_S)
        self._pause_s = min(2 * pause_s, self.PAUSE_S_MAX)
        return PortShut(
            message("port_shut_for_reports", limit=self._limit, seconds=int(pause_s)), pause_s
        )


class NoiseLimit:
    """Passes a port's events on, and of its noise a limited amount. `put` is for one reader thread.

    Noise is what brings no new frame: bytes outside frames, and copies of a frame without end.
    Beyond the limit only frames are passed on, each with at most PIECE_BYTES around it.
    """

    # With its records, pages and indices that is at most 1 MB on the disk in any hour.
    BYTES_MAX: ClassVar[int] = 400_000
    # What the record of a fault takes, and the place of a copied frame in a record.
    FAULT_BYTES: ClassVar[int] = 256
    FRAME_BYTES: ClassVar[int] = 32
    # So long after the last noise that was stored, noise is stored again.
    WINDOW_NS: ClassVar[int] = 3600 * _NS_PER_S
    REPORT_NS: ClassVar[int] = 10 * _NS_PER_S
    # Half a frame is given up after such a silence.
    SILENCE_NS: ClassVar[int] = _NS_PER_S
    PIECE_BYTES: ClassVar[int] = 64
    # After a read that was noise alone; 4 KiB a read are still 80 KB a second.
    PAUSE_S: ClassVar[float] = 0.05

    def __init__(
        self,
        port_framing: Framing,
        put: _Put,
        pause: Callable[[float], object] | None = None,
        reports: ReportLimit | None = None,
    ) -> None:
        """`reports` is the limit of new reports, where the port has one."""
        self._framing = port_framing
        self._reports = reports
        self._new_reports = 0
        self._put = put
        self._pause = pause or threading.Event().wait
        # Held over a whole `put`, for the last statement is made by the table's thread.
        self._lock = threading.Lock()
        self._unframed = port_framing.fresh
        # So many last bytes of the pending ones were not passed on.
        self._held = 0
        self._last_frame: object = None
        self._copies = 0
        self._last_ns = 0
        self._stored = 0
        self._stored_ns = 0
        self._port = ""
        self._dropped = 0
        self._sample = b""
        self._reported_ns: int | None = None

    def put(self, event: PortEvent) -> bool:
        """Pass an event on; of a chunk beyond the limit only what belongs to new frames.

        False where what was passed on is accepted no more. Raises PortShut for a port that brings
        too many reports, which are recorded before.
        """
        with self._lock:
            self._new_reports = 0
            noise_alone, accepted = self._put_limited(event)
            if self._reports is not None and self._new_reports:
                exceeded = self._reports.exceeded(event.port, self._new_reports, event.at)
                if exceeded is not None and self._put(exceeded):
                    raise self._reports.shut(event.at)
        if noise_alone:
            self._pause(self.PAUSE_S)
        return accepted

    def resume(self, chunks: Iterable[Chunk], at: Timestamp) -> None:
        """Count the noise in what earlier runs stored of the port until `at`; before any `put`.

        Their monotonic clock may be another: their age is taken from UTC, and is never negative.
        """
        for chunk in chunks:
            age_ns = max(at.utc_ns - chunk.at.utc_ns, 0)
            self._begin_chunk(at.monotonic_ns - age_ns)
            for piece in self._pieces(chunk.data):
                self._pass(piece)
        self._unframed, self._held, self._dropped = self._framing.fresh, 0, 0

    def last_statement(self, at: Timestamp) -> tuple[NoiseDropped, ...]:
        """What was dropped since the last statement, where `put` accepts nothing any more."""
        with self._lock:
            self._give_up_frame()
            dropped = self._statement(at)
            self._dropped = 0
        return (dropped,) if dropped.count else ()

    def _put_limited(self, event: PortEvent) -> tuple[bool, bool]:
        """Put what is to be passed on; whether it was noise alone, and whether it was accepted."""
        self._port = event.port
        if not isinstance(event, Chunk):
            self._give_up_frame()
            self._report(event.at)
            return False, self._put(event)
        self._begin_chunk(event.at.monotonic_ns)
        data, before = event.data, self._dropped
        passed = b"".join(map(self._pass, self._pieces(data)))
        noise_alone = not passed and self._dropped > before
        overdue = self._reported_ns is None or (
            event.at.monotonic_ns - self._reported_ns >= self.REPORT_NS
        )
        if overdue:
            self._report(event.at)
        if not passed:
            return noise_alone, True
        return False, self._put(event if passed == data else replace(event, data=passed))

    def _begin_chunk(self, now_ns: int) -> None:
        if now_ns - self._stored_ns >= self.WINDOW_NS:
            self._stored = 0
        if now_ns - self._last_ns >= self.SILENCE_NS:
            self._give_up_frame()
        self._last_ns = now_ns

    def _pieces(self, data: bytes) -> Iterable[bytes]:
        step = self.PIECE_BYTES
        return (data[at : at + step] for at in range(0, len(data), step))

    def _pass(self, piece: bytes) -> bytes:
        """The bytes to pass on for this piece: it with those held before it, or none."""
        before = self._unframed
        self._unframed, found = self._framing.feed(before, piece)
        pending = self._unframed.pending
        new_frames = sum(self._is_new_frame(one) for one in found)
        if not new_frames and self._stored >= self.BYTES_MAX:
            unsent = self._held + len(piece)
            self._held = min(unsent, len(pending))
            self._drop(unsent - self._held, piece)
            return b""
        if not new_frames:
            faults = sum(isinstance(one, LinkFault) for one in found)
            used = len(before.pending) + len(piece) - len(pending)
            copies = len(found) - faults
            noise = used + faults * self.FAULT_BYTES + copies * self.FRAME_BYTES
            if noise:
                self._stored += noise
                self._stored_ns = self._last_ns
        held = before.pending[len(before.pending) - self._held :]
        self._held = 0
        return held + piece

    def _is_new_frame(self, one: object) -> bool:
        if not isinstance(one, self._framing.frames):
            return False
        self._copies = self._copies + 1 if one == self._last_frame else 0
        self._new_reports += self._copies == 0
        self._last_frame = one
        limit = self._framing.repeats_max
        return limit is None or self._copies < limit

    def _give_up_frame(self) -> None:
        self._drop(self._held, self._unframed.pending)
        self._unframed, self._held = self._framing.fresh, 0

    def _drop(self, count: int, sample: bytes) -> None:
        if count:
            self._dropped += count
            self._sample = sample[-self.PIECE_BYTES :]

    def _report(self, at: Timestamp) -> None:
        if self._dropped and self._put(self._statement(at)):
            self._dropped, self._reported_ns = 0, at.monotonic_ns

    def _statement(self, at: Timestamp) -> NoiseDropped:
        return NoiseDropped(self._port, at, self._dropped, self.BYTES_MAX, self._sample)


def noise_limit_of(settings: Settings, port: str, put: _Put) -> NoiseLimit | None:
    """The limit for the device at a port; a device with reports of fixed length makes no noise."""
    (found,) = ((kind, one) for kind, one in settings.devices if one.port == port)
    kind, device = found
    model = find_model(kind, device.model)
    if model.framing is None:
        return None
    most = model.reports_s_of(device.driver)
    return NoiseLimit(model.framing, put, reports=ReportLimit(most) if most else None)


def stored_chunks(
    journal: Path, since_utc_ns: int, warn: Callable[..., object]
) -> Mapping[str, Sequence[Chunk]]:
    """The stored chunks from that time on, by port and in order.

    It is no reason not to start: what cannot be read is left out, and `warn`, a logger's, says so.
    """
    found: dict[str, list[Chunk]] = {}
    seq = 0
    try:
        with open_read_only(journal) as reader:
            recent = reader.recent_shoes(since_utc_ns)
            seq = reader.head.seq
            if recent.damage:
                warn(_NOT_COUNTED, recent.before + 1, recent.damage)
            for stored in reader.records(recent.before):
                recorded = read_input(stored.record)
                for item in inputs_in(recorded) if recorded is not None else ():
                    if isinstance(item, Chunk) and item.at.utc_ns >= since_utc_ns:
                        found.setdefault(item.port, []).append(item)
    except EncodingError:
        # Not the error's own message: it may name a card.
        warn(_NOT_COUNTED, seq, f"{journal}: a record cannot be read: `smartshoe verify`")
    except (JournalError, OSError) as error:
        warn(_NOT_COUNTED, seq, error)
    return found
