"""Serves an emulated device on a pseudo terminal, or on TCP on the loopback interface.

`PtyServer`: a pty has no modem lines, and what is sent while nobody has it open waits in the
kernel, unlike on a real port. `TcpServer`: a one-port serial device server in TCP server mode, one
client at a time; what is sent while nobody is connected is lost, and "delivered" means that the
client's end of the connection took it, not that the client's program has read it.

Source: wire document of the Angel Eye II-EX, "Link"; symlink(2); proc_pid_fd(5); pts(4).
"""

import errno
import fcntl
import os
import re
import socket
import struct
import time
import tty
from pathlib import Path
from typing import Final

from hil.emulator.lines.line import (
    DeviceT,
    LineGone,
    LineServer,
    LineServerSettings,
    LineUnavailable,
)

_TERMINAL: Final = re.compile(r"/dev/pts/[0-9]+|/proc/[0-9]+/fd/[0-9]+")


class PtyLink:
    """Points a new path to a terminal: replaces nothing, and removes nothing but its own link.

    It points to the descriptor of the process that serves the line, and not to the terminal's
    number: the kernel gives that to the next terminal. A program that a killed run has left would
    open it there and take the reports of another run's device.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own: tuple[int, int, str] | None = None

    def point_to(self, descriptor: int) -> None:
        """Make the link to this process's open terminal.

        Raises LineUnavailable if anything has its name.
        """
        terminal = f"/proc/{os.getpid()}/fd/{descriptor}"
        try:
            self.path.symlink_to(terminal)
            self._own = _identity(self.path)
        except FileExistsError:
            raise LineUnavailable(self._refusal()) from None
        except OSError as error:
            raise LineUnavailable(
                f"{self.path}: the link to the terminal cannot be made: {error.strerror}. Allowed:"
                " a path in a folder that exists and that you may write to. Remedy: name another"
            ) from None

    def remove(self) -> None:
        """Remove the link if it is still the one that was made here."""
        own, self._own = self._own, None
        try:
            if own is not None and _identity(self.path) == own:
                self.path.unlink()
        except OSError:
            return  # its folder has gone, and the link with it

    def _refusal(self) -> str:
        other = "Allowed: a new path. Remedy: name another, or remove it yourself"
        if not self.path.is_symlink():
            kind = "folder" if self.path.is_dir() else "file"
            return f"{self.path}: a {kind} with this name exists and is left as it is. {other}"
        target = self.path.readlink()
        words = f"{self.path}: a link to {target} exists and is left as it is"
        if _TERMINAL.fullmatch(str(target)):
            words += ": a terminal in use" if self.path.exists() else ": a terminal that is gone"
        return f"{words}. {other}"


def _identity(path: Path) -> tuple[int, int, str]:
    """What distinguishes that link from any other, also from one with the same inode number."""
    found = path.lstat()
    return found.st_ino, found.st_ctime_ns, str(path.readlink())


# struct termios2 of asm-generic/termbits.h: four flag words, the line discipline, 19 control
# characters, then input and output speed in plain numbers.
TERMIOS2 = struct.Struct("=4I B19s 2I")
TCGETS2 = 0x802C542A
READ_BYTES_MAX = 4096
LOOPBACK = "127.0.0.1"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class PtyServer(LineServer[DeviceT]):
    """`path` is the terminal's name, or the link to it where one was asked for.

    `garble_at_wrong_baud`: bytes arrive garbled when the host's rate is not the settings' rate.
    """

    def __init__(
        self,
        emulator: DeviceT,
        settings: LineServerSettings | None = None,
        *,
        link: Path | None = None,
        garble_at_wrong_baud: bool = False,
    ) -> None:
        super().__init__(emulator, settings)
        self._link = None if link is None else PtyLink(link)
        self._garble = garble_at_wrong_baud
        self._master: int | None = None
        self._slave: int | None = None
        self._name = ""

    @property
    def path(self) -> str:
        return str(self._link.path) if self._link is not None else self._name

    @property
    def plugged(self) -> bool:
        return self._master is not None

    @property
    def host_baud(self) -> int:
        """The rate the host set, in bits per second."""
        assert self._master is not None, "the line is unplugged"
        raw = fcntl.ioctl(self._master, TCGETS2, bytes(TERMIOS2.size))
        speed = TERMIOS2.unpack(raw)[-1]
        assert isinstance(speed, int)
        return speed

    def unplug(self) -> None:
        """Unplug the line: the host's descriptor is hung up and the path is removed."""
        self._in_thread(self._pull)

    def replug(self) -> None:
        """Plug the line in again: a new terminal behind the same link."""
        self._in_thread(self._open)

    def _pull(self) -> None:
        self._cut()
        self._drop_output()

    def _open(self) -> None:
        assert self._master is None, "the line is already plugged in"
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._name = os.ttyname(self._slave)
        if self._link is not None:
            try:
                self._link.point_to(self._slave)
            except LineUnavailable:
                self._cut()
                raise

    def _close(self) -> None:
        if self._master is not None:
            self._cut()

    def _cut(self) -> None:
        assert self._master is not None, "the line is already unplugged"
        assert self._slave is not None
        if self._link is not None:
            self._link.remove()
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = None

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
        """At a wrong rate no byte arrives as it was sent, and none as ENQ or STX."""
        if not self._garble or self.host_baud == self.settings.baud:
            return data
        return bytes(0x80 | value >> 1 for value in data)


class TcpServer(LineServer[DeviceT]):
    """`port` 0: any free port. A second client is accepted and closed at once."""

    def __init__(
        self, emulator: DeviceT, settings: LineServerSettings | None = None, *, port: int = 0
    ) -> None:
        super().__init__(emulator, settings)
        self._listener = socket.socket()
        self._port_wanted = port
        self._client: socket.socket | None = None
        self.connections = 0

    @property
    def port(self) -> int:
        """The TCP port it listens on."""
        number = self._listener.getsockname()[1]
        assert isinstance(number, int)
        return number

    @property
    def url(self) -> str:
        """The URL for pyserial's `serial_for_url`."""
        return f"socket://{LOOPBACK}:{self.port}"

    @property
    def connected(self) -> bool:
        with self._changed:
            return self._client is not None

    def wait_connected(self, connections: int = 1, timeout_s: float | None = None) -> bool:
        """Wait until the `connections`-th client has connected, as `wait_for` waits."""
        return self._until(lambda: self.connections >= connections, timeout_s)

    def wait_disconnected(self) -> bool:
        """Wait until no client is connected, as `wait_for` waits."""
        return self._until(lambda: self._client is None)

    def drop(self, *, reset: bool = False) -> None:
        """Disconnect the client, if any; `reset`: with a TCP reset, as a crashed server does."""
        self._in_thread(lambda: self._drop(reset=reset))

    def _open(self) -> None:
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind((LOOPBACK, self._port_wanted))
            self._listener.listen()
        except (OSError, OverflowError) as error:
            self._listener.close()
            why = error.strerror if isinstance(error, OSError) else "no such port"
            raise LineUnavailable(
                f"socket://{LOOPBACK}:{self._port_wanted}: it cannot be served: {why}. Allowed: a"
                " free port from 1024 to 65535, or 0. Remedy: choose another"
            ) from None
        self._listener.setblocking(False)

    def _close(self) -> None:
        self._drop(reset=False)
        self._listener.close()

    def _drop(self, *, reset: bool) -> None:
        if self._client is None:
            return
        if reset:
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self._client.close()
        self._client = None
        self._drop_output()

    def _cut(self) -> None:
        self._drop(reset=False)

    def _watched(self) -> tuple[int, ...]:
        client = () if self._client is None else (self._client.fileno(),)
        return (self._listener.fileno(), *client)

    def _host_fd(self) -> int | None:
        return None if self._client is None else self._client.fileno()

    def _take_input(self) -> bytes:
        """Read the client before accepting a new one, so that a quick reconnect is not refused."""
        data = self._from_client()
        self._accept()
        return data

    def _from_client(self) -> bytes:
        if self._client is None:
            return b""
        try:
            data = self._client.recv(READ_BYTES_MAX)
        except BlockingIOError:
            return b""
        except ConnectionError:
            data = b""
        if not data:
            self._drop(reset=False)
        return data

    def _accept(self) -> None:
        while True:
            try:
                incoming, _ = self._listener.accept()
            except BlockingIOError:
                return
            if self._client is not None:
                incoming.close()
                continue
            incoming.setblocking(False)
            incoming.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._client = incoming
            self.connections += 1
            self.emulator.host_appeared(time.monotonic_ns())

    def _put_output(self, data: bytes) -> int:
        assert self._client is not None
        try:
            return self._client.send(data)
        except BlockingIOError:
            return 0
        except ConnectionError as error:
            self._drop(reset=False)
            raise LineGone("the client is gone") from error
