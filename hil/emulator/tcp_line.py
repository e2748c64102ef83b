"""An emulated device behind a one-port serial device server in TCP server mode.

Responsible for: one client at a time on loopback; what is sent while nobody is connected is gone.
Not responsible for: the device and the order of bytes (line). That a report was delivered means
that the client's end of the connection took it, not that the client's program has read it.
Source: wire document of the Angel Eye II-EX, "Link"; package README, "Serving an emulator".
"""

import socket
import struct

from hil.emulator.angel_eye import AngelEye
from hil.emulator.line import LineGone, LineServer, LineSettings

READ_BYTES_MAX = 4096
LOOPBACK = "127.0.0.1"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class TcpServer(LineServer):
    """`port` 0 takes any free port. A second client is let in and closed at once."""

    def __init__(
        self, emulator: AngelEye, settings: LineSettings | None = None, *, port: int = 0
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

    def _put_output(self, data: bytes) -> int:
        assert self._client is not None
        try:
            return self._client.send(data)
        except BlockingIOError:
            return 0
        except ConnectionError as error:
            self._drop(reset=False)
            raise LineGone("the client is gone") from error
