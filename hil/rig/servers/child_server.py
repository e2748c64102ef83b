"""Starts a Debian server as a child process: free port, log, ready once it answers."""

import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from hil.progress import Patience, process_ends
from hil.rig.loopback_server import LOOPBACK

POLL_S = 0.05
LOG_LINES = 12


class ServerUnavailable(Exception):
    """A server is not installed, or did not start; the message says which and what to do."""


def free_port() -> int:
    """A TCP port of the loopback address that nobody listens on now."""
    with socket.create_server((LOOPBACK, 0)) as found:
        port: int = found.getsockname()[1]
    return port


class ChildServer(ABC):
    """Use as a context manager: it answers when that begins, and is gone when it ends.

    Its files are in `folder`; `port` stays the same when it is started again.
    """

    program: ClassVar[str]
    package: ClassVar[str]

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder = folder
        self.port = port or free_port()
        self.log = folder / f"{self.program}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.program} was never started"
        return self._process.pid

    @abstractmethod
    def arguments(self) -> Sequence[str]:
        """What it is started with; writes the files that it reads."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether it serves."""

    def start(self) -> None:
        """Start it and wait until it answers. Raises ServerUnavailable."""
        found = shutil.which(self.program)
        if found is None:
            raise ServerUnavailable(
                f"{self.program}: not installed. Remedy: apt-get install"
                f" --no-install-recommends {self.package}"
            )
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [found, *self.arguments()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        patience = Patience()
        while not self.answers():
            if self._process.poll() is not None or patience.is_over:
                self.kill()
                raise ServerUnavailable(f"{self.program}: did not start. {self._log_tail()}")
            time.sleep(POLL_S)

    def stop(self) -> None:
        """End it in order; by SIGKILL if it stands still."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGTERM)
        if not process_ends(self._process):
            self.kill()

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _log_tail(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "Its log ends:\n" + "\n".join(lines[-LOG_LINES:])
