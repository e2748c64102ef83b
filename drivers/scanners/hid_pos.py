"""A bar code scanner in USB HID POS mode: whole scans to bar codes read.

Responsible for: the scanner's life cycle, and letting only harmless texts pass.
Not responsible for: reports (firmware_bridge.hid_pos) and for what a bar code binds (controller).

The protocol acknowledges nothing: a scan made while the port is not read is lost without a trace,
and whoever scans has to look whether it arrived.
Source: package README, "Scanners"; firmware_bridge README, "Scanners", USB HID POS.
"""

from dataclasses import field
from types import MappingProxyType
from typing import assert_never

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, Stage
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.lifecycle import advance_through
from drivers.scanners.reading import reading_of, refused_command
from drivers.scanners.symbologies import named_by_aim
from firmware_bridge.hid_pos.link import (
    Heard,
    HidPosItem,
    HidPosLink,
    HidPosLinkState,
    Linked,
    ScanCompleted,
)
from firmware_bridge.hid_pos.settings import HidPosLinkSettings
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from firmware_bridge.values import dataclass

# Under this letter scanners send what was never a bar code, as answers to their own requests.
_NO_BAR_CODE = "Z"

_STAGES_HEARD = MappingProxyType(
    {
        Heard.NOTHING: (),
        Heard.REPORT: ((Stage.IDENTIFIED, "the first report came"),),
        Heard.SCAN: (
            (Stage.IDENTIFIED, "the first report came"),
            (Stage.ONLINE, "the first scan came whole"),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class HidPosScannerState:
    stage: Stage
    link: HidPosLinkState


@dataclass(frozen=True, slots=True)
class HidPosScanner:
    """Follows drivers.interface.Driver."""

    settings: HidPosLinkSettings = field(default_factory=HidPosLinkSettings)

    def initial(self) -> HidPosScannerState:
        """The state before the port was ever opened."""
        return HidPosScannerState(Stage.CLOSED, self._link.initial())

    def receive(
        self, state: HidPosScannerState, event: PortEvent
    ) -> tuple[HidPosScannerState, DriverOutput]:
        """Take what the port tells."""
        match event:
            case PortOpened(at=at):
                return _up(state, self._link.opened(state.link, at), Stage.OPENED, "port open")
            case Chunk(at=at, data=data):
                return _up(state, self._link.receive(state.link, data, at))
            case PortLost(at=at, reason=reason):
                return _up(state, self._link.closed(state.link, at), Stage.LOST, reason)
            case _:
                assert_never(event)

    def command(
        self, state: HidPosScannerState, command: DeviceCommand, at: Timestamp
    ) -> tuple[HidPosScannerState, DriverOutput]:
        """Refused: a scanner reports unasked."""
        return state, refused_command(command)

    def tick(
        self, state: HidPosScannerState, at: Timestamp
    ) -> tuple[HidPosScannerState, DriverOutput]:
        """A deadline may have passed."""
        return _up(state, self._link.tick(state.link, at))

    def next_deadline_ns(self, state: HidPosScannerState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    @property
    def _link(self) -> HidPosLink:
        return HidPosLink(self.settings)


def _up(
    state: HidPosScannerState, linked: Linked, to: Stage | None = None, detail: str = ""
) -> tuple[HidPosScannerState, DriverOutput]:
    """What the link gave, one level up; `to` is the stage that the port's event brought."""
    link, output = linked
    stages = () if to is None else ((to, detail),)
    stage, changed = advance_through(state.stage, (*stages, *_STAGES_HEARD[link.heard]))
    events: list[DeviceEvent] = list(changed)
    events.extend(_event_of(item) for item in output.items)
    return HidPosScannerState(stage, link), DriverOutput(
        tuple(events), output.to_write, output.at_once
    )


def _event_of(item: HidPosItem | LinkFault) -> DeviceEvent:
    match item:
        case LinkFault(kind, detail):
            return DeviceFault(kind, detail)
        case ScanCompleted(text, aim) if aim[1:2] == _NO_BAR_CODE:
            detail = f"the scanner sent {len(text)} characters that are of no bar code"
            return DeviceFault(LinkFaultKind.MALFORMED, detail)
        case ScanCompleted(text, aim):
            return reading_of(text, named_by_aim(aim))
        case _:
            assert_never(item)
