"""Tests an SSI scanner on a real pseudo terminal: pyserial, the pump's threads, real time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import Empty, Queue
from typing import Any, TypeAlias, cast

import pytest

from drivers.events import BarCodeRead, DeviceEvent, Stage, StageChanged
from drivers.interface import Driver, DriverOutput
from drivers.scanners.models import ZEBRA_SSI
from drivers.shell import OPENED
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import PortEvent
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.serial_port import SerialPort
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.emulator.scanners.line import ScannerLine
from hil.emulator.scanners.ssi import SsiDevice, SsiSettings

BAUD = ZEBRA_SSI.baud

Server: TypeAlias = PtyServer[ScannerLine[SsiDevice]]


@dataclass
class Reading:
    """The driver on its port, run in the test's thread; collects its events."""

    pump: PortPump
    arrived: Queue[PortEvent]
    events: list[DeviceEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.driver = cast("Driver[Any]", ZEBRA_SSI.build())
        self.state = self.driver.initial()

    def until(self, ready: Callable[[], bool]) -> None:
        """Process input and deadlines until `ready`."""
        while not ready():
            due_ns = self.driver.next_deadline_ns(self.state)
            wait_s = 0.05 if due_ns is None else (due_ns - now().monotonic_ns) / 1e9
            try:
                event = self.arrived.get(timeout=min(max(wait_s, 0.001), 0.05))
            except Empty:
                self._collect(self.driver.tick(self.state, now()))
            else:
                self._collect(self.driver.receive(self.state, event))

    def is_online(self) -> bool:
        return self.state.stage is Stage.ONLINE

    def texts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, BarCodeRead)]

    def _collect(self, given: tuple[Any, DriverOutput]) -> None:
        self.state, output = given
        self.events.extend(output.events)
        for data in (*output.at_once, *output.to_write):
            self.pump.write(data)


@pytest.fixture
def server() -> Iterator[Server]:
    scanner = SsiDevice(SsiSettings(resends_max=None))
    with PtyServer(ScannerLine(scanner), LineServerSettings(baud=BAUD)) as served:
        yield served


@pytest.fixture
def reading(server: Server) -> Iterator[Reading]:
    arrived: Queue[PortEvent] = Queue()
    pump = PortPump("scanner", SerialPort(server.path, BAUD), arrived.put)
    pump.start()
    yield Reading(pump, arrived)
    pump.stop()
    assert pump.join()


def scan(server: Server, text: bytes) -> None:
    def read(line: ScannerLine[SsiDevice]) -> tuple[()]:
        assert line.scanner.scan(text)
        return ()

    server.perform(read)


def all_acknowledged(server: Server, count: int) -> Callable[[], bool]:
    return lambda: server.wait_for(
        lambda line: len(line.scanner.acknowledged) == count, timeout_s=0.001
    )


def test_a_scanner_is_set_up_and_its_scans_are_read_and_acknowledged(
    server: Server, reading: Reading
) -> None:
    reading.until(reading.is_online)
    scan(server, b"PACK-0001")
    scan(server, b"PACK-0002")
    reading.until(all_acknowledged(server, 2))

    assert reading.texts() == ["PACK-0001", "PACK-0002"]
    assert server.host_baud == BAUD


def test_a_scan_made_while_unplugged_arrives_once_after_replugging(
    server: Server, reading: Reading
) -> None:
    reading.until(reading.is_online)
    server.unplug()
    reading.until(lambda: reading.state.stage is Stage.LOST)
    scan(server, b"PACK-0001")
    server.replug()
    reading.until(all_acknowledged(server, 1))

    assert reading.texts() == ["PACK-0001"]
    assert StageChanged(*OPENED) in reading.events
