"""An emulated device on a real pseudo terminal, as a serial port of this machine.

Responsible for: the terminal, a stable link to it, pacing at the rate the host chose, unplugging.
Not responsible for: the device and the order of bytes (line). A pty has no modem lines; what is
sent while nobody has it open waits in the kernel, as on no real port.
Source: package README, "Serving an emulator".
"""

import errno
import fcntl
import os
import struct
import tty
from pathlib import Path

from hil.emulator.angel_eye import AngelEye
from hil.emulator.line import LineGone, LineServer, LineSettings

# struct termios2 of asm-generic/termbits.h: four flag words, the line discipline, 19 control
# characters, then input and output speed in plain numbers.
TERMIOS2 = struct.Struct("=4I B19s 2I")
TCGETS2 = 0x802C542A
READ_BYTES_MAX = 4096


class PtyServer(LineServer):
    """`path` is the terminal's name, or the link to it where one was asked for.

    `garble_at_wrong_baud`: bytes come out wrong when the host's rate is not the settings' rate.
    """

    def __init__(
        self,
        emulator: AngelEye,
        settings: LineSettings | None = None,
        *,
        link: Path | None = None,
        garble_at_wrong_baud: bool = False,
    ) -> None:
        super().__init__(emulator, settings)
        self._link = link
        self._garble = garble_at_wrong_baud
        self._master: int | None = None
        self._kept: int | None = None
        self._name = ""

    @property
    def path(self) -> str:
        return str(self._link) if self._link is not None else self._name

    @property
    def host_baud(self) -> int:
        """The rate the host chose, in bits per second."""
        assert self._master is not None, "the line is unplugged"
        raw = fcntl.ioctl(self._master, TCGETS2, bytes(TERMIOS2.size))
        speed = TERMIOS2.unpack(raw)[-1]
        assert isinstance(speed, int)
        return speed

    def unplug(self) -> None:
        """Pull the plug: the host's descriptor is hung up and the path vanishes."""
        self._in_thread(self._pull)

    def replug(self) -> None:
        """Plug in again: a new terminal behind the same link."""
        self._in_thread(self._open)

    def _pull(self) -> None:
        self._cut()
        self._lost()

    def _open(self) -> None:
        assert self._master is None, "the line is already plugged in"
        self._master, self._kept = os.openpty()
        tty.setraw(self._kept)
        os.set_blocking(self._master, False)
        self._name = os.ttyname(self._kept)
        if self._link is not None:
            fresh = self._link.with_name(self._link.name + ".new")
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(self._name)
            fresh.replace(self._link)

    def _close(self) -> None:
        if self._master is not None:
            self._cut()

    def _cut(self) -> None:
        assert self._master is not None, "the line is already unplugged"
        assert self._kept is not None
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        os.close(self._kept)
        os.close(self._master)
        self._master = self._kept = None

    def _watched(self) -> tuple[int, ...]:
        return () if self._master is None else (self._master,)

    def _host_fd(self) -> int | None:
        return self._master

    def _take_input(self) -> bytes:
        if self._master is None:
            return b""
        try:
            data = os.read(self._master, READ_BYTES_MAX)
        except BlockingIOError:
            return b""
        return self._garbled(data)

    def _put_output(self, data: bytes) -> int:
        assert self._master is not None
        try:
            return os.write(self._master, self._garbled(data))
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno == errno.EIO:
                raise LineGone("the terminal is hung up") from error
            raise

    def _baud(self) -> int:
        return max(self.host_baud, 1)

    def _garbled(self, data: bytes) -> bytes:
        """At a wrong rate no byte comes out as it went in; none comes out as ENQ or STX."""
        if not self._garble or self.host_baud == self.settings.baud:
            return data
        return bytes(0x80 | value >> 1 for value in data)
