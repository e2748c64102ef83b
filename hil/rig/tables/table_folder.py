"""A folder of table files for one process, and what each table has of its own beside it."""

import socket
from pathlib import Path

from controller.outlets.control.client import ControlClient
from hil.rig.device_programs import REPORT_INTERVAL_MS
from hil.rig.loopback_server import LOOPBACK

CONFIG = """\
[table]
name = "{table}"
pit = "{pit}"

[rules]
observed = ["result_button"]

[shoe]
port = "{port}"
report_interval_ms_min = {interval}
reports_s_max = 0

[journal]
folder = "{folder}/journal"
{limits}
[metrics]
port = {metrics}
"""
# For a journal on a small file system (`hil.rig.small_disk`).
SMALL_DISK_LIMITS = """\
warn_free_mib = 3
warn_free_percent = 0
stop_free_mib = 2
"""


class TableFolder:
    """Table files in `configs`; below `root` a folder for each table, with journal and socket.

    All tables share one metrics address, on a port that was free when this was made.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.configs = root / "tables"
        self.configs.mkdir(parents=True)
        self.log = root / "run.log"
        with socket.create_server((LOOPBACK, 0)) as found:
            self._metrics: int = found.getsockname()[1]

    @property
    def metrics_url(self) -> str:
        return f"http://{LOOPBACK}:{self._metrics}"

    def add(
        self,
        name: str,
        port: str,
        *,
        table: str = "",
        pit: str = "",
        limits: str = "",
        more: str = "",
    ) -> Path:
        """Write NAME.toml of the table `table` (default: that name); returns the file.

        `limits` are further keys of its section `journal`, `more` further sections.
        """
        folder = self.folder_of(name)
        folder.mkdir(exist_ok=True)
        text = CONFIG.format(
            table=table or name,
            pit=pit,
            port=port,
            interval=REPORT_INTERVAL_MS,
            folder=folder,
            limits=limits,
            metrics=self._metrics,
        )
        file = self.configs / f"{name}.toml"
        file.write_text(text + more, encoding="utf-8")
        return file

    def remove(self, name: str) -> None:
        """Remove NAME.toml; its journal stays."""
        (self.configs / f"{name}.toml").unlink()

    def folder_of(self, name: str) -> Path:
        """Where journal and control socket of that table are."""
        return self.root / name

    def client_of(self, name: str) -> ControlClient:
        """The table's client, also while the table has no file."""
        return ControlClient(self.folder_of(name) / "control.sock")

    def journal_of(self, name: str) -> Path:
        return self.folder_of(name) / "journal"
