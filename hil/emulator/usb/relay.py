"""Relays bytes between an emulated USB device and a line served on TCP of this machine.

One dealing bench can so play over USB as it does over serial lines and TCP.
"""

import socket
from contextlib import suppress

LOOPBACK = "127.0.0.1"
READ_BYTES_MAX = 4096
CONNECT_S_MAX = 1.0
RETRY_NS = 20_000_000


class RelayedDevice:
    """Relays to a served line; what the host writes while the line is away is lost."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._line: socket.socket | None = None
        self._retry_at_ns = 0

    def receive(self, data: bytes, at_ns: int) -> bytes:
        line = self._connected(at_ns)
        if line is not None:
            try:
                line.sendall(data)
            except OSError:
                self._hang_up()
        return b""

    def tick(self, at_ns: int) -> bytes:
        line = self._connected(at_ns)
        if line is None:
            return b""
        try:
            data = line.recv(READ_BYTES_MAX, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._hang_up()
        return data

    def host_appeared(self, at_ns: int) -> None:
        """Connect again, so that the line, too, notices its host."""
        self._hang_up()
        self._retry_at_ns = 0

    def _connected(self, at_ns: int) -> socket.socket | None:
        if self._line is None and at_ns >= self._retry_at_ns:
            self._retry_at_ns = at_ns + RETRY_NS
            with suppress(OSError):
                self._line = socket.create_connection((LOOPBACK, self._port), CONNECT_S_MAX)
                self._line.settimeout(None)  # else recv waits even with MSG_DONTWAIT
        return self._line

    def _hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None
