"""The `smartshoe run` of a demo: its table.toml, its page, other commands on its journal."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final

from controller.outlets.control.answer_schema import Answer
from hil.demo.plan import DECKS, DemoSettings
from hil.rig.commissioning import BATCHES_SECTION
from hil.rig.program import PROGRAM, Program, ProgramFailed
from hil.rig.shoe_models import ShoeKind
from hil.run_guard import MARK

TABLE = "DEMO-1"
# Without one of these a browser would take over the terminal that the demo is played on.
_SCREENS: Final = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")

CONFIG = """\
# The table of a demo: the shoe is emulated, the program is unchanged.

[table]
name = {table}
pit = "3"

[rules]
profile = {profile}
decks = {decks}
observed = ["result_button", "batch_loaded"]

[shoe]
port = {port}
{shoe}
{shuffler}[journal]
folder = "."

[metrics]
enabled = false

# Any free port: several demos may be played at once.
[console]
port = 0

[control]
socket = {control}
"""


SHOE_KEYS = {
    ShoeKind.ANGEL_EYE: "# It deals faster than any hand.\nreports_s_max = 0\n",
    ShoeKind.RFID: """\
model = "feig-rfid"
gate_input = 1

"""
    + BATCHES_SECTION,
}


class DemoProgram(Program):
    """The program on a table.toml of the demo's folder."""

    def __init__(self, settings: DemoSettings, port: str, shuffler: str) -> None:
        """`shuffler` is its section of table.toml."""
        # The path of a Unix socket has to be short.
        self._sockets = tempfile.TemporaryDirectory(prefix="demo-")
        config = settings.folder / "table.toml"
        # A JSON string is a TOML string.
        values = {"table": TABLE, "profile": settings.profile, "port": port}
        quoted = {key: json.dumps(value) for key, value in values.items()}
        control = json.dumps(str(Path(self._sockets.name) / "control.sock"))
        quoted |= {"shoe": SHOE_KEYS[settings.shoe], "shuffler": shuffler}
        config.write_text(CONFIG.format(decks=DECKS, control=control, **quoted), encoding="utf-8")
        super().__init__(config, settings.folder / "program.log")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        self._sockets.cleanup()

    @property
    def page(self) -> str:
        """The address of the operator page. Raises ProgramFailed."""
        return self.await_log(r"page (http://\S+)")[1]

    def act(self, request: Mapping[str, object]) -> Answer:
        """Send an action; the answer. Raises ControlError."""
        return self.ask({"request": "act", **request})


def run_json_command(name: str, journal: Path) -> dict[str, object]:
    """The answer of `smartshoe NAME journal --json`, with its exit code as `exit_code`.

    Raises ProgramFailed if the output is not a JSON object.
    """
    done = subprocess.run(
        [*PROGRAM, name, str(journal), "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = None
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(answer, dict) or isinstance(error, dict):
        why = error or done.stderr.strip()
        raise ProgramFailed(f"smartshoe {name} {journal} gave no answer: {why}")
    return {**answer, "exit_code": done.returncode}


def open_browser(url: str) -> bool:
    """Open the page; False where there is no screen for a browser.

    The browser outlives the demo: it has neither its mark nor its temporary folder.
    """
    if sys.platform != "darwin" and not any(map(os.environ.get, _SCREENS)):
        return False
    environment = {name: text for name, text in os.environ.items() if name not in (MARK, "TMPDIR")}
    # A process of its own: some browsers return only when they are closed, and many print.
    subprocess.Popen(
        [sys.executable, "-P", "-m", "webbrowser", url],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return True
