"""Watching a scanner at three levels: bytes arrived, frame decoded, event understood.

Responsible for: turning port events into lines that tell a dead cable from a dead parser.
Not responsible for: printing them and for what may be shown unmasked (the caller says).

A coded card's bar code is its face, so masked, the default, no line holds the text of a code.
Source: package README, "Monitor" and "Scanners".
"""

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias, assert_never, cast

from drivers.events import BarCodeRead, DeviceEvent
from drivers.interface import Driver
from drivers.monitor import event_text
from drivers.scanners.hid_pos import HidPosScanner, HidPosScannerState
from drivers.scanners.ssi import SsiScanner, SsiScannerState
from firmware_bridge.hid_pos.reports import BadReport, Report
from firmware_bridge.hid_pos.reports import feed as feed_reports
from firmware_bridge.link import LinkFault
from firmware_bridge.ssi.packets import Packet, Unframed
from firmware_bridge.ssi.packets import feed as feed_packets
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from firmware_bridge.values import dataclass, replace

Watched: TypeAlias = HidPosScanner | SsiScanner
WatchedState: TypeAlias = HidPosScannerState | SsiScannerState


@dataclass(frozen=True, slots=True)
class ScannerMonitorState:
    """What each level needs from one port event to the next."""

    scanner: WatchedState
    pending: bytes = b""
    unframed: Unframed = field(default_factory=Unframed)


@dataclass(frozen=True, slots=True)
class ScannerMonitor:
    """`masked` is off only while the port is in maintenance."""

    scanner: Watched
    masked: bool = True

    def initial(self) -> ScannerMonitorState:
        """Before the port was opened."""
        return ScannerMonitorState(self.scanner.initial())

    def watch(
        self, state: ScannerMonitorState, event: PortEvent
    ) -> tuple[ScannerMonitorState, tuple[str, ...]]:
        """The lines of one port event, each beginning with its level."""
        lines: list[str] = []
        match event:
            case Chunk(data=data):
                lines.append(f"bytes  {self._raw(data)}")
                state, frames = self._frames(state, data)
                lines.extend(f"frame  {line}" for line in frames)
            case PortOpened() | PortLost():
                state = replace(state, pending=b"", unframed=Unframed())
        driver = cast("Driver[WatchedState]", self.scanner)
        scanner, output = driver.receive(state.scanner, event)
        lines.extend(f"event  {self._event(one)}" for one in output.events)
        return replace(state, scanner=scanner), tuple(lines)

    def _frames(
        self, state: ScannerMonitorState, data: bytes
    ) -> tuple[ScannerMonitorState, tuple[str, ...]]:
        match self.scanner:
            case HidPosScanner():
                pending, reports = feed_reports(state.pending, data)
                return replace(state, pending=pending), tuple(self._reports(reports))
            case SsiScanner():
                unframed, packets = feed_packets(state.unframed, data)
                return replace(state, unframed=unframed), tuple(self._packets(packets))
            case _:
                assert_never(self.scanner)

    def _reports(self, found: tuple[Report | BadReport | LinkFault, ...]) -> Iterator[str]:
        for one in found:
            match one:
                case Report(text, aim, _symbology, more):
                    yield f"report {aim} {self._raw(text)}{' and more' if more else ''}"
                case BadReport(fault) | (LinkFault() as fault):
                    yield f"{fault.kind}: {fault.detail}"
                case _:
                    assert_never(one)

    def _packets(self, found: tuple[Packet | LinkFault, ...]) -> Iterator[str]:
        for one in found:
            match one:
                case Packet(opcode, status, data):
                    yield f"packet {opcode:02X} status {status:02X} {self._raw(data)}".rstrip()
                case LinkFault(kind, detail):
                    yield f"{kind}: {detail}"
                case _:
                    assert_never(one)

    def _raw(self, data: bytes) -> str:
        return " ".join([".."] * len(data)) if self.masked else data.hex(" ").upper()

    def _event(self, event: DeviceEvent) -> str:
        if self.masked and isinstance(event, BarCodeRead):
            return f"bar code of {len(event.text)} characters, {event.symbology}"
        return event_text(event, masked=self.masked)
