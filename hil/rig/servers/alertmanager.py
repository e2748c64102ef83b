"""A real Alertmanager with a configuration of ours.

Source: Alertmanager documentation, "Configuration".
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from hil.rig.loopback_server import LOOPBACK
from hil.rig.servers.http_server import HttpChildServer


class Alertmanager(HttpChildServer):
    """Sends alerts by `config`, a configuration file; it has no peers."""

    program: ClassVar[str] = "prometheus-alertmanager"
    package: ClassVar[str] = "prometheus-alertmanager"

    def __init__(self, folder: Path, config: Path, port: int = 0) -> None:
        super().__init__(folder, port)
        self.config = config

    def arguments(self) -> Sequence[str]:
        return (
            f"--config.file={self.config}",
            f"--storage.path={self.folder / 'data'}",
            f"--web.listen-address={LOOPBACK}:{self.port}",
            "--cluster.listen-address=",
        )
