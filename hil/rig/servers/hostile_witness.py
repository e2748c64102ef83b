"""A witness that never ends its answer: a byte now and then, or as much as is taken.

Source: C2SP tlog-witness.
"""

import contextlib
import socket

from hil.rig.loopback_server import POLL_S, LoopbackServer

_DRIP_S = 1.0
_READ_BYTES = 65_536
_BLOCK = bytes(65_536)


class HostileWitness(LoopbackServer):
    """Use as a context manager; its address is `http_url`. `asked` counts the requests."""

    def __init__(self, *, drips: bool) -> None:
        super().__init__("hostile witness")
        self.http_url = f"http://{self.url.removeprefix('socket://')}"
        self.asked = 0
        self._drips = drips

    def _serve(self, client: socket.socket) -> None:
        client.settimeout(POLL_S)
        with contextlib.suppress(OSError):  # the client is gone, or sends nothing
            if not client.recv(_READ_BYTES):
                return
            self.asked += 1
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while not self._ended.wait(_DRIP_S if self._drips else 0):
                with contextlib.suppress(TimeoutError):
                    client.send(b"x" if self._drips else _BLOCK)
