"""A real MQTT broker: Mosquitto on the loopback address, with its messages kept on the disk.

Source: mosquitto.conf(5).
"""

import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from hil.rig.loopback_server import LOOPBACK
from hil.rig.servers.child_server import ChildServer

_CONFIG = """\
listener {port} {address}
allow_anonymous {anonymous}
persistence true
persistence_location {folder}/
autosave_interval 1
autosave_on_changes true
max_queued_messages 0
max_inflight_messages 100
"""


class Mosquitto(ChildServer):
    """`more` are further lines of its configuration, such as TLS files; `anonymous`: nobody has
    to name themselves."""

    program: ClassVar[str] = "mosquitto"
    package: ClassVar[str] = "mosquitto"

    def __init__(
        self, folder: Path, port: int = 0, *, anonymous: bool = True, more: str = ""
    ) -> None:
        super().__init__(folder, port)
        self._anonymous = anonymous
        self._more = more

    def arguments(self) -> Sequence[str]:
        config = self.folder / "mosquitto.conf"
        text = _CONFIG.format(
            port=self.port,
            address=LOOPBACK,
            anonymous="true" if self._anonymous else "false",
            folder=self.folder,
        )
        if os.geteuid() == 0:
            # As root it would go to another account, which may not write this folder.
            text += "user root\n"
        config.write_text(text + self._more, encoding="utf-8")
        return ("-c", str(config))

    def answers(self) -> bool:
        try:
            with socket.create_connection((LOOPBACK, self.port), timeout=1):
                return True
        except OSError:
            return False
