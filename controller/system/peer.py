"""The connection of one client: its account, the time it may take, and since when it is idle."""

import contextlib
import fcntl
import re
import select
import socket
import struct
import termios
import threading
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from controller.system.tls import TlsChannel, TlsContext
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
