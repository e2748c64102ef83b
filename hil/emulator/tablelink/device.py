"""A TableLink device without its mechanics: power, what people do to it, and being served.

Responsible for: booting and losing power, the order of people's acts, who the device is, and what
a line asks of it. Time comes in with each call; the device never waits and has no thread.
Not responsible for: what moves inside (shuffler, tablelink_shoe), what is said (tablelink_talk),
what survives loss of power (tablelink_memory), carrying bytes (serve, hil.simulation.cable, usb).
Source: wire document of TableLink/1; where that is silent the decisions stand in the package
README, "TableLink devices".
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

from hil.dealing.truth import ReportTruth
from hil.emulator.lines.batch import Batch
from hil.emulator.lines.reports import Copy, Report
from hil.emulator.tablelink.cbor import Map, Value
from hil.emulator.tablelink.identity import FIRST_IMAGE, Firmware, Identity, Pins
from hil.emulator.tablelink.memory import KeptEvent, Moment, PowerFailed, TableLinkMemory
from hil.emulator.tablelink.session import Boot, Judged, Talk
from hil.emulator.tablelink.wire import Ask, FrameFinder, Kind

SHOE, SHUFFLER = 1, 2
SAID = "TL"


@dataclass(frozen=True, slots=True)
class TableLinkSettings:
    """`seed` of the key: any bytes. `ring`: how many events it keeps. `chained`: with a chain."""

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

    def finish(self, events: tuple[KeptEvent, ...]) -> None:
        """These were freed."""
        for event in events:
            name = Kind(event.kind).name
            self._finished.append(ReportTruth(event.number, name, event.payload, 1))

    def settle(self, batch: Batch) -> None:
        """What has left says nothing: an event counts when it is acknowledged."""

    def take(self) -> tuple[ReportTruth, ...]:
        """Those acknowledged since the last call."""
        finished = tuple(self._finished)
        self._finished.clear()
        return finished


class TableLinkDevice(ABC):
    """What people do to it happens with the next call that brings the time, in their order."""

    role: int

    def __init__(self, settings: TableLinkSettings) -> None:
        ware = Firmware(settings.image, settings.version, settings.security_counter)
        seed = b"" if settings.bare else settings.seed
        self.identity = Identity(settings.device, seed, ware, settings.debug)
        self.log = TableLinkLog()
        self.powered = True
        self._device_settings = settings
        self.memory = self._blank_memory()
        self._acts: deque[Callable[[], None]] = deque()
        self._finder = FrameFinder()
        self._talk: Talk | None = None
        self._boot_now = Boot(0, 0, 0)
        self._copies_made = 0
        self._starts = 0
        self._at_ns = 0

    # What a kind of device does.

    @abstractmethod
    def _woken(self) -> None:
        """It has booted, and said so."""

    @abstractmethod
    def _off(self) -> None:
        """Power is gone."""

    @abstractmethod
    def _work(self) -> None:
        """Do what is due by now, and tell what changed."""

    @property
    @abstractmethod
    def _work_due_ns(self) -> int | None:
        """When there is something to do inside."""

    @abstractmethod
    def _judge(self, ask: Ask, argument: int) -> Judged:
        """Decide a request; nothing is done yet."""

    def _broken_off(self) -> int:
        """Bits of the compartments in which a shuffle was under way when power failed."""
        return 0

    # What people do.

    def power_off(self) -> tuple[Report, ...]:
        """Pull its plug: what is not in memory is gone."""
        return self._do(self._cut_power)

    def power_on(self) -> tuple[Report, ...]:
        """Give it power; it boots, unless it has power."""
        return self._do(self._give_power)

    def cut_power_after(self, writings: int) -> None:
        """Power fails at that coming moment, each writing to memory having one before and one

        after it. The device stays off until it is given power.
        """
        self.memory.cut_in = writings

    def tamper(self, what: str) -> tuple[Report, ...]:
        """Somebody opens what is sealed."""
        return self._do(lambda: self._note(Kind.TAMPER, {1: what}))

    def reconfigure(self, what: str) -> tuple[Report, ...]:
        """Somebody changes its settings."""
        return self._do(lambda: self._note(Kind.CONFIG_CHANGED, {1: what}))

    def fill_ring(self, events: int) -> tuple[Report, ...]:
        """So many events come about at once."""
        for number in range(1, events + 1):
            self.reconfigure(f"filled {number}")
        return ()

    def new_firmware(self, image: bytes, version: str, security_counter: int) -> tuple[Report, ...]:
        """Give it other firmware; it boots."""
        ware = Firmware(image, version, security_counter)
        return self._restart(lambda: self._become(self.identity.with_firmware(ware)))

    def roll_back(self, memory: TableLinkMemory) -> tuple[Report, ...]:
        """Put an older copy of its memory back (`device.memory.copy()`); it boots."""
        return self._restart(lambda: self._remember(memory.copy()))

    def replace(self, device: bytes, seed: bytes) -> tuple[Report, ...]:
        """Another device of the same make stands there, with a memory of its own."""

        def exchange() -> None:
            self._become(Identity(device, seed, self.identity.firmware, self.identity.debug))
            self._remember(self._blank_memory())

        return self._restart(exchange)

    # What a bench asks of it.

    @property
    def pins(self) -> Pins:
        """What a bench pins and approves."""
        return self.identity.pins

    @property
    def all_taken(self) -> bool:
        """Whether the host has taken over every event."""
        return not self._acts and not self.memory.ring

    @property
    def may_feed(self) -> bool:
        """Whether a card may leave: power, room for its event, and a host that was heard."""
        heard = self._talk is not None and not self._talk.silent
        return self.powered and heard and not self.memory.gate_closed

    # What a line asks of it.

    @property
    def idle(self) -> bool:
        return not self._acts and (self._talk is None or self._talk.settled)

    @property
    def next_due_ns(self) -> int | None:
        if self._acts:
            return 0
        if self._talk is None:
            return 0 if self.powered else None
        dues = (self._talk.next_due_ns, self._work_due_ns)
        return min((due for due in dues if due is not None), default=None)

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes of the host; what is said at once."""
        self._live(at_ns)
        for found in self._finder.receive(data) if self.powered else ():
            if self._talk is not None:
                self._try(partial(self._talk.hear, found, self._at_ns))
        self._run()
        return self._said()

    def overdue_answer(self, at_ns: int) -> bytes:
        """It waits for the rest of a frame as long as that takes."""
        return b""

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """What is sent unasked."""
        said = self.tick(at_ns)
        if not said:
            return ()
        self._copies_made += 1
        return (Copy(Report(self._copies_made, SAID, said), 1),)

    def tick(self, at_ns: int) -> bytes:
        """The same as bytes."""
        self._live(at_ns)
        if self._talk is not None:
            self._try(partial(self._talk.due, self._at_ns))
        return self._said()

    def host_appeared(self, at_ns: int) -> None:
        """A host opened the line; what was under way on it is gone."""
        self._finder.forget()

    # Time and power.

    def _do(self, act: Callable[[], object]) -> tuple[Report, ...]:
        def done() -> None:
            act()

        self._acts.append(done)
        return ()

    def _restart(self, change: Callable[[], None]) -> tuple[Report, ...]:
        for act in (self._cut_power, change, self._give_power):
            self._do(act)
        return ()

    def _live(self, at_ns: int) -> None:
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

    def _said(self) -> bytes:
        return b"" if self._talk is None else self._talk.take()

    def _cut_power(self) -> None:
        if self.powered:
            self.powered = False
            self._talk = None
            self._finder.forget()
            self._off()

    def _give_power(self) -> None:
        self.powered = True

    def _become(self, identity: Identity) -> None:
        self.identity = identity

    def _blank_memory(self) -> TableLinkMemory:
        settings, sign = self._device_settings, None if self.identity.bare else self._sign
        return TableLinkMemory(settings.ring, chained=settings.chained, sign=sign)

    def _sign(self, number: int, chain: bytes) -> bytes:
        return self.identity.checkpoint(number, chain)

    def _remember(self, memory: TableLinkMemory) -> None:
        self.memory = memory

    def _boot(self) -> None:
        if not self.powered or self._talk is not None:
            return
        self._starts += 1
        drawn = sha256(self.identity.device + b"boot %d" % self._starts).digest()
        boot = Boot(int.from_bytes(drawn[:4], "little"), self.memory.booted(), self._at_ns)
        self._boot_now = boot
        self._note(Kind.POWER_UP, {1: boot.count, 2: self._broken_off()})
        ware = self.identity.firmware
        if self.memory.facts.get("image", ware.image) == ware.image:
            self.memory.put("image", ware.image)
        else:
            body: Map = {1: ware.image, 2: ware.version}
            self._note(Kind.FW_CHANGED, body, ("image", ware.image))
        self._woken()
        self._talk = Talk(self.role, self.identity, self.memory, boot, self._judge, self.log.finish)

    def _note(self, kind: Kind, body: Map, fact: tuple[str, Value] | None = None) -> bool:
        """Record an event; without power nobody does."""
        return self.powered and self.memory.record(kind, body, self._moment, fact)

    @property
    def _moment(self) -> Moment:
        return self._boot_now.moment(self._at_ns)
