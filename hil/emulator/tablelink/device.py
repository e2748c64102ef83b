"""Emulates a TableLink device without its mechanics: power, boot, people's acts, being served.

Time comes in with each call; the device never waits and has no thread.

Source: wire document of TableLink/1; where that is silent, hil/emulator/README.md, "TableLink
devices".
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

from hil.dealing.truth import ReportTruth
from hil.emulator.lines.reports import Copy, Report
from hil.emulator.lines.transmission import Transmission
from hil.emulator.tablelink.cbor import Map, Value
from hil.emulator.tablelink.identity import FIRST_IMAGE, Firmware, Pins, TableLinkIdentity
from hil.emulator.tablelink.memory import DeviceTime, PowerFailed, StoredEvent, TableLinkMemory
from hil.emulator.tablelink.session import DeviceBoot, RequestDecision, Session
from hil.emulator.tablelink.wire import EventKind, FrameFinder, RequestType

SHOE, SHUFFLER = 1, 2
REPORT_CODE = "TL"


@dataclass(frozen=True, slots=True)
class TableLinkSettings:
    """`seed` of the key: any bytes. `ring`: how many events it stores. `chained`: with a chain."""

    device: bytes = bytes.fromhex("5EED0000C0FFEE01")
    seed: bytes = bytes(range(32))
    bare: bool = False
    debug: bool = False
    image: bytes = FIRST_IMAGE
    version: str = "1.0.0"
    security_counter: int = 1
    ring: int = 4096
    chained: bool = False


class TableLinkLog:
    """The events the host has acknowledged."""

    def __init__(self) -> None:
        self._finished: list[ReportTruth] = []

    def finish(self, events: tuple[StoredEvent, ...]) -> None:
        """Log freed events."""
        for event in events:
            name = EventKind(event.kind).name
            self._finished.append(ReportTruth(event.number, name, event.payload, 1))

    def settle(self, transmission: Transmission) -> None:
        """Nothing: an event counts when it is acknowledged, not when it is sent."""

    def take(self) -> tuple[ReportTruth, ...]:
        """The events acknowledged since the last call."""
        finished = tuple(self._finished)
        self._finished.clear()
        return finished


class TableLinkDevice(ABC):
    """The device. People's acts are queued and run with the next call that brings the time."""

    role: int

    def __init__(self, settings: TableLinkSettings) -> None:
        firmware = Firmware(settings.image, settings.version, settings.security_counter)
        seed = b"" if settings.bare else settings.seed
        self.identity = TableLinkIdentity(
            settings.device, seed, firmware, settings.debug, settings.chained
        )
        self.log = TableLinkLog()
        self.powered = True
        self._device_settings = settings
        self.memory = self._blank_memory()
        self._acts: deque[Callable[[], None]] = deque()
        self._finder = FrameFinder()
        self._session: Session | None = None
        self._boot_now = DeviceBoot(0, 0, 0)
        self._copies_made = 0
        self._starts = 0
        self._at_ns = 0

    # Implemented by each kind of device.

    @abstractmethod
    def _after_boot(self) -> None:
        """Called after it has booted and recorded that."""

    @abstractmethod
    def _after_power_loss(self) -> None:
        """Called after power was lost."""

    @abstractmethod
    def _work(self) -> None:
        """Do what is due, and record what changed."""

    @property
    @abstractmethod
    def _work_due_ns(self) -> int | None:
        """When the mechanism has something to do, or None."""

    @abstractmethod
    def _decide(self, request: RequestType, argument: int) -> RequestDecision:
        """Decide a request, without executing it."""

    def _interrupted_shuffles(self) -> int:
        """Bits of the compartments in which a shuffle was under way when power failed."""
        return 0

    # People's acts.

    def power_off(self) -> tuple[Report, ...]:
        """Cut its power: everything not in memory is lost."""
        return self._queue(self._cut_power)

    def power_on(self) -> tuple[Report, ...]:
        """Restore its power; it boots, unless it has power."""
        return self._queue(self._give_power)

    def cut_power_after(self, points: int) -> None:
        """Cut power after that many failure points; each write has one before and one after it.

        The device stays off until its power is restored.
        """
        self.memory.cut_in = points

    def tamper(self, what: str) -> tuple[Report, ...]:
        """Break its seal."""
        return self._queue(lambda: self._record(EventKind.TAMPER, {1: what}))

    def reconfigure(self, what: str) -> tuple[Report, ...]:
        """Change its settings."""
        return self._queue(lambda: self._record(EventKind.CONFIG_CHANGED, {1: what}))

    def fill_ring(self, events: int) -> tuple[Report, ...]:
        """Record that many events at once."""
        for number in range(1, events + 1):
            self.reconfigure(f"filled {number}")
        return ()

    def new_firmware(self, image: bytes, version: str, security_counter: int) -> tuple[Report, ...]:
        """Install other firmware; it boots."""
        firmware = Firmware(image, version, security_counter)
        return self._restart(lambda: self._set_identity(self.identity.with_firmware(firmware)))

    def roll_back(self, memory: TableLinkMemory) -> tuple[Report, ...]:
        """Restore an older copy of its memory (`device.memory.copy()`); it boots."""
        return self._restart(lambda: self._set_memory(memory.copy()))

    def replace(self, device: bytes, seed: bytes) -> tuple[Report, ...]:
        """Replace it by another device of the same make, with its own memory."""

        def exchange() -> None:
            self._set_identity(
                TableLinkIdentity(device, seed, self.identity.firmware, self.identity.debug)
            )
            self._set_memory(self._blank_memory())

        return self._restart(exchange)

    # For the bench.

    @property
    def pins(self) -> Pins:
        """The values a bench pins and approves."""
        return self.identity.pins

    @property
    def all_delivered(self) -> bool:
        """Whether the host has acknowledged every event."""
        return not self._acts and not self.memory.ring

    @property
    def may_feed(self) -> bool:
        """Whether a card may leave: power, room for its event, and a host that is not silent."""
        connected = self._session is not None and not self._session.silent
        return self.powered and connected and not self.memory.gate_closed

    # The served-device interface.

    @property
    def idle(self) -> bool:
        return not self._acts and (self._session is None or self._session.settled)

    @property
    def next_due_ns(self) -> int | None:
        if self._acts:
            return 0
        if self._session is None:
            return 0 if self.powered else None
        dues = (self._session.next_due_ns, self._work_due_ns)
        return min((due for due in dues if due is not None), default=None)

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes of the host; returns the answers sent at once."""
        self._advance(at_ns)
        for found in self._finder.receive(data) if self.powered else ():
            if self._session is not None:
                self._try(partial(self._session.receive, found, self._at_ns))
        self._run()
        return self._take_output()

    def overdue_answer(self, at_ns: int) -> bytes:
        """Nothing: it waits for the rest of a frame without limit."""
        return b""

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """What is sent unasked."""
        data = self.tick(at_ns)
        if not data:
            return ()
        self._copies_made += 1
        return (Copy(Report(self._copies_made, REPORT_CODE, data), 1),)

    def tick(self, at_ns: int) -> bytes:
        """All bytes due at that time."""
        self._advance(at_ns)
        if self._session is not None:
            self._try(partial(self._session.due, self._at_ns))
        return self._take_output()

    def host_appeared(self, at_ns: int) -> None:
        """A host opened the line: drop an incomplete frame."""
        self._finder.reset()

    # Time and power.

    def _queue(self, act: Callable[[], object]) -> tuple[Report, ...]:
        def run() -> None:
            act()

        self._acts.append(run)
        return ()

    def _restart(self, change: Callable[[], None]) -> tuple[Report, ...]:
        for act in (self._cut_power, change, self._give_power):
            self._queue(act)
        return ()

    def _advance(self, at_ns: int) -> None:
        self._at_ns = max(self._at_ns, at_ns)
        self._run()
        while self._acts:
            self._try(self._acts.popleft())
            self._run()

    def _run(self) -> None:
        self._try(self._boot)
        if self.powered:
            self._try(self._work)

    def _try(self, step: Callable[[], None]) -> None:
        try:
            step()
        except PowerFailed:
            self._cut_power()

    def _take_output(self) -> bytes:
        return b"" if self._session is None else self._session.take()

    def _cut_power(self) -> None:
        if self.powered:
            self.powered = False
            self._session = None
            self._finder.reset()
            self._after_power_loss()

    def _give_power(self) -> None:
        self.powered = True

    def _set_identity(self, identity: TableLinkIdentity) -> None:
        self.identity = identity

    def _blank_memory(self) -> TableLinkMemory:
        settings, sign = self._device_settings, None if self.identity.bare else self._sign
        return TableLinkMemory(settings.ring, chained=settings.chained, sign=sign)

    def _sign(self, number: int, chain: bytes) -> bytes:
        return self.identity.sign_checkpoint(number, chain)

    def _set_memory(self, memory: TableLinkMemory) -> None:
        self.memory = memory

    def _boot(self) -> None:
        if not self.powered or self._session is not None:
            return
        self._starts += 1
        boot_seed = sha256(self.identity.device + b"boot %d" % self._starts).digest()
        boot = DeviceBoot(
            int.from_bytes(boot_seed[:4], "little"), self.memory.count_boot(), self._at_ns
        )
        self._boot_now = boot
        self._record(EventKind.POWER_UP, {1: boot.count, 2: self._interrupted_shuffles()})
        firmware = self.identity.firmware
        if self.memory.facts.get("image", firmware.image) == firmware.image:
            self.memory.put("image", firmware.image)
        else:
            body: Map = {1: firmware.image, 2: firmware.version}
            self._record(EventKind.FW_CHANGED, body, ("image", firmware.image))
        self._after_boot()
        self._session = Session(
            self.role, self.identity, self.memory, boot, self._decide, self.log.finish
        )

    def _record(self, kind: EventKind, body: Map, fact: tuple[str, Value] | None = None) -> bool:
        """Record an event; False without power or room."""
        return self.powered and self.memory.record(kind, body, self._time, fact)

    @property
    def _time(self) -> DeviceTime:
        return self._boot_now.time(self._at_ns)
