"""What of a TableLink device survives loss of power: events, answered requests, facts, counters.

Responsible for: the ring of events, whose numbers never come again and which is never written over;
the last answers, so that a request is executed once; what was told last of each fact. Each writing
is done or not done: power may fail before and after it.
Not responsible for: what happens (shuffler, tablelink_shoe) and for sending it (tablelink_device).
Source: wire document of TableLink/1, "Events", "Requests".
"""

from collections import deque
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256

from hil.emulator.tablelink.cbor import Map, Value, encoded
from hil.emulator.tablelink.wire import Kind

RING_DEFAULT = 4096
ANSWERS_KEPT = 16
CHAIN_BYTES = 16
CHECKPOINT_EVERY = 64
GATE_TENTHS = 9


class PowerFailed(Exception):
    """Power is gone; what was not written is not written."""


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """One event as it is sent."""

    number: int
    kind: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Moment:
    """In which boot, and how long after it."""

    boot_id: int
    uptime_us: int


class TableLinkMemory:
    """`sign` gives the signature of a checkpoint; without it the ring keeps a chain at most.

    `lost` are the kinds of events for which there was no room; `cut_in` counts down the moments at
    which power can fail.
    """

    def __init__(
        self,
        capacity: int = RING_DEFAULT,
        *,
        chained: bool = False,
        sign: Callable[[int, bytes], bytes] | None = None,
    ) -> None:
        assert capacity >= 10, "a ring has at least ten places"
        self.capacity = capacity
        self.chained = chained
        self.sign = sign
        self.ring: deque[KeptEvent] = deque()
        self.next_number = 1
        self.chain = bytes(CHAIN_BYTES)
        self.boot_count = 0
        self.cycle = 0
        self.highest_request = 0
        self.answers: deque[tuple[int, int, bytes]] = deque(maxlen=ANSWERS_KEPT)
        self.facts: dict[str, Value] = {}
        self.lost: list[int] = []
        self.cut_in: int | None = None

    # Events.

    @property
    def first_number(self) -> int:
        """The number of the oldest event that is not freed; the next one where none is kept."""
        return self.next_number - len(self.ring)

    @property
    def last_number(self) -> int:
        """The number of the event recorded last."""
        return self.next_number - 1

    @property
    def gate_closed(self) -> bool:
        """Whether nothing more may be dealt or shuffled."""
        return len(self.ring) * 10 >= self.capacity * GATE_TENTHS

    @property
    def has_room(self) -> bool:
        """Whether an event can be kept: the last place is for OVERFLOW."""
        return len(self.ring) < self.capacity - 1

    def record(
        self, kind: int, body: Map, moment: Moment, fact: tuple[str, Value] | None = None
    ) -> bool:
        """Keep an event, and with it that this fact was told; False where there is no room."""
        if not self.has_room:
            self.lost.append(kind)
            self.overflow(moment)
            return False
        self._keep(kind, body, moment, fact)
        due = self.chained and self.sign is not None
        if due and ((self.next_number - 1) % CHECKPOINT_EVERY == 0 or kind == Kind.SHOE_EMPTY):
            self._checkpoint(moment)
        return True

    def event(self, number: int) -> KeptEvent:
        """The event of that number, which has to be kept."""
        return self.ring[number - self.first_number]

    def free(self, number: int) -> tuple[KeptEvent, ...]:
        """Free all up to that number; those that went."""
        count = min(number, self.next_number - 1) - self.first_number + 1
        if count <= 0:
            return ()
        self._may_fail()
        freed = tuple(self.ring.popleft() for _ in range(count))
        self._may_fail()
        return freed

    def _keep(
        self, kind: int, body: Map, moment: Moment, fact: tuple[str, Value] | None = None
    ) -> None:
        told: Map = {
            1: moment.boot_id,
            2: self.next_number,
            3: moment.uptime_us,
            4: int(kind),
            5: body,
        }
        self._may_fail()
        if self.chained:
            self.chain = sha256(self.chain + encoded(told)).digest()[:CHAIN_BYTES]
            told[6] = self.chain
        self.ring.append(KeptEvent(self.next_number, int(kind), encoded(told)))
        self.next_number += 1
        if fact is not None:
            self.facts[fact[0]] = fact[1]
        self._may_fail()

    def overflow(self, moment: Moment) -> None:
        """Say, in the last place, that there was no room."""
        if len(self.ring) < self.capacity:
            self._keep(Kind.OVERFLOW, {}, moment)

    def _checkpoint(self, moment: Moment) -> None:
        assert self.sign is not None
        if self.has_room:
            number, chain = self.next_number - 1, self.chain
            body: Map = {1: number, 2: chain, 3: self.sign(number, chain)}
            self._keep(Kind.CHECKPOINT, body, moment)

    # Requests, facts and counters.

    def answer_to(self, request: int) -> tuple[int, bytes] | None:
        """Type and payload of the answer kept for that id."""
        return next(
            ((type_, payload) for id_, type_, payload in self.answers if id_ == request), None
        )

    def answered(self, request: int, type_: int, payload: bytes) -> None:
        """Keep the answer, before anything is done about the request."""
        self._may_fail()
        self.answers.append((request, type_, payload))
        self.highest_request = max(self.highest_request, request)
        self._may_fail()

    def put(self, name: str, value: Value) -> None:
        """Keep a fact."""
        if name not in self.facts or self.facts[name] != value:
            self._may_fail()
            self.facts[name] = value
            self._may_fail()

    def booted(self) -> int:
        """Count a boot; which it is."""
        self._may_fail()
        self.boot_count += 1
        self._may_fail()
        return self.boot_count

    def next_cycle(self) -> int:
        """The number of a shuffle, which never comes again."""
        self._may_fail()
        self.cycle += 1
        self._may_fail()
        return self.cycle

    # What is done to memories.

    def copy(self) -> "TableLinkMemory":
        """As it is now; what rolls a device back."""
        sign, self.sign = self.sign, None
        try:
            copied = deepcopy(self)
        finally:
            self.sign = sign
        copied.sign = sign
        return copied

    def _may_fail(self) -> None:
        if self.cut_in is None:
            return
        self.cut_in -= 1
        if self.cut_in < 0:
            self.cut_in = None
            raise PowerFailed
