"""A listening socket and its connections: one thread each, bounded by account and in all."""

import contextlib
import socket
import threading
from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

from controller.system.peer import ConnectionRules, Peer
from foundation.context_thread import ContextThread
from foundation.timestamp import Timestamp

# When no connection can be accepted (no file descriptors left), retry after this time.
_RETRY_S = 0.2
# So many clients that were refused, and as many that made room, stay connected after the words that
# say so: one that writes its request before it reads would find a broken pipe in their place.
_TOLD_MAX: Final = 16

# Serves one connection until it closes; an OSError closes it, too.
Serve: TypeAlias = Callable[[Peer], None]


class Connections:
    """Accepts and serves the connections of one listening socket, by its rules.

    At a limit the longest idle connection makes room; without one the new connection is refused.
    """

    def __init__(
        self, name: str, serve: Serve, rules: ConnectionRules, clock: Callable[[], Timestamp]
    ) -> None:
        self._name = name
        self._serve = serve
        self._rules = rules
        self._clock = clock
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._open: dict[Peer, threading.Thread] = {}
        self._refused: deque[socket.socket] = deque()
        self._listening: tuple[socket.socket, threading.Thread] | None = None

    def start(self, listener: socket.socket) -> None:
        """Accept connections in a thread; takes ownership of the socket. Call it once."""
        acceptor = ContextThread(
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
        while self._refused:
            self._refused.popleft().close()
        with self._lock:
            still_open = tuple(self._open.items())
        for peer, _ in still_open:
            peer.end()
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
            if not self._take(connection):
                self._refuse(connection)

    def _refuse(self, connection: socket.socket) -> None:
        """Say why, and that nothing more comes; the newest may still write."""
        with contextlib.suppress(OSError):
            connection.settimeout(0.0)
            connection.send(self._rules.refused)
            connection.shutdown(socket.SHUT_WR)
        self._refused.append(connection)
        if len(self._refused) > _TOLD_MAX:
            self._refused.popleft().close()

    def _take(self, connection: socket.socket) -> bool:
        """Serve the connection in a thread, if there is room for it."""
        try:
            peer = Peer(connection, self._rules, self._clock)
        except OSError:  # it has ended by now
            return False
        thread = ContextThread(
            target=self._serve_connection, args=(connection, peer), name=self._name, daemon=True
        )
        with self._lock:
            if not self._has_room(peer.account):
                return False
            self._open[peer] = thread
            try:
                thread.start()
            except RuntimeError:  # the machine gives this program no further thread
                del self._open[peer]
                return False
        return True

    def _has_room(self, account: str) -> bool:
        """Whether the account may have one more; the longest idle one makes room if need be."""
        peers = [one for one in self._open if not one.made_room]
        of_account = [one for one in peers if one.account == account]
        if len(of_account) >= self._rules.account_max:
            peers = of_account
        elif len(peers) < self._rules.all_max:
            return True
        since = [(one.idle_since_ns(), one) for one in peers]
        idle = sorted(
            ((at, one) for at, one in since if at is not None), key=lambda found: found[0]
        )
        made = any(one.make_room() for _, one in idle)
        for one in [one for one in self._open if one.made_room][:-_TOLD_MAX]:
            one.end()
        return made

    def _serve_connection(self, connection: socket.socket, peer: Peer) -> None:
        try:
            with contextlib.suppress(OSError):
                self._serve(peer)
        finally:
            with self._lock:
                del self._open[peer]
            connection.close()
