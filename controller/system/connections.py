"""A listening socket and its connections: one thread each, bounded, all closed at once by stop().

Source: controller/core/README.md, "Threads at the rim".
"""

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import TypeAlias

# When no connection can be accepted (no file descriptors left), retry after this time.
_RETRY_S = 0.2

# Serves one connection until it closes; an OSError closes it, too.
Serve: TypeAlias = Callable[[socket.socket], None]


class Connections:
    """Accepts and serves the connections of one listening socket.

    `refuse` gets a connection beyond the limit and must not block; it is closed afterwards.
    """

    def __init__(self, name: str, serve: Serve, refuse: Serve, connections_max: int) -> None:
        self._name = name
        self._serve = serve
        self._refuse = refuse
        self._connections_max = connections_max
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._open: dict[socket.socket, threading.Thread] = {}
        self._listening: tuple[socket.socket, threading.Thread] | None = None

    def start(self, listener: socket.socket) -> None:
        """Accept connections in a thread; takes ownership of the socket. Call it once."""
        acceptor = threading.Thread(
            target=self._accept_connections,
            args=(listener,),
            name=f"{self._name}-accept",
            daemon=True,
        )
        self._listening = listener, acceptor
        acceptor.start()

    def stop(self) -> None:
        """Close the listener and every connection, and wait for their threads."""
        self._stopping.set()
        if self._listening is None:
            return
        listener, acceptor = self._listening
        # Unlike close(), shutdown() wakes a thread that waits in accept().
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        acceptor.join()
        listener.close()
        with self._lock:
            still_open = tuple(self._open.items())
        for connection, _ in still_open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for _, thread in still_open:
            thread.join()

    @property
    def stopping(self) -> threading.Event:
        """Set by stop(), for threads that wait for something other than the client."""
        return self._stopping

    def _accept_connections(self, listener: socket.socket) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                self._stopping.wait(_RETRY_S)
                continue
            with self._lock:
                if len(self._open) < self._connections_max:
                    thread = threading.Thread(
                        target=self._serve_connection,
                        args=(connection,),
                        name=self._name,
                        daemon=True,
                    )
                    self._open[connection] = thread
                    thread.start()
                    continue
            with contextlib.suppress(OSError), connection:
                self._refuse(connection)

    def _serve_connection(self, connection: socket.socket) -> None:
        try:
            with contextlib.suppress(OSError):
                self._serve(connection)
        finally:
            with self._lock:
                del self._open[connection]
            connection.close()
