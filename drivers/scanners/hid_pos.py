"""Driver of a bar code scanner in USB HID POS mode: turns whole scans into bar codes read.

The protocol has no acknowledgements: a scan made while the port is not read is lost without a
trace, so the operator has to check that it arrived.

Source: drivers/README.md, "Scanners"; firmware_bridge README, "Scanners", USB HID POS.
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
from drivers.scanners.symbologies import aim_symbology
from firmware_bridge.hid_pos.link import (
    HidPosItem,
    HidPosLink,
    HidPosLinkResult,
    HidPosLinkState,
    HidPosProgress,
    HidPosScan,
)
from firmware_bridge.hid_pos.settings import HidPosLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.message import message
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened

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


class HidPosScannerState(Struct, frozen=True, tag="hid-pos-scanner-state"):
    stage: Stage
    link: HidPosLinkState


class HidPosScanner(Struct, frozen=True):
    """Implements drivers.interface.Driver."""

    settings: HidPosLinkSettings = field(default_factory=HidPosLinkSettings)

    def initial(self) -> HidPosScannerState:
        """The state before the port was first opened."""
        return HidPosScannerState(Stage.CLOSED, self._link.initial())

    def receive(
        self, state: HidPosScannerState, event: PortEvent
    ) -> tuple[HidPosScannerState, DriverOutput]:
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
        self, state: HidPosScannerState, command: DeviceCommand, at: Timestamp
    ) -> tuple[HidPosScannerState, DriverOutput]:
        """Refuse any command: a scanner takes none."""
        return state, refuse_command(command)

    def tick(
        self, state: HidPosScannerState, at: Timestamp
    ) -> tuple[HidPosScannerState, DriverOutput]:
        """Process deadlines that have passed."""
        return _map_output(state, self._link.tick(state.link, at))

    def next_deadline_ns(self, state: HidPosScannerState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    @property
    def _link(self) -> HidPosLink:
        return HidPosLink(self.settings)


def _map_output(
    state: HidPosScannerState, linked: HidPosLinkResult, to: StageStep | None = None
) -> tuple[HidPosScannerState, DriverOutput]:
    """Map the link's output; `to` is the stage that the port's event brings."""
    link, output = linked
    stages = () if to is None else (to,)
    stage, changed = advance_through(state.stage, (*stages, *_STAGES_REACHED[link.progress]))
    events: list[DeviceEvent] = list(changed)
    events.extend(_device_event(item) for item in output.items)
    return HidPosScannerState(stage, link), DriverOutput(
        tuple(events), output.to_write, output.at_once
    )


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
