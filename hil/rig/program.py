"""`smartshoe run` as a process of its own, of one table or a folder of them: start, ask, end.

Source: sd_notify(3).
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.client import ControlClient
from controller.record.snapshot import Snapshot
from controller.service.config.load import load_config
from hil.progress import STILL_S, Patience, process_ends

LOG_LINES = 12
POLL_S = 0.1
# -P: no folder of the caller shadows one of the program's packages.
PROGRAM = (sys.executable, "-P", "-m", "controller.cli.main")


class ProgramFailed(Exception):
    """The program did not do what it should; the message ends with the end of its log."""


class Program:
    """One run of the program; use as a context manager, which kills it on exit if it still runs.

    `config` is a table's file, or a folder of such files, whose tables `client_of` names.
    """

    def __init__(
        self,
        config: Path,
        log: Path,
        wrapper: Sequence[str] = (),
        command: Sequence[str] = PROGRAM,
    ) -> None:
        """`wrapper` is the command of a program to run it under, such as a tracer.

        `command` starts the program; the bench has another one, which alters it.
        """
        self.config = config
        self._wrapper = tuple(wrapper)
        self._command = tuple(command)
        self.log = log
        # A folder may hold a file that no table can be started from.
        self._client = (
            None if config.is_dir() else ControlClient(load_config(config).control_socket)
        )
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
            # Its whole session: a wrapper would leave the program running.
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    @property
    def client(self) -> ControlClient:
        """The client of the only table."""
        assert self._client is not None, "a folder of tables: name one to client_of"
        return self._client

    def client_of(self, name: str) -> ControlClient:
        """The client of the table whose file is NAME.toml in the folder. Raises ConfigError."""
        return ControlClient(load_config(self.config / f"{name}.toml").control_socket)

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None, "the program was never started"
        return self._process.pid

    def start(self, before: Callable[[], None] | None = None) -> None:
        """Start it and wait until it reports ready; `before` runs in the new process.

        Raises ProgramFailed.
        """
        with (
            tempfile.TemporaryDirectory(prefix="smartshoe-") as folder,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify,
            self.log.open("ab") as log,
        ):
            address = f"{folder}/notify.sock"
            notify.bind(address)
            notify.settimeout(POLL_S)
            environment = {**os.environ, "NOTIFY_SOCKET": address}
            environment.pop("WATCHDOG_USEC", None)
            # In a session of its own: Ctrl-C is for the bench, which ends the program in order.
            self._process = subprocess.Popen(
                [*self._wrapper, *self._command, "run", "--as-root", "--config", str(self.config)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=before,  # noqa: PLW1509 the bench has no thread that holds a lock here
            )
            self._await_ready(notify)

    def _await_ready(self, notify: socket.socket) -> None:
        patience = Patience()
        while not patience.is_over:
            try:
                if b"READY=1" in notify.recv(4096):
                    return
            except TimeoutError:
                if not self.alive:
                    break
        late = f"the program did not become ready, {patience.account()}"
        raise ProgramFailed(self.with_log_tail(late))

    def ask(self, request: Mapping[str, object]) -> Answer:
        """Send a request over the control socket; the answer. Raises ControlError."""
        return self.client.request(request)

    def snapshot(self) -> Snapshot:
        """The table's current snapshot. Raises ControlError."""
        return self.client.status()

    def stand_still(self, seconds: float) -> None:
        """Stop it (SIGSTOP) for that long, and let it go on."""
        assert self._process is not None, "the program was never started"
        self._process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self._process.send_signal(signal.SIGCONT)

    def read_folder_again(self) -> None:
        """Let it read its folder again: SIGHUP. Returns before it has."""
        assert self._process is not None, "the program was never started"
        self._process.send_signal(signal.SIGHUP)

    def kill(self) -> None:
        """End it by SIGKILL. Raises ProgramFailed if it had already ended."""
        assert self._process is not None, "the program was never started"
        self._process.send_signal(signal.SIGKILL)
        code = self._process.wait()
        if code != -signal.SIGKILL:
            raise ProgramFailed(self.with_log_tail(f"it had ended by itself with exit code {code}"))

    def stop(self) -> None:
        """End it by SIGTERM, as its service does. Raises ProgramFailed."""
        assert self._process is not None, "the program was never started"
        self._process.send_signal(signal.SIGTERM)
        code = self.wait_for_end()
        if code != 0:
            raise ProgramFailed(self.with_log_tail(f"the program ended with exit code {code}"))

    def wait_for_end(self, still_s: float = STILL_S) -> int:
        """Wait until it has ended; its exit code. Raises ProgramFailed if it stands still."""
        assert self._process is not None, "the program was never started"
        if not process_ends(self._process, still_s):
            raise ProgramFailed(self.with_log_tail("the program stands still, and does not end"))
        return self._process.wait()

    def log_text(self) -> str:
        """The whole log."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def await_log(self, pattern: str) -> re.Match[str]:
        """Wait until the log holds the regular expression; where. Raises ProgramFailed.

        The running program writes its log behind a queue: a line may come after the act it is of.
        """
        patience = Patience(progress=lambda: self.log.stat().st_size)
        while (found := re.search(pattern, self.log_text())) is None:
            if patience.is_over or not self.alive:
                # What it wrote before it ended counts.
                if found := re.search(pattern, self.log_text()):
                    break
                never = f"the log never held {pattern}, {patience.account()}"
                raise ProgramFailed(self.with_log_tail(never))
            time.sleep(POLL_S / 10)
        return found

    def with_log_tail(self, what: str) -> str:
        """`what`, followed by the end of the program's log."""
        return "\n  ".join(
            [f"{what}; the end of {self.log}:", *self.log_text().splitlines()[-LOG_LINES:]]
        )
