"""A whole table under a simulated clock: the program's core, emulated devices, no threads."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from controller.core.build import build_core
from controller.core.core import Core
from controller.core.settings import Settings
from controller.core.state import CoreState
from controller.core.stored_settings import SETTINGS
from controller.core.tape.entries import CoreOutput, Entry
from controller.core.tape.inputs import Input, Started, Tick
from controller.procedure.people.permitted import permitted_decisions
from controller.rules.actions.actions import Action, OperatorAction, Resolution
from controller.rules.actions.choices import Provisional
from controller.rules.actions.declaration import Role
from controller.rules.profiles.load import load_clauses, profile_text
from controller.version import software_identifier
from firmware_bridge.transport.port import Chunk, PortEnd, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.dealing.truth import ReportTruth
from hil.emulator.lines.served_device import ServedDevice
from hil.emulator.lines.transmission import transmission_of
from hil.rig.in_process import DECISION_PREFERENCE, utc_zone

UTC_NS = 1_795_000_000_000_000_000  # within 2026-11-18
ENTROPY = bytes(range(32))
NS_PER_MS = 1_000_000
# After so many moments the table is taken to be in an endless loop.
MOMENTS_MAX = 200_000


class Line(Protocol):
    """A line that does something to the bytes of a device on their way to the program."""

    @property
    def next_due_ns(self) -> int | None:
        """When the next bytes arrive."""
        ...

    def send(self, frames: bytes, at_ns: int) -> None:
        """The device sends these frames together."""
        ...

    def arriving(self, at_ns: int) -> bytes:
        """The bytes that arrive now."""
        ...

    def clear(self) -> None:
        """The cable is pulled: what is under way is lost."""
        ...


class SimulatedTable:
    """`devices` by port, each plugged in from the start. `clock_ns` is the simulated time.

    `booted_ns` is when the program's computer booted: its monotonic clock counts from then.
    `utc_step_ns` is how far its UTC was set forward. `lines` are those that do something to the
    bytes of a device; elsewhere they arrive at once and as they were sent.
    """

    def __init__(
        self, settings: Settings, profile: str, devices: Mapping[str, ServedDevice]
    ) -> None:
        zone, text = utc_zone(), profile_text(profile).encode()
        configuration = SETTINGS.encode(settings)
        self.clock_ns = 1_000_000_000
        self.booted_ns = 0
        self.utc_step_ns = 0
        self.lines: dict[str, Line] = {}
        self.entries: list[Entry] = []
        self.inputs: list[Input] = []
        self._devices = dict(devices)
        self._plugged = dict.fromkeys(devices, False)
        started = Started(
            self.at, "simulated", software_identifier(), configuration, text, zone, ""
        )
        self.core: Core = build_core(started, load_clauses())
        self.state: CoreState = self.core.initial()
        self.take(started)
        for port in self._devices:
            self.plug(port)

    @property
    def at(self) -> Timestamp:
        utc_ns = UTC_NS + self.clock_ns + self.utc_step_ns
        return Timestamp(self.clock_ns - self.booted_ns, utc_ns)

    def take(self, item: Input) -> tuple[Entry, ...]:
        """Give the core one input and pass its writes to the devices."""
        output = self._stored_output(item)
        for port, data in output.at_once:
            self._to_device(port, data)
        self._write(output.writes)
        return output.entries

    def _stored_output(self, item: Input) -> CoreOutput:
        """The core takes one input; its output is stored, and nothing of it is written yet."""
        self.inputs.append(item)
        self.state, output = self.core.handle(self.state, item)
        self.entries.extend(output.entries)
        return output

    def _write(self, writes: tuple[tuple[str, bytes], ...]) -> None:
        """Pass what was to be written after the store to the devices."""
        for port, data in writes:
            self._to_device(port, data)

    def plug(self, port: str) -> None:
        """Plug the device in: its port opens."""
        assert not self._plugged[port], f"{port} is plugged in"
        self._plugged[port] = True
        self._devices[port].host_appeared(self.clock_ns)
        self.take(PortOpened(port, self.at, ENTROPY))

    @property
    def ports(self) -> tuple[str, ...]:
        return tuple(self._devices)

    @property
    def devices(self) -> Mapping[str, ServedDevice]:
        """The emulated devices by port."""
        return self._devices

    def is_plugged(self, port: str) -> bool:
        """Whether the device is plugged in."""
        return self._plugged[port]

    def unplug(self, port: str) -> None:
        """Pull the device's cable: bytes under way are lost."""
        assert self._plugged[port], f"{port} is not plugged in"
        self._plugged[port] = False
        if port in self.lines:
            self.lines[port].clear()
        self.take(PortLost(port, self.at, message("usb_unplugged"), PortEnd.READ_ERROR))

    def act(
        self, action: Action, role: Role = Role.DEALER, reason: str = "simulated"
    ) -> tuple[Entry, ...]:
        """Act as a person."""
        return self.take(OperatorAction(self.at, role.value, role, "simulation", action, reason))

    def resolve_if_permitted(self) -> None:
        """Take the first permitted decision, as hil.rig.in_process's floorperson does."""
        permitted = permitted_decisions(self.core.book, self.state.table, Provisional.TAKE_OVER)
        decision = next((one for one in DECISION_PREFERENCE if one in permitted), None)
        if decision is None:
            return
        resolution = Resolution(decision, Provisional.TAKE_OVER)
        self.act(resolution, Role.FLOORPERSON)

    def advance(self, pause_ns: int) -> None:
        """Let `pause_ns` pass and do all that is due meanwhile."""
        self._run(self.clock_ns + pause_ns, lambda: False)

    def settle(self, done: Callable[[], bool], longest_ns: int = 60_000 * NS_PER_MS) -> bool:
        """Let time pass until `done`, at most `longest_ns`; whether it is done."""
        self._run(self.clock_ns + longest_ns, done)
        return done()

    def _run(self, until_ns: int, done: Callable[[], bool]) -> None:
        for _ in range(MOMENTS_MAX):
            if done():
                return
            next_ns = self._next_ns()
            if next_ns is None or next_ns > until_ns:
                break
            self.clock_ns = max(self.clock_ns, next_ns)
            self._moment()
        else:
            raise RuntimeError("the devices and the program never come to rest")
        self.clock_ns = max(self.clock_ns, until_ns)

    def _next_ns(self) -> int | None:
        """When the next thing is due, of a device or of the program."""
        dues: list[int | None] = [self._deadline_ns()]
        dues.extend(device.next_due_ns for device in self._devices.values())
        dues.extend(line.next_due_ns for line in self.lines.values())
        return min((due for due in dues if due is not None), default=None)

    def _moment(self) -> None:
        for port, device in self._devices.items():
            due_ns = device.next_due_ns
            if due_ns is not None and due_ns <= self.clock_ns:
                self._from_device(port, device)
        for port, line in self.lines.items():
            self._arrived(port, line.arriving(self.clock_ns))
        deadline_ns = self._deadline_ns()
        if deadline_ns is not None and deadline_ns <= self.clock_ns:
            self.take(Tick(self.at))

    def _deadline_ns(self) -> int | None:
        """When the program is due for a tick."""
        due_ns = self.core.next_deadline_ns(self.state)
        return None if due_ns is None else due_ns + self.booted_ns

    def _from_device(self, port: str, device: ServedDevice) -> None:
        self._sent(port, device.overdue_answer(self.clock_ns))
        copies = device.due(self.clock_ns)
        if not copies:
            return
        batch = transmission_of(copies, None, self.clock_ns)
        if port in self.lines:
            self._sent(port, b"".join(copy.report.frame for copy in copies))
            batch.drop_rest()
        while not batch.done:
            piece = batch.pieces[0][0]
            arrived = self._arrived(port, piece)
            batch.advance(len(piece), arrived=arrived)
        device.log.settle(batch)

    def _sent(self, port: str, data: bytes) -> None:
        """The device sends these bytes."""
        line = self.lines.get(port)
        if line is None:
            self._arrived(port, data)
        elif data and self._plugged[port]:
            line.send(data, self.clock_ns)
            self._arrived(port, line.arriving(self.clock_ns))

    def _arrived(self, port: str, data: bytes) -> bool:
        plugged = self._plugged[port]
        if plugged and data:
            self.take(Chunk(port, self.at, data))
        return plugged

    def _to_device(self, port: str, data: bytes) -> None:
        if self._plugged.get(port):
            self._sent(port, self._devices[port].receive(data, self.clock_ns))


class SimulatedOutlet:
    """One device of a simulated table, for hil.rig.shoe_runner.

    `idle`: whether all its reports have arrived.
    """

    def __init__(
        self, table: SimulatedTable, device: ServedDevice, idle: Callable[[], bool]
    ) -> None:
        self._table = table
        self._device = device
        self._idle = idle

    def perform(self, act: Callable[..., Sequence[object]]) -> Sequence[object]:
        """Do something to the device."""
        return act(self._device)

    def settle(self) -> bool:
        """Let time pass until all reports have arrived."""
        return self._table.settle(self._idle)

    def take_reports(self) -> tuple[ReportTruth, ...]:
        """The reports that have left since the last call."""
        return self._device.log.take()
