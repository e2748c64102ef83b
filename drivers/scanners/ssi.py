"""Driver of a bar code scanner over Zebra's Simple Serial Interface.

Source: drivers/README.md, "Scanners"; firmware_bridge README, "Scanners", SSI.
"""

from types import MappingProxyType
from typing import assert_never

from msgspec import Struct, field

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, Stage
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.lifecycle import OPENED, StageStep, advance_through
from drivers.scanners.scan_text import parse_scan, refuse_command
from drivers.scanners.symbologies import ssi_symbology
from firmware_bridge.link import LinkFault
from firmware_bridge.message import message
from firmware_bridge.ssi.exchange import RequestDone, RequestRefused, RequestUnanswered
from firmware_bridge.ssi.link import (
    ScannerEvent,
    ScannerRevision,
    SsiItem,
    SsiLink,
    SsiLinkResult,
    SsiLinkState,
    SsiProgress,
    SsiScan,
)
from firmware_bridge.ssi.settings import SsiLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened

_IDENTIFIED = (Stage.IDENTIFIED, message("first_good_packet_received"))
_STAGES_REACHED = MappingProxyType(
    {
        SsiProgress.NOTHING: (),
        SsiProgress.PACKET: (_IDENTIFIED,),
        SsiProgress.READY: (
            _IDENTIFIED,
            (Stage.ONLINE, message("scanner_acknowledged_enabled")),
        ),
    }
)


class SsiScannerState(Struct, frozen=True, tag="ssi-scanner-state"):
    stage: Stage
    link: SsiLinkState


class SsiScanner(Struct, frozen=True):
    """Implements drivers.interface.Driver."""

    settings: SsiLinkSettings = field(default_factory=SsiLinkSettings)

    def initial(self) -> SsiScannerState:
        """The state before the port was first opened."""
        return SsiScannerState(Stage.CLOSED, self._link.initial())

    def receive(
        self, state: SsiScannerState, event: PortEvent
    ) -> tuple[SsiScannerState, DriverOutput]:
        """Process one event of the port."""
        match event:
            case PortOpened(at=at):
                return _map_output(state, self._link.opened(state.link, at), OPENED)
            case Chunk(at=at, data=data):
                return _map_output(state, self._link.receive(state.link, data, at))
            case PortLost(at=at, reason=reason):
                return _map_output(state, self._link.closed(state.link, at), (Stage.LOST, reason))
            case _:
                assert_never(event)

    def command(
        self, state: SsiScannerState, command: DeviceCommand, at: Timestamp
    ) -> tuple[SsiScannerState, DriverOutput]:
        """Refuse any command: a scanner takes none."""
        return state, refuse_command(command)

    def tick(self, state: SsiScannerState, at: Timestamp) -> tuple[SsiScannerState, DriverOutput]:
        """Process deadlines that have passed."""
        return _map_output(state, self._link.tick(state.link, at))

    def next_deadline_ns(self, state: SsiScannerState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    @property
    def _link(self) -> SsiLink:
        return SsiLink(self.settings)


def _map_output(
    state: SsiScannerState, linked: SsiLinkResult, to: StageStep | None = None
) -> tuple[SsiScannerState, DriverOutput]:
    """Map the link's output; `to` is the stage that the port's event brings."""
    link, output = linked
    stages = () if to is None else (to,)
    stage, changed = advance_through(state.stage, (*stages, *_STAGES_REACHED[link.progress]))
    events: list[DeviceEvent] = list(changed)
    for item in output.items:
        events.extend(_device_events(item))
    return SsiScannerState(stage, link), DriverOutput(
        tuple(events), output.to_write, output.at_once
    )


def _device_events(item: SsiItem | LinkFault) -> tuple[DeviceEvent, ...]:
    """The device events of one item; none for items about the scanner itself."""
    match item:
        case LinkFault(kind, detail):
            return (DeviceFault(kind, detail),)
        case SsiScan(text, code_type):
            return (parse_scan(text, ssi_symbology(code_type)),)
        case (
            ScannerRevision()
            | ScannerEvent()
            | RequestDone()
            | RequestRefused()
            | RequestUnanswered()
        ):
            return ()
        case _:
            assert_never(item)
