"""`smartshoe run`, unchanged, as a process of its own.

Responsible for: starting it on a configuration file and hearing that it is ready, asking it over
its control socket, and ending it in order, by SIGKILL, or having it end by itself.
Not responsible for: what stands in its configuration and what its answers mean.
Source: controller/README.md, "Running a table", "Control socket"; sd_notify(3).
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from controller.config.load import load_config
from controller.control.client import ControlClient

Plain: TypeAlias = dict[str, object]

READY_S_MAX = 30.0
END_S_MAX = 20.0
LOG_LINES = 12
LOOK_S = 0.1
# No folder of the caller's is taken for one of the program's packages.
PROGRAM = (sys.executable, "-P", "-m", "controller.cli.main")


class ProgramFailed(Exception):
    """The program did not do as it should; the message ends with the end of its log."""


class Program:
    """Use as a context manager; leaving it ends the program, if need be by force."""

    def __init__(self, config: Path, log: Path, under: Sequence[str] = ()) -> None:
        """`under` are words of a program to run it under, such as a tracer."""
        self.config = config
        self._under = tuple(under)
        self.log = log
        self.client = ControlClient(load_config(config).control_socket)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None and self.alive:
            self._process.kill()
            self._process.wait()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None, "it was never started"
        return self._process.pid

    def start(self, before: Callable[[], None] | None = None) -> None:
        """Start it and wait until it says that it is ready; `before` runs in the new process.

        Raises ProgramFailed.
        """
        with (
            tempfile.TemporaryDirectory(prefix="smartshoe-") as folder,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify,
            self.log.open("ab") as log,
        ):
            address = f"{folder}/notify.sock"
            notify.bind(address)
            notify.settimeout(LOOK_S)
            environment = {**os.environ, "NOTIFY_SOCKET": address}
            environment.pop("WATCHDOG_USEC", None)
            # In a session of its own: Ctrl-C is for the bench, which ends the program in order.
            self._process = subprocess.Popen(
                [*self._under, *PROGRAM, "run", "--config", str(self.config)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=before,  # noqa: PLW1509 the bench has no thread that holds a lock here
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

    def ask(self, request: Mapping[str, object]) -> Plain:
        """Ask over the control socket; the answer. Raises ControlError."""
        return self.client.request(dict(request))

    def snapshot(self) -> Plain:
        """What people see of the table now."""
        shown = self.ask({"request": "status"})["snapshot"]
        assert isinstance(shown, dict)
        return shown

    def kill(self) -> None:
        """End it by SIGKILL, as a power cut would for the process. Raises ProgramFailed."""
        assert self._process is not None, "it was never started"
        self._process.send_signal(signal.SIGKILL)
        code = self._process.wait(END_S_MAX)
        if code != -signal.SIGKILL:
            raise ProgramFailed(self.last_words(f"it had ended by itself with exit code {code}"))

    def stop(self) -> None:
        """End it by SIGTERM, as its service would. Raises ProgramFailed."""
        assert self._process is not None, "it was never started"
        self._process.send_signal(signal.SIGTERM)
        code = self.ended()
        if code != 0:
            raise ProgramFailed(self.last_words(f"the program ended with exit code {code}"))

    def ended(self) -> int:
        """Wait until it has ended; its exit code. Raises ProgramFailed."""
        assert self._process is not None, "it was never started"
        try:
            return self._process.wait(END_S_MAX)
        except subprocess.TimeoutExpired:
            late = f"the program did not end within {END_S_MAX:.0f} s"
            raise ProgramFailed(self.last_words(late)) from None

    def words(self) -> str:
        """All that it logged."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def last_words(self, what: str) -> str:
        """What happened, and the end of the program's log."""
        return "\n  ".join(
            [f"{what}; the end of {self.log}:", *self.words().splitlines()[-LOG_LINES:]]
        )
