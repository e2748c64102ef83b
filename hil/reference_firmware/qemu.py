"""The reference firmware on an emulated board: ARM code in QEMU, its UART on a TCP socket.

Source: QEMU's QMP reference and qemu-system-arm(1).
"""

import json
import select
import socket
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hil.progress import SAMPLE_S, Patience
from hil.reference_firmware.build import (
    Build,
    FirmwareRole,
    FirmwareUnable,
    build_firmware,
    require,
)

QEMU = ("qemu-system-arm", "qemu-system-arm")
MACHINE = "lm3s6965evb"


class _Lines:
    """Lines of text over a socket whose other end QEMU inherits."""

    def __init__(self) -> None:
        self._own_end, self.other_end = socket.socketpair()
        self._waiting = b""

    def write(self, line: str) -> None:
        self._own_end.sendall(line.encode() + b"\n")

    def read(self) -> str:
        while b"\n" not in self._waiting:
            # QEMU works whether its board does anything or not.
            patience = Patience.with_play(lambda: "no answer of the board")
            while not self._has_come(SAMPLE_S):
                if patience.is_over:
                    raise FirmwareUnable(f"the board sent nothing: {patience.account()}")
            more = self._own_end.recv(4096)
            if not more:
                raise FirmwareUnable("QEMU ended")
            self._waiting += more
        line, self._waiting = self._waiting.split(b"\n", 1)
        return line.decode("ascii", "replace").strip()

    def _has_come(self, wait_s: float) -> bool:
        return bool(select.select([self._own_end], [], [], wait_s)[0])

    def close(self) -> None:
        self._own_end.close()
        self.other_end.close()


class EmulatedBoard:
    """Use as a context manager; the firmware has booted when it is entered.

    `url` is the line to the host, for one client at a time; `port` 0: any free port. Emulated
    time is not real time.
    """

    def __init__(
        self, role: FirmwareRole, *, ring_places: int | None = None, port: int = 0
    ) -> None:
        self._image = build_firmware(Build.ARM, role, ring_places).folder / f"{role}.elf"
        self._program = require(*QEMU)
        self._process: subprocess.Popen[bytes] | None = None
        self._bench = _Lines()
        self._monitor = _Lines()
        self._line = socket.create_server(("127.0.0.1", port))
        self.port: int = self._line.getsockname()[1]
        self.url = f"socket://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command(self._image),
            pass_fds=[
                s.fileno() for s in (self._bench.other_end, self._monitor.other_end, self._line)
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for inherited in (self._bench.other_end, self._monitor.other_end, self._line):
            inherited.close()
        try:
            self._monitor.read()
            self._execute("qmp_capabilities")
            self._execute("cont")
            self._await_boot()
        except FirmwareUnable:
            self.unplug()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.unplug()

    def stimulus(self, line: str) -> str:
        """Simulate a sensor or a person; return the answer of the bench's UART."""
        self._bench.write(line)
        return self._bench.read()

    def hang(self) -> None:
        """Stop the board, its time included."""
        self._execute("stop")

    def resume(self) -> None:
        self._execute("cont")

    def power_cycle(self) -> None:
        """Cycle the power; the emulated FRAM survives. The line stays connected."""
        self._execute("system_reset")
        self._await_boot()

    def lock_up(self) -> None:
        """Put the firmware into an endless loop until the board's watchdog resets it."""
        self._bench.write("hang")
        self._await_boot()

    def unplug(self) -> None:
        """Kill QEMU: the line breaks, and the emulated FRAM is lost."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
        self._bench.close()
        self._monitor.close()
        self._line.close()

    def _await_boot(self) -> None:
        while self._bench.read() != "ready":
            pass

    def _execute(self, command: str) -> None:
        """Execute a QMP command; events may precede its answer."""
        self._monitor.write(json.dumps({"execute": command}))
        while True:
            answer: dict[str, Any] = json.loads(self._monitor.read())
            if "return" in answer:
                return
            if "error" in answer:
                raise FirmwareUnable(f"QEMU refuses {command}: {answer['error']['desc']}")

    def _command(self, image: Path) -> tuple[str, ...]:
        line, bench = self._line.fileno(), self._bench.other_end.fileno()
        monitor = self._monitor.other_end.fileno()
        return (
            *(self._program, "-M", MACHINE, "-display", "none", "-nodefaults", "-S"),
            *("-kernel", str(image)),
            *(
                "-chardev",
                f"socket,id=line,fd={line},server=on,wait=off",
                "-serial",
                "chardev:line",
            ),
            *("-chardev", f"socket,id=bench,fd={bench}", "-serial", "chardev:bench"),
            *("-chardev", f"socket,id=qmp,fd={monitor}", "-mon", "chardev=qmp,mode=control"),
        )
