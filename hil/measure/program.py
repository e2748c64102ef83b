"""The real `smartshoe run` as a process: time to ready; memory, CPU, wake-ups, writes from /proc.

Source: proc(5), sd_notify(3).
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from hil.measure.checks import CannotMeasure
from hil.rig.program import Program, ProgramFailed

TABLE = """\
[table]
name = "BENCH-1"

[rules]
observed = ["result_button"]

[shoe]
port = "{port}"
{shoe}

[journal]
folder = "journal"
"""
CONFIG = f"""{TABLE}
[metrics]
port = 0

[control]
socket = "control.sock"
"""
_METRICS = r"http://([\d.]+):(\d+)/metrics"


def smartshoe(*words: str) -> list[str]:
    """The command as installed beside this interpreter."""
    return [str(Path(sys.executable).parent / "smartshoe"), *words]


class MeasuredProgram:
    """One run of `program`; use as a context manager, which ends it in order.

    `wrapper` is the command of a program that it runs under.
    """

    def __init__(self, program: Program, wrapper: Sequence[str] = ()) -> None:
        self.ready_ns = 0
        self._wrapper = tuple(wrapper)
        self._program = program

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
            if self._program.alive:
                os.kill(self.pid, signal.SIGTERM)
                self._program.wait_for_end()

    def end_s(self) -> float:
        """End it by SIGTERM, or after 20 s by SIGKILL; the seconds that it took."""
        began_s = time.perf_counter()
        os.kill(self.pid, signal.SIGTERM)
        with contextlib.suppress(ProgramFailed):
            self._program.wait_for_end()
        took_s = time.perf_counter() - began_s
        if self._program.alive:
            self._program.kill()
        return took_s

    @property
    def pid(self) -> int:
        """The program's process id, also where it runs under a wrapper."""
        own = self._program.pid
        if not self._wrapper:
            return own
        children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii").split()
        return int(children[0])

    @property
    def metrics_address(self) -> tuple[str, int]:
        """Host and port of its metrics. Raises CannotMeasure."""
        try:
            found = self._program.await_log(_METRICS)
        except ProgramFailed as failed:
            raise CannotMeasure(str(failed)) from failed
        return found[1], int(found[2])

    def rss_bytes(self) -> int:
        return rss_of(self.pid)

    def written_bytes(self) -> int:
        """Bytes it has caused to be written to disks since its start."""
        return self._number("io", "write_bytes:")

    def written_bytes_of_threads(self) -> dict[str, int]:
        """The same for each of its threads, by the thread's number."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return {task.name: _number(task / "io", "write_bytes:") for task in tasks}

    def cpu_ns(self) -> int:
        """Processor time of all its threads."""
        return cpu_ns_of(self.pid)

    def threads(self) -> int:
        return sum(1 for _ in Path(f"/proc/{self.pid}/task").iterdir())

    def file_descriptors(self) -> int:
        return sum(1 for _ in Path(f"/proc/{self.pid}/fd").iterdir())

    def wake_ups(self) -> int:
        """Voluntary context switches of all its threads."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/status")
        return sum(_number(task, "voluntary_ctxt_switches:") for task in tasks)

    def _number(self, file: str, key: str) -> int:
        return _number(Path(f"/proc/{self.pid}/{file}"), key)


class RunningProgram(MeasuredProgram):
    """The program of one table with its shoe at `port`; its table.toml is written to `folder`.

    `more` are further sections of table.toml, `shoe` keys of the shoe's: a bench deals faster than
    any hand.
    """

    def __init__(
        self,
        folder: Path,
        port: str,
        wrapper: Sequence[str] = (),
        *,
        more: str = "",
        shoe: str = "reports_s_max = 0",
    ) -> None:
        folder.mkdir(exist_ok=True)
        config = folder / "table.toml"
        config.write_text(CONFIG.format(port=port, shoe=shoe) + more, encoding="utf-8")
        super().__init__(Program(config, folder / "run.log", wrapper), wrapper)


def cpu_ns_of(pid: int) -> int:
    """Processor time of the threads of a process that live, in nanoseconds."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text(encoding="ascii").split()[0]) for task in tasks)


def rss_of(pid: int) -> int:
    """Resident memory of a process, in bytes."""
    return _number(Path(f"/proc/{pid}/status"), "VmRSS:") * 1024


def _number(file: Path, key: str) -> int:
    """The number after a key in a /proc file. Raises CannotMeasure."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    raise CannotMeasure(f"{file.name} of a process has no {key}")
