"""The reference firmware as a native program with sanitizers, under a simulated clock."""

import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from hil.reference_firmware.build import Build, FirmwareRole, FirmwareUnable, build_firmware


class NativeDevice:
    """Use as a context manager. `line` is the host's end of the line, replaced by a power cycle.

    Time advances only with `tick`.
    """

    def __init__(self, role: FirmwareRole, *, ring_places: int | None = None) -> None:
        self._program = build_firmware(Build.HOST, role, ring_places).folder / f"{role}-host"
        self._folder = tempfile.TemporaryDirectory(prefix="smartshoe-")
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting = b""

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._stop()
        finally:
            self._folder.cleanup()

    def stimulus(self, line: str) -> str:
        """Simulate a sensor or a person; the resulting frames are then on the line."""
        self._bench.sendall(line.encode() + b"\n")
        while b"\n" not in self._waiting:
            more = self._bench.recv(4096)
            if not more:
                self._stop()
                raise FirmwareUnable("the program ended")
            self._waiting += more
        answer, self._waiting = self._waiting.split(b"\n", 1)
        return answer.decode("ascii", "replace")

    def tick(self, milliseconds: int) -> None:
        self.stimulus(f"tick {milliseconds}")

    def power_cycle(self) -> None:
        assert self._process is not None
        process, self._process = self._process, None
        process.kill()
        process.communicate()
        self._close()
        self._start()

    def _start(self) -> None:
        self.line, wire = socket.socketpair()
        self._bench, bench = socket.socketpair()
        memory = Path(self._folder.name) / "memory"
        settings = ("--ticks", "--memory", str(memory), "--bench", str(bench.fileno()))
        self._process = subprocess.Popen(
            (str(self._program), *settings),
            stdin=wire.fileno(),
            stdout=wire.fileno(),
            stderr=subprocess.PIPE,
            pass_fds=(bench.fileno(),),
        )
        wire.close()
        bench.close()

    def _stop(self) -> None:
        """Stop the process. Raises FirmwareUnable with the output of a sanitizer."""
        process, self._process = self._process, None
        self._close()
        if process is None:
            return
        stderr = process.communicate()[1]
        if process.returncode:
            text = stderr.decode("utf-8", "replace")[-3000:]
            raise FirmwareUnable(f"the firmware ended with {process.returncode}:\n{text}")

    def _close(self) -> None:
        self.line.close()
        self._bench.close()
