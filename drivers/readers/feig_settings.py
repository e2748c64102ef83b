"""What all devices with a FEIG reader share: settings, line, framing and monitor."""

from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct

from drivers.framing import Framing
from drivers.interface import Driver
from drivers.model import one_of
from drivers.monitor import DeviceMonitor, WireView, Words, fault_text, hex_text, wire_lines
from firmware_bridge.feig.frames import AnswerFrame, FeigUnframed, feed
from firmware_bridge.feig.masking import frame_text, mask_raw
from firmware_bridge.feig.settings import LAYOUT_NAMES, Delivery, FeigLinkSettings
from firmware_bridge.link import LinkFault

Layout: TypeAlias = Annotated[str, one_of(LAYOUT_NAMES, "its reader, by the layout of the buffer")]
HowDelivered: TypeAlias = Annotated[
    Delivery, Meta(description="notify: the reader sends each tag; poll: it is polled")
]
FEIG_BAUD: Final = 38400
FEIG_PARITY: Final = "E"
FEIG_FRAMING: Final = Framing(FeigUnframed(), feed, (AnswerFrame,))


class FeigSettings(Struct, frozen=True):
    """The keys of every device with a FEIG reader."""

    reader: Layout = FeigLinkSettings().layout
    delivery: HowDelivered = FeigLinkSettings().delivery

    @property
    def link(self) -> FeigLinkSettings:
        return FeigLinkSettings(layout=self.reader, delivery=self.delivery)


def _lines(
    unframed: FeigUnframed, data: bytes, words: Words, masked: bool
) -> tuple[FeigUnframed, tuple[str, ...]]:
    text, _rest = mask_raw(data, unframed)
    unframed, found = feed(unframed, data)
    frames = (
        fault_text(one, words)
        if isinstance(one, LinkFault)
        else frame_text(one, words, masked=masked)
        for one in found
    )
    return unframed, wire_lines(text if masked else hex_text(data), frames)


FEIG_VIEW: Final = WireView(FeigUnframed(), _lines)


def monitor(
    _settings: FeigSettings, driver: Driver[Any], words: Words, masked: bool
) -> DeviceMonitor:
    """The monitor of any device with a FEIG reader."""
    return DeviceMonitor(words, driver, FEIG_VIEW, masked)
