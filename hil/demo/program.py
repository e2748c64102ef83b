"""The program of a demo: `smartshoe run`, unchanged, as a process of its own.

Responsible for: the table.toml it is started with, and running the other commands on its journal.
Not responsible for: starting and ending it (hil.rig.program), what it is asked and what its answers
mean.
Source: controller/README.md, "Running a table", "Command line".
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from hil.demo.plan import DECKS, DemoSettings
from hil.rig.program import PROGRAM, Plain, Program, ProgramFailed
from hil.rig.shoe_models import ShoeKind

TABLE = "DEMO-1"

CONFIG = """\
# The table of a demonstration: the shoe is emulated, the program is the one of every table.

[table]
name = {table}
pit = "demo"

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

[control]
socket = {control}
"""


SHOE_KEYS = {
    ShoeKind.ANGEL_EYE: "",
    ShoeKind.RFID: """\
model = "feig-rfid"
gate_input = 1

[batches]
folder = "batches"
bound = ["RED-0001", "BLUE-0001"]
""",
}


class DemoProgram(Program):
    """The program on a table.toml of the demo's folder."""

    def __init__(self, settings: DemoSettings, port: str, shuffler: str) -> None:
        """`shuffler` is its section of table.toml."""
        # The path of a Unix socket is short, the folder's need not be.
        self._sockets = tempfile.TemporaryDirectory(prefix="smartshoe-demo-")
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

    def act(self, request: Mapping[str, object]) -> Plain:
        """Ask for an action; the answer. Raises ControlError."""
        return self.ask({"request": "act", **request})


def command_answer(name: str, journal: Path) -> Plain:
    """What `smartshoe NAME journal --json` says, with its exit code as `exit_code`.

    Raises ProgramFailed where it says nothing that can be read.
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
    if not isinstance(answer, dict):
        raise ProgramFailed(f"smartshoe {name} {journal} gave no answer: {done.stderr.strip()}")
    return {**answer, "exit_code": done.returncode}
