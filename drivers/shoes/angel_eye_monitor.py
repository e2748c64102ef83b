"""Shows an Angel Eye II-EX's traffic at three levels: bytes, decoded frames, device events.

Source: drivers/README.md, "Monitor"; firmware_bridge README, "Angel Eye II-EX", what is shown.
"""

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.monitor import Words, event_text, fault_text
from drivers.shoes.angel_eye import AngelEyeShoe, AngelEyeShoeState
from firmware_bridge.angel_eye.frames import feed
from firmware_bridge.angel_eye.masking import MaskPlace, frame_text, mask_raw
from firmware_bridge.link import LinkFault, Unframed
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened


class AngelEyeMonitorState(Struct, frozen=True):
    """What each level carries from one port event to the next."""

    shoe: AngelEyeShoeState
    unframed: Unframed = field(default_factory=Unframed)
    place: MaskPlace = MaskPlace.UNKNOWN


class AngelEyeMonitor(Struct, frozen=True):
    """`words` makes those of a message. `masked` is off only while the port is in maintenance."""

    words: Words
    shoe: AngelEyeShoe = field(default_factory=AngelEyeShoe)
    masked: bool = True

    def initial(self) -> AngelEyeMonitorState:
        """The state before the port was opened."""
        return AngelEyeMonitorState(self.shoe.initial())

    def watch(
        self, state: AngelEyeMonitorState, event: PortEvent
    ) -> tuple[AngelEyeMonitorState, tuple[str, ...]]:
        """The lines of one port event, each beginning with its level."""
        lines: list[str] = []
        match event:
            case Chunk(data=data):
                text, place = mask_raw(data, state.place)
                lines.append(f"bytes  {text if self.masked else data.hex(' ').upper()}")
                unframed, found = feed(state.unframed, data, self.shoe.settings.link.bcc_reading)
                state = replace(state, place=place, unframed=unframed)
                for one in found:
                    if isinstance(one, LinkFault):
                        lines.append(f"frame  {fault_text(one, self.words)}")
                    else:
                        lines.append(f"frame  {frame_text(one, masked=self.masked)}")
            case PortOpened() | PortLost():
                state = replace(state, place=MaskPlace.UNKNOWN, unframed=Unframed())
        shoe, output = self.shoe.receive(state.shoe, event)
        lines.extend(
            f"event  {event_text(one, self.words, masked=self.masked)}" for one in output.events
        )
        return replace(state, shoe=shoe), tuple(lines)
