"""The network between tables and a server: relays many connections, slowly, or cuts them."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

from hil.rig.loopback_server import LOOPBACK, POLL_S

_READ_BYTES = 4096
_SLOW_BYTES = 64


class Network:
    """Use as a context manager. Clients connect to `port`, and reach the server at the one given.

    `cut` breaks all connections; while `down` new ones are closed at once; while `slow_s` is not 0,
    64 bytes pass in that time, each way of each connection.
    """

    def __init__(self, server_port: int) -> None:
        self.down = False
        self.slow_s = 0.0
        self.cuts = 0
        self._server_port = server_port
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server((LOOPBACK, 0))
        self._listener.settimeout(POLL_S)
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, name="network", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Break every connection that there is."""
        self.cuts += 1
        with self._lock:
            ends, self._open = self._open, set()
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(TimeoutError):
                client, _ = self._listener.accept()
                # A cut waits: no connection reaches the server without being known here.
                with self._lock:
                    server = self._connect()
                    if server is not None:
                        self._open |= {client, server}
                if server is None:
                    client.close()
                else:
                    self._join(client, server)

    def _connect(self) -> socket.socket | None:
        if self.down:
            return None
        try:
            return socket.create_connection((LOOPBACK, self._server_port))
        except OSError:
            return None

    def _join(self, client: socket.socket, server: socket.socket) -> None:
        for source, sink in ((client, server), (server, client)):
            threading.Thread(
                target=self._carry, args=(source, sink), name="network", daemon=True
            ).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_SLOW_BYTES if self.slow_s else _READ_BYTES):
                if self.slow_s:
                    self._ended.wait(self.slow_s)
                sink.sendall(data)
        with self._lock:
            self._open -= {source, sink}
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        # Each end is closed by the thread that reads it.
        source.close()
