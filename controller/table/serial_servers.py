"""The serial servers that leave the control lines of RFC 2217 unanswered, in a small file.

Each of them costs seconds once, not at every start. The file says nothing of the table: without it
they are found again.
Source: firmware_bridge/transport/README.md, "Ports"; RFC 2217, SET-CONTROL.
"""

import logging
import threading
from pathlib import Path
from typing import Final

from controller.system.atomic_file import SmallFileError, read_text, store_text
from firmware_bridge.transport.port_url import parse_port_url

LOG: Final = logging.getLogger("smartshoe.devices")
FILE: Final = "serial-servers-without-control"
_MODE: Final = 0o600


class SerialServersFile:
    """Implements firmware_bridge.transport.port.SilentServers; one address a line."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        # Each port has a thread of its own.
        self._lock = threading.Lock()

    def knows(self, url: str) -> bool:
        return str(parse_port_url(url)) in self._addresses()

    def add(self, url: str) -> None:
        address = str(parse_port_url(url))
        LOG.warning(
            "%s does not answer for control lines (RFC 2217, SET-CONTROL): opened without them,"
            " from now on at once",
            address,
        )
        try:
            with self._lock:
                lines = sorted({*self._addresses(), address})
                store_text(self._path, "".join(f"{one}\n" for one in lines), _MODE)
        except SmallFileError as error:
            LOG.warning("%s", error)

    def _addresses(self) -> tuple[str, ...]:
        if not self._path.exists():
            return ()
        try:
            return tuple(read_text(self._path).split())
        except SmallFileError as error:
            LOG.warning("%s", error)
            return ()
