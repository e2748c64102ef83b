"""Browsers at the stream of an operator page, as the bench has them: some read, some do not.

Source: WHATWG HTML, "Server-sent events".
"""

import contextlib
import re
import socket
import threading
import time
from collections.abc import Iterator
from typing import Final

RECEIVE_BYTES: Final = 65536
# The smallest that the kernel allows: a browser that does not read fills it at once.
STUCK_BYTES: Final = 1
_LEFT: Final = re.compile(r"(\d+) of 416 cards left")


class PageStream:
    """A browser's connection to the stream of a page; it notes when each number of cards came."""

    def __init__(self, address: tuple[str, int], *, reads: bool = True) -> None:
        self.received_ns: dict[int, int] = {}
        self._socket = socket.socket()
        if not reads:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, STUCK_BYTES)
        self._socket.connect(address)
        host = f"{address[0]}:{address[1]}"
        self._socket.sendall(f"GET /events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        self._thread = threading.Thread(target=self._read, name="page stream")
        self._reads = reads
        if reads:
            self._thread.start()

    def _read(self) -> None:
        text = b""
        while data := self._socket.recv(RECEIVE_BYTES):
            now_ns = time.monotonic_ns()
            text += data
            *events, text = text.split(b"\n\n")
            for event in events:
                for left in _LEFT.findall(event.decode(errors="replace")):
                    self.received_ns.setdefault(int(left), now_ns)

    def received_at_ns(self, left: int) -> int:
        """When a state came in which so many cards were left, or fewer."""
        return min(at_ns for number, at_ns in self.received_ns.items() if number <= left)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        if self._reads:
            self._thread.join()
        self._socket.close()


@contextlib.contextmanager
def page_streams(
    address: tuple[str, int], reading: int, stuck: int = 0
) -> Iterator[tuple[PageStream, ...]]:
    """So many browsers that read, and so many that do not."""
    with contextlib.ExitStack() as stack:
        every = [PageStream(address) for _ in range(reading)]
        every += [PageStream(address, reads=False) for _ in range(stuck)]
        for one in every:
            stack.callback(one.close)
        yield tuple(every[:reading])
