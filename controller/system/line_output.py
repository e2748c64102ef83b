"""Text lines to a few TCP peers, one way: to whoever connects, and to named addresses.

Nobody waits for a peer: each has a thread and a short queue of its own. What a peer sends is not
read. A line that nobody takes is gone.
Source: RFC 9293 (TCP).
"""

import contextlib
import logging
import socket
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from msgspec import Struct

from firmware_bridge.transport.clock import now
from foundation.context_thread import ContextThread

LOG: Final = logging.getLogger("smartshoe.overlay")
PEERS_MAX: Final = 8
"""So many may be connected to the listening address; one more takes the place of the oldest."""
WAITING_MAX: Final = 64
"""So many lines wait for a slow peer; then the oldest is left out."""
_SEND_S: Final = 5.0
_RETRY_S: Final = 5.0
_CONNECT_S: Final = 2.0
_ENDING_NS: Final = 1_000_000_000
_NS_PER_S: Final = 1_000_000_000

Address: TypeAlias = tuple[str, int]


class LinesUnavailable(Exception):
    """The address cannot be listened on; the message says why and what to do."""


class LineOutputSettings(Struct, frozen=True):
    """Where lines go: to peers that connect to `listen`, and to those of `connect`."""

    listen: Address | None = None
    connect: tuple[Address, ...] = ()


class LineOutput:
    """Sends lines to every peer that is connected at that moment."""

    def __init__(self, settings: LineOutputSettings) -> None:
        self._settings = settings
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._peers: list[_Peer] = []
        self._listener: socket.socket | None = None
        self._threads: list[threading.Thread] = []

    def start(self) -> str:
        """Listen and connect; the listening address in words. Raises LinesUnavailable."""
        where = self._listen() if self._settings.listen is not None else ""
        for address in self._settings.connect:
            self._run(partial(self._keep_connected, address), "overlay-connect")
        return where

    def say(self, line: bytes) -> None:
        """Hand the line to every connected peer; returns at once."""
        with self._lock:
            peers = tuple(self._peers)
        for peer in peers:
            peer.put(line)

    @property
    def connected(self) -> int:
        """How many peers are connected, as far as it is known."""
        with self._lock:
            return len(self._peers)

    def stop(self) -> None:
        """Send what waits, for a second at most, and close the listener and every connection."""
        self._stopping.set()
        if self._listener is not None:
            # Unlike close(), shutdown() wakes a thread that waits in accept().
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        with self._lock:
            peers = tuple(self._peers)
        for peer in peers:
            peer.finish()
        deadline_ns = now().monotonic_ns + _ENDING_NS
        for thread in self._threads:
            thread.join(max(0, deadline_ns - now().monotonic_ns) / _NS_PER_S)
        for peer in peers:
            peer.close()
        for thread in self._threads:
            thread.join()

    def _listen(self) -> str:
        assert self._settings.listen is not None
        host, port = self._settings.listen
        try:
            self._listener = socket.create_server((host, port), backlog=PEERS_MAX)
        except OSError as error:
            raise LinesUnavailable(
                f"overlay.listen: {host}:{port} cannot be used: {error.strerror}. Remedy: name an"
                " address of this machine and a free port"
            ) from error
        self._run(self._accept, "overlay-accept")
        return "{}:{}".format(*self._listener.getsockname()[:2])

    def _accept(self) -> None:
        assert self._listener is not None
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                self._stopping.wait(_RETRY_S)
                continue
            peer = _Peer(connection)
            with self._lock:
                self._peers.append(peer)
                oldest = self._peers[0] if len(self._accepted()) > PEERS_MAX else None
            if oldest is not None:
                oldest.close()
            self._run(partial(self._serve, peer), "overlay-peer")

    def _accepted(self) -> list["_Peer"]:
        return [one for one in self._peers if not one.called]

    def _keep_connected(self, address: Address) -> None:
        """Connect to a peer again and again; what is said meanwhile does not reach it."""
        failed = False
        while not self._stopping.is_set():
            try:
                connection = socket.create_connection(address, timeout=_CONNECT_S)
            except OSError as error:
                if not failed:
                    LOG.warning(
                        "overlay: %s:%d: %s; tried again", *address, error.strerror or error
                    )
                failed = True
                self._stopping.wait(_RETRY_S)
                continue
            failed = False
            peer = _Peer(connection, called=True)
            with self._lock:
                self._peers.append(peer)
            self._serve(peer)
            self._stopping.wait(_RETRY_S)

    def _serve(self, peer: "_Peer") -> None:
        """Send what is said until the peer is gone."""
        if self._stopping.is_set():
            # stop() may have looked before this peer was there.
            peer.finish()
        peer.send_all()
        with self._lock:
            self._peers.remove(peer)

    def _run(self, target: Callable[[], None], name: str) -> None:
        thread = ContextThread(target=target, name=name, daemon=True)
        self._threads = [one for one in self._threads if one.is_alive()]
        self._threads.append(thread)
        thread.start()


class _Peer:
    """One connected peer. `called`: this side connected."""

    def __init__(self, connection: socket.socket, *, called: bool = False) -> None:
        self.called = called
        self._connection = connection
        self._lines: deque[bytes] = deque(maxlen=WAITING_MAX)
        self._changed = threading.Condition()
        self._closed = False
        with contextlib.suppress(OSError):
            connection.settimeout(_SEND_S)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            # One way: nothing that the peer sends is read.
            connection.shutdown(socket.SHUT_RD)

    def put(self, line: bytes) -> None:
        """Append a line; the oldest is left out where too many wait."""
        with self._changed:
            self._lines.append(line)
            self._changed.notify()

    def finish(self) -> None:
        """Send what waits, and end."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def close(self) -> None:
        """End now."""
        self.finish()
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def send_all(self) -> None:
        """Send lines until the connection ends. A peer that takes none for a while is left."""
        with self._connection, contextlib.suppress(OSError):
            while (line := self._next()) is not None:
                self._connection.sendall(line)

    def _next(self) -> bytes | None:
        with self._changed:
            while not self._lines and not self._closed:
                self._changed.wait()
            return self._lines.popleft() if self._lines else None
