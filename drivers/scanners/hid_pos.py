"""Driver of a bar code scanner in USB HID POS mode: turns whole scans into bar codes read.

The protocol has no acknowledgements: a scan made while the port is not read is lost without a
trace, so the operator has to check that it arrived.

Source: firmware_bridge README, "Scanners", USB HID POS.
"""

from types import MappingProxyType
from typing import assert_never

from msgspec import field

from drivers.commands import DeviceCommand
from drivers.events import CommandAnswered, DeviceEvent, Stage
from drivers.faults import DeviceFault
from drivers.scanners.scan_text import parse_scan, refuse_command
from drivers.scanners.symbologies import aim_symbology
from drivers.shell import LinkDriver, LinkedState, StageStep
from firmware_bridge.hid_pos.link import (
    HidPosItem,
    HidPosLink,
    HidPosLinkState,
    HidPosProgress,
    HidPosScan,
)
from firmware_bridge.hid_pos.settings import HidPosLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind
from foundation.message import message
from foundation.timestamp import Timestamp

# AIM code letter of data that is not from a bar code, such as answers to requests.
_NO_BAR_CODE = "Z"

_IDENTIFIED = (Stage.IDENTIFIED, message("first_report_received"))
_STAGES_REACHED = MappingProxyType(
    {
        HidPosProgress.NOTHING: (),
        HidPosProgress.REPORT: (_IDENTIFIED,),
        HidPosProgress.SCAN: (
            _IDENTIFIED,
            (Stage.ONLINE, message("first_whole_scan_received")),
        ),
    }
)


class HidPosScannerState(LinkedState[HidPosLinkState], frozen=True, tag="hid-pos-scanner-state"):
    pass


class HidPosScanner(LinkDriver[HidPosScannerState, HidPosItem | LinkFault], frozen=True):
    settings: HidPosLinkSettings = field(default_factory=HidPosLinkSettings)

    @property
    def link(self) -> HidPosLink:
        return HidPosLink(self.settings)

    def initial(self) -> HidPosScannerState:
        """The state before the port was first opened."""
        return HidPosScannerState(Stage.CLOSED, self.link.initial())

    def request(self, state: HidPosScannerState, command: DeviceCommand) -> CommandAnswered | None:
        """Refuse any command: a scanner takes none."""
        return refuse_command(command)

    def reached(
        self, state: HidPosScannerState, link: HidPosLinkState, items: object
    ) -> tuple[StageStep, ...]:
        """The stages that the link's progress proves."""
        return _STAGES_REACHED[link.progress]

    def item(
        self, state: HidPosScannerState, item: HidPosItem | LinkFault, at: Timestamp
    ) -> tuple[HidPosScannerState, tuple[DeviceEvent, ...]]:
        """Map one item of the link."""
        return state, (_device_event(item),)


def _device_event(item: HidPosItem | LinkFault) -> DeviceEvent:
    match item:
        case LinkFault(kind, detail):
            return DeviceFault(kind, detail)
        case HidPosScan(text, aim) if aim[1:2] == _NO_BAR_CODE:
            detail = message("characters_not_from_bar_code", characters=len(text))
            return DeviceFault(LinkFaultKind.MALFORMED, detail)
        case HidPosScan(text, aim):
            return parse_scan(text, aim_symbology(aim))
        case _:
            assert_never(item)
