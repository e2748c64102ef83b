"""The real `smartshoe run` in a process of its own, and what the kernel says of it.

Responsible for: its configuration, how long it takes to be ready, and its memory, time, wake-ups
and writes from /proc.
Not responsible for: starting and ending a process (hil.rig.program) and for what is measured with
it.
Source: package README, "What is measured"; proc(5), sd_notify(3).
"""

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from hil.bench.measure.checks import CannotMeasure
from hil.rig.program import Program, ProgramFailed

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
    """One run. Use as a context manager; `under` are words of a program to run it under.

    `more` are further sections of its configuration.
    """

    def __init__(
        self, folder: Path, port: str, under: Sequence[str] = (), *, more: str = ""
    ) -> None:
        self.ready_ns = 0
        self._under = tuple(under)
        folder.mkdir(exist_ok=True)
        config = folder / "table.toml"
        config.write_text(CONFIG.format(port=port) + more, encoding="utf-8")
        self._program = Program(config, folder / "run.log", under)

    def __enter__(self) -> Self:
        began_ns = time.perf_counter_ns()
        try:
            self._program.start()
        except ProgramFailed as failed:
            raise CannotMeasure(str(failed)) from failed
        self.ready_ns = time.perf_counter_ns() - began_ns
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._program, contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
            self._program.ended()

    @property
    def pid(self) -> int:
        """The program's process, also where it runs under another."""
        own = self._program.pid
        if not self._under:
            return own
        children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii").split()
        return int(children[0])

    @property
    def metrics_address(self) -> tuple[str, int]:
        """Where its metrics are served. Raises CannotMeasure."""
        found = _METRICS.search(self._program.words())
        if found is None:
            raise CannotMeasure("`smartshoe run` does not say where its metrics are")
        return found[1], int(found[2])

    def rss_bytes(self) -> int:
        return rss_of(self.pid)

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


def rss_of(pid: int) -> int:
    """Resident memory of a process, in bytes."""
    return _number(Path(f"/proc/{pid}/status"), "VmRSS:") * 1024


def _number(file: Path, key: str) -> int:
    """The number behind a key of a /proc file. Raises CannotMeasure."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    raise CannotMeasure(f"{file.name} of a process does not tell {key}")
