"""A bar code scanner over Zebra's Simple Serial Interface: whole scans to bar codes read.

Responsible for: the scanner's life cycle, and letting only harmless texts pass.
Not responsible for: packets and acknowledgements (firmware_bridge.ssi) and for what a bar code
binds (controller).
Source: package README, "Scanners"; firmware_bridge README, "Scanners", SSI.
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
from drivers.scanners.symbologies import named_by_ssi
from firmware_bridge.link import LinkFault
from firmware_bridge.ssi.exchange import RequestDone, RequestRefused, RequestUnanswered
from firmware_bridge.ssi.link import (
    EventTold,
    Heard,
    Linked,
    RevisionTold,
    ScanCompleted,
    SsiItem,
    SsiLink,
    SsiLinkState,
)
from firmware_bridge.ssi.settings import SsiLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from firmware_bridge.values import dataclass

_STAGES_HEARD = MappingProxyType(
    {
        Heard.NOTHING: (),
        Heard.PACKET: ((Stage.IDENTIFIED, "the first good packet came"),),
        Heard.READY: (
            (Stage.IDENTIFIED, "the first good packet came"),
            (Stage.ONLINE, "the scanner acknowledged that it is enabled"),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class SsiScannerState:
    stage: Stage
    link: SsiLinkState


@dataclass(frozen=True, slots=True)
class SsiScanner:
    """Follows drivers.interface.Driver."""

    settings: SsiLinkSettings = field(default_factory=SsiLinkSettings)

    def initial(self) -> SsiScannerState:
        """The state before the port was ever opened."""
        return SsiScannerState(Stage.CLOSED, self._link.initial())

    def receive(
        self, state: SsiScannerState, event: PortEvent
    ) -> tuple[SsiScannerState, DriverOutput]:
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
        self, state: SsiScannerState, command: DeviceCommand, at: Timestamp
    ) -> tuple[SsiScannerState, DriverOutput]:
        """Refused: a scanner reports unasked."""
        return state, refused_command(command)

    def tick(self, state: SsiScannerState, at: Timestamp) -> tuple[SsiScannerState, DriverOutput]:
        """A deadline may have passed."""
        return _up(state, self._link.tick(state.link, at))

    def next_deadline_ns(self, state: SsiScannerState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    @property
    def _link(self) -> SsiLink:
        return SsiLink(self.settings)


def _up(
    state: SsiScannerState, linked: Linked, to: Stage | None = None, detail: str = ""
) -> tuple[SsiScannerState, DriverOutput]:
    """What the link gave, one level up; `to` is the stage that the port's event brought."""
    link, output = linked
    stages = () if to is None else ((to, detail),)
    stage, changed = advance_through(state.stage, (*stages, *_STAGES_HEARD[link.heard]))
    events: list[DeviceEvent] = list(changed)
    for item in output.items:
        events.extend(_events_of(item))
    return SsiScannerState(stage, link), DriverOutput(
        tuple(events), output.to_write, output.at_once
    )


def _events_of(item: SsiItem | LinkFault) -> tuple[DeviceEvent, ...]:
    """The device events of one item; none for the scanner's own affairs."""
    match item:
        case LinkFault(kind, detail):
            return (DeviceFault(kind, detail),)
        case ScanCompleted(text, code_type):
            return (reading_of(text, named_by_ssi(code_type)),)
        case RevisionTold() | EventTold() | RequestDone() | RequestRefused() | RequestUnanswered():
            return ()
        case _:
            assert_never(item)
