"""The wire of a running table in the log, at three levels: bytes, frames, events.

Responsible for: writing what arrives on the port while the table runs, masked, down to the level
that the configuration asks for.
Not responsible for: what is shown of it (the driver's monitor masks) and for the interactive
monitor (`smartshoe devices monitor`).
Source: firmware_bridge README, "Three levels"; package README, "Disclosure".
"""

import logging
from collections.abc import Callable
from typing import Final

from controller.run import shoe_settings
from controller.settings import ShoeDeviceSettings
from drivers.catalogue import build_monitor
from firmware_bridge.transport.port import PortEvent

# Each level includes the ones above it: events alone, then frames, then every byte.
LEVELS: Final = {
    "events": ("event",),
    "frames": ("event", "frame"),
    "bytes": ("event", "frame", "bytes"),
}


class WireWatch:
    """Writes lines for one port, then passes the event on. Used by the port's reader thread."""

    def __init__(
        self, shoe: ShoeDeviceSettings, level: str, put: Callable[[PortEvent], None]
    ) -> None:
        self._monitor = build_monitor(shoe.model, shoe_settings(shoe))
        self._state = self._monitor.initial()
        self._wanted = LEVELS[level]
        self._put = put
        self._log = logging.getLogger(f"smartshoe.wire.{shoe.port}")

    def put(self, event: PortEvent) -> None:
        """Log what this event shows at the wanted levels, and hand it on."""
        self._state, lines = self._monitor.watch(self._state, event)
        for line in lines:
            if line.startswith(self._wanted):
                self._log.info("%s", line)
        self._put(event)
