"""A device that plays one recorded wire: its bytes at their times, after the host's bytes.

Where the record has bytes that the host wrote, the next bytes of the device wait for as many; a
difference is noted, and playing goes on.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from hil.emulator.lines.reports import Copy, Report
from hil.emulator.lines.transmission import DeliveryLog
from hil.recording.capture import Direction, RecordedWire, WireEvent

# Chunks handed over at once: the line looks at each against all of them.
DUE_MAX = 32


@dataclass(frozen=True, slots=True)
class WireDifference:
    """The host wrote other bytes than in the record.

    `offset` counts the bytes that the host wrote before the first one that differs; `utc_ns` is the
    time in the record, None after its last written byte.
    """

    offset: int
    utc_ns: int | None
    recorded: bytes
    written: bytes


class RecordedDevice:
    """A ServedDevice. `speed` n: n times as fast as it was; 0: without pauses.

    `at_once`: it begins with the first call, else when a host has appeared. The host's bytes are
    compared only if the record has any: one that only listened has none.
    """

    def __init__(self, wire: RecordedWire, *, speed: int = 1, at_once: bool = False) -> None:
        self.log = DeliveryLog(repeats=1)
        self.differences: list[WireDifference] = []
        self.received = 0
        self._steps = deque(_steps_of(wire.events))
        self._last_ns = self._steps[0].utc_ns if self._steps else 0
        self._speed = speed
        self._at_once = at_once
        # The moment at which the last step was done; None before it begins.
        self._done_at_ns: int | None = None
        self._arrived = bytearray()
        self._arrived_at_ns = 0
        self._compared = 0
        self._ordinal = 0
        self._listened_only = not any(one.direction is Direction.WRITTEN for one in self._steps)

    @property
    def idle(self) -> bool:
        """Whether the whole record was played."""
        return not self._steps

    @property
    def begun(self) -> bool:
        """Whether it plays: at once, or since a host came."""
        return self._done_at_ns is not None

    @property
    def left(self) -> int:
        """Chunks of the device that were not played yet."""
        return sum(one.direction is Direction.RECEIVED for one in self._steps)

    @property
    def awaited(self) -> int:
        """Bytes that the host still has to write before the next byte of the device; 0: none."""
        if not self._steps or self._steps[0].direction is not Direction.WRITTEN:
            return 0
        return len(self._steps[0].data) - len(self._arrived)

    @property
    def next_due_ns(self) -> int | None:
        """When the next bytes are due; None while it waits for the host, and at the end."""
        if self._done_at_ns is None:
            return 0 if self._at_once else None
        if not self._steps or self._steps[0].direction is Direction.WRITTEN:
            return None
        return self._due_ns(self._done_at_ns)

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes of the host and compare them with the record; nothing is answered here."""
        self._begin(at_ns)
        self.received += len(data)
        if self._listened_only:
            return b""
        self._arrived += data
        self._arrived_at_ns = at_ns
        self._take_written()
        if not any(one.direction is Direction.WRITTEN for one in self._steps):
            self._note(None, b"", bytes(self._arrived))
            self._arrived.clear()
        return b""

    def overdue_answer(self, at_ns: int) -> bytes:
        """Never any."""
        return b""

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """The next chunks that are due, each as a report of its own."""
        if self._at_once:
            self._begin(at_ns)
        copies: list[Copy] = []
        while self._done_at_ns is not None and self._steps and len(copies) < DUE_MAX:
            step = self._steps[0]
            due_ns = self._due_ns(self._done_at_ns)
            if step.direction is Direction.WRITTEN or due_ns > at_ns:
                break
            self._done_at_ns, self._last_ns = due_ns, step.utc_ns
            self._steps.popleft()
            self._ordinal += 1
            copies.append(Copy(Report(self._ordinal, "chunk", step.data), 1))
            self._take_written()
        return tuple(copies)

    def host_appeared(self, at_ns: int) -> None:
        """Begin, if it has not yet: a host that comes back finds it playing on."""
        self._begin(at_ns)

    def _begin(self, at_ns: int) -> None:
        if self._done_at_ns is None:
            self._done_at_ns = at_ns

    def _due_ns(self, done_at_ns: int) -> int:
        """When the first step is due, by its distance from the step before it in the record."""
        if not self._speed:
            return done_at_ns
        return done_at_ns + max(0, self._steps[0].utc_ns - self._last_ns) // self._speed

    def _take_written(self) -> None:
        """Finish the steps for which the host has written enough."""
        while self._steps and self._steps[0].direction is Direction.WRITTEN:
            step = self._steps[0]
            if len(self._arrived) < len(step.data):
                return
            written = bytes(self._arrived[: len(step.data)])
            del self._arrived[: len(step.data)]
            self._note(step.utc_ns, step.data, written)
            self._steps.popleft()
            self._done_at_ns = max(self._done_at_ns or 0, self._arrived_at_ns)
            self._last_ns = step.utc_ns

    def _note(self, utc_ns: int | None, recorded: bytes, written: bytes) -> None:
        """Note a difference, if there is one, from its first byte on."""
        if recorded != written:
            pairs = zip(recorded, written, strict=False)
            same = next(
                (at for at, (one, other) in enumerate(pairs) if one != other), len(recorded)
            )
            place = self._compared + same
            self.differences.append(WireDifference(place, utc_ns, recorded[same:], written[same:]))
        self._compared += len(written)


def _steps_of(events: Iterable[WireEvent]) -> Iterable[WireEvent]:
    data = (Direction.RECEIVED, Direction.WRITTEN)
    return (one for one in events if one.direction in data and one.data)
