"""The real `smartshoe run` in a process of its own, and what the kernel says of it.

Responsible for: starting it with a configuration of the bench's, waiting for READY as systemd
does, reading its memory, time, wake-ups and writes from /proc, and stopping it.
Not responsible for: what is measured with it (start_up, volume, scrape).
Source: package README, "What is measured"; proc(5), sd_notify(3).
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from hil.bench.checks import CannotMeasure

READY_S_MAX = 20.0
CONFIG = """\
[table]
name = "BENCH-1"

[rules]
observed = ["result_button"]

[shoe]
port = "{port}"

[journal]
folder = "journal"

[metrics]
port = 0

[control]
socket = "control.sock"
"""
_METRICS = re.compile(r"http://([\d.]+):(\d+)/metrics")


def smartshoe(*words: str) -> list[str]:
    """The command as installed beside this interpreter."""
    return [str(Path(sys.executable).parent / "smartshoe"), *words]


class RunningProgram:
    """One run. Use as a context manager; `before` are words of a program to run it under."""

    def __init__(self, folder: Path, port: str, before: Sequence[str] = ()) -> None:
        self.folder = folder
        self.ready_ns = 0
        self._before = tuple(before)
        folder.mkdir(exist_ok=True)
        (folder / "table.toml").write_text(CONFIG.format(port=port), encoding="utf-8")
        self._log = folder / "run.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        notify = self.folder / "notify"
        notify.unlink(missing_ok=True)
        command = smartshoe("run", "--config", str(self.folder / "table.toml"))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.bind(str(notify))
            told.settimeout(0.2)
            with self._log.open("wb") as log:
                began_ns = time.perf_counter_ns()
                self._process = subprocess.Popen(
                    [*self._before, *command],
                    env={**os.environ, "NOTIFY_SOCKET": str(notify)},
                    stdout=log,
                    stderr=log,
                )
            self._await_ready(told)
            self.ready_ns = time.perf_counter_ns() - began_ns
        return self

    def _await_ready(self, told: socket.socket) -> None:
        assert self._process is not None
        deadline_ns = time.monotonic_ns() + int(READY_S_MAX * 1e9)
        while time.monotonic_ns() < deadline_ns:
            try:
                if b"READY=1" in told.recv(4096):
                    return
            except TimeoutError:
                if self._process.poll() is not None:
                    break
        self._process.kill()
        self._process.wait()
        raise CannotMeasure(f"`smartshoe run` is not ready: {self.words()}")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None
        if self._process.poll() is None:
            os.kill(self.pid, signal.SIGTERM)
        try:
            self._process.wait(READY_S_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise CannotMeasure("`smartshoe run` does not stop") from None

    @property
    def pid(self) -> int:
        """The program's process, also where it runs under another."""
        assert self._process is not None
        own = self._process.pid
        if not self._before:
            return own
        children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii").split()
        return int(children[0])

    def words(self) -> str:
        """The last that the program said."""
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    @property
    def metrics_address(self) -> tuple[str, int]:
        """Where its metrics are served. Raises CannotMeasure."""
        found = _METRICS.search(self._log.read_text(encoding="utf-8", errors="replace"))
        if found is None:
            raise CannotMeasure("`smartshoe run` does not say where its metrics are")
        return found[1], int(found[2])

    def rss_bytes(self) -> int:
        return self._number("status", "VmRSS:") * 1024

    def written_bytes(self) -> int:
        """What it has caused to be written to disks since its start."""
        return self._number("io", "write_bytes:")

    def cpu_ns(self) -> int:
        """Processor time of all its threads, to the nanosecond."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text(encoding="ascii").split()[0]) for task in tasks)

    def wake_ups(self) -> int:
        """How often its threads have gone to wait."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/status")
        return sum(_number(task, "voluntary_ctxt_switches:") for task in tasks)

    def _number(self, file: str, key: str) -> int:
        return _number(Path(f"/proc/{self.pid}/{file}"), key)


def _number(file: Path, key: str) -> int:
    """The number behind a key of a /proc file. Raises CannotMeasure."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    raise CannotMeasure(f"{file.name} of a process does not tell {key}")
