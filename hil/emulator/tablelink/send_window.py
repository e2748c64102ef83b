"""Sends stored TableLink events: at most eight unacknowledged, repeated from the first one on.

Source: wire document of TableLink/1, "Events".
"""

from hil.emulator.tablelink.memory import StoredEvent, TableLinkMemory

NS_PER_MS = 1_000_000
WINDOW = 8
REPEAT_NS, REPEAT_NS_MAX = 50 * NS_PER_MS, 1_600 * NS_PER_MS


class SendWindow:
    """The send window, lost with power. `repeat_at_ns`: when unacknowledged events are repeated."""

    def __init__(self, memory: TableLinkMemory) -> None:
        self._memory = memory
        self._next = memory.first_number
        self._sent_before = memory.first_number
        self._repeat_ns = REPEAT_NS
        self.repeat_at_ns: int | None = None

    @property
    def all_sent(self) -> bool:
        """Whether all stored events were sent at least once."""
        return max(self._sent_before, self._memory.first_number) == self._memory.next_number

    @property
    def can_send(self) -> bool:
        """Whether an event can be sent now, apart from repetitions."""
        first = self._memory.first_number
        return max(self._next, first) < min(self._memory.next_number, first + WINDOW)

    def restart(self) -> None:
        """Restart at the oldest event for a new session."""
        self._next = self._memory.first_number
        self._repeat_ns = REPEAT_NS
        self.repeat_at_ns = None

    def go_back(self, number: int) -> None:
        """Send again from that event on: the host misses it."""
        if self._memory.first_number <= number < self._next:
            self._next = number

    def advance(self, at_ns: int) -> None:
        """Move on after events were freed."""
        self._next = max(self._next, self._memory.first_number)
        self._repeat_ns = REPEAT_NS
        under_way = self._next > self._memory.first_number
        self.repeat_at_ns = at_ns + REPEAT_NS if under_way else None

    def due(self, at_ns: int) -> tuple[tuple[StoredEvent, bool], ...]:
        """The events to send now, each with whether it was sent before."""
        if self.repeat_at_ns is not None and at_ns >= self.repeat_at_ns:
            self._next = self._memory.first_number
            self._repeat_ns = min(2 * self._repeat_ns, REPEAT_NS_MAX)
            self.repeat_at_ns = None
        sending: list[tuple[StoredEvent, bool]] = []
        while self.can_send:
            number = max(self._next, self._memory.first_number)
            sending.append((self._memory.event(number), number < self._sent_before))
            self._next = number + 1
            self._sent_before = max(self._sent_before, self._next)
        if sending and self.repeat_at_ns is None:
            self.repeat_at_ns = at_ns + self._repeat_ns
        return tuple(sending)

    def postpone(self, at_ns: int) -> None:
        """Repeat soon instead of at once, after the host was silent."""
        if self.repeat_at_ns is not None:
            self._repeat_ns = REPEAT_NS
            self.repeat_at_ns = at_ns + REPEAT_NS
