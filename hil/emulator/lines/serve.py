"""Serve an emulated device on a line of this machine: a pseudo terminal, or TCP on loopback.

Responsible for: the two kinds of line. `PtyServer`: the terminal, a stable link to it, pacing at
the rate the host chose, unplugging; a pty has no modem lines, and what is sent while nobody has it
open waits in the kernel, as on no real port. `TcpServer`: a one-port serial device server in TCP
server mode, one client at a time; what is sent while nobody is connected is gone, and "delivered"
means that the client's end of the connection took it, not that the client's program has read it.
Not responsible for: the device, and the order and pacing of bytes (line).
Source: wire document of the Angel Eye II-EX, "Link"; package README, "Serving an emulator".
"""

import errno
import fcntl
import os
import socket
import struct
import time
import tty
from pathlib import Path

from hil.emulator.lines.line import DeviceT, LineGone, LineServer, LineSettings

# struct termios2 of asm-generic/termbits.h: four flag words, the line discipline, 19 control
# characters, then input and output speed in plain numbers.
TERMIOS2 = struct.Struct("=4I B19s 2I")
TCGETS2 = 0x802C542A
READ_BYTES_MAX = 4096
LOOPBACK = "127.0.0.1"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class PtyServer(LineServer[DeviceT]):
    """`path` is the terminal's name, or the link to it where one was asked for.

    `garble_at_wrong_baud`: bytes come out wrong when the host's rate is not the settings' rate.
    """

    def __init__(
        self,
        emulator: DeviceT,
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
    def plugged(self) -> bool:
        return self._master is not None

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


class TcpServer(LineServer[DeviceT]):
    """`port` 0 takes any free port. A second client is let in and closed at once."""

    def __init__(
        self, emulator: DeviceT, settings: LineSettings | None = None, *, port: int = 0
    ) -> None:
        super().__init__(emulator, settings)
        self._listener = socket.socket()
        self._port_wanted = port
        self._client: socket.socket | None = None
        self.connections = 0

    @property
    def port(self) -> int:
        """The port it listens on."""
        number = self._listener.getsockname()[1]
        assert isinstance(number, int)
        return number

    @property
    def url(self) -> str:
        """What a pyserial port is opened with."""
        return f"socket://{LOOPBACK}:{self.port}"

    @property
    def connected(self) -> bool:
        with self._changed:
            return self._client is not None

    def wait_connected(self, connections: int = 1, timeout_s: float = 5.0) -> bool:
        """Wait until the so-many-th client has connected; False when the time is over."""
        with self._changed:
            return self._changed.wait_for(lambda: self.connections >= connections, timeout_s)

    def wait_disconnected(self, timeout_s: float = 5.0) -> bool:
        """Wait until no client is connected; False when the time is over."""
        with self._changed:
            return self._changed.wait_for(lambda: self._client is None, timeout_s)

    def drop(self, *, reset: bool = False) -> None:
        """Drop the client, if there is one; with `reset` the way a crashed server does."""
        self._in_thread(lambda: self._drop(reset=reset))

    def _open(self) -> None:
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((LOOPBACK, self._port_wanted))
        self._listener.listen()
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
        self._lost()

    def _cut(self) -> None:
        self._drop(reset=False)

    def _watched(self) -> tuple[int, ...]:
        client = () if self._client is None else (self._client.fileno(),)
        return (self._listener.fileno(), *client)

    def _host_fd(self) -> int | None:
        return None if self._client is None else self._client.fileno()

    def _take_input(self) -> bytes:
        """The client's end comes before a new caller, so that a quick return is not refused."""
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
                caller, _ = self._listener.accept()
            except BlockingIOError:
                return
            if self._client is not None:
                caller.close()
                continue
            caller.setblocking(False)
            caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._client = caller
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
