"""The program's TableLink link and an emulated device on one bad line, under a simulated clock.

Responsible for: carrying bytes with faults, restarts, lost ports and power cuts, and what was truly
recorded and done at the device.
Not responsible for: the store (tablelink_store) and what must come of it
(tests/simulation/test_tablelink_exactly_once).
Source: package README, "TableLink devices"; firmware_bridge README, "TableLink/1".
"""

from collections.abc import Callable, Sequence
from functools import partial
from heapq import heappop, heappush
from random import Random

from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.tablelink.items import Request
from firmware_bridge.timestamp import Timestamp
from hil.emulator.lines.faults import FaultPlan
from hil.emulator.tablelink.device import TableLinkDevice
from hil.emulator.tablelink.memory import KeptEvent
from hil.tablelink.store import StoredLink

UTC_NS = 1_795_000_000_000_000_000  # within 2026-11-18
NS_PER_MS = 1_000_000
BEGIN_NS = 3_600_000 * NS_PER_MS
# What is not over after so many moments will not be over.
MOMENTS_MAX = 400_000
SCATTERED = 0.1
# A line holds no more than so much of the past; what comes on top is lost.
HELD_NS_MAX = 4_000 * NS_PER_MS
TO_HOST, TO_DEVICE = 0, 1


def trust_in(device: TableLinkDevice) -> Trust:
    """The trust of a bench that has paired this device as it is now, from its first event on."""
    pins = device.pins
    if not pins.key:
        return Trust(bare=True)
    pin = Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "pairing 1", 1)
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(pin, (image,))


class TableLinkRun(StoredLink):
    """`recorded` are all events the device ever recorded.

    `scattered_ns` above 0: some pieces come so much later, behind those that were sent after them.
    """

    def __init__(
        self,
        device: TableLinkDevice,
        seed: int,
        plan: FaultPlan | None = None,
        trust: Trust | None = None,
    ) -> None:
        super().__init__(device.role, trust or trust_in(device))
        self.device = device
        self.plan = plan
        self.scattered_ns = 0
        self.random = Random(seed)  # noqa: S311 - reproducible
        self.now_ns = BEGIN_NS
        self.recorded: list[KeptEvent] = []
        self.power_cuts = 0
        self.port_open = False
        self._running = True
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._order = 0
        self._tapped_ns = {TO_HOST: 0, TO_DEVICE: 0}
        self._opening = 0
        self.open_port()

    @property
    def at(self) -> Timestamp:
        return Timestamp(self.now_ns, UTC_NS + self.now_ns)

    @property
    def stored_last(self) -> int:
        """The number of the last event that is stored."""
        known = self._stored.known
        return 0 if known is None else known.last

    # What befalls them.

    def open_port(self) -> None:
        """The port opens, as after a cable was put back or the program was started."""
        if not self.port_open:
            self.port_open = self._running = True
            self._opening += 1
            self.device.host_appeared(self.now_ns)
            entropy = self.random.randbytes(32)
            self._take(self._link.opened(self._state, self.at, entropy))

    def lose_port(self) -> None:
        """The cable is pulled; what was on its way is gone."""
        if self.port_open:
            self.port_open = False
            self._opening += 1
            self._take(self._link.closed(self._state, self.at))

    def restart(self) -> None:
        """The program is killed here and now, and started again."""
        self.port_open = False
        self._opening += 1
        self._running = False
        self._killed()
        pause_ns = self.random.choice((1, 40, 900, 6_000)) * NS_PER_MS
        self.at_time(self.now_ns + pause_ns, self.open_port)

    def ask(self, request: Request) -> bool:
        """The table asks something of the device; False where no program runs that could."""
        if not self._running:
            return False
        self._take(self._link.send(self._state, request, self.at))
        return True

    def cut_power(self) -> None:
        """The device loses its power and gets it back some time later."""
        self.power_cuts += 1
        self.device.power_off()
        pause_ns = self.random.choice((1, 300, 7_000)) * NS_PER_MS
        self.at_time(self.now_ns + pause_ns, self._give_power)

    def _give_power(self) -> None:
        self.device.power_on()

    def say_to_host(self, data: bytes) -> None:
        """Bytes that no device sent."""
        self._send(TO_HOST, data)

    def say_to_device(self, data: bytes) -> None:
        """Bytes that no program sent."""
        self._send(TO_DEVICE, data)

    def at_time(self, at_ns: int, step: Callable[[], None]) -> None:
        """Do something then."""
        self._order += 1
        heappush(self._agenda, (at_ns, self._order, step))

    def calm(self) -> None:
        """From now on nothing goes wrong any more."""
        self.plan = None
        self.scattered_ns = 0
        self.crash = None
        self.device.memory.cut_in = None
        self.device.power_on()
        self.open_port()

    # Time.

    def later(self, pause_ns: int, done: Callable[[], bool] = lambda: False) -> bool:
        """Let so much time pass, or until `done`; whether it came."""
        until_ns = self.now_ns + pause_ns
        for _ in range(MOMENTS_MAX):
            if done():
                return True
            next_ns = self._next_ns()
            if next_ns is None or next_ns > until_ns:
                break
            self.now_ns = max(self.now_ns, next_ns)
            self._moment()
        else:
            raise RuntimeError("link and device never come to rest")
        self.now_ns = until_ns
        return done()

    def _next_ns(self) -> int | None:
        dues = [self.device.next_due_ns, self._link.next_deadline_ns(self._state)]
        if not self.port_open:
            dues.pop()
        if self._agenda:
            dues.append(self._agenda[0][0])
        return min((due for due in dues if due is not None), default=None)

    def _moment(self) -> None:
        while self._agenda and self._agenda[0][0] <= self.now_ns:
            heappop(self._agenda)[2]()
        due_ns = self.device.next_due_ns
        if due_ns is not None and due_ns <= self.now_ns:
            self._from_device(self.device.tick(self.now_ns))
        deadline_ns = self._link.next_deadline_ns(self._state)
        if self.port_open and deadline_ns is not None and deadline_ns <= self.now_ns:
            self._take(self._link.tick(self._state, self.at))

    # The line and the store.

    def _from_device(self, data: bytes) -> None:
        memory = self.device.memory
        seen = self.recorded[-1].number if self.recorded else 0
        for number in range(max(seen + 1, memory.first_number), memory.next_number):
            self.recorded.append(memory.event(number))
        self._send(TO_HOST, data)

    def _send(self, to: int, data: bytes) -> None:
        """Bytes on their way; those of an opening that is over by then do not arrive."""
        if not data or not self.port_open:
            return
        self._order += 1
        pieces = ((data, 0),) if self.plan is None else self.plan.apply(data, self._order)
        opening = self._opening
        at_ns = max(self.now_ns, self._tapped_ns[to])
        for piece, delay_ns in pieces:
            if at_ns + delay_ns > self.now_ns + HELD_NS_MAX:
                break
            at_ns += delay_ns
            late_ns = 0
            if self.scattered_ns and self.random.random() < SCATTERED:
                late_ns = self.random.randrange(self.scattered_ns)
            self.at_time(at_ns + late_ns, partial(self._arrive, to, piece, opening))
        self._tapped_ns[to] = at_ns

    def _arrive(self, to: int, piece: bytes, opening: int) -> None:
        late = opening != self._opening
        if to == TO_DEVICE:
            # What a killed program has written is on the line all the same.
            self._from_device(self.device.receive(piece, self.now_ns))
        elif self.port_open and not late:
            self._take(self._link.receive(self._state, piece, self.at))

    def _write(self, pieces: Sequence[bytes]) -> None:
        for data in pieces:
            self._send(TO_DEVICE, data)
