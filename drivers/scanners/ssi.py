"""Driver of a bar code scanner over Zebra's Simple Serial Interface.

Source: firmware_bridge README, "Scanners", SSI.
"""

from types import MappingProxyType
from typing import assert_never

from msgspec import field

from drivers.commands import DeviceCommand
from drivers.events import CommandAnswered, DeviceEvent, Stage
from drivers.faults import DeviceFault
from drivers.scanners.scan_text import parse_scan, refuse_command
from drivers.scanners.symbologies import ssi_symbology
from drivers.shell import LinkDriver, LinkedState, StageStep
from firmware_bridge.link import LinkFault
from firmware_bridge.ssi.exchange import RequestDone, RequestRefused, RequestUnanswered
from firmware_bridge.ssi.link import (
    ScannerEvent,
    ScannerRevision,
    SsiItem,
    SsiLink,
    SsiLinkState,
    SsiProgress,
    SsiScan,
)
from firmware_bridge.ssi.settings import SsiLinkSettings
from foundation.message import message
from foundation.timestamp import Timestamp

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


class SsiScannerState(LinkedState[SsiLinkState], frozen=True, tag="ssi-scanner-state"):
    pass


class SsiScanner(LinkDriver[SsiScannerState, SsiItem | LinkFault], frozen=True):
    settings: SsiLinkSettings = field(default_factory=SsiLinkSettings)

    @property
    def link(self) -> SsiLink:
        return SsiLink(self.settings)

    def initial(self) -> SsiScannerState:
        """The state before the port was first opened."""
        return SsiScannerState(Stage.CLOSED, self.link.initial())

    def request(self, state: SsiScannerState, command: DeviceCommand) -> CommandAnswered | None:
        """Refuse any command: a scanner takes none."""
        return refuse_command(command)

    def reached(
        self, state: SsiScannerState, link: SsiLinkState, items: object
    ) -> tuple[StageStep, ...]:
        """The stages that the link's progress proves."""
        return _STAGES_REACHED[link.progress]

    def item(
        self, state: SsiScannerState, item: SsiItem | LinkFault, at: Timestamp
    ) -> tuple[SsiScannerState, tuple[DeviceEvent, ...]]:
        """Map one item of the link."""
        return state, _device_events(item)


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
