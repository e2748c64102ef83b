"""Shows the traffic of an Angel Eye shoe to a technician, masked or as it is.

Source: firmware_bridge README, "Angel Eye II-EX".
"""

from typing import Any, TypeAlias

from drivers.interface import Driver
from drivers.monitor import DeviceMonitor, WireView, Words, fault_text, hex_text, wire_lines
from firmware_bridge.angel_eye.frames import BccReading, feed
from firmware_bridge.angel_eye.masking import MaskPlace, frame_text, mask_raw
from firmware_bridge.angel_eye.settings import PayloadForm
from firmware_bridge.link import LinkFault, Unframed

_View: TypeAlias = tuple[Unframed, MaskPlace]


def monitor(
    bcc_reading: BccReading,
    payload: PayloadForm,
    driver: Driver[Any],
    words: Words,
    *,
    masked: bool,
) -> DeviceMonitor:
    """The monitor of a shoe that is set up so."""

    def lines(
        state: _View, data: bytes, words: Words, masked: bool
    ) -> tuple[_View, tuple[str, ...]]:
        plain = payload is not PayloadForm.BIT_7
        text, place = mask_raw(data, state[1], plain=plain)
        unframed, found = feed(state[0], data, bcc_reading, plain=plain)
        frames = (
            fault_text(one, words) if isinstance(one, LinkFault) else frame_text(one, masked=masked)
            for one in found
        )
        return (unframed, place), wire_lines(text if masked else hex_text(data), frames)

    fresh = (Unframed(), MaskPlace.UNKNOWN)
    return DeviceMonitor(words, driver, WireView(fresh, lines), masked)
