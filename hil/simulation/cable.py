"""A cable in memory: the program's port on one end, a device on the other, no operating system.

Not: time. The delays of a fault plan are left out; the order of pieces is kept.
"""

from collections import deque
from collections.abc import Callable
from threading import Condition
from typing import Final, Generic

from firmware_bridge.transport.port import PortEnd, PortGone, PortUnavailable
from foundation.message import message
from hil.dealing.truth import ReportTruth
from hil.emulator.lines.faults import FaultPlan
from hil.emulator.lines.line import DeviceT
from hil.emulator.lines.reports import Report
from hil.emulator.lines.transmission import transmission_of

_CABLE: Final = "cable"


class _Wire:
    """What both ends share, guarded by `changed`. `generation` counts the pluggings-in."""

    def __init__(self) -> None:
        self.changed = Condition()
        self.to_host: deque[bytes] = deque()
        self.to_device = bytearray()
        self.plugged = True
        self.generation = 1


class Cable:
    """Both ends. A new cable is plugged in; bytes sent while it is unplugged are lost."""

    def __init__(self, faults: FaultPlan | None = None, read_timeout_s: float = 0.1) -> None:
        self._faults = faults
        self._wire = _Wire()
        self._writes = 0
        self.host = CablePort(self._wire, read_timeout_s)

    def device_write(self, data: bytes) -> None:
        """The device sends; the fault plan decides what arrives and in which pieces."""
        self._writes += 1
        if self._faults is None:
            self.deliver(data)
            return
        for piece, _ in self._faults.apply(data, self._writes):
            self.deliver(piece)

    def deliver(self, piece: bytes) -> bool:
        """Deliver one piece to the host without the fault plan; False if the cable is unplugged."""
        with self._wire.changed:
            if self._wire.plugged and piece:
                self._wire.to_host.append(piece)
                self._wire.changed.notify_all()
            return self._wire.plugged

    def device_read(self) -> bytes:
        """All the host has written since the last call; never blocks."""
        with self._wire.changed:
            data = bytes(self._wire.to_device)
            self._wire.to_device.clear()
            return data

    def unplug(self) -> None:
        """Pull the plug: bytes under way are lost, a blocked read raises PortGone."""
        with self._wire.changed:
            self._wire.plugged = False
            self._wire.to_host.clear()
            self._wire.to_device.clear()
            self._wire.changed.notify_all()

    def plug(self) -> None:
        """Plug in again; a port that was open before has to be opened again."""
        with self._wire.changed:
            self._wire.plugged = True
            self._wire.generation += 1
            self._wire.changed.notify_all()


class CablePort:
    """The host's end: a Port of firmware_bridge.transport.port."""

    def __init__(self, wire: _Wire, read_timeout_s: float) -> None:
        self._wire = wire
        self._read_timeout_s = read_timeout_s
        self._opened_generation = 0

    def open(self) -> None:
        """Open exclusively. Raises PortUnavailable."""
        with self._wire.changed:
            if self._alive():
                raise PortUnavailable(message("port_held_by_other_program", port=_CABLE))
            if not self._wire.plugged:
                raise PortUnavailable(message("port_does_not_exist", port=_CABLE))
            self._opened_generation = self._wire.generation

    def read(self) -> bytes:
        """The next piece, or b"" after the time-out. Raises PortGone."""
        with self._wire.changed:
            self._wire.changed.wait_for(
                lambda: self._wire.to_host or not self._alive(), self._read_timeout_s
            )
            self._check()
            return self._wire.to_host.popleft() if self._wire.to_host else b""

    def write(self, data: bytes) -> None:
        """Hand it to the device. Raises PortGone."""
        with self._wire.changed:
            self._check()
            self._wire.to_device.extend(data)

    def close(self) -> None:
        """Close; a blocked read raises PortGone."""
        with self._wire.changed:
            self._opened_generation = 0
            self._wire.changed.notify_all()

    def _alive(self) -> bool:
        return self._wire.plugged and self._opened_generation == self._wire.generation

    def _check(self) -> None:
        """Under the lock: raise PortGone unless open and plugged."""
        if self._opened_generation == 0:
            raise PortGone(message("port_is_closed", port=_CABLE))
        if not self._alive():
            self._opened_generation = 0
            raise PortGone(message("usb_unplugged"), PortEnd.READ_ERROR)


class CableOutlet(Generic[DeviceT]):
    """An emulated device at the far end of a cable; everything happens in the caller's thread."""

    def __init__(
        self,
        emulator: DeviceT,
        cable: Cable,
        clock_ns: Callable[[], int],
        faults: FaultPlan | None = None,
    ) -> None:
        self.emulator = emulator
        self._cable = cable
        self._clock_ns = clock_ns
        self._faults = faults

    def perform(self, act: Callable[[DeviceT], tuple[Report, ...]]) -> tuple[Report, ...]:
        """Do something to the device and send the reports it makes."""
        reports = act(self.emulator)
        self.settle()
        return reports

    def settle(self, timeout_s: float = 0.0) -> bool:
        """Pass on the host's commands and send what is due now; True if nothing is left to send."""
        at_ns = self._clock_ns()
        commands = self._cable.device_read()
        answer = (
            self.emulator.receive(commands, at_ns)
            if commands
            else self.emulator.overdue_answer(at_ns)
        )
        self._cable.deliver(answer)
        copies = self.emulator.due(at_ns)
        if copies:
            batch = transmission_of(copies, self._faults, at_ns)
            while not batch.done:
                piece = batch.pieces[0][0]
                batch.advance(len(piece), arrived=self._cable.deliver(piece))
            self.emulator.log.settle(batch)
        return self.emulator.idle

    def take_reports(self) -> tuple[ReportTruth, ...]:
        """The reports whose last copy has left since the last call."""
        return self.emulator.log.take()
