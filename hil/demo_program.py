"""The program of a demo: `smartshoe run`, unchanged, as a process of its own.

Responsible for: the table.toml it is started with, starting it and hearing that it is ready,
asking it over its control socket, ending it, and running the other commands on its journal.
Not responsible for: what it is asked and what its answers mean.
Source: controller/README.md, "Running a table", "Control socket"; sd_notify(3).
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from controller.control_client import ControlClient
from hil.demo_plan import DECKS, DemoSettings

Plain: TypeAlias = dict[str, object]

READY_S_MAX = 30.0
STOP_S_MAX = 15.0
LOG_LINES = 8
LOOK_S = 0.1
TABLE = "DEMO-1"
# No folder of the caller's is taken for one of the program's packages.
PROGRAM = (sys.executable, "-P", "-m", "controller.cli")

CONFIG = """\
# The table of a demonstration: the shoe is emulated, the program is the one of every table.

[table]
name = {table}
pit = "demo"

[rules]
profile = {profile}
decks = {decks}
observed = ["result_button"]

[shoe]
port = {port}

[journal]
folder = "."

[metrics]
enabled = false

[control]
socket = {control}
"""


class ProgramFailed(Exception):
    """The program did not start or did not stay; the message says how it took its leave."""


class DemoProgram:
    """Use as a context manager; leaving it ends the program, if need be by force."""

    def __init__(self, settings: DemoSettings, port: str) -> None:
        self._folder = settings.folder
        # The path of a Unix socket is short, the folder's need not be.
        self._sockets = tempfile.TemporaryDirectory(prefix="smartshoe-demo-")
        self.control = Path(self._sockets.name) / "control.sock"
        self.config = settings.folder / "table.toml"
        self.log = settings.folder / "program.log"
        self.client = ControlClient(self.control)
        self._process: subprocess.Popen[bytes] | None = None
        values = {"table": TABLE, "profile": settings.profile, "port": port}
        quoted = {key: _quoted(value) for key, value in values.items()}
        control = _quoted(str(self.control))
        self.config.write_text(
            CONFIG.format(decks=DECKS, control=control, **quoted), encoding="utf-8"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()
        self._sockets.cleanup()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it and wait until it says that it is ready. Raises ProgramFailed."""
        address = Path(self._sockets.name) / "notify.sock"
        environment = {**os.environ, "NOTIFY_SOCKET": str(address)}
        environment.pop("WATCHDOG_USEC", None)
        with (
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify,
            self.log.open("wb") as log,
        ):
            notify.bind(str(address))
            notify.settimeout(LOOK_S)
            # In a session of its own: Ctrl-C is for the demo, which ends the program in order.
            self._process = subprocess.Popen(
                [*PROGRAM, "run", "--config", str(self.config)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            self._await_ready(notify)

    def _await_ready(self, notify: socket.socket) -> None:
        until_s = time.monotonic() + READY_S_MAX
        while time.monotonic() < until_s:
            try:
                if b"READY=1" in notify.recv(4096):
                    return
            except TimeoutError:
                if not self.alive:
                    break
        raise ProgramFailed(self.last_words("the program did not become ready"))

    def act(self, request: Mapping[str, object]) -> Plain:
        """Ask for an action; the answer. Raises ControlError."""
        return self.client.request({"request": "act", **request})

    def stop(self) -> None:
        """End it with SIGTERM, as its service would. Raises ProgramFailed."""
        assert self._process is not None, "it was never started"
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(STOP_S_MAX)
        except subprocess.TimeoutExpired:
            raise ProgramFailed(
                self.last_words(f"the program did not end within {STOP_S_MAX:.0f} s")
            ) from None
        if code != 0:
            raise ProgramFailed(self.last_words(f"the program ended with exit code {code}"))

    def last_words(self, what: str) -> str:
        """What happened, and the end of the program's log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n  ".join([f"{what}; the end of {self.log}:", *lines[-LOG_LINES:]])


def _quoted(text: str) -> str:
    """A TOML string; a JSON one without escapes of pairs is one."""
    return json.dumps(text, ensure_ascii=False)


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
