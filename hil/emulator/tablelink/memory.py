"""Emulates a TableLink device's non-volatile memory: events, answered requests, facts, counters.

Event numbers are never used again and the ring is never overwritten. Each write is done whole or
not at all: power may fail before and after it.

Source: wire document of TableLink/1, "Events", "Requests".
"""

from collections import deque
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256

from hil.emulator.tablelink.cbor import Map, Value, encode
from hil.emulator.tablelink.wire import EventKind

RING_DEFAULT = 4096
STORED_ANSWERS = 16
CHAIN_BYTES = 16
CHECKPOINT_EVERY = 64
GATE_TENTHS = 9


class PowerFailed(Exception):
    """Power failed; what was not written is lost."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event as it is sent."""

    number: int
    kind: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """A time of the device: the boot, and the uptime since it."""

    boot_id: int
    uptime_us: int


class TableLinkMemory:
    """The memory. `sign` signs checkpoints; without it there are none.

    `lost`: kinds of the events for which there was no room. `cut_in` counts down the points at
    which power can fail.
    """

    def __init__(
        self,
        capacity: int = RING_DEFAULT,
        *,
        chained: bool = False,
        sign: Callable[[int, bytes], bytes] | None = None,
    ) -> None:
        assert capacity >= 10, "a ring has room for at least ten events"
        self.capacity = capacity
        self.chained = chained
        self.sign = sign
        self.ring: deque[StoredEvent] = deque()
        self.next_number = 1
        self.chain = bytes(CHAIN_BYTES)
        self.boot_count = 0
        self.cycle = 0
        self.highest_request = 0
        self.answers: deque[tuple[int, int, bytes]] = deque(maxlen=STORED_ANSWERS)
        self.facts: dict[str, Value] = {}
        self.lost: list[int] = []
        self.cut_in: int | None = None

    # Events.

    @property
    def first_number(self) -> int:
        """The number of the oldest stored event; the next number where none is stored."""
        return self.next_number - len(self.ring)

    @property
    def last_number(self) -> int:
        """The number of the event recorded last."""
        return self.next_number - 1

    @property
    def gate_closed(self) -> bool:
        """Whether no card may be dealt or shuffled, because the ring is nearly full."""
        return len(self.ring) * 10 >= self.capacity * GATE_TENTHS

    @property
    def has_room(self) -> bool:
        """Whether an event can be stored: the last place is reserved for OVERFLOW."""
        return len(self.ring) < self.capacity - 1

    def record(
        self, kind: int, body: Map, time: DeviceTime, fact: tuple[str, Value] | None = None
    ) -> bool:
        """Store an event, and with it the fact it reports; False where there is no room."""
        if not self.has_room:
            self.lost.append(kind)
            self.overflow(time)
            return False
        self._store(kind, body, time, fact)
        due = self.chained and self.sign is not None
        if due and kind == EventKind.SHOE_EMPTY and self.last_number % CHECKPOINT_EVERY:
            self._checkpoint(time)
        if due and self.last_number % CHECKPOINT_EVERY == 0:
            self._checkpoint(time)
        return True

    def event(self, number: int) -> StoredEvent:
        """The stored event of that number."""
        return self.ring[number - self.first_number]

    def free(self, number: int) -> tuple[StoredEvent, ...]:
        """Free all events up to that number; returns the freed ones."""
        count = min(number, self.next_number - 1) - self.first_number + 1
        if count <= 0:
            return ()
        self._failure_point()
        freed = tuple(self.ring.popleft() for _ in range(count))
        self._failure_point()
        return freed

    def _store(
        self, kind: int, body: Map, time: DeviceTime, fact: tuple[str, Value] | None = None
    ) -> None:
        content: Map = {
            1: time.boot_id,
            2: self.next_number,
            3: time.uptime_us,
            4: int(kind),
            5: body,
        }
        self._failure_point()
        if self.chained:
            self.chain = sha256(self.chain + encode(content)).digest()[:CHAIN_BYTES]
            content[6] = self.chain
        self.ring.append(StoredEvent(self.next_number, int(kind), encode(content)))
        self.next_number += 1
        if fact is not None:
            self.facts[fact[0]] = fact[1]
        self._failure_point()

    def overflow(self, time: DeviceTime) -> None:
        """Store OVERFLOW in the last place, unless it is taken."""
        if len(self.ring) < self.capacity:
            self._store(EventKind.OVERFLOW, {}, time)

    def _checkpoint(self, time: DeviceTime) -> None:
        assert self.sign is not None
        if self.has_room:
            number, chain = self.next_number - 1, self.chain
            body: Map = {1: number, 2: chain, 3: self.sign(number, chain)}
            self._store(EventKind.CHECKPOINT, body, time)

    # Requests, facts and counters.

    def answer_to(self, request: int) -> tuple[int, bytes] | None:
        """Type and payload of the answer stored for that request id, or None."""
        return next(
            ((type_, payload) for id_, type_, payload in self.answers if id_ == request), None
        )

    def store_answer(self, request: int, type_: int, payload: bytes) -> None:
        """Store the answer, before the request is executed."""
        self._failure_point()
        self.answers.append((request, type_, payload))
        self.highest_request = max(self.highest_request, request)
        self._failure_point()

    def put(self, name: str, value: Value) -> None:
        """Store a fact."""
        if name not in self.facts or self.facts[name] != value:
            self._failure_point()
            self.facts[name] = value
            self._failure_point()

    def count_boot(self) -> int:
        """Count a boot; returns its number."""
        self._failure_point()
        self.boot_count += 1
        self._failure_point()
        return self.boot_count

    def next_cycle(self) -> int:
        """A new shuffle cycle number, never used again."""
        self._failure_point()
        self.cycle += 1
        self._failure_point()
        return self.cycle

    # Copies.

    def copy(self) -> "TableLinkMemory":
        """A copy of the present content, with which a device can be rolled back."""
        sign, self.sign = self.sign, None
        try:
            copied = deepcopy(self)
        finally:
            self.sign = sign
        copied.sign = sign
        return copied

    def _failure_point(self) -> None:
        if self.cut_in is None:
            return
        self.cut_in -= 1
        if self.cut_in < 0:
            self.cut_in = None
            raise PowerFailed
