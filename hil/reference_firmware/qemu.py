"""The reference firmware on an emulated board: real ARM code, a UART on a TCP socket.

Responsible for: starting QEMU with the firmware, the address of the line to the host, stimuli over
the bench's UART, and what can befall a board: it hangs, its power is cycled, it is unplugged.
Not responsible for: the firmware (hil/firmware) and what is said on the line.
Source: package README, "Reference firmware"; QEMU's QMP reference and qemu-system-arm(1).
"""

import json
import socket
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hil.reference_firmware.build import Build, FirmwareUnable, Role, built, require

QEMU = ("qemu-system-arm", "qemu-system-arm")
MACHINE = "lm3s6965evb"
ANSWER_S_MAX = 30.0


class _Lines:
    """Lines of text over a socket that QEMU was given the other end of."""

    def __init__(self) -> None:
        self._mine, self.theirs = socket.socketpair()
        self._mine.settimeout(ANSWER_S_MAX)
        self._waiting = b""

    def write(self, line: str) -> None:
        self._mine.sendall(line.encode() + b"\n")

    def read(self) -> str:
        while b"\n" not in self._waiting:
            try:
                more = self._mine.recv(4096)
            except TimeoutError:
                raise FirmwareUnable(f"the board says nothing for {ANSWER_S_MAX:g} s") from None
            if not more:
                raise FirmwareUnable("QEMU ended")
            self._waiting += more
        line, self._waiting = self._waiting.split(b"\n", 1)
        return line.decode("ascii", "replace").strip()

    def close(self) -> None:
        self._mine.close()
        self.theirs.close()


class EmulatedBoard:
    """Use as a context manager; the firmware has booted when it is entered.

    `url` is the line to the host, for one client at a time; `port` 0 takes any free one. Nothing
    here tells about real time.
    """

    def __init__(self, role: Role, *, ring_places: int | None = None, port: int = 0) -> None:
        self._image = built(Build.ARM, role, ring_places).folder / f"{role}.elf"
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
            pass_fds=[s.fileno() for s in (self._bench.theirs, self._monitor.theirs, self._line)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for inherited in (self._bench.theirs, self._monitor.theirs, self._line):
            inherited.close()
        try:
            self._monitor.read()
            self._order("qmp_capabilities")
            self._order("cont")
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
        """Something that a sensor or a person does; what the bench's firmware answers."""
        self._bench.write(line)
        return self._bench.read()

    def hang(self) -> None:
        """Nothing moves on the board any more, time neither."""
        self._order("stop")

    def resume(self) -> None:
        self._order("cont")

    def power_cycle(self) -> None:
        """Power fails and comes back; what stands for FRAM survives. The line stays connected."""
        self._order("system_reset")
        self._await_boot()

    def lock_up(self) -> None:
        """The firmware runs into an endless loop, until the board's watchdog ends it."""
        self._bench.write("hang")
        self._await_boot()

    def unplug(self) -> None:
        """QEMU is killed: the line breaks, and what stands for FRAM is lost with it."""
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

    def _order(self, command: str) -> None:
        """Events of the machine stand between an order and its answer."""
        self._monitor.write(json.dumps({"execute": command}))
        while True:
            said: dict[str, Any] = json.loads(self._monitor.read())
            if "return" in said:
                return
            if "error" in said:
                raise FirmwareUnable(f"QEMU refuses {command}: {said['error']['desc']}")

    def _command(self, image: Path) -> tuple[str, ...]:
        line, bench = self._line.fileno(), self._bench.theirs.fileno()
        monitor = self._monitor.theirs.fileno()
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
