"""Connections of clients to a listening socket: their account, thread and time, and how many."""

import contextlib
import fcntl
import re
import select
import socket
import struct
import termios
import threading
from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct

from controller.system.tls import TlsChannel, TlsContext
from foundation.context_thread import ContextThread
from foundation.timestamp import Timestamp

_RECEIVE_BYTES: Final = 4096
# The longest end of a request, of which a part may have come.
_END_BYTES_MAX: Final = 4
_NS_PER_S: Final = 1_000_000_000
# A client that reads has read what was sent to it by then.
_UNREAD_NS: Final = _NS_PER_S
_COUNT: Final = struct.Struct("i")
_CREDENTIALS: Final = struct.Struct("iII")


def uid_of_peer(connection: socket.socket) -> int:
    """The account at the other end of a Unix socket, as the kernel says; unix(7), SO_PEERCRED.

    Of a server it is the account that listened there.
    """
    given = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(given)
    return int(uid)


class ConnectionRules(Struct, frozen=True, kw_only=True):
    """How many connections there may be, how long each may take, and what is said at a limit."""

    account_of: Callable[[socket.socket], str]
    account_max: int
    all_max: int
    # For a request from its first byte to its last, and for a client to take an answer.
    patience_s: float
    # Without a request: before the first, and between two.
    idle_s: float
    refused: bytes
    made_room: bytes
    # With TLS the two above are not said: there is no handshake yet.
    tls: TlsContext | None = None


class RequestTooLong(Exception):
    """A request that does not end within the bytes it may have."""


class Peer:
    """One client's connection; its methods raise OSError when it ends or takes too long.

    Idle is who waits between two requests or does not read its subscription.
    """

    def __init__(
        self, connection: socket.socket, rules: ConnectionRules, clock: Callable[[], Timestamp]
    ) -> None:
        self.account = rules.account_of(connection)
        self._connection = connection
        self._rules = rules
        self._clock = clock
        self._lock = threading.Lock()
        self._buffer = b""
        self._waits_since_ns: int | None = self._now_ns()
        self._follows = False
        self._sent_ns = 0
        self.made_room = False
        self._tls = None if rules.tls is None else TlsChannel(rules.tls)
        self._hang_up = select.poll()
        # No event mask: POLLHUP and POLLERR are always reported.
        self._hang_up.register(connection, 0)

    def request(self, end: re.Pattern[bytes], bytes_max: int) -> bytes:
        """The next request with its end. Raises RequestTooLong."""
        self._wait_for_request()
        until_ns = self._now_ns() + int(self._rules.patience_s * _NS_PER_S)
        searched = 0
        while (found := end.search(self._buffer, searched)) is None:
            if len(self._buffer) > bytes_max:
                break
            searched = max(0, len(self._buffer) - _END_BYTES_MAX)
            self._buffer += self._receive(until_ns)
        if found is None or found.start() > bytes_max:
            raise RequestTooLong
        request, self._buffer = self._buffer[: found.end()], self._buffer[found.end() :]
        return request

    def send(self, answer: bytes) -> None:
        """Send all of it."""
        self._sent_ns = self._now_ns()
        self._send(answer if self._tls is None else self._tls.sealed(answer))

    def finish(self) -> None:
        """Say that nothing more comes."""
        if self._tls is not None:
            self._send(self._tls.closing())

    def follow(self) -> None:
        """From now on the client reads and asks no more; it is idle when it does not read."""
        self._follows = True
        self._sent_ns = self._now_ns()

    def has_read(self) -> bool:
        """Whether a client that follows has read all that was sent to it."""
        if self._hang_up.poll(0):
            raise ConnectionAbortedError
        return not self._unread()

    def idle_since_ns(self) -> int | None:
        """Since when the client is idle, or None."""
        if not self._follows:
            return self._waits_since_ns
        idle = self._unread() and self._now_ns() - self._sent_ns >= _UNREAD_NS
        return self._sent_ns if idle else None

    def make_room(self) -> bool:
        """Say that it ends, without blocking; False if it is no longer idle.

        A client that asks may still write its next request: it is not carried out, and ends the
        connection. One that follows only reads: its connection ends now.
        """
        with self._lock:
            if self.idle_since_ns() is None:
                return False
            self.made_room = True
        # A socket object of its own has a timeout of its own: its thread waits with another.
        with contextlib.suppress(OSError), self._connection.dup() as last:
            last.settimeout(0.0)
            last.send(self._rules.made_room)
        if self._follows:
            self.end()
        else:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_WR)
        return True

    def end(self) -> None:
        """Wake the thread that serves the connection; it closes it."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def _wait_for_request(self) -> None:
        """Return at the first byte of a request; line ends before it are none."""
        self._buffer = self._buffer.lstrip(b"\r\n")
        if self._buffer and self._waits_since_ns is None:
            return
        if self._waits_since_ns is None:
            self._waits_since_ns = self._now_ns()
        until_ns = self._waits_since_ns + int(self._rules.idle_s * _NS_PER_S)
        while not self._buffer:
            self._buffer = self._receive(until_ns).lstrip(b"\r\n")
        with self._lock:
            # A request that came too late is not carried out: its client got that answer.
            if self.made_room:
                raise ConnectionAbortedError
            self._waits_since_ns = None

    def _receive(self, until_ns: int) -> bytes:
        left_s = (until_ns - self._now_ns()) / _NS_PER_S
        if left_s <= 0:
            raise TimeoutError
        self._connection.settimeout(left_s)
        received = self._connection.recv(_RECEIVE_BYTES)
        if not received:
            raise ConnectionAbortedError
        if self._tls is None:
            return received
        plain, to_send = self._tls.received(received)
        if to_send:
            self._send(to_send)
        if self._tls.failed and not plain:
            raise ConnectionAbortedError
        return plain

    def _send(self, data: bytes) -> None:
        # The time of all of sendall(), however often the client takes a part.
        self._connection.settimeout(self._rules.patience_s)
        self._connection.sendall(data)

    def _unread(self) -> bool:
        """Whether the client has bytes to read; TIOCOUTQ is SIOCOUTQ of sockets."""
        answer = fcntl.ioctl(self._connection, termios.TIOCOUTQ, bytes(_COUNT.size))
        return bool(_COUNT.unpack(answer)[0])

    def _now_ns(self) -> int:
        return self._clock().monotonic_ns


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
