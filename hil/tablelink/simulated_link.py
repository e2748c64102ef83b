"""The program's TableLink link and an emulated device on one faulty line, under a simulated clock.

Source: firmware_bridge README, "TableLink/1".
"""

from collections.abc import Callable, Sequence
from functools import partial
from heapq import heappop, heappush
from random import Random

from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.tablelink.items import TableLinkRequest
from foundation.timestamp import Timestamp
from hil.emulator.lines.faults import FaultPlan
from hil.emulator.tablelink.device import TableLinkDevice
from hil.emulator.tablelink.memory import StoredEvent
from hil.tablelink.stored_link import StoredLink

UTC_NS = 1_795_000_000_000_000_000  # within 2026-11-18
NS_PER_MS = 1_000_000
BEGIN_NS = 3_600_000 * NS_PER_MS
# More steps mean an endless loop.
STEPS_MAX = 400_000
SCATTERED = 0.1
# The line delays bytes by at most this much; more bytes are lost.
HELD_NS_MAX = 4_000 * NS_PER_MS
TO_HOST, TO_DEVICE = 0, 1


def trust_in(device: TableLinkDevice) -> Trust:
    """The trust of a table that has paired this device now, from its first event on."""
    pins = device.pins
    if not pins.key:
        return Trust(bare=True)
    pin = Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "pairing 1", 1)
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(pin, (image,))


class SimulatedLink(StoredLink):
    """`recorded`: all events the device ever recorded.

    `scattered_ns` above 0: some pieces are delayed by up to that, behind later ones.
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
        self.recorded: list[StoredEvent] = []
        self.power_cuts = 0
        self.port_open = False
        self._running = True
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._order = 0
        self._line_free_ns = {TO_HOST: 0, TO_DEVICE: 0}
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

    # Incidents.

    def open_port(self) -> None:
        """Open the port, as after plugging in the cable or starting the program."""
        if not self.port_open:
            self.port_open = self._running = True
            self._opening += 1
            self.device.host_appeared(self.now_ns)
            entropy = self.random.randbytes(32)
            self._commit(self._link.opened(self._state, self.at, entropy))

    def lose_port(self) -> None:
        """Pull the cable; bytes on their way are lost."""
        if self.port_open:
            self.port_open = False
            self._opening += 1
            self._commit(self._link.closed(self._state, self.at))

    def restart(self) -> None:
        """Kill the program, and start it again after a random pause."""
        self.port_open = False
        self._opening += 1
        self._running = False
        self._restore_stored()
        pause_ns = self.random.choice((1, 40, 900, 6_000)) * NS_PER_MS
        self.at_time(self.now_ns + pause_ns, self.open_port)

    def ask(self, request: TableLinkRequest) -> bool:
        """Send a request of the table; False if the program is not running."""
        if not self._running:
            return False
        self._commit(self._link.send(self._state, request, self.at))
        return True

    def cut_power(self) -> None:
        """Cut the device's power, and restore it after a random pause."""
        self.power_cuts += 1
        self.device.power_off()
        pause_ns = self.random.choice((1, 300, 7_000)) * NS_PER_MS
        self.at_time(self.now_ns + pause_ns, self._restore_power)

    def _restore_power(self) -> None:
        self.device.power_on()

    def inject_to_host(self, data: bytes) -> None:
        """Inject bytes that no device sent."""
        self._send(TO_HOST, data)

    def inject_to_device(self, data: bytes) -> None:
        """Inject bytes that no program sent."""
        self._send(TO_DEVICE, data)

    def at_time(self, at_ns: int, step: Callable[[], None]) -> None:
        """Schedule a call at a time."""
        self._order += 1
        heappush(self._agenda, (at_ns, self._order, step))

    def calm(self) -> None:
        """Stop all faults, and restore power and port."""
        self.plan = None
        self.scattered_ns = 0
        self.crash = None
        self.device.memory.cut_in = None
        self.device.power_on()
        self.open_port()

    # Time.

    def advance(self, pause_ns: int, done: Callable[[], bool] = lambda: False) -> bool:
        """Advance the clock by `pause_ns`, or until `done`; return the last value of `done`."""
        until_ns = self.now_ns + pause_ns
        for _ in range(STEPS_MAX):
            if done():
                return True
            next_ns = self._next_ns()
            if next_ns is None or next_ns > until_ns:
                break
            self.now_ns = max(self.now_ns, next_ns)
            self._step()
        else:
            raise RuntimeError("link and device never become idle")
        self.now_ns = until_ns
        return done()

    def _next_ns(self) -> int | None:
        dues = [self.device.next_due_ns, self._link.next_deadline_ns(self._state)]
        if not self.port_open:
            dues.pop()
        if self._agenda:
            dues.append(self._agenda[0][0])
        return min((due for due in dues if due is not None), default=None)

    def _step(self) -> None:
        while self._agenda and self._agenda[0][0] <= self.now_ns:
            heappop(self._agenda)[2]()
        due_ns = self.device.next_due_ns
        if due_ns is not None and due_ns <= self.now_ns:
            self._from_device(self.device.tick(self.now_ns))
        deadline_ns = self._link.next_deadline_ns(self._state)
        if self.port_open and deadline_ns is not None and deadline_ns <= self.now_ns:
            self._commit(self._link.tick(self._state, self.at))

    # The line and the store.

    def _from_device(self, data: bytes) -> None:
        memory = self.device.memory
        last = self.recorded[-1].number if self.recorded else 0
        for number in range(max(last + 1, memory.first_number), memory.next_number):
            self.recorded.append(memory.event(number))
        self._send(TO_HOST, data)

    def _send(self, to: int, data: bytes) -> None:
        """Put bytes on the line; those of an earlier opening do not arrive."""
        if not data or not self.port_open:
            return
        self._order += 1
        pieces = ((data, 0),) if self.plan is None else self.plan.apply(data, self._order)
        opening = self._opening
        at_ns = max(self.now_ns, self._line_free_ns[to])
        for piece, delay_ns in pieces:
            if at_ns + delay_ns > self.now_ns + HELD_NS_MAX:
                break
            at_ns += delay_ns
            late_ns = 0
            if self.scattered_ns and self.random.random() < SCATTERED:
                late_ns = self.random.randrange(self.scattered_ns)
            self.at_time(at_ns + late_ns, partial(self._arrive, to, piece, opening))
        self._line_free_ns[to] = at_ns

    def _arrive(self, to: int, piece: bytes, opening: int) -> None:
        late = opening != self._opening
        if to == TO_DEVICE:
            # Bytes written by a killed program still arrive.
            self._from_device(self.device.receive(piece, self.now_ns))
        elif self.port_open and not late:
            self._commit(self._link.receive(self._state, piece, self.at))

    def _write(self, pieces: Sequence[bytes]) -> None:
        for data in pieces:
            self._send(TO_DEVICE, data)
