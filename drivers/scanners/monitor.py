"""Shows a scanner's traffic at three levels: bytes, decoded frames, device events.

A coded card's bar code is its face, so masked, the default, no line holds the text of a code.

Source: drivers/README.md, "Monitor" and "Scanners".
"""

from collections.abc import Iterator
from typing import TypeAlias, assert_never, cast

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.events import BarCodeRead, DeviceEvent
from drivers.interface import Driver
from drivers.monitor import Words, event_text, fault_text
from drivers.scanners.hid_pos import HidPosScanner, HidPosScannerState
from drivers.scanners.ssi import SsiScanner, SsiScannerState
from firmware_bridge.hid_pos.reports import MalformedReport, ScanReport
from firmware_bridge.hid_pos.reports import feed as feed_reports
from firmware_bridge.link import LinkFault, Unframed
from firmware_bridge.ssi.packets import Packet
from firmware_bridge.ssi.packets import feed as feed_packets
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened

MonitoredScanner: TypeAlias = HidPosScanner | SsiScanner
MonitoredScannerState: TypeAlias = HidPosScannerState | SsiScannerState


class ScannerMonitorState(Struct, frozen=True):
    """What each level carries from one port event to the next."""

    scanner: MonitoredScannerState
    pending: bytes = b""
    unframed: Unframed = field(default_factory=Unframed)


class ScannerMonitor(Struct, frozen=True):
    """`words` makes those of a message. `masked` is off only while the port is in maintenance."""

    words: Words
    scanner: MonitoredScanner
    masked: bool = True

    def initial(self) -> ScannerMonitorState:
        """The state before the port was opened."""
        return ScannerMonitorState(self.scanner.initial())

    def watch(
        self, state: ScannerMonitorState, event: PortEvent
    ) -> tuple[ScannerMonitorState, tuple[str, ...]]:
        """The lines of one port event, each beginning with its level."""
        lines: list[str] = []
        match event:
            case Chunk(data=data):
                lines.append(f"bytes  {self._data_text(data)}")
                state, frames = self._frame_lines(state, data)
                lines.extend(f"frame  {line}" for line in frames)
            case PortOpened() | PortLost():
                state = replace(state, pending=b"", unframed=Unframed())
        driver = cast("Driver[MonitoredScannerState]", self.scanner)
        scanner, output = driver.receive(state.scanner, event)
        lines.extend(f"event  {self._event_line(one)}" for one in output.events)
        return replace(state, scanner=scanner), tuple(lines)

    def _frame_lines(
        self, state: ScannerMonitorState, data: bytes
    ) -> tuple[ScannerMonitorState, tuple[str, ...]]:
        match self.scanner:
            case HidPosScanner():
                pending, reports = feed_reports(state.pending, data)
                return replace(state, pending=pending), tuple(self._report_lines(reports))
            case SsiScanner():
                unframed, packets = feed_packets(state.unframed, data)
                return replace(state, unframed=unframed), tuple(self._packet_lines(packets))
            case _:
                assert_never(self.scanner)

    def _report_lines(
        self, found: tuple[ScanReport | MalformedReport | LinkFault, ...]
    ) -> Iterator[str]:
        for one in found:
            match one:
                case ScanReport(text, aim, _symbology, more):
                    yield f"report {aim} {self._data_text(text)}{', continued' if more else ''}"
                case MalformedReport(fault) | (LinkFault() as fault):
                    yield fault_text(fault, self.words)
                case _:
                    assert_never(one)

    def _packet_lines(self, found: tuple[Packet | LinkFault, ...]) -> Iterator[str]:
        for one in found:
            match one:
                case Packet(opcode, status, data):
                    line = f"packet {opcode:02X} status {status:02X} {self._data_text(data)}"
                    yield line.rstrip()
                case LinkFault():
                    yield fault_text(one, self.words)
                case _:
                    assert_never(one)

    def _data_text(self, data: bytes) -> str:
        return " ".join([".."] * len(data)) if self.masked else data.hex(" ").upper()

    def _event_line(self, event: DeviceEvent) -> str:
        if self.masked and isinstance(event, BarCodeRead):
            return f"bar code of {len(event.text)} characters, {event.symbology}"
        return event_text(event, self.words, masked=self.masked)
