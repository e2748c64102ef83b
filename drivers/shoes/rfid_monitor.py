"""Watching a shoe that reads tags at three levels: bytes arrived, frame decoded, event understood.

Responsible for: turning port events into lines that tell a dead cable from a dead parser.
Not responsible for: printing them and for what may be shown unmasked (the caller says).
Source: package README, "Monitor"; firmware_bridge README, "FEIG OBID", what is shown.
"""

from dataclasses import field

from drivers.monitor import event_text
from drivers.shoes.rfid_shoe import RfidShoe, RfidShoeState
from firmware_bridge.feig.frames import Unframed, feed
from firmware_bridge.feig.masking import frame_text, mask_raw
from firmware_bridge.link import LinkFault
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from firmware_bridge.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class RfidMonitorState:
    """What each level needs from one port event to the next."""

    shoe: RfidShoeState
    unframed: Unframed = field(default_factory=Unframed)


@dataclass(frozen=True, slots=True)
class RfidMonitor:
    """`masked` is off only while the port is in maintenance."""

    shoe: RfidShoe = field(default_factory=RfidShoe)
    masked: bool = True

    def initial(self) -> RfidMonitorState:
        """Before the port was opened."""
        return RfidMonitorState(self.shoe.initial())

    def watch(
        self, state: RfidMonitorState, event: PortEvent
    ) -> tuple[RfidMonitorState, tuple[str, ...]]:
        """The lines of one port event, each beginning with its level."""
        lines: list[str] = []
        match event:
            case Chunk(data=data):
                text, _rest = mask_raw(data, state.unframed)
                lines.append(f"bytes  {text if self.masked else data.hex(' ').upper()}")
                unframed, found = feed(state.unframed, data)
                state = replace(state, unframed=unframed)
                for one in found:
                    if isinstance(one, LinkFault):
                        lines.append(f"frame  {one.kind}: {one.detail}")
                    else:
                        lines.append(f"frame  {frame_text(one, masked=self.masked)}")
            case PortOpened() | PortLost():
                state = replace(state, unframed=Unframed())
        shoe, output = self.shoe.receive(state.shoe, event)
        lines.extend(f"event  {event_text(one, masked=self.masked)}" for one in output.events)
        return replace(state, shoe=shoe), tuple(lines)
