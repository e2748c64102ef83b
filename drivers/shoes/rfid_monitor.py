"""Shows an RFID shoe's traffic at three levels: bytes, decoded frames, device events.

Source: drivers/README.md, "Monitor"; firmware_bridge README, "FEIG OBID", what is shown.
"""

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.monitor import Words, event_text, fault_text
from drivers.shoes.rfid_shoe import RfidShoe, RfidShoeState
from firmware_bridge.feig.frames import FeigUnframed, feed
from firmware_bridge.feig.masking import frame_text, mask_raw
from firmware_bridge.link import LinkFault
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened


class RfidMonitorState(Struct, frozen=True):
    """What each level carries from one port event to the next."""

    shoe: RfidShoeState
    unframed: FeigUnframed = field(default_factory=FeigUnframed)


class RfidMonitor(Struct, frozen=True):
    """`words` makes those of a message. `masked` is off only while the port is in maintenance."""

    words: Words
    shoe: RfidShoe = field(default_factory=RfidShoe)
    masked: bool = True

    def initial(self) -> RfidMonitorState:
        """The state before the port was opened."""
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
                        lines.append(f"frame  {fault_text(one, self.words)}")
                    else:
                        lines.append(f"frame  {frame_text(one, self.words, masked=self.masked)}")
            case PortOpened() | PortLost():
                state = replace(state, unframed=FeigUnframed())
        shoe, output = self.shoe.receive(state.shoe, event)
        lines.extend(
            f"event  {event_text(one, self.words, masked=self.masked)}" for one in output.events
        )
        return replace(state, shoe=shoe), tuple(lines)
